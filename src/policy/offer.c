/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policy/offer.h"

#include "src/policy/space_priv.h"

struct astra_space *astra_offer_empty(const struct astra_offer *offer)
{
	uint32_t most = 0;

	for (size_t n = 0; n < offer->node_count; n++)
		if (offer->nodes[n].gpus > most)
			most = offer->nodes[n].gpus;
	return astra_space_create(offer->node_count, most);
}

struct astra_space *astra_offer_space(const struct astra_offer *offer)
{
	struct astra_space *space;

	if (offer->space)
		return astra_space_copy(offer->space);
	space = astra_offer_empty(offer);
	for (uint32_t n = 0; space && n < offer->node_count; n++)
		astra_space_set(
			space, n,
			&(struct astra_room){
				.gpus = offer->free[n],
				.cpus = offer->free[n] ? UINT32_MAX : 0,
				.mem_mib = offer->free[n] ? UINT64_MAX : 0,
				.whole = offer->free[n] == offer->nodes[n].gpus,
			});
	return space;
}

void astra_demand_take(const struct astra_offer *offer,
		       struct astra_space *space, const struct astra_demand *d)
{
	for (size_t i = 0; i < d->job->held_count; i++)
		if (offer->nodes[d->job->held[i].node].usable)
			astra_space_take(space, &d->job->held[i]);
}

void astra_demand_give(const struct astra_offer *offer,
		       struct astra_space *space, const struct astra_demand *d)
{
	for (size_t i = 0; i < d->job->held_count; i++)
		if (offer->nodes[d->job->held[i].node].usable)
			astra_space_give(space, &d->job->held[i]);
}

bool astra_demand_is_in(const struct astra_offer *offer,
			const struct astra_space *space,
			const struct astra_demand *d)
{
	for (size_t i = 0; i < d->job->held_count; i++) {
		const struct astra_share *s = &d->job->held[i];
		const struct astra_room *room = astra_space_get(space, s->node);

		if (offer->nodes[s->node].emptying || room->gpus < s->gpus ||
		    room->cpus < s->cpus || room->mem_mib < s->mem_mib)
			return false;
	}
	return d->job->held_count > 0;
}

size_t astra_demand_place(const struct astra_space *space,
			  const struct astra_demand *d, uint32_t gpus,
			  struct astra_share *shares)
{
	struct astra_request q = astra_request_sized(&d->job->request, gpus);

	q.gpus_min = 0;
	return astra_place(space, &q, d->banned, 0, shares);
}

size_t astra_demand_place_most(const struct astra_space *space,
			       const struct astra_demand *d, uint64_t most,
			       struct astra_share *shares)
{
	const struct astra_request *q = &d->job->request;
	uint32_t least = astra_request_least(q), step = 1, low, high;
	uint64_t have = astra_space_gpus(space);

	if (have < most)
		most = have;
	if (most >= q->gpus) {
		size_t count = astra_demand_place(space, d, q->gpus, shares);

		if (count || least == q->gpus)
			return count;
		most = q->gpus - 1;
	}
	if (most < least || !astra_demand_place(space, d, least, shares))
		return 0;
	step = astra_request_quantum(q);
	low = 0; /* steps above the least: these fit, and `high` do not */
	high = ((uint32_t)most - least) / step + 1;
	while (low + 1 < high) {
		uint32_t middle = low + (high - low) / 2;

		if (astra_demand_place(space, d, least + middle * step, shares))
			low = middle;
		else
			high = middle;
	}
	return astra_demand_place(space, d, least + low * step, shares);
}

void astra_demand_settle(struct astra_space *space,
			 const struct astra_demand *d,
			 const struct astra_share *shares, size_t count)
{
	const struct astra_request *q = &d->job->request;

	for (size_t i = 0; i < count; i++) {
		const struct astra_room *room =
			astra_space_get(space, shares[i].node);
		struct astra_share share =
			astra_request_share(q, shares[i].node, shares[i].gpus);

		if (q->whole_node) {
			share.cpus = room->cpus;
			share.mem_mib = room->mem_mib;
		}
		astra_space_take(space, &share);
	}
}
