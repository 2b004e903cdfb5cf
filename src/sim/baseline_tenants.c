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

/* A job larger than its tenant's quota runs alone in it. */
static bool within_quota(const struct astra_baseline_run *run, uint32_t job)
{
	const struct astra_job *j = &run->snapshot->jobs[job];
	const struct astra_baseline_tenant *t = &run->tenants[j->tenant];

	return !t->planned ||
	       astra_compare((double)t->planned + (double)j->request.gpus,
			     t->quota) <= 0;
}

static double quota_key(const struct astra_baseline_run *run, uint32_t tenant)
{
	const struct astra_baseline_tenant *t = &run->tenants[tenant];

	return t->quota > 0 ? (double)t->planned / t->quota : HUGE_VAL;
}

/* Batches: those who come during a LeaseTerm are scheduled together at its end,
 * each tenant within its own share and in the order of arrival; what a tenant
 * does not use is not sold. (The first of the three layers of Wang et al.
 * alone.) */

static double batch_end(const struct astra_baseline_run *run, double at_sec)
{
	double batches = (at_sec - run->begin_sec) / run->lease_sec;

	return run->begin_sec + astra_ceil(batches) * run->lease_sec;
}

static bool in_batch(const struct astra_baseline_run *run, uint32_t job)
{
	double submit_sec = run->snapshot->jobs[job].submit_sec;

	return astra_compare(batch_end(run, submit_sec), run->now_sec) <= 0 &&
	       within_quota(run, job);
}

/* The next batch, if anybody is in it. */
static double next_batch(const struct astra_baseline_run *run)
{
	double at_sec = HUGE_VAL;

	for (size_t i = 0; i < run->snapshot->job_count; i++) {
		const struct astra_job *job = &run->snapshot->jobs[i];
		double end_sec = batch_end(run, job->submit_sec);

		if (job->state == ASTRA_JOB_PENDING &&
		    astra_compare(end_sec, run->now_sec) > 0)
			at_sec = fmin(at_sec, end_sec);
	}
	return at_sec;
}

const struct astra_baseline astra_baseline_batchsche = {
	.scheduler =
		{
			.name = "batchsche",
			.summary =
				"batch by batch, each tenant in its own share, "
				"without selling",
			.source =
				"a baseline of Wang et al. (TC'23): its batches "
				"without its market",
			ASTRA_BASELINE_CALLS,
		},
	.tenant_key = quota_key,
	.allowed = in_batch,
	.wake = next_batch,
};

/* AlloX. On GPUs of one kind its matching of jobs to places in queues, where
 * the k-th from the last costs k times its processing time, is an order by
 * processing time. The filter: the tenants with the smallest shares, a
 * fraction of those with waiting jobs, go first. Nobody is stopped. */

#define ALLOX_FRACTION 0.1

static int filter_tenants(struct astra_baseline_run *run)
{
	size_t waiting = 0, first;

	for (size_t i = 0; i < run->trace->tenant_count; i++) {
		struct astra_baseline_tenant *t = &run->tenants[i];

		waiting += t->pending > 0;
		t->key = by_weight((double)t->held, t);
	}
	first = (size_t)astra_ceil(ALLOX_FRACTION * (double)waiting);
	astra_baseline_order(run);
	for (size_t i = 0; i < run->trace->tenant_count; i++) {
		struct astra_baseline_tenant *t = &run->tenants[run->order[i]];

		t->key = t->pending && first ? 0 : 1;
		first -= t->pending && first;
	}
	return 0;
}

static struct astra_rank
by_processing_time(const struct astra_baseline_run *run, uint32_t job)
{
	return (struct astra_rank){
		.major = run->tenants[run->snapshot->jobs[job].tenant].key,
		.minor = run->oracle[job].left_sec,
	};
}

const struct astra_baseline astra_baseline_allox = {
	.scheduler =
		{
			.name = "allox",
			.summary =
				"shortest job first, of the tenants with the "
				"smallest shares; knows durations",
			.source = "AlloX (Le et al., EuroSys'20), section 3",
			ASTRA_BASELINE_CALLS,
		},
	.rank = by_processing_time,
	.prepare = filter_tenants,
};

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
