/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/tiers/split.h"

#include <math.h>
#include <stdlib.h>

#include "src/policies/ltgf/ltgf.h"
#include "src/policies/themis/seats.h"

struct resting {
	const struct astra_offer *offer;
	struct astra_allocation *out;
	struct astra_space *space; /* what is idle */
	struct astra_share *place;
	double until_sec;
};

static int rest_award(struct resting *r, uint32_t demand,
		      const struct astra_share *shares, size_t count)
{
	const struct astra_job *job = r->offer->demands[demand].job;

	for (size_t i = 0; i < count; i++)
		astra_space_take(r->space, &shares[i]);
	return astra_allocation_add(
		r->out, demand,
		r->until_sec > 0
			? r->until_sec
			: astra_themis_lease_end(r->offer, job->lease_sec),
		shares, count);
}

/* Returns whether it got GPUs, or -1. */
static int rest_serve(struct resting *r, uint32_t demand)
{
	const struct astra_demand *d = &r->offer->demands[demand];
	size_t count;

	if (astra_tiers_competes(d) &&
	    astra_demand_is_in(r->offer, r->space, d))
		return rest_award(r, demand, d->job->held, d->job->held_count) <
				       0
			       ? -1
			       : 1;
	count = astra_demand_place_most(r->space, d, UINT64_MAX, r->place);
	if (!count)
		return 0;
	return rest_award(r, demand, r->place, count) < 0 ? -1 : 1;
}

int astra_tiers_rest(const struct tiers_split *split,
		     const struct astra_offer *offer, struct astra_space *left,
		     uint32_t *awarded, double until_sec,
		     struct astra_allocation *out)
{
	struct resting r = {
		.offer = offer,
		.out = out,
		.until_sec = until_sec,
		.space = left,
		.place = calloc(offer->node_count + 1, sizeof(*r.place)),
	};
	int got = r.place ? 0 : -1;

	for (size_t i = 0;
	     got >= 0 && i < split->ranking.count && astra_space_gpus(r.space);
	     i++) {
		uint32_t demand =
			split->runners[split->ranking.choices[i].candidate]
				.demand;

		if (awarded[demand] == offer->demands[demand].copies)
			continue;
		got = rest_serve(&r, demand);
		awarded[demand] += got > 0;
	}
	free(r.place);
	return got < 0 ? -1 : 0;
}

/* A job that finds no place gives its turn to the next; so often, the policy is
 * asked again. */
#define PASSES_MAX 16

void astra_tiers_set_free(struct astra_space *space,
			  const struct astra_space *of, uint32_t node,
			  uint32_t gpus)
{
	struct astra_room room = *astra_space_get(of, node);

	room.whole &= gpus >= room.gpus;
	if (gpus < room.gpus)
		room.gpus = gpus;
	astra_space_set(space, node, &room);
}

static double gpu_charge(const struct astra_demand *d)
{
	const struct astra_candidate *c = &d->candidate;

	return c->gpus ? c->charge / c->gpus : 1;
}

/* What is left of leases that go on is charged in advance, as LTGF charges a
 * grant: else a tenant that was just served looks as needy as before. */
static void charge(struct tiers_split *s, const struct astra_offer *offer)
{
	for (size_t i = 0; i < offer->tenant_count; i++)
		s->tenants[i] = offer->tenants[i];
	for (size_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];
		double left = fmin(d->until_sec - offer->now_sec,
				   d->job->lease_sec > 0 ? d->job->lease_sec
							 : offer->lease_sec);

		if (!astra_tiers_competes(d) && left > 0)
			s->tenants[d->tenant].usage.alloc +=
				gpu_charge(d) *
				astra_shares_gpus(d->held, d->held_count) *
				left;
	}
}

/* An elastic job competes for as many GPUs as there are. */
static struct astra_candidate candidate_of(const struct astra_demand *d,
					   uint64_t gpus)
{
	const struct astra_request *q = &d->job->request;
	struct astra_candidate c = d->candidate;
	uint32_t wanted = astra_request_size(q, gpus);

	c.tenant = d->tenant;
	if (q->gpus_min && wanted && wanted != c.gpus) {
		c.charge = gpu_charge(d) * wanted;
		c.gpus = wanted;
	}
	return c;
}

static int split_init(struct tiers_split *s, const struct astra_offer *offer)
{
	size_t most = 0;

	*s = (struct tiers_split){0};
	for (size_t i = 0; i < offer->demand_count; i++)
		if (offer->demands[i].open)
			most += offer->demands[i].copies;
	s->tenants = calloc(offer->tenant_count + 1, sizeof(*s->tenants));
	s->candidates = calloc(most + 1, sizeof(*s->candidates));
	s->runners = calloc(most + 1, sizeof(*s->runners));
	s->ranking.choices = calloc(most + 1, sizeof(*s->ranking.choices));
	s->stay = calloc(offer->demand_count + 1, sizeof(*s->stay));
	if (!s->stay || !s->tenants || !s->candidates || !s->runners ||
	    !s->ranking.choices)
		return -1;
	for (size_t n = 0; n < offer->node_count; n++)
		s->gpus += offer->free[n];
	return 0;
}

static void list_runners(struct tiers_split *s, const struct astra_offer *offer)
{
	for (uint32_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];

		for (uint32_t k = 0; d->open && k < d->copies; k++) {
			s->candidates[s->runner_count] =
				candidate_of(d, s->gpus);
			s->runners[s->runner_count++].demand = i;
		}
	}
}

static int split_rank(struct tiers_split *s, void *ltgf,
		      const struct astra_offer *offer, struct astra_error *err)
{
	struct astra_contest contest = {
		.now_sec = offer->now_sec,
		.lease_sec = offer->lease_sec,
		.gpus = s->gpus,
		.candidates = s->candidates,
		.candidate_count = s->runner_count,
		.tenants = s->tenants,
		.tenant_count = offer->tenant_count,
	};

	for (size_t i = 0; i < s->runner_count; i++)
		s->candidates[i].excluded = s->runners[i].excluded;
	s->ranking.count = 0;
	return astra_ltgf.decide(ltgf, &contest, &s->ranking, err);
}

/* Whether somebody was granted GPUs, and there is no place for it; copies of
 * the same job have none either. The others are placed anew then. */
static bool exclude(struct tiers_split *s, bool last)
{
	uint32_t demand = ASTRA_NONE;
	bool any = false;

	for (size_t i = 0; i < s->ranking.count; i++)
		if (s->ranking.choices[i].granted) {
			uint32_t c = s->ranking.choices[i].candidate;

			s->runners[c].excluded |= !s->runners[c].placed;
			any |= !s->runners[c].placed;
		}
	for (size_t i = 0; i < s->runner_count; i++) {
		if (s->runners[i].excluded)
			demand = s->runners[i].demand;
		s->runners[i].excluded |=
			s->runners[i].demand == demand && !s->runners[i].placed;
	}
	for (size_t i = 0; any && !last && i < s->runner_count; i++)
		s->runners[i].placed = false;
	return any && !last;
}

int astra_tiers_split(struct tiers_split *split, void *ltgf,
		      const struct astra_offer *offer, struct astra_error *err)
{
	int passes = PASSES_MAX;

	if (split_init(split, offer) < 0)
		return astra_error_nomem(err);
	if (!split->gpus)
		return 0;
	charge(split, offer);
	list_runners(split, offer);
	do {
		split->parcel_count = 0;
		if (split_rank(split, ltgf, offer, err) < 0)
			return -1;
		if (astra_tiers_place(split, offer) < 0)
			return astra_error_nomem(err);
	} while (exclude(split, !--passes));
	return 0;
}

void astra_tiers_split_clear(struct tiers_split *split)
{
	free(split->tenants);
	free(split->candidates);
	free(split->runners);
	free(split->ranking.choices);
	free(split->stay);
	free(split->parcels);
}
