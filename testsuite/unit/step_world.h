/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A handful of jobs on a handful of nodes under one of the simulator's
 * schedulers, step by step; times from 0. It fails the test when a plan cannot
 * be carried out: GPUs that are not free, a job twice, one that does not wait.
 */
#ifndef ASTRA_TEST_STEP_WORLD_H
#define ASTRA_TEST_STEP_WORLD_H

#include "src/policies/options.h"
#include "src/sim/scheduler.h"
#include "src/world/world.h"

#define WORLD_JOBS 256
#define WORLD_NODES 16
#define WORLD_BEGIN 1.2e6 /* a slot begins, of 600 s and of an hour */

struct world {
	const struct astra_scheduler *scheduler;
	void *self;
	struct astra_options options;
	struct astra_trace trace;
	struct astra_trace_tenant names[8];
	struct astra_tenant tenants[8];
	struct astra_node nodes[WORLD_NODES];
	size_t node_count;
	struct astra_trace_job lines[WORLD_JOBS];
	struct astra_job jobs[WORLD_JOBS]; /* by number */
	struct astra_world cluster;
	struct astra_job seen[WORLD_JOBS]; /* the snapshot */
	struct astra_plan plan;
	double now_sec;
	bool checkpoints; /* who is stopped leaves at the next world_leave() */
};

/* weights: ended by a negative one. */
void world_init(struct world *w, const char *scheduler, size_t nodes,
		uint32_t gpus, const double *weights);
void world_fini(struct world *w);
/* Add a job that will be there from submit_sec on; all of them before the first
 * round, by ascending submit_sec. Returns its number, from 0. */
uint32_t world_job(struct world *w, uint32_t tenant, uint32_t gpus,
		   double submit_sec, double duration_sec);
/* GPUs that a job holds. */
uint32_t world_gpus(const struct world *w, uint32_t n);
/* Let so much time pass; who is through ends, just then at the latest. */
void world_pass(struct world *w, double sec);
/* Who was asked to leave has left. */
void world_leave(struct world *w);
/* One round, and carry out the plan. */
void world_round(struct world *w);
/* Rounds until nothing more is decided. */
void world_rounds(struct world *w);
/* Whether the running jobs are these: digits, ascending, "" for none; those
 * that are leaving count. */
bool world_runs(const struct world *w, const char *numbers);
size_t world_count(const struct world *w, enum astra_job_state state);

#endif
