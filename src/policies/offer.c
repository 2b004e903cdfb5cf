/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/offer.h"

#include "src/placement/space_priv.h"

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

		if (offer->nodes[s->node].emptying ||
		    !astra_room_has(astra_space_get(space, s->node), s))
			return false;
	}
	return d->job->held_count > 0;
}

size_t astra_demand_place(const struct astra_space *space,
			  const struct astra_demand *d, uint32_t gpus,
			  struct astra_share *shares)
{
	uint32_t size = astra_request_size(&d->job->request, gpus);
	struct astra_request q;

	if (!size)
		return 0;
	q = astra_request_sized(&d->job->request, size);
	q.gpus_min = 0;
	return astra_place(space, &q, d->banned, 0, shares);
}

/* Returns how many GPUs beyond `least` an elastic job can have and still find a
 * place, in whole steps. With `none` steps it finds none. */
static uint32_t most_steps(const struct astra_space *space,
			   const struct astra_demand *d, uint32_t least,
			   uint32_t none, struct astra_share *shares)
{
	uint32_t step = astra_request_quantum(&d->job->request), some = 0;

	while (some + 1 < none) {
		uint32_t middle = some + (none - some) / 2;

		if (astra_demand_place(space, d, least + middle * step, shares))
			some = middle;
		else
			none = middle;
	}
	return some * step;
}

size_t astra_demand_place_most(const struct astra_space *space,
			       const struct astra_demand *d, uint64_t most,
			       struct astra_share *shares)
{
	const struct astra_request *q = &d->job->request;
	uint32_t step = astra_request_quantum(q);
	uint32_t least = (astra_request_least(q) + step - 1) / step * step;
	uint64_t have = astra_space_gpus(space);
	size_t count;

	if (have < most)
		most = have;
	if (most >= q->gpus) {
		count = astra_demand_place(space, d, q->gpus, shares);
		if (count || !astra_request_elastic(q))
			return count;
		most = q->gpus - 1;
	}
	if (most < least || !astra_demand_place(space, d, least, shares))
		return 0;
	least += most_steps(space, d, least,
			    ((uint32_t)most - least) / step + 1, shares);
	return astra_demand_place(space, d, least, shares);
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
