/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Those baselines of the papers' evaluations that are no policies yet
 * (src/policies/baselines): they divide the GPUs between elastic jobs. One loop
 * serves them all (baseline.c, baseline_divide.c); a baseline says how many
 * each job gets (baseline_dorm.c, baseline_slaq.c, baseline_oga.c).
 *
 * Jobs get their GPUs consolidated (placement.h) where a baseline does not say
 * otherwise. One whose number changes writes its checkpoint and starts again;
 * one that goes on running keeps its GPUs.
 */
#ifndef ASTRA_BASELINE_H
#define ASTRA_BASELINE_H

#include "src/placement/placement.h"
#include "src/sim/scheduler.h"

struct astra_baseline_run;

/* When running jobs compete for their GPUs again. */
enum astra_preempt {
	ASTRA_PREEMPT_EVENT,   /* whenever something happens */
	ASTRA_PREEMPT_QUANTUM, /* every quantum; in between GPUs that are free
				* are given away */
};

/* A job that GPUs are divided between. */
struct astra_portion {
	uint32_t job;	      /* index in the snapshot's jobs */
	uint32_t least, most; /* GPUs that it runs on; alike: it is rigid */
	uint32_t held;	      /* that it runs on now; 0: it waits */
	uint32_t gpus;	      /* that it gets: none, or from least to most */
	uint32_t goal;	      /* what its baseline holds for its due */
	double score;	      /* as its baseline needs it */
};

/* On which nodes a job gets its GPUs. */
enum astra_spot {
	ASTRA_SPOT_FEWEST,   /* consolidated (placement.h) */
	ASTRA_SPOT_FULLEST,  /* node by node, the most used one first */
	ASTRA_SPOT_EMPTIEST, /* the least used one first */
};

struct astra_baseline {
	struct astra_scheduler scheduler; /* the first member */
	enum astra_preempt preempt;
	/* How many GPUs each job gets. portions: by submission, then id; none
	 * has any yet. gpus: that there are, those held by them included; by
	 * node in run->node_gpus_left, which may be written. */
	void (*divide)(struct astra_baseline_run *run,
		       struct astra_portion *portions, size_t count,
		       uint64_t gpus);
	enum astra_spot spot;
};

/* What is remembered of a job of the trace. */
struct astra_baseline_job {
	uint32_t leaving; /* 1 + number of the run that it is to end */
	uint32_t started; /* 1 + number of the run that was started last */
	uint32_t wanted;  /* GPUs that it was given and has not started on */
};

/* One instance. */
struct astra_baseline_run {
	const struct astra_baseline *baseline;
	const struct astra_trace *trace;
	uint32_t node_gpus; /* of the largest node */
	double begin_sec, lease_sec, grace_sec;
	struct astra_baseline_job *jobs; /* of each of the trace */
	double now_sec;
	/* The round. */
	const struct astra_snapshot *snapshot;
	const struct astra_oracle *oracle;
	struct astra_plan *plan;
	size_t pending, started;
	bool full;	 /* running jobs compete */
	bool armed;	 /* somebody waits for the next quantum */
	double next_sec; /* when it begins */
	/* What is free, and what will be when all who leave have left. */
	struct astra_space *now, *later;
	uint32_t *later_gpus; /* by node */
	struct astra_share *shares;
	/* Those between whom GPUs are divided. */
	struct astra_portion *portions;
	size_t portion_count, portions_room;
	uint32_t *heap; /* of them */
	size_t heap_room;
	uint32_t *node_gpus_left; /* by node, for trying things out */
	bool growable;		  /* a running job could use more GPUs */
};

/* The scheduler's calls of all baselines. */
void *astra_baseline_create(const struct astra_scheduler_setup *setup,
			    struct astra_error *err);
void astra_baseline_destroy(void *self);
int astra_baseline_round(void *self, const struct astra_snapshot *snapshot,
			 const struct astra_oracle *oracle,
			 struct astra_plan *plan, struct astra_error *err);
#define ASTRA_BASELINE_CALLS                                                \
	.create = astra_baseline_create, .destroy = astra_baseline_destroy, \
	.round = astra_baseline_round

/* Begin placing: what is free, and run->later_gpus. */
void astra_baseline_set_spaces(struct astra_baseline_run *run);

enum astra_placed {
	ASTRA_PLACED_NOT,
	ASTRA_PLACED_NOW,   /* it starts */
	ASTRA_PLACED_LATER, /* its GPUs are kept until they are all free */
};

#define ASTRA_PLACE_NOW 1u   /* it may start */
#define ASTRA_PLACE_LATER 2u /* GPUs may be kept that will be free for it */

/* Start a job on so many GPUs, or keep them for it. when: what may be done.
 * Returns enum astra_placed, or -1 when memory is out. */
int astra_baseline_place(struct astra_baseline_run *run, uint32_t job,
			 uint32_t gpus, unsigned when);

/* What a job holds will be free. */
void astra_baseline_free_later(struct astra_baseline_run *run, uint32_t job);

/* Whether nobody needs what a job holds that was to be stopped; then it is
 * kept for it. */
bool astra_baseline_keep(struct astra_baseline_run *run, uint32_t job);

/* Ask a running job to leave. Returns 0, or -1 when memory is out. */
int astra_baseline_stop(struct astra_baseline_run *run, uint32_t job);

/* Of the nodes with GPUs left, the most, or the least, used one; ties go to the
 * lower index. left: GPUs by node. Returns ASTRA_NONE when there is none. */
uint32_t astra_baseline_spot(const struct astra_baseline_run *run,
			     const uint32_t *left);

/* Decide: fill run->plan. Returns 0, or -1 when memory is out.
 * (baseline_divide.c) */
int astra_baseline_divide(struct astra_baseline_run *run);

static inline struct astra_baseline_job *
astra_baseline_memory(const struct astra_baseline_run *run, uint32_t job)
{
	return &run->jobs[run->snapshot->jobs[job].id - 1];
}

/* Whether it holds GPUs that it is about to leave. */
static inline bool astra_baseline_leaving(const struct astra_baseline_run *run,
					  uint32_t job)
{
	const struct astra_job *j = &run->snapshot->jobs[job];

	return j->state == ASTRA_JOB_REQUEUED || j->state == ASTRA_JOB_ENDING ||
	       (j->state == ASTRA_JOB_RUNNING &&
		astra_baseline_memory(run, job)->leaving == j->restart_cnt + 1);
}

extern const struct astra_baseline astra_baseline_dorm, astra_baseline_slaq,
	astra_baseline_oga_drf, astra_baseline_oga_fairness,
	astra_baseline_oga_binpacking, astra_baseline_oga_spreading;

#endif
