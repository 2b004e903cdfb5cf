/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's priority/multifactor with fair tree, and EASY backfill. */
#include <math.h>

#include "src/sim/baseline.h"

/* The weights of the example in Slurm's own priority_multifactor page; by
 * default they are all 0, which is fifo. Half-life and maximum age are the
 * defaults. PriorityFavorSmall=NO: the larger, the better. */
#define WEIGHT_AGE 1000.0
#define WEIGHT_FAIRSHARE 10000.0
#define WEIGHT_SIZE 1000.0
#define HALF_LIFE_SEC (7 * 86400.0)
#define MAX_AGE_SEC (7 * 86400.0)

/* Fair tree with the tenants as its only level: by level fairshare, shares by
 * usage, down; factor (tenants - rank) / tenants, equals have the same. */
static int fair_tree(struct astra_baseline_run *run)
{
	struct astra_baseline_tenant *tenants = run->tenants;
	size_t count = run->trace->tenant_count;
	double last = NAN, factor = 1;

	for (size_t i = 0; i < count; i++) {
		struct astra_baseline_tenant *t = &tenants[i];

		t->key = t->weight > 0 ? t->usage / t->weight : HUGE_VAL;
	}
	astra_baseline_order(run);
	for (size_t i = 0; i < count; i++) {
		struct astra_baseline_tenant *t = &tenants[run->order[i]];

		if (!(t->key <= last))
			factor = (double)(count - i) / (double)count;
		last = t->key;
		t->key = factor;
	}
	return 0;
}

static struct astra_rank by_priority(const struct astra_baseline_run *run,
				     uint32_t job)
{
	const struct astra_job *j = &run->snapshot->jobs[job];
	double age = fmin(1, (run->now_sec - j->submit_sec) / MAX_AGE_SEC);
	double size = (double)j->request.gpus / (double)run->gpus;
	double priority = WEIGHT_AGE * age + WEIGHT_SIZE * size +
			  WEIGHT_FAIRSHARE * run->tenants[j->tenant].key;

	return (struct astra_rank){.major = -priority};
}

const struct astra_baseline astra_baseline_slurm = {
	.scheduler =
		{
			.name = "slurm",
			.summary =
				"multifactor priority, half-life 7 days, EASY "
				"backfill",
			.source =
				"Slurm's priority_multifactor and fair_tree pages; "
				"Lifka (JSSPP'95) for EASY",
			ASTRA_BASELINE_CALLS,
		},
	.backfills = true,
	.usage_half_life_sec = HALF_LIFE_SEC,
	.rank = by_priority,
	.prepare = fair_tree,
};
