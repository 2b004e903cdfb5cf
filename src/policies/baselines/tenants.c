/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Baselines that share between tenants. */
#include <math.h>

#include "src/common/number.h"
#include "src/policies/baselines/baseline.h"

/* Return which part of its quota a tenant uses. A tenant without a quota comes
 * last. */
static double tenants_used(const struct baseline_run *run, uint32_t tenant)
{
	double quota = run->offer->tenants[tenant].quota;

	return quota > 0 ? run->tenants[tenant].planned / quota : HUGE_VAL;
}

/* Dominant resource fairness, Algorithm 1: the tenant with the smallest
 * dominant share is next. With one kind of resource this is its share of the
 * GPUs. A job that does not fit is skipped. */
static const struct baseline tenants_drf = {.tenant_key = tenants_used};

BASELINE_CREATE(drf, tenants_drf)

const struct astra_policy astra_drf = {
	.name = "drf",
	.summary = "the tenant with the smallest share of GPUs first",
	.source = "DRF (Ghodsi et al., NSDI'11), Algorithm 1, with one "
		  "resource",
	.create = drf_create,
	.endless = true,
	BASELINE_CALLS,
};

/* Whether a job is within its tenant's quota. This is the capacity scheduler
 * with queues that may not grow: each tenant has its quota, first come, first
 * served, and no more even if other tenants are idle. A job larger than its
 * tenant's quota runs while no other job of the tenant does. */
static bool tenants_within_quota(const struct baseline_run *run,
				 const struct astra_demand *d)
{
	double planned = run->tenants[d->tenant].planned;

	return !(planned > 0) ||
	       astra_compare(planned + d->candidate.charge,
			     run->offer->tenants[d->tenant].quota) <= 0;
}

static const struct baseline tenants_yarn_cs = {
	.unfit = BASELINE_BLOCK,
	.tenant_key = tenants_used,
	.allowed = tenants_within_quota,
};

BASELINE_CREATE(yarn_cs, tenants_yarn_cs)

const struct astra_policy astra_yarn_cs = {
	.name = "yarn-cs",
	.summary = "static quotas, first come, first served in each",
	.source = "YARN's capacity scheduler, as in ASTRAEA (Ye et al., "
		  "TPDS'22) and Philly (Jeon et al., ATC'19)",
	.create = yarn_cs_create,
	.endless = true,
	BASELINE_CALLS,
};

/* Batches: jobs that come during a LeaseTerm are scheduled together at its end,
 * each tenant within its own share and in the order of arrival. Share that a
 * tenant does not use is not sold. (This is only the first of the three layers
 * of Wang et al.) */

static double tenants_batch_end(const struct baseline_run *run,
				const struct astra_demand *d)
{
	double term = run->offer->lease_sec;

	return astra_ceil(d->submit_sec / term) * term;
}

static bool tenants_in_batch(const struct baseline_run *run,
			     const struct astra_demand *d)
{
	return tenants_batch_end(run, d) - run->offer->now_sec <=
		       BASELINE_EPSILON_SEC &&
	       tenants_within_quota(run, d);
}

/* Return the end of the first batch that a waiting job is in; infinite:
 * none. */
static double tenants_next_batch(const struct baseline_run *run)
{
	double at = HUGE_VAL;

	for (size_t i = 0; i < run->offer->demand_count; i++) {
		const struct astra_demand *d = &run->offer->demands[i];
		double end = tenants_batch_end(run, d);

		if (d->job->state == ASTRA_JOB_PENDING &&
		    end - run->offer->now_sec > BASELINE_EPSILON_SEC)
			at = fmin(at, end);
	}
	return at;
}

static const struct baseline tenants_batchsche = {
	.tenant_key = tenants_used,
	.allowed = tenants_in_batch,
	.wake = tenants_next_batch,
};

BASELINE_CREATE(batchsche, tenants_batchsche)

const struct astra_policy astra_batchsche = {
	.name = "batchsche",
	.summary = "batch by batch, each tenant in its own share, without "
		   "selling",
	.source = "a baseline of Wang et al. (TC'23): its batches without its "
		  "market",
	.create = batchsche_create,
	.endless = true,
	BASELINE_CALLS,
};

/* AlloX. Its matching assigns jobs to places in queues, where the k-th place
 * from the last costs k times the job's processing time. On GPUs of one kind
 * this is an order by processing time. Its filter: a fraction of the tenants
 * with waiting jobs, those with the smallest shares, goes first. No job is
 * stopped. */

#define ALLOX_FRACTION 0.1

/* Return the tenant with the smallest share among those with waiting jobs that
 * are not first yet. */
static struct baseline_tenant *tenants_poorest(const struct baseline_run *run)
{
	struct baseline_tenant *best = NULL;

	for (size_t i = 0; i < run->offer->tenant_count; i++) {
		struct baseline_tenant *t = &run->tenants[i];

		if (t->waits && !t->first &&
		    (!best || astra_compare(t->key, best->key) < 0))
			best = t;
	}
	return best;
}

static int tenants_filter(struct baseline_run *run)
{
	const struct astra_offer *offer = run->offer;
	size_t waiting = 0;

	for (size_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];
		struct baseline_tenant *t = &run->tenants[d->tenant];

		t->key += baseline_charge(d);
		t->waits |= d->open && d->job->state == ASTRA_JOB_PENDING;
	}
	for (size_t i = 0; i < offer->tenant_count; i++) {
		double quota = offer->tenants[i].quota;
		struct baseline_tenant *t = &run->tenants[i];

		t->key = quota > 0 ? t->key / quota : HUGE_VAL;
		waiting += t->waits;
	}
	waiting = (size_t)astra_ceil(ALLOX_FRACTION * (double)waiting);
	while (waiting--)
		tenants_poorest(run)->first = true;
	return 0;
}

static struct astra_rank tenants_by_time(const struct baseline_run *run,
					 const struct astra_demand *d)
{
	return (struct astra_rank){
		.major = run->tenants[d->tenant].first ? 0 : 1,
		.minor = baseline_left_sec(d),
	};
}

static const struct baseline tenants_allox = {
	.rank = tenants_by_time,
	.prepare = tenants_filter,
};

BASELINE_CREATE(allox, tenants_allox)

const struct astra_policy astra_allox = {
	.name = "allox",
	.summary = "shortest job first, of the tenants with the smallest "
		   "shares; knows durations",
	.source = "AlloX (Le et al., EuroSys'20), section 3",
	.create = allox_create,
	.endless = true,
	BASELINE_CALLS,
};
