/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stride scheduling: a tenant's pass is its GPU time divided by its tickets,
 * the quota; the smallest pass is next. A tenant's tickets are divided evenly
 * between its jobs. So a job's pass is its GPU time, and a job of g GPUs pays g
 * times as much. A job that does not fit keeps its pass and will soon be first.
 * A new job begins with the smallest present pass. */
#include <math.h>

#include "src/policies/baselines/baseline.h"

/* Raise the passes of tenants that were idle, so that their idle time does not
 * count as saved. */
static void stride_join_tenants(struct baseline_run *run)
{
	const struct astra_offer *offer = run->offer;
	double least = HUGE_VAL;

	for (size_t i = 0; i < offer->tenant_count; i++) {
		struct baseline_tenant_book *t = &run->books.tenants[i];

		if (!(offer->tenants[i].quota > 0))
			continue;
		t->value += t->gained / offer->tenants[i].quota;
		if (t->active)
			least = fmin(least, t->value);
	}
	for (size_t i = 0; i < offer->demand_count; i++)
		run->tenants[offer->demands[i].tenant].there = true;
	for (size_t i = 0; i < offer->tenant_count; i++) {
		struct baseline_tenant_book *t = &run->books.tenants[i];

		if (run->tenants[i].there && !t->active && isfinite(least))
			t->value = fmax(t->value, least);
		t->active = run->tenants[i].there;
	}
}

static void stride_join_jobs(struct baseline_run *run)
{
	const struct astra_offer *offer = run->offer;

	for (size_t i = 0; i < offer->tenant_count; i++)
		run->tenants[i].key = HUGE_VAL;
	for (size_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];
		struct baseline_job_book *job = baseline_job_book(run, d);

		if (isnan(job->value))
			continue;
		job->value += job->gained;
		run->tenants[d->tenant].key =
			fmin(run->tenants[d->tenant].key, job->value);
	}
	for (size_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];
		struct baseline_job_book *job = baseline_job_book(run, d);
		double least = run->tenants[d->tenant].key;

		if (isnan(job->value))
			job->value = isfinite(least) ? least : 0;
	}
}

static int stride_account(struct baseline_run *run)
{
	if (baseline_meet_tenants(run) < 0 || baseline_meet_jobs(run) < 0)
		return -1;
	stride_join_tenants(run);
	stride_join_jobs(run);
	return 0;
}

static struct astra_rank stride_pass(const struct baseline_run *run,
				     const struct astra_demand *d)
{
	return (struct astra_rank){.major = baseline_job_book(run, d)->value};
}

/* Return a tenant's pass. A tenant without a quota comes last. */
static double stride_tenant_pass(const struct baseline_run *run,
				 uint32_t tenant)
{
	double quota = run->offer->tenants[tenant].quota;
	double ahead = run->tenants[tenant].planned * run->offer->lease_sec;

	return quota > 0 ? run->books.tenants[tenant].value + ahead / quota
			 : HUGE_VAL;
}

static const struct baseline stride = {
	.stops = BASELINE_QUANTUM,
	.rank = stride_pass,
	.tenant_key = stride_tenant_pass,
	.account = stride_account,
};

BASELINE_CREATE(stride, stride)

const struct astra_policy astra_gandiva_fair = {
	.name = "gandiva-fair",
	.summary = "stride scheduling, tickets by tenant, whole gangs",
	.source = "Gandiva_fair (Chaudhary et al., EuroSys'20), section 3: "
		  "gang-aware split stride",
	.create = stride_create,
	BASELINE_KEEPS_BOOKS,
	BASELINE_CALLS,
};
