/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Baselines that share between tenants. */
#include <math.h>

#include "src/common/number.h"
#include "src/policies/baselines/baseline.h"

/* Of what a tenant may have: it has a part; one without a quota comes last. */
static double tenants_used(const struct baseline_run *run, uint32_t tenant)
{
	double quota = run->offer->tenants[tenant].quota;

	return quota > 0 ? run->tenants[tenant].planned / quota : HUGE_VAL;
}

/* Dominant resource fairness, Algorithm 1: the tenant with the smallest
 * dominant share is next. With one kind of resource that is its share of the
 * GPUs. A job that does not fit is passed over. */
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

/* The capacity scheduler with queues that may not grow: each tenant has its
 * quota, first come, first served, and no more when others idle. A job larger
 * than its tenant's quota runs alone in it. */
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
