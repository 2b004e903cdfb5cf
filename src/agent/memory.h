/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent remembers of its app from offer to offer: losses by iteration,
 * which no offer has but the newest of, and jobs that are over. It is lost when
 * the agent ends; a new one begins with what the next offer says. Pure. */
#ifndef AGENT_MEMORY_H
#define AGENT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "src/agent/offer.h"

/* Learning curves: loss(n) = a + b n^-c, b >= 0. (A power law with an offset,
 * as in Domhan et al., IJCAI'15, and most that came after.) Pure. */
struct agent_point {
	double done; /* iterations */
	double loss;
};

struct agent_fit {
	double a, b, c; /* of n / last */
	double last;	/* iteration of the last point; 0: there is no fit */
	double error;	/* root of the mean square of what is not explained */
};

/* Fit a curve by least squares: a and b are linear for each c, and c is looked
 * for from 0.05 to 4. A loss that does not fall is a flat line.
 * points: sorted by done; those at 0 are left out.
 * Returns false when there are fewer than three. */
bool agent_fit_curve(struct agent_fit *fit, const struct agent_point *points,
		     size_t count);

/* The loss at an iteration > 0. */
double agent_fit_loss(const struct agent_fit *fit, double iteration);

/* The iteration at which it gets down to a loss; infinite: never. */
double agent_fit_reaches(const struct agent_fit *fit, double loss);

#define AGENT_POINTS_MAX 128 /* losses of one job */

struct agent_record {
	uint32_t job;
	uint32_t copies;
	bool listed;	 /* in the newest offer */
	bool stopped;	 /* the scheduler gave it up */
	double stop_sec; /* when that was last said */
	double best;	 /* least loss so far; NAN: none */
	double done;	 /* the most iterations that it was seen at */
	double gpu_sec;	 /* of one iteration; 0: not known */
	/* Losses, by iteration; of a long job every second one is forgotten
	 * again and again. */
	struct agent_point *points;
	size_t count, room;
	double spacing;	      /* iterations between two of them */
	struct agent_fit fit; /* as of the iteration fit.last */
};

struct agent_memory {
	struct agent_record *records; /* sorted by job */
	size_t count, room;
	uint32_t jobs; /* that the app ever had */
	uint32_t gpus; /* the most that it could use at a time */
	double best;   /* loss of any job so far; NAN: none */
	double rung;   /* of halving: the last one that was decided; NAN: not
			* looked for yet */
	double forgotten_sec; /* GPU-seconds of jobs that have no record now */
	uint32_t forgotten;
	bool begun; /* there was an offer before */
};

/* Take in an offer.
 * Returns 0, or -1 when out of memory, with err set. */
int agent_memory_see(struct agent_memory *memory,
		     const struct agent_offer *offer, struct astra_error *err);

/* GPU-seconds that the app has had done, of jobs that are over too. */
double agent_memory_spent(const struct agent_memory *memory);

struct agent_record *agent_memory_find(const struct agent_memory *memory,
				       uint32_t job);

/* The first loss that the job had at that iteration or later; NAN: none. */
double agent_record_loss(const struct agent_record *record, double iteration);

/* Whether the job goes on. */
static inline bool agent_record_lives(const struct agent_record *record)
{
	return record->listed && !record->stopped;
}

/* Give a job up. */
void agent_record_stop(struct agent_record *record);

void agent_memory_clear(struct agent_memory *memory);

#endif
