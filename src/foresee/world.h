/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cluster in memory: foresee.c asks the engine, world.c lets time pass and
 * carries out what it says. */
#ifndef ASTRA_FORESEE_WORLD_H
#define ASTRA_FORESEE_WORLD_H

#include "src/foresee/foresee.h"

/* What is known of a job beside what the engine is shown. */
struct foreseen_job {
	double total_sec, left_sec;
	double ends_sec;   /* running: when it is through */
	double leaves_sec; /* running: when it is off its GPUs; 0: it stays */
	double clear_sec;  /* being cleaned up: until then */
	struct astra_share *held; /* owned; NULL: the snapshot's */
	bool awaited;	 /* its start is asked for, and not known yet */
	uint32_t origin; /* index into the snapshot's jobs */
};

struct foreseen_world {
	const struct astra_foresee *question;
	double now_sec;
	struct astra_node *nodes;
	struct astra_release *releases; /* by the round that sees them */
	size_t release_count, released; /* the first ones: have been */
	struct astra_job *jobs;		/* as the engine is shown them */
	struct foreseen_job *more;	/* beside them */
	size_t job_count, job_room, more_room;
	uint32_t next_id;  /* of array tasks that are split off */
	double *start_sec; /* the answer */
	size_t waiting;	   /* jobs without one that may yet have one */
};

/* world: zeroed. start_sec: beside the snapshot's jobs; becomes the answer.
 * Returns 0, or -1 when memory is out. */
int astra_world_begin(struct foreseen_world *world,
		      const struct astra_foresee *question, double *start_sec);
void astra_world_end(struct foreseen_world *world);

/* When something happens by itself next; infinite: never. */
double astra_world_next(const struct foreseen_world *world);

/* Let time pass: jobs end, and leave. */
void astra_world_advance(struct foreseen_world *world, double to_sec);

/* Carry out a plan. Returns 0, or -1 when memory is out. */
int astra_world_apply(struct foreseen_world *world,
		      const struct astra_plan *plan);

/* What has ended was shown; forget it. */
void astra_world_forget(struct foreseen_world *world);

#endif
