/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking ahead: when each waiting job would start if nobody submitted anything
 * more. A copy of the engine goes on from where the real one is, in a cluster
 * that is in memory only: jobs end when they are expected to, the engine
 * decides as it would, and what it decides is carried out. Pure: no Slurm, no
 * clock.
 */
#ifndef ASTRA_FORESEE_H
#define ASTRA_FORESEE_H

#include "src/engine/engine.h"
#include "src/world/world.h"

/* How long a job is expected to run, on its GPUs, in all its runs. */
struct astra_run_guess {
	double total_sec; /* from its first start to its end; > 0 */
	double left_sec;  /* of it, still to be run; > 0 */
};

struct astra_foresee {
	const struct astra_options *options;
	const void *image; /* of the engine before a round, engine_image.h */
	size_t image_size;
	const struct astra_snapshot *snapshot; /* what it is shown in it */
	const struct astra_run_guess *guesses; /* beside the snapshot's jobs */
	const struct astra_release *releases;  /* in any order */
	size_t release_count;
	double horizon_sec;	/* how far to look */
	double checkpoint_part; /* of its grace that a job uses, 0 to 1 */
	/* Asked before each round; false: enough. NULL: go on. */
	bool (*go_on)(void *arg);
	void *arg;
};

/* When each job of the snapshot that waits would start, or, an array, its first
 * task: beside the snapshot's jobs. 0: it waits for something else than GPUs,
 * or it would not start before *until_sec, which says how far was looked.
 * Returns 0, or -1 with err set: then nothing is known. */
int astra_foresee(const struct astra_foresee *question, double *start_sec,
		  double *until_sec, struct astra_error *err);

#endif
