/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "testsuite/unit/market_literal.h"

#include <math.h>

#include "src/common/number.h"

struct range {
	const struct astra_market *m;
	const struct astra_market_job *job;
	bool shared;
	uint32_t first, end;
};

uint32_t market_literal_limit(const struct astra_market *m, int kind,
			      uint32_t user, bool shared, uint32_t slot)
{
	const struct market_side *side = &m->sides[kind];

	if (shared)
		return (uint32_t)(side->capacity - side->used[slot]);
	return side->quota[user] -
	       side->own[(size_t)user * m->window.slots + slot];
}

double market_literal_price(const struct astra_market *m, int kind,
			    uint32_t user, bool shared, uint32_t slot)
{
	const struct market_side *side = &m->sides[kind];

	if (shared || !m->own_share)
		return astra_market_price(side->theta, side->used[slot],
					  side->capacity);
	return astra_market_price(
		side->theta, side->own[(size_t)user * m->window.slots + slot],
		side->quota[user]);
}

static uint32_t limit(const struct range *r, int kind)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t t = r->first; t < r->end; t++) {
		uint32_t n = market_literal_limit(r->m, kind, r->job->user,
						  r->shared, t);

		least = n < least ? n : least;
	}
	return least;
}

static uint32_t free_on(const struct range *r, int kind, uint32_t server)
{
	const struct astra_minima *free = &r->m->sides[kind].free;
	uint32_t least = UINT32_MAX;

	for (uint32_t t = r->first; t < r->end; t++) {
		uint32_t n = astra_minima_row(free, t)[server];

		least = n < least ? n : least;
	}
	return least;
}

static double price_of(const struct range *r, int kind)
{
	double sum = 0;

	for (uint32_t t = r->first; t < r->end; t++)
		sum += market_literal_price(r->m, kind, r->job->user, r->shared,
					    t);
	return sum;
}

static bool find_whole(const struct range *r, uint32_t workers,
		       uint32_t *server)
{
	for (uint32_t s = 0; s < r->m->server_count; s++)
		if (free_on(r, MARKET_WORKERS, s) >= workers &&
		    free_on(r, MARKET_PS, s) >= (r->job->no_ps ? 0u : 1u)) {
			*server = s;
			return true;
		}
	return false;
}

static bool others_host(const struct range *r, uint32_t server, uint32_t rest)
{
	uint64_t sum = 0;

	for (uint32_t s = 0; s < r->m->server_count; s++)
		sum += s == server ? 0 : free_on(r, MARKET_WORKERS, s);
	return sum >= rest;
}

static bool find_split(const struct range *r, uint32_t workers,
		       uint32_t *server, uint32_t *ps)
{
	*server = MARKET_NOWHERE;
	*ps = 0;
	for (uint32_t s = 0; s < r->m->server_count; s++) {
		uint32_t here = free_on(r, MARKET_WORKERS, s);
		uint32_t rest = workers - (here < workers ? here : workers - 1);
		double need = fmax(1, astra_ceil(rest * r->m->bandwidth));

		if (r->job->no_ps && here && rest < workers &&
		    others_host(r, s, rest))
			return true;
		if (r->job->no_ps || need > free_on(r, MARKET_PS, s) ||
		    need > limit(r, MARKET_PS) || !others_host(r, s, rest) ||
		    (*ps && need >= *ps))
			continue;
		*server = s;
		*ps = (uint32_t)need;
	}
	return *ps > 0;
}

/* The payoff of so many workers from this slot on, if they can run so. */
static bool try_one(struct range *r, uint32_t workers, bool whole,
		    struct market_best *out)
{
	double n = whole ? r->job->n_cent : r->job->n_dist, slots;
	uint32_t server, ps = r->job->no_ps ? 0 : 1;

	if (n <= 0)
		return false;
	slots = fmax(1, astra_ceil(r->job->work / (n * workers)));
	if (r->first + slots > r->m->window.slots)
		return false;
	r->end = r->first + (uint32_t)slots;
	if (limit(r, MARKET_WORKERS) < workers || limit(r, MARKET_PS) < ps ||
	    !(whole ? find_whole(r, workers, &server)
		    : find_split(r, workers, &server, &ps)))
		return false;
	*out = (struct market_best){
		.value = astra_utility_value(&r->job->utility, r->end),
		.cost = {price_of(r, MARKET_WORKERS) * workers,
			 price_of(r, MARKET_PS) * ps},
		.start = r->first,
		.slots = (uint32_t)slots,
		.amount = {workers, ps},
		.server = server,
		.centralized = whole,
	};
	out->mu = out->value - (out->cost[0] + out->cost[1]);
	return true;
}

bool market_literal(const struct astra_market *m,
		    const struct astra_market_job *job, bool shared,
		    struct market_best *best)
{
	*best = (struct market_best){0};
	for (uint32_t start = 0; start < m->window.slots; start++) {
		for (uint32_t d = job->d_min; d <= job->d_max; d++) {
			struct range r = {m, job, shared, start, start};
			struct market_best split, whole;
			bool can_split = try_one(&r, d, false, &split);
			bool can_whole = try_one(&r, d, true, &whole);

			if (!can_split && !can_whole)
				continue;
			if (!can_split ||
			    (can_whole &&
			     astra_compare(whole.mu, split.mu) >= 0))
				split = whole;
			if (astra_compare(split.mu, best->mu) > 0)
				*best = split;
		}
	}
	return best->slots > 0;
}
