/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Estimates of run times from the last jobs of the same user. Jobs of the same
 * name are used first. (Tsafrir et al., TPDS 2007: a user's last two jobs tell
 * more than a time limit does.) */
#ifndef ASTRA_RUNTIMES_H
#define ASTRA_RUNTIMES_H

#include "src/common/bytes.h"
#include "src/foresee/foresee.h"

#define ASTRA_RUNTIMES_KEPT 8 /* run times of each name and of each user */

/* Learned run times. Empty if zeroed. */
struct astra_runtimes {
	uint64_t learned;	  /* number of run times learned so far */
	bool changed;		  /* changed since the caller last saved it */
	double seen_sec;	  /* time of the last round seen */
	struct runtime_row *rows; /* by key */
	size_t count, room;
	struct runtime_job *jobs; /* jobs that have run, by id */
	size_t job_count, job_room;
};

/* A job as it is seen in a round. */
struct astra_runtime_job {
	uint32_t id;
	uint32_t run; /* number of requeues before this run */
	uint32_t uid;
	const char *name;
	double limit_sec; /* 0: none */
	bool running;
	bool over;		   /* has ended, other than by a requeue */
	double start_sec, end_sec; /* of the present or the last run */
};

/* Returns a job in the form that the functions below take. name: borrowed. */
struct astra_runtime_job astra_runtime_job_of(const struct astra_job *job,
					      uint32_t uid, const char *name);

enum astra_guess_kind {
	ASTRA_GUESS_EARLY,
	ASTRA_GUESS_LIKELY,
	ASTRA_GUESS_LATE
};

/* Note each job of a round, and then the round's end, which drops jobs that
 * were not seen. now_sec: the time of the round. astra_runtimes_see() returns
 * 0, or -1 when out of memory; then less is known. */
int astra_runtimes_see(struct astra_runtimes *runtimes,
		       const struct astra_runtime_job *job);
void astra_runtimes_seen(struct astra_runtimes *runtimes, double now_sec);

/* Estimates how long a job will run, in all and from now on. forecast: the
 * job's own report, which takes precedence. A LATE guess never exceeds the
 * job's time limit, which Slurm counts from each start anew. */
struct astra_run_guess
astra_runtimes_guess(const struct astra_runtimes *runtimes,
		     const struct astra_runtime_job *job,
		     const struct astra_forecast *forecast,
		     enum astra_guess_kind kind, double now_sec);

/* Estimates how long a job that the engine does not know keeps its GPUs. As
 * astra_runtimes_guess(), but a LATE guess is the time limit. Without a limit
 * and without earlier jobs the estimate is infinite. */
struct astra_run_guess
astra_runtimes_guess_other(const struct astra_runtimes *runtimes,
			   const struct astra_runtime_job *job,
			   enum astra_guess_kind kind, double now_sec);

/* Appends the learned run times to out, for the next start of the program.
 * Returns 0, or -1 when out of memory. */
int astra_runtimes_save(const struct astra_runtimes *runtimes,
			struct astra_bytes *out);

/* Restores saved run times. runtimes: empty. Returns 0, or -1 with err set if
 * the data are damaged or of another version; then runtimes is still empty. */
int astra_runtimes_restore(struct astra_runtimes *runtimes, const void *data,
			   size_t size, struct astra_error *err);

void astra_runtimes_clear(struct astra_runtimes *runtimes);

#endif
