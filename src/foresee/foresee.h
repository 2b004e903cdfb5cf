/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Computes when each waiting job would start if no more jobs were submitted. A
 * copy of the engine continues from the state of the real one, in a cluster
 * that exists in memory only. Jobs end when they are expected to, and the
 * engine's decisions are carried out. Pure: no Slurm, no clock. */
#ifndef ASTRA_FORESEE_H
#define ASTRA_FORESEE_H

#include "src/engine/engine.h"
#include "src/world/world.h"

/* The expected run time of a job on its GPUs, summed over its runs. */
struct astra_run_guess {
	double total_sec; /* from its first start to its end; > 0 */
	double left_sec;  /* part of total_sec that is left; > 0 */
};

struct astra_foresee {
	const struct astra_options *options;
	const void *image; /* image of the engine before the round;
			    * engine_image.h */
	size_t image_size;
	const struct astra_snapshot *snapshot; /* the snapshot that the engine
						* gets in that round */
	const struct astra_run_guess *guesses; /* one per job of the snapshot */
	const struct astra_release *releases;  /* in any order */
	size_t release_count;
	double horizon_sec;	/* how far to look ahead */
	double checkpoint_part; /* part of its grace that a job uses, 0 to 1 */
	/* Called before each round. Returns false to end the search. NULL:
	 * never end it. */
	bool (*go_on)(void *arg);
	void *arg;
};

/* Computes when each waiting job of the snapshot starts. The start of an array
 * is that of its first task. start_sec: one per job of the snapshot. It is 0 if
 * the job waits for something other than GPUs, or does not start before
 * *until_sec, the end of the simulated time.
 * Returns 0, or -1 with err set; then start_sec is undefined. */
int astra_foresee(const struct astra_foresee *question, double *start_sec,
		  double *until_sec, struct astra_error *err);

#endif
