/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long jobs run, as far as can be told: what their user's last jobs ran, of
 * the same name first (Tsafrir et al., TPDS 2007: the last two of a user tell
 * more than a time limit does).
 */
#ifndef ASTRA_RUNTIMES_H
#define ASTRA_RUNTIMES_H

#include "src/common/bytes.h"
#include "src/foresee/foresee.h"

#define ASTRA_RUNTIMES_KEPT 8 /* of each name, and of each user */

/* Zeroed is empty. */
struct astra_runtimes {
	uint64_t learned;	  /* so often */
	bool changed;		  /* since the caller saved it last */
	double seen_sec;	  /* when jobs were seen last */
	struct runtime_row *rows; /* by key */
	size_t count, room;
	struct runtime_job *jobs; /* that have had runs, by id */
	size_t job_count, job_room;
};

/* A job as it is seen in a round. */
struct astra_runtime_job {
	uint32_t id;
	uint32_t run; /* requeues before it */
	uint32_t uid;
	const char *name;
	double limit_sec; /* 0: none */
	bool running;
	bool over;		   /* has ended, and not by a requeue */
	double start_sec, end_sec; /* of the present or the last run */
};

/* name: borrowed. */
struct astra_runtime_job astra_runtime_job_of(const struct astra_job *job,
					      uint32_t uid, const char *name);

enum astra_guess_kind {
	ASTRA_GUESS_EARLY,
	ASTRA_GUESS_LIKELY,
	ASTRA_GUESS_LATE
};

/* Take note of a round's jobs, one by one, then of its end, when jobs that were
 * not seen are forgotten. now_sec: when they were seen. Returns 0, or -1 when
 * out of memory: then less is known. */
int astra_runtimes_see(struct astra_runtimes *runtimes,
		       const struct astra_runtime_job *job);
void astra_runtimes_seen(struct astra_runtimes *runtimes, double now_sec);

/* How long a job will run in all and from now on. forecast: what it says
 * itself, which goes before. LATE is never more than its time limit, which
 * Slurm counts from each start anew. */
struct astra_run_guess
astra_runtimes_guess(const struct astra_runtimes *runtimes,
		     const struct astra_runtime_job *job,
		     const struct astra_forecast *forecast,
		     enum astra_guess_kind kind, double now_sec);

/* How long a job that the engine does not know keeps what it has: as above, but
 * LATE until its time limit, and, with neither a limit nor a job before it,
 * infinite. */
struct astra_run_guess
astra_runtimes_guess_other(const struct astra_runtimes *runtimes,
			   const struct astra_runtime_job *job,
			   enum astra_guess_kind kind, double now_sec);

/* What is known, for the next start. Returns 0, or -1 when out of memory. */
int astra_runtimes_save(const struct astra_runtimes *runtimes,
			struct astra_bytes *out);

/* runtimes: empty. Returns 0, or -1 with err set, when the data are damaged or
 * of another version; then it is still empty. */
int astra_runtimes_restore(struct astra_runtimes *runtimes, const void *data,
			   size_t size, struct astra_error *err);

void astra_runtimes_clear(struct astra_runtimes *runtimes);

#endif
