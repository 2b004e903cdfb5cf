/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/tiers/part.h"

#include <math.h>
#include <stdlib.h>

#include "src/policies/incentive/policy.h"
#include "src/policies/offer.h"

/* Returns R_C inside a tenant: its share of the cluster. It is more if the
 * tenant has more GPUs in this round, or if one of its jobs needs more. No app
 * asks for more than that. */
static uint64_t cluster_of(const struct astra_offer *offer, uint32_t tenant,
			   const struct astra_demand *demands, size_t count,
			   uint64_t granted)
{
	uint64_t gpus = (uint64_t)llround(offer->tenants[tenant].quota);

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0;
		     !demands[i].open && k < demands[i].held_count; k++)
			granted += demands[i].held[k].gpus;
	for (size_t i = 0; i < count; i++)
		if (demands[i].job->request.gpus > gpus)
			gpus = demands[i].job->request.gpus;
	if (granted > gpus)
		gpus = granted;
	return gpus < offer->gpus ? gpus : offer->gpus;
}

/* Returns how many GPUs a tenant can count on in later slots: its share, or as
 * many as its largest job needs, since jobs are granted whole. */
static uint64_t share_of(const struct astra_offer *offer, uint32_t tenant,
			 const struct astra_demand *demands, size_t count)
{
	double quota = offer->tenants[tenant].quota;
	uint64_t gpus = (uint64_t)llround(fmax(quota, 1));

	for (size_t i = 0; i < count; i++) {
		uint32_t least = astra_request_least(&demands[i].job->request);

		if (least > gpus)
			gpus = least;
	}
	return gpus < offer->gpus ? gpus : offer->gpus;
}

/* Takes from each running job whose lease is over the GPUs that it holds,
 * unless the tenant was given these GPUs with their CPUs and memory. Jobs that
 * LTGF lets continue are first to keep theirs. */
static int detach(struct tiers_part *p, const uint32_t *origins,
		  const bool *stay, struct astra_demand *demands, size_t count)
{
	struct astra_space *left = astra_offer_space(&p->offer);

	p->jobs = calloc(count + 1, sizeof(*p->jobs));
	if (!left || !p->jobs) {
		astra_space_destroy(left);
		return -1;
	}
	for (int first = 1; first >= 0; first--)
		for (size_t i = 0; i < count; i++) {
			struct astra_demand *d = &demands[i];

			if (!d->open || d->job->state != ASTRA_JOB_RUNNING ||
			    stay[origins[i]] != first)
				continue;
			if (astra_demand_is_in(&p->offer, left, d)) {
				astra_demand_take(&p->offer, left, d);
				continue;
			}
			p->jobs[i] = *d->job;
			p->jobs[i].held_count = 0;
			d->job = &p->jobs[i];
			d->held_count = 0;
		}
	astra_space_destroy(left);
	return 0;
}

/* Returns the user's index + 1 in a market of users; 0 for a job without a
 * user. For other policies, the owner is the tenant. */
uint32_t astra_tiers_owner(const struct astra_policy *inner,
			   const struct astra_demand *demand)
{
	if (inner != &astra_incentive)
		return demand->tenant;
	return demand->candidate.user == ASTRA_NONE
		       ? 0
		       : demand->candidate.user + 1;
}

/* Replaces the tenants by the users of one tenant. Only users with jobs have a
 * part of the tenant's share. */
static int be_people(struct tiers_part *p, const struct astra_offer *all,
		     struct astra_demand *demands, size_t count)
{
	size_t people = all->user_count + 1;
	double sum = 0;

	p->people = calloc(people, sizeof(*p->people));
	if (!p->people)
		return -1;
	for (size_t i = 0; i < count; i++) {
		uint32_t one = astra_tiers_owner(&astra_incentive, &demands[i]);

		one = one < people ? one : 0;
		demands[i].tenant = one;
		p->people[one].quota =
			fmax(one ? all->users[one - 1].quota : 1, 1e-6);
	}
	for (size_t u = 0; u < people; u++)
		sum += p->people[u].quota;
	for (size_t u = 0; sum > 0 && u < people; u++)
		p->people[u].quota *= (double)p->offer.gpus / sum;
	p->offer.tenants = p->people;
	p->offer.tenant_count = people;
	return 0;
}

int astra_tiers_part(struct tiers_part *p, const struct astra_policy *inner,
		     const struct tiers_whole *whole, uint32_t tenant,
		     struct astra_demand *demands, size_t count)
{
	const struct astra_offer *all = whole->offer;

	*p = (struct tiers_part){.offer = *all};
	p->offer.free = whole->free;
	p->offer.space = whole->own;
	p->offer.demands = demands;
	p->offer.demand_count = count;
	if (!inner->slots) {
		p->offer.gpus =
			cluster_of(all, tenant, demands, count, whole->granted);
		return 0;
	}
	p->offer.part = true;
	p->offer.gpus = share_of(all, tenant, demands, count);
	if (detach(p, whole->origins, whole->stay, demands, count) < 0)
		return -1;
	return inner == &astra_incentive ? be_people(p, all, demands, count)
					 : 0;
}

void astra_tiers_part_clear(struct tiers_part *p)
{
	free(p->jobs);
	free(p->people);
}
