/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's priority/multifactor with fair tree, and EASY backfill. */
#include <math.h>

#include "src/policies/baselines/baseline.h"

/* The weights of the example in Slurm's own priority_multifactor page. (By
 * default all weights are 0, which makes it fifo.) Half-life and maximum age
 * are Slurm's defaults. PriorityFavorSmall=NO: larger jobs are preferred. */
#define SLURM_WEIGHT_AGE 1000.0
#define SLURM_WEIGHT_FAIRSHARE 10000.0
#define SLURM_WEIGHT_SIZE 1000.0
#define SLURM_HALF_LIFE_SEC (7 * 86400.0)
#define SLURM_MAX_AGE_SEC (7 * 86400.0)

static int slurm_account(struct baseline_run *run)
{
	double kept = exp2(-run->books.passed_sec / SLURM_HALF_LIFE_SEC);

	if (baseline_meet_tenants(run) < 0)
		return -1;
	for (size_t i = 0; i < run->books.tenant_count; i++) {
		struct baseline_tenant_book *t = &run->books.tenants[i];

		t->value = t->value * kept + t->gained;
	}
	return 0;
}

/* Return a tenant's usage divided by its shares. */
static double slurm_level(const struct baseline_run *run, size_t tenant)
{
	double quota = run->offer->tenants[tenant].quota;

	return quota > 0 ? run->books.tenants[tenant].value / quota : HUGE_VAL;
}

/* Set fair tree factors with the tenants as the only level. Tenants are sorted
 * by level fairshare, shares divided by usage, descending. The factor is
 * (tenants - rank) / tenants; tenants with equal level fairshare get the same
 * factor. */
static int slurm_fair_tree(struct baseline_run *run)
{
	const struct astra_offer *offer = run->offer;
	size_t count = offer->tenant_count;

	for (size_t i = 0; i < offer->demand_count; i++)
		run->tenants[offer->demands[i].tenant].there = true;
	for (size_t i = 0; i < count; i++) {
		size_t rank = 0;

		for (size_t k = 0; run->tenants[i].there && k < count; k++)
			rank += slurm_level(run, k) < slurm_level(run, i);
		run->tenants[i].key = (double)(count - rank) / (double)count;
	}
	return 0;
}

static struct astra_rank slurm_by_priority(const struct baseline_run *run,
					   const struct astra_demand *d)
{
	double waited = run->offer->now_sec - d->submit_sec;
	double size = (double)d->job->request.gpus / (double)run->offer->gpus;
	double priority =
		SLURM_WEIGHT_AGE * fmin(1, waited / SLURM_MAX_AGE_SEC) +
		SLURM_WEIGHT_SIZE * size +
		SLURM_WEIGHT_FAIRSHARE * run->tenants[d->tenant].key;

	return (struct astra_rank){.major = -priority};
}

static const struct baseline slurm = {
	.unfit = BASELINE_BACKFILL,
	.rank = slurm_by_priority,
	.account = slurm_account,
	.prepare = slurm_fair_tree,
};

BASELINE_CREATE(slurm, slurm)

const struct astra_policy astra_slurm = {
	.name = "slurm",
	.summary = "multifactor priority, half-life 7 days, EASY backfill",
	.source = "Slurm's priority_multifactor and fair_tree pages; Lifka "
		  "(JSSPP'95) for EASY",
	.create = slurm_create,
	.endless = true,
	BASELINE_KEEPS_BOOKS,
	BASELINE_CALLS,
};
