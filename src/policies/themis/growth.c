/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/growth.h"

#include <math.h>

#include "src/policies/offer.h"

/* STARTUP_GUESS_SEC: the most that a start-up with a checkpoint is assumed to
 * take if the job's is unknown. GROWTH_MARGIN: how many times this cost
 * additional GPUs must yield. */
#define STARTUP_GUESS_SEC 60
#define GROWTH_MARGIN 2

static bool growth_pays(const struct astra_offer *offer,
			const struct astra_job *job, uint64_t old, uint64_t new)
{
	double cost = job->min_run_sec > 0
			      ? job->min_run_sec
			      : fmin(offer->lease_sec / 10, STARTUP_GUESS_SEC);

	return new > old && (double)(new - old) * offer->lease_sec >
				    GROWTH_MARGIN *(double)new *cost;
}

/* Whether the demand is open and has fewer awards than copies. */
static bool growth_wants(const struct themis_growth *g, uint32_t demand)
{
	const struct astra_demand *d = &g->offer->demands[demand];

	return d->open && g->awarded[demand] < d->copies;
}

/* Takes from the space the GPUs on which other jobs of the app run and can
 * stay. */
static void growth_take_aside(const struct themis_growth *g, uint32_t demand)
{
	for (size_t i = 0; i < g->party->demand_count; i++) {
		uint32_t other = g->party->demands[i];
		const struct astra_demand *d = &g->offer->demands[other];

		if (other == demand || !growth_wants(g, other) ||
		    !astra_demand_is_in(g->offer, g->space, d))
			continue;
		astra_demand_take(g->offer, g->space, d);
		g->aside[other] = true;
	}
}

static void growth_give_back(const struct themis_growth *g)
{
	for (size_t i = 0; i < g->party->demand_count; i++) {
		uint32_t other = g->party->demands[i];

		if (g->aside[other])
			astra_demand_give(g->offer, g->space,
					  &g->offer->demands[other]);
		g->aside[other] = false;
	}
}

/* Returns what is left of `left` GPUs once waiting jobs of the app got their
 * fewest GPUs, as far as the GPUs suffice. */
static uint64_t growth_left(const struct themis_growth *g, uint32_t demand,
			    uint64_t left)
{
	for (size_t i = 0; i < g->party->demand_count; i++) {
		uint32_t other = g->party->demands[i];
		const struct astra_demand *d = &g->offer->demands[other];
		uint64_t least = astra_request_least(&d->job->request), jobs;

		if (other == demand || g->aside[other] ||
		    !growth_wants(g, other))
			continue;
		jobs = d->copies - g->awarded[other];
		if (jobs > left / least)
			jobs = left / least;
		left -= jobs * least;
	}
	return left;
}

size_t astra_themis_grow(const struct themis_growth *growth, uint32_t demand,
			 struct astra_share *shares)
{
	const struct astra_demand *d = &growth->offer->demands[demand];
	uint64_t old = 0, new = 0, left;
	size_t count;

	if (!astra_request_elastic(&d->job->request))
		return 0;
	for (size_t i = 0; i < d->job->held_count; i++)
		old += d->job->held[i].gpus;
	if (old >= d->job->request.gpus ||
	    old >= astra_space_gpus(growth->space))
		return 0;
	/* Take the job's own GPUs first: if another job shares some of them,
	 * that job cannot keep them. */
	astra_demand_take(growth->offer, growth->space, d);
	growth_take_aside(growth, demand);
	left = growth_left(growth, demand, astra_space_gpus(growth->space));
	astra_demand_give(growth->offer, growth->space, d);
	count = astra_demand_place_most(growth->space, d, old + left, shares);
	growth_give_back(growth);
	for (size_t i = 0; i < count; i++)
		new += shares[i].gpus;
	return growth_pays(growth->offer, d->job, old, new) ? count : 0;
}
