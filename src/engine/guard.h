/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The zero-progress guard of one job: whether its leases are long enough for it
 * to start up and save something, learned from what it reports. Pure; times are
 * seconds since the epoch of the host. Zeroed, nothing is known of the job.
 *
 * Of each run:
 * - start-up: from its begin to its first progress that goes beyond what was
 *   saved before, less the iterations done until then, as reports are seconds
 *   apart;
 * - one checkpoint: of a job that is signalled an iteration and, where it was
 *   seen, the time from the signal to the checkpoint; of one that is not, the
 *   time between its last two of a run, or from start-up to the first;
 * - whether it saved anything: a newer checkpoint. Of a job that tells of none,
 *   whether the next run began further on by what a tenth of this one does. A
 *   run that reported no iteration beyond its first report did nothing.
 *
 * A lease is too short if it is below start-up plus one checkpoint, or two runs
 * in a row, of two fifths of a term at least, saved nothing. It becomes one and
 * a half times what is needed, or twice as long, but never longer than
 * astra_guard_max().
 */
#ifndef ASTRA_GUARD_H
#define ASTRA_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct astra_options;

/* What a host sees of the job in a round. */
struct astra_guard_look {
	double now_sec;
	uint32_t run; /* how often it was requeued */
	bool running;
	bool signalled;	    /* it gets a signal to checkpoint by */
	double start_sec;   /* of this run, while it is running */
	double end_sec;	    /* of the last run, when it is not; 0: not known */
	double term_sec;    /* its lease term at present */
	double longest_sec; /* astra_guard_max() */
};

struct astra_guard {
	double term_sec, longest_sec; /* as last looked at */
	bool signalled;
	/* The present run. */
	bool begun, heard, started_up;
	uint32_t run;
	double start_sec, seen_sec;
	uint64_t first, newest; /* iterations by its first and last report */
	uint64_t step;		/* saved when it began */
	double signal_sec;	/* when it was told to checkpoint; 0: not */
	/* The run before, if it is not known yet whether it saved anything. */
	bool open;
	uint64_t open_first;
	double open_sec; /* how long it was */
	/* Learned. */
	double startup_sec[2]; /* of the last two runs that got so far */
	double iter_sec;
	double gap_sec, write_sec;
	bool saves;	  /* it tells of checkpoints */
	uint64_t saved;	  /* the newest one */
	double saved_sec; /* when it told */
	uint32_t saved_run;
	uint32_t barren; /* runs in a row that saved nothing */
	/* What was done about it. */
	double lease_sec; /* its longer term; 0: none */
	double was_sec;	  /* the one before */
	double need_sec;  /* why: start-up and one checkpoint; 0: barren runs */
	uint32_t wasted;  /* so many */
	bool capped;	  /* it would have to be longer than allowed */
	uint32_t changes; /* of these, counted */
};

/* Whether two runs in a row, or more, saved nothing. */
bool astra_guard_is_barren(const struct astra_guard *guard);

/* Start-up and one checkpoint; 0: not known yet. */
double astra_guard_need_sec(const struct astra_guard *guard);

/* The longest lease that the guard gives: LeaseMax, else four terms; 0: there
 * is no guard, as there are no leases or the policy's end with its slots. */
double astra_guard_max(const struct astra_options *options);

/* Follow the job into the present round, before its reports are told. */
void astra_guard_follow(struct astra_guard *guard,
			const struct astra_guard_look *look);

/* Tell a report of the present run: done iterations, of iter_sec each (0: not
 * said); a complete checkpoint. */
void astra_guard_progress(struct astra_guard *guard, double time_sec,
			  uint64_t done, double iter_sec);
void astra_guard_saved(struct astra_guard *guard, double time_sec,
		       uint64_t step);

/* The present run was told to write a checkpoint. */
void astra_guard_signal(struct astra_guard *guard, double time_sec);

#define ASTRA_GUARD_TEXT 200

/* What the job's user is to know, without a stop; "": nothing. */
void astra_guard_text(const struct astra_guard *guard,
		      char text[ASTRA_GUARD_TEXT]);

#endif
