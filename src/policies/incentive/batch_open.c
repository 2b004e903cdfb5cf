/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is for sale, and whose share it is. */
#include <math.h>
#include <stdlib.h>

#include "src/policies/incentive/batch_priv.h"

#define HOUR_SEC 3600

/* Of a part of a pool, whose places change: as many GPUs as are its, less what
 * those have who run on, on as few nodes as can be. */
static uint32_t count_part(struct sale *s)
{
	const struct astra_offer *offer = s->offer;
	uint64_t left = offer->gpus, had;
	uint32_t most = 0;

	for (size_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];

		for (size_t k = 0; sale_is_bound(d) && k < d->held_count; k++)
			left -= d->held[k].gpus < left ? d->held[k].gpus : left;
	}
	had = left;
	for (size_t n = 0; n < offer->node_count; n++)
		if (offer->nodes[n].usable && offer->nodes[n].gpus > most)
			most = offer->nodes[n].gpus;
	for (int whole = 1; whole >= 0; whole--)
		for (size_t n = 0; n < offer->node_count; n++) {
			uint32_t gpus = offer->nodes[n].gpus;

			if (!offer->nodes[n].usable || (gpus == most) != whole)
				continue;
			s->servers[n].workers =
				gpus < left ? gpus : (uint32_t)left;
			left -= s->servers[n].workers;
		}
	return (uint32_t)(had - left);
}

/* What is there when nobody is planned: all but what those have who run on. */
static uint32_t batch_open_count_gpus(struct sale *s)
{
	uint32_t sum = 0;

	if (s->offer->part)
		return count_part(s);

	for (size_t n = 0; n < s->offer->node_count; n++)
		if (s->offer->nodes[n].usable)
			s->servers[n].workers = s->offer->nodes[n].gpus;
	for (size_t i = 0; i < s->offer->demand_count; i++) {
		const struct astra_demand *d = &s->offer->demands[i];

		for (size_t k = 0; sale_is_bound(d) && k < d->held_count; k++) {
			uint32_t *gpus = &s->servers[d->held[k].node].workers;
			uint32_t held = d->held[k].gpus;

			*gpus -= held < *gpus ? held : *gpus;
		}
	}
	for (size_t n = 0; n < s->offer->node_count; n++)
		sum += s->servers[n].workers;
	return sum;
}

/* A tenant's share, less what it has already. */
static int share_out(struct sale *s, uint32_t gpus)
{
	size_t count = s->offer->tenant_count;
	double *rights = calloc(count + 1, sizeof(*rights));
	int rc;

	if (!rights)
		return -1;
	for (size_t u = 0; u < count; u++)
		rights[u] = s->offer->tenants[u].quota;
	for (size_t i = 0; i < s->offer->demand_count; i++) {
		const struct astra_demand *d = &s->offer->demands[i];

		for (size_t k = 0; sale_is_bound(d) && k < d->held_count; k++)
			rights[d->tenant] -= d->held[k].gpus;
	}
	for (size_t u = 0; u < count; u++)
		rights[u] = fmax(rights[u], 0);
	rc = astra_batch_quotas(rights, count, gpus, s->quotas);
	free(rights);
	return rc;
}

/* Say where they can be put. */
static int batch_open_seat_jobs(struct sale *s)
{
	s->seats = astra_seats_create(s->offer, s->servers, s->batch->slots);
	if (!s->seats)
		return -1;
	for (size_t i = 0; i < s->count; i++) {
		const struct astra_demand *d =
			&s->offer->demands[s->wares[i].demand];

		s->jobs[i].demand = d;
		s->jobs[i].picky = !astra_seats_easy(s->seats, d);
	}
	return 0;
}

int astra_sale_open(struct sale *s, struct astra_error *err)
{
	const struct astra_batch *b = s->batch;
	const struct astra_market_window window = {.begin = b->begin,
						   .slots = b->slots};
	struct astra_market_setup setup = {
		.theta_w = b->theta,
		.theta_p = 1,
		.unit = b->slot_sec / HOUR_SEC,
		.own_share = b->own_share,
		.servers = s->servers,
		.server_count = s->offer->node_count,
		.quotas = s->quotas,
		.user_count = s->offer->tenant_count,
		.budgets = b->credits,
	};

	if (share_out(s, batch_open_count_gpus(s)) < 0 ||
	    (!s->offer->part && batch_open_seat_jobs(s) < 0))
		return astra_error_nomem(err);
	setup.seats = s->seats;
	s->market = astra_market_create(&setup, err);
	return s->market ? astra_market_begin(s->market, &window, err) : -1;
}
