/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "src/policies/themis/seats.h"
#include "src/policies/tiers/split.h"

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
