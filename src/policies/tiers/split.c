/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/tiers/split.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/policies/ltgf/ltgf.h"
#include "src/policies/themis/seats.h"

/* The search for the GPUs that each tenant gets for its granted jobs. */

struct placing {
	struct tiers_split *split;
	const struct astra_offer *offer;
	struct astra_space *space; /* what no tenant has been given yet */
	struct astra_space *own;   /* the part of `space` on which one tenant's
				    * jobs run */
	struct astra_share *place, *other;
	/* The ranking by tenant: order[first[t]] up to order[first[t + 1]]. */
	uint32_t *order;
	size_t *first;
};

static int placing_init(struct placing *p)
{
	const struct astra_offer *offer = p->offer;
	size_t nodes = offer->node_count, tenants = offer->tenant_count;

	p->space = astra_offer_space(offer);
	p->own = astra_offer_empty(offer);
	p->place = calloc(nodes + 1, sizeof(*p->place));
	p->other = calloc(nodes + 1, sizeof(*p->other));
	p->order = calloc(p->split->runner_count + 1, sizeof(*p->order));
	p->first = calloc(tenants + 2, sizeof(*p->first));
	if (!p->space || !p->own || !p->place || !p->other || !p->order ||
	    !p->first)
		return -1;
	return 0;
}

static void placing_fini(struct placing *p)
{
	astra_space_destroy(p->space);
	astra_space_destroy(p->own);
	free(p->place);
	free(p->other);
	free(p->order);
	free(p->first);
}

static const struct astra_demand *demand_of(const struct placing *p,
					    const struct astra_choice *choice)
{
	return &p->offer->demands[p->split->runners[choice->candidate].demand];
}

/* Groups the ranking by tenant. */
static void place_group(struct placing *p)
{
	const struct tiers_split *s = p->split;
	size_t *first = p->first;

	for (size_t i = 0; i < s->ranking.count; i++)
		first[demand_of(p, &s->ranking.choices[i])->tenant + 2]++;
	for (size_t t = 2; t < p->offer->tenant_count + 2; t++)
		first[t] += first[t - 1];
	for (uint32_t i = 0; i < s->ranking.count; i++)
		p->order[first[demand_of(p, &s->ranking.choices[i])->tenant +
			       1]++] = i;
}

static int add_parcel(struct tiers_split *s, struct tiers_parcel parcel)
{
	if (astra_grow(&s->parcels, &s->parcel_room, s->parcel_count + 1,
		       sizeof(*s->parcels)) < 0)
		return -1;
	s->parcels[s->parcel_count++] = parcel;
	return 0;
}

/* Gives shares to a candidate's tenant. If the job wants whole nodes, gives all
 * GPUs of these nodes. */
static int place_give(struct placing *p, uint32_t candidate,
		      const struct astra_share *shares, size_t count)
{
	struct tiers_runner *r = &p->split->runners[candidate];
	const struct astra_demand *d = &p->offer->demands[r->demand];

	for (size_t i = 0; i < count; i++) {
		struct astra_share share = shares[i];
		uint32_t own = astra_space_get(p->own, share.node)->gpus;

		if (d->job->request.whole_node)
			share.gpus =
				astra_space_get(p->space, share.node)->gpus;
		if (add_parcel(p->split,
			       (struct tiers_parcel){d->tenant, share.node,
						     share.gpus}) < 0)
			return -1;
		astra_space_take(p->space, &share);
		astra_tiers_set_free(p->own, p->space, share.node,
				     own > share.gpus ? own - share.gpus : 0);
	}
	r->placed = count > 0;
	return 0;
}

/* Leaves jobs in their place if LTGF lets them continue. */
static int leave_there(struct placing *p)
{
	const struct astra_ranking *ranking = &p->split->ranking;

	for (size_t i = 0; i < ranking->count; i++) {
		const struct astra_choice *choice = &ranking->choices[i];
		const struct astra_demand *d = demand_of(p, choice);
		bool there =
			choice->granted && astra_tiers_competes(d) &&
			astra_demand_is_in(p->offer, p->space, d) &&
			astra_held_gpus(d->job) ==
				p->split->candidates[choice->candidate].gpus;

		p->split->stay[d - p->offer->demands] = there;
		if (there && place_give(p, choice->candidate, d->job->held,
					d->job->held_count) < 0)
			return -1;
	}
	return 0;
}

static size_t place_find(struct placing *p, const struct astra_space *space,
			 uint32_t candidate, struct astra_share *shares)
{
	const struct tiers_runner *r = &p->split->runners[candidate];

	return astra_demand_place(space, &p->offer->demands[r->demand],
				  p->split->candidates[candidate].gpus, shares);
}

/* Sets `own` to the GPUs that a tenant's jobs hold and that LTGF did not leave
 * to these jobs. Returns whether there are any. */
static bool set_own(struct placing *p, uint32_t tenant)
{
	bool any = false;

	for (size_t i = p->first[tenant]; i < p->first[tenant + 1]; i++) {
		const struct astra_choice *choice =
			&p->split->ranking.choices[p->order[i]];
		const struct astra_demand *d = demand_of(p, choice);
		bool idle = astra_tiers_competes(d) &&
			    !p->split->runners[choice->candidate].placed;

		any |= idle;
		for (size_t k = 0; idle && k < d->job->held_count; k++) {
			uint32_t node = d->job->held[k].node;
			uint32_t gpus = d->job->held[k].gpus +
					astra_space_get(p->own, node)->gpus;

			astra_tiers_set_free(p->own, p->space, node, gpus);
		}
	}
	return any;
}

static void clear_own(struct placing *p, uint32_t tenant)
{
	for (size_t i = p->first[tenant]; i < p->first[tenant + 1]; i++) {
		const struct astra_job *job =
			demand_of(p, &p->split->ranking.choices[p->order[i]])
				->job;

		for (size_t k = 0; k < job->held_count; k++)
			astra_tiers_set_free(p->own, p->space,
					     job->held[k].node, 0);
	}
}

/* Places a tenant's granted jobs on GPUs on which its jobs run, if that takes
 * no more nodes than elsewhere. Apps that win the auction although LTGF did not
 * grant their jobs then need not move. */
static int place_at_home(struct placing *p, uint32_t tenant)
{
	if (!set_own(p, tenant))
		return 0;
	for (size_t i = p->first[tenant]; i < p->first[tenant + 1]; i++) {
		const struct astra_choice *choice =
			&p->split->ranking.choices[p->order[i]];
		uint32_t c = choice->candidate;
		size_t here;

		if (!choice->granted || p->split->runners[c].placed)
			continue;
		here = place_find(p, p->own, c, p->place);
		if (here && here <= place_find(p, p->space, c, p->other) &&
		    place_give(p, c, p->place, here) < 0)
			return -1;
	}
	clear_own(p, tenant);
	return 0;
}

static int place_elsewhere(struct placing *p)
{
	const struct astra_ranking *ranking = &p->split->ranking;

	for (size_t i = 0; i < ranking->count; i++) {
		uint32_t c = ranking->choices[i].candidate;

		if (ranking->choices[i].granted &&
		    !p->split->runners[c].placed &&
		    place_give(p, c, p->place,
			       place_find(p, p->space, c, p->place)) < 0)
			return -1;
	}
	return 0;
}

/* Gives the GPUs that no granted job can use to the neediest tenant, which may
 * find better places with them. */
static int give_rest(struct placing *p)
{
	const struct astra_ranking *ranking = &p->split->ranking;

	for (uint32_t n = 0; ranking->count && n < p->offer->node_count; n++) {
		uint32_t gpus = astra_space_get(p->space, n)->gpus;
		uint32_t tenant = demand_of(p, &ranking->choices[0])->tenant;

		if (gpus && add_parcel(p->split, (struct tiers_parcel){
							 tenant, n, gpus}) < 0)
			return -1;
	}
	return 0;
}

static int compare_parcels(const void *a, const void *b)
{
	const struct tiers_parcel *x = a, *y = b;

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Finds the GPUs for granted jobs: the parcels. Returns 0, or -1 when out of
 * memory. */
static int tiers_place(struct tiers_split *s, const struct astra_offer *offer)
{
	struct placing p = {.split = s, .offer = offer};
	int rc = placing_init(&p);

	if (!rc) {
		place_group(&p);
		rc = leave_there(&p);
	}
	for (uint32_t t = 0; !rc && t < offer->tenant_count; t++)
		rc = place_at_home(&p, t);
	if (!rc)
		rc = place_elsewhere(&p);
	if (!rc)
		rc = give_rest(&p);
	if (!rc && s->parcel_count)
		qsort(s->parcels, s->parcel_count, sizeof(*s->parcels),
		      compare_parcels);
	placing_fini(&p);
	return rc;
}

struct resting {
	const struct astra_offer *offer;
	struct astra_allocation *out;
	struct astra_space *space; /* idle GPUs */
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

/* Awards idle GPUs to a job. Returns whether it got any, or -1. */
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

/* How often the ranking is repeated. Each time, jobs that found no place give
 * their turn to the next jobs. */
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

/* Charges in advance the rest of leases that continue, as LTGF charges a grant.
 * Otherwise a tenant that was just served would look as needy as before. */
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

/* Returns a demand's candidate. An elastic job competes for as many of the
 * `gpus` GPUs as it can use. */
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

/* Whether a granted job found no place, so that all jobs must be ranked and
 * placed again. Excludes such jobs and their copies. */
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
		if (tiers_place(split, offer) < 0)
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
