/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The zero-progress guard of one job: it learns from the job's reports whether
 * leases are long enough for the job to start up and save something. Pure.
 * Times are in seconds since the epoch, by the host's clock. If zeroed, nothing
 * is known of the job.
 *
 * It measures of each run:
 * - start-up: from its begin to its first progress beyond what was saved
 *   before. Reports are seconds apart, so the time of the iterations done until
 *   then is subtracted;
 * - one checkpoint: for a job that gets a signal, an iteration plus, if seen,
 *   the time from the signal to the checkpoint; for other jobs, the time
 *   between the run's last two checkpoints, or from start-up to the first;
 * - whether it saved anything: a newer checkpoint. If the job reports no
 *   checkpoints, the next run must have begun further on, by a tenth of what
 *   this run did. A run that reported no iteration after its first report saved
 *   nothing.
 *
 * A lease is too short if it is below start-up plus one checkpoint, or if two
 * runs in a row, each of at least two fifths of a term, saved nothing. Then it
 * becomes one and a half times what is needed, or twice as long, but never
 * longer than astra_guard_max(). */
#ifndef ASTRA_GUARD_H
#define ASTRA_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct astra_options;

/* What a host sees of the job in a round. */
struct astra_guard_look {
	double now_sec;
	uint32_t run; /* how often the job was requeued */
	bool running;
	bool signalled;	    /* the job gets a signal to write a checkpoint */
	double start_sec;   /* of this run, while the job is running */
	double end_sec;	    /* of the last run, while the job is not running; 0:
			     * unknown */
	double term_sec;    /* its lease term at present */
	double longest_sec; /* astra_guard_max() */
};

struct astra_guard {
	double term_sec, longest_sec; /* as last seen */
	bool signalled;
	/* The present run. */
	bool begun, heard, started_up;
	uint32_t run;
	double start_sec, seen_sec;
	uint64_t first, newest; /* iterations in its first and last report */
	uint64_t step;		/* iterations that were saved when the run
				 * began */
	double signal_sec;	/* when the run was told to write a checkpoint;
				 * 0: it was not */
	/* The last run, while it is unknown whether it saved anything. */
	bool open;
	uint64_t open_first;
	double open_sec; /* how long it was */
	/* What was learned. */
	double startup_sec[2]; /* of the last two runs that completed their
				* start-up */
	double iter_sec;
	double gap_sec, write_sec;
	bool saves;	  /* the job reports checkpoints */
	uint64_t saved;	  /* newest checkpoint */
	double saved_sec; /* when that checkpoint was reported */
	uint32_t saved_run;
	uint32_t barren; /* runs in a row that saved nothing */
	/* What was done. */
	double lease_sec; /* the longer lease term; 0: none */
	double was_sec;	  /* the lease term before that */
	double need_sec;  /* the time that start-up and one checkpoint need, if
			   * that was the reason; 0: barren runs were */
	uint32_t wasted;  /* number of barren runs that were the reason */
	bool capped;	  /* the lease would have to be longer than allowed */
	uint32_t changes; /* how often any of this changed */
};

/* Whether the last two or more runs saved nothing. */
bool astra_guard_is_barren(const struct astra_guard *guard);

/* Return the time of start-up and one checkpoint; 0: unknown yet. */
double astra_guard_need_sec(const struct astra_guard *guard);

/* Return the longest lease that the guard gives: LeaseMax, or four terms if
 * that is not set. Returns 0 for no guard, if there are no leases or they end
 * with the policy's slots. */
double astra_guard_max(const struct astra_options *options);

/* Update the guard with the present round. Call before the job's reports are
 * passed on. */
void astra_guard_follow(struct astra_guard *guard,
			const struct astra_guard_look *look);

/* Pass on a report of the present run: the iterations that it has done, each of
 * iter_sec (0: unknown), or a complete checkpoint. */
void astra_guard_progress(struct astra_guard *guard, double time_sec,
			  uint64_t done, double iter_sec);
void astra_guard_saved(struct astra_guard *guard, double time_sec,
		       uint64_t step);

/* Note that the present run was told to write a checkpoint. */
void astra_guard_signal(struct astra_guard *guard, double time_sec);

#define ASTRA_GUARD_TEXT 200

/* Write a message for the job's user, without a full stop. The text is "" if
 * there is nothing to say. */
void astra_guard_text(const struct astra_guard *guard,
		      char text[ASTRA_GUARD_TEXT]);

#endif
