/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's memory of its app from offer to offer. It has the losses by
 * iteration, of which an offer has only the newest, and the sums over ended
 * jobs. The memory is lost when the agent ends; a new agent begins with its
 * first offer. Pure. */
#ifndef AGENT_MEMORY_H
#define AGENT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "src/agent/offer.h"

/* Learning curves: loss(n) = a + b n^-c, b >= 0. (A power law with an offset,
 * as in Domhan et al., IJCAI'15, and in most later work.) Pure. */
struct agent_point {
	double done; /* iterations */
	double loss;
};

struct agent_fit {
	double a, b, c; /* coefficients; n is divided by last */
	double last;	/* iteration of the last point; 0: no fit */
	double error;	/* root mean square of the residuals */
};

/* Fits a curve by least squares: for each c, a and b follow linearly; c is
 * searched from 0.05 to 4. If the loss does not fall, the curve is a flat line.
 * points: sorted by done; points at 0 are left out. Returns false if fewer than
 * three points are left. */
bool agent_fit_curve(struct agent_fit *fit, const struct agent_point *points,
		     size_t count);

/* Returns the curve's loss at an iteration > 0. */
double agent_fit_loss(const struct agent_fit *fit, double iteration);

/* Returns the iteration at which the curve reaches a loss; infinite if it never
 * does. */
double agent_fit_reaches(const struct agent_fit *fit, double loss);

#define AGENT_POINTS_MAX 128 /* losses of one job */

struct agent_record {
	uint32_t job;
	uint32_t copies;
	bool listed;	 /* in the newest offer */
	bool stopped;	 /* given up by the scheduler */
	double stop_sec; /* when a bid last stopped the job */
	double best;	 /* least loss so far; NAN: no loss is known */
	double done;	 /* most iterations reported so far */
	double gpu_sec;	 /* GPU-seconds of an iteration; 0: not known */
	/* Losses, by iteration. When the list is full, every second point is
	 * dropped. */
	struct agent_point *points;
	size_t count, room;
	double spacing;	      /* least iterations between two points */
	struct agent_fit fit; /* as of the iteration fit.last */
};

struct agent_memory {
	struct agent_record *records; /* sorted by job */
	size_t count, room;
	uint32_t jobs; /* count of all jobs that the app has had */
	uint32_t gpus; /* most GPUs that the app could use at a time */
	double best;   /* least loss of all jobs so far; NAN: no loss is
			* known */
	double rung;   /* for halving: last rung decided; NAN: not determined
			* yet */
	double forgotten_sec; /* GPU-seconds of dropped records */
	uint32_t forgotten;
	bool begun; /* an offer was seen */
};

/* Updates the memory from an offer.
 * Returns 0, or -1 when out of memory, with err set. */
int agent_memory_see(struct agent_memory *memory,
		     const struct agent_offer *offer, struct astra_error *err);

/* Returns the GPU-seconds that the app has used, including its ended jobs. */
double agent_memory_spent(const struct agent_memory *memory);

struct agent_record *agent_memory_find(const struct agent_memory *memory,
				       uint32_t job);

/* Returns the job's first loss at this iteration or later; NAN if there is
 * none. */
double agent_record_loss(const struct agent_record *record, double iteration);

/* Whether the job is in the newest offer and was not given up. */
static inline bool agent_record_lives(const struct agent_record *record)
{
	return record->listed && !record->stopped;
}

/* Gives a job up; the next bid stops the job. */
void agent_record_stop(struct agent_record *record);

void agent_memory_clear(struct agent_memory *memory);

#endif
