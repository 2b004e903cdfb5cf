/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Baselines that share between tenants. */
#include <math.h>
#include <stdlib.h>

#include "src/common/number.h"
#include "src/sim/baseline.h"

static int baseline_tenants_compare_keys(const void *a, const void *b,
					 void *arg)
{
	const struct astra_baseline_tenant *tenants = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (tenants[x].key < tenants[y].key || tenants[x].key > tenants[y].key)
		return tenants[x].key < tenants[y].key ? -1 : 1;
	return x < y ? -1 : x > y;
}

void astra_baseline_order(struct astra_baseline_run *run)
{
	for (uint32_t i = 0; i < run->trace->tenant_count; i++)
		run->order[i] = i;
	qsort_r(run->order, run->trace->tenant_count, sizeof(*run->order),
		baseline_tenants_compare_keys, run->tenants);
}

/* GPUs by weight; a tenant without a weight comes last. */
static double by_weight(double gpus, const struct astra_baseline_tenant *t)
{
	return t->weight > 0 ? gpus / t->weight : HUGE_VAL;
}

/* Stride scheduling: a tenant's pass is its GPU time by its tickets, the
 * weight; the smallest pass is next. Within the tenant its tickets are split
 * evenly between its jobs, so a job's pass is its GPU time: a gang of g GPUs
 * pays g times. One that does not fit keeps its pass, and is first soon. Who
 * comes begins with the smallest pass there is. */

static double pass_of(const struct astra_baseline_tenant *t)
{
	return by_weight(t->gpu_sec, t) + t->join;
}

/* Tenants that were idle must not have saved up for now. */
static void join_tenants(struct astra_baseline_run *run)
{
	double least = HUGE_VAL;

	for (size_t i = 0; i < run->trace->tenant_count; i++)
		if (run->tenants[i].was_active)
			least = fmin(least, pass_of(&run->tenants[i]));
	for (size_t i = 0; i < run->trace->tenant_count; i++) {
		struct astra_baseline_tenant *t = &run->tenants[i];

		if (t->jobs && !t->was_active && isfinite(least) &&
		    pass_of(t) < least)
			t->join += least - pass_of(t);
	}
}

static void join_jobs(struct astra_baseline_run *run)
{
	const struct astra_snapshot *s = run->snapshot;

	for (size_t i = 0; i < run->trace->tenant_count; i++)
		run->tenants[i].key = HUGE_VAL;
	for (uint32_t i = 0; i < s->job_count; i++) {
		struct astra_baseline_job *m = astra_baseline_memory(run, i);
		struct astra_baseline_tenant *t =
			&run->tenants[s->jobs[i].tenant];

		if (m->joined && astra_job_active(s->jobs[i].state))
			t->key = fmin(t->key, m->gpu_sec + m->join);
	}
	for (uint32_t i = 0; i < s->job_count; i++) {
		struct astra_baseline_job *m = astra_baseline_memory(run, i);
		double least = run->tenants[s->jobs[i].tenant].key;

		if (!m->joined && isfinite(least))
			m->join = least;
		m->joined = true;
	}
}

static int baseline_tenants_join(struct astra_baseline_run *run)
{
	join_tenants(run);
	join_jobs(run);
	return 0;
}

static struct astra_rank by_pass(const struct astra_baseline_run *run,
				 uint32_t job)
{
	const struct astra_baseline_job *m = astra_baseline_memory(run, job);

	return (struct astra_rank){.major = m->gpu_sec + m->join};
}

static double pass_key(const struct astra_baseline_run *run, uint32_t tenant)
{
	const struct astra_baseline_tenant *t = &run->tenants[tenant];

	return pass_of(t) + by_weight((double)t->planned * run->lease_sec, t);
}

const struct astra_baseline astra_baseline_gandiva_fair = {
	.scheduler =
		{
			.name = "gandiva-fair",
			.summary =
				"stride scheduling, tickets by tenant, whole gangs",
			.source =
				"Gandiva_fair (Chaudhary et al., EuroSys'20), "
				"section 3: gang-aware split stride",
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_QUANTUM,
	.rank = by_pass,
	.tenant_key = pass_key,
	.account = baseline_tenants_join,
};
