/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the GPUs are that LTGF grants a tenant. */
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/policies/tiers/split.h"

struct placing {
	struct tiers_split *split;
	const struct astra_offer *offer;
	struct astra_space *space; /* what no tenant has got yet */
	struct astra_space *own;   /* of it, what one tenant's jobs run on */
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

/* The ranking, tenant by tenant. */
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

/* A tenant gets these; of a node that a job has to itself all of it. */
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

/* Jobs that LTGF lets go on: where they are. */
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

/* What a tenant's jobs hold that LTGF did not let go on. Returns whether there
 * is any. */
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

/* Where its tenant is already, if that is on as few nodes as elsewhere: then
 * apps that the auction prefers to LTGF's choice need not move. */
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

/* What no job can use, or not there: whoever is the neediest may find better
 * places with it. */
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

int astra_tiers_place(struct tiers_split *s, const struct astra_offer *offer)
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
