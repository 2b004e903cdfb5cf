/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The best schedule at posted prices (Alg. 3): an exact optimum of problem (9).
 *
 * Of the numbers of workers that give the same duration, only the smallest is
 * tried: more workers cost more and fit nowhere else. Each option is tested
 * with the cheapest test first: the value, the prices, the sums over all
 * servers, and only then server by server. */
#include <math.h>

#include "src/common/number.h"
#include "src/policies/incentive/market_priv.h"

struct search {
	struct astra_market *m;
	const struct astra_market_job *job;
	size_t option_count;
	uint32_t ps_min; /* fewest PSs of any schedule */
	double funds;	 /* maximum cost of a schedule */
	struct market_best *best;
	bool same; /* the best schedule so far has the start and workers of the
		    * present option */
};

/* Set the prices that a job sees, and their sums. sum + sum_rest is exact,
 * except for the rounding of sum_rest (Knuth's two-sum). */
static void sum_prices(struct market_side *side, const uint32_t *own,
		       uint32_t quota, uint32_t slots)
{
	for (uint32_t i = 0; i < slots; i++) {
		double price = own ? market_price(side, own[i], quota)
				   : side->price[i];
		double before = side->sum[i], after = before + price;
		double added = after - before;
		double lost = (before - (after - added)) + (price - added);

		side->sum[i + 1] = after;
		side->sum_rest[i + 1] = side->sum_rest[i] + lost;
	}
}

/* Set how many units the job may use in each slot. Returns the maximum. */
static uint32_t set_limits(struct market_side *side, const uint32_t *own,
			   uint32_t quota, uint32_t slots)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < slots; i++) {
		uint32_t *limit = astra_minima_row(&side->limit, i);

		*limit = own ? quota - own[i]
			     : (uint32_t)(side->capacity - side->used[i]);
		if (*limit > most)
			most = *limit;
	}
	astra_minima_build(&side->limit);
	return most;
}

/* Return how many slots `workers` workers need. If they cannot run this way,
 * the result is more than the window has. */
static uint32_t market_search_duration(const struct search *s, uint32_t workers,
				       bool centralized)
{
	double n = centralized ? s->job->n_cent : s->job->n_dist;
	double slots = n > 0 ? astra_ceil(s->job->work / (n * workers)) : 0;

	if (n <= 0 || slots > s->m->window.slots)
		return s->m->window.slots + 1;
	return slots < 1 ? 1 : (uint32_t)slots;
}

static void add_option(struct search *s, uint32_t workers, bool centralized,
		       uint32_t *shortest)
{
	uint32_t slots = market_search_duration(s, workers, centralized);

	if (slots >= *shortest)
		return;
	*shortest = slots;
	s->m->options[s->option_count++] = (struct market_option){
		.workers = workers,
		.slots = slots,
		.centralized = centralized,
	};
}

/* List the options by ascending number of workers, for each number distributed
 * before centralized. */
static void list_options(struct search *s, uint32_t most)
{
	uint32_t distributed = s->m->window.slots + 1;
	uint32_t centralized = distributed;

	s->option_count = 0;
	if (s->job->d_max < most)
		most = s->job->d_max;
	for (uint32_t d = s->job->d_min; d <= most; d++) {
		if (!s->job->no_ps || d > 1)
			add_option(s, d, false, &distributed);
		add_option(s, d, true, &centralized);
	}
}

static void market_search_prepare(struct search *s, bool shared)
{
	struct astra_market *m = s->m;
	uint32_t slots = m->window.slots, most = 0;

	for (int kind = MARKET_KINDS; kind-- > 0;) {
		struct market_side *side = &m->sides[kind];
		const uint32_t *own = side->own + (size_t)s->job->user * slots;
		uint32_t quota = side->quota[s->job->user];

		most = set_limits(side, shared ? NULL : own, quota, slots);
		sum_prices(side, !shared && m->own_share ? own : NULL, quota,
			   slots);
	}
	list_options(s, most);
	for (uint32_t i = 0; i < slots; i++)
		m->value[i] = fmax(market_value(s->job, i + 1), s->job->least);
	for (uint32_t i = 0; i <= slots; i++)
		m->spots[i].start = 0;
}

static double price_between(const struct market_side *side, uint32_t first,
			    uint32_t end)
{
	return (side->sum[end] - side->sum[first]) +
	       (side->sum_rest[end] - side->sum_rest[first]);
}

static const struct market_spot *spot_of(struct search *s, uint32_t start,
					 uint32_t slots)
{
	struct astra_market *m = s->m;
	struct market_spot *spot = &m->spots[slots];
	struct astra_minima_pair workers, ps;

	if (spot->start == start + 1)
		return spot;
	*spot = (struct market_spot){.start = start + 1};
	workers = astra_minima_of(&m->sides[MARKET_WORKERS].free, start, slots);
	ps = astra_minima_of(&m->sides[MARKET_PS].free, start, slots);
	for (size_t i = 0; i < m->server_count; i++) {
		uint32_t here = astra_minima_at(workers, i);
		uint32_t ps_here = astra_minima_at(ps, i);

		spot->workers += here;
		if (here > spot->largest && ps_here >= s->ps_min)
			spot->largest = here;
		if (ps_here > spot->most_ps)
			spot->most_ps = ps_here;
	}
	return spot;
}

/* Return the server with the lowest index that has room for the whole option.
 * There must be one. */
static uint32_t whole_server(const struct search *s, uint32_t start,
			     const struct market_option *o)
{
	struct astra_minima_pair workers = astra_minima_of(
		&s->m->sides[MARKET_WORKERS].free, start, o->slots);
	struct astra_minima_pair ps =
		astra_minima_of(&s->m->sides[MARKET_PS].free, start, o->slots);
	uint32_t i = 0;

	while (astra_minima_at(workers, i) < o->workers ||
	       astra_minima_at(ps, i) < s->ps_min)
		i++;
	return i;
}

/* Return how many PSs are needed for `away` workers on other servers (3i). */
static double ps_for(const struct search *s, uint32_t away)
{
	return fmax(1, astra_ceil(away * s->m->bandwidth));
}

/* Return how many workers are not on the server of the PSs: at least one, since
 * not all may be there. */
static uint32_t away_from(uint32_t here, uint32_t workers)
{
	return here < workers ? workers - here : 1;
}

/* Return the server on which the job needs the fewest PSs: it holds as many
 * workers as it can, but not all. MARKET_NOWHERE: there is none. */
static uint32_t ps_server(const struct search *s, uint32_t start,
			  const struct market_option *o, uint64_t all,
			  uint32_t *needed)
{
	const struct market_side *sides = s->m->sides;
	struct astra_minima_pair workers =
		astra_minima_of(&sides[MARKET_WORKERS].free, start, o->slots);
	struct astra_minima_pair ps =
		astra_minima_of(&sides[MARKET_PS].free, start, o->slots);
	uint32_t found = MARKET_NOWHERE, fewest = UINT32_MAX, least = fewest;

	for (uint32_t i = 0; i < s->m->server_count; i++) {
		uint32_t here = astra_minima_at(workers, i);
		uint32_t away = away_from(here, o->workers);
		double need;

		if (away >= least || all - here < away)
			continue;
		need = ps_for(s, away);
		if (need > astra_minima_at(ps, i) || need >= fewest)
			continue;
		least = away;
		fewest = (uint32_t)need;
		found = i;
	}
	*needed = fewest;
	return found;
}

/* Whether the payoff mu makes this option the best. Of two options with the
 * same start, workers and payoff, the one on a single server wins. */
static bool beats(const struct search *s, const struct market_option *o,
		  double mu)
{
	int order = astra_compare(mu, s->best->mu);

	return order > 0 || (order == 0 && o->centralized && s->same);
}

/* An option with a given start, and what is computed for it. */
struct trial {
	const struct market_option *option;
	uint32_t start, end;
	uint32_t limit[MARKET_KINDS];
	double value, price[MARKET_KINDS];
	uint32_t server, ps;
};

static double market_search_cost_of(const struct trial *t, double ps)
{
	return t->price[MARKET_WORKERS] * t->option->workers +
	       t->price[MARKET_PS] * ps;
}

static double market_search_payoff(const struct trial *t, double ps)
{
	return t->value - market_search_cost_of(t, ps);
}

/* Whether the option fits on several servers, and would then be the best. */
static bool fit_split(struct search *s, struct trial *t)
{
	const struct market_option *o = t->option;
	const struct market_spot *spot = spot_of(s, t->start, o->slots);
	double least;

	t->ps = 0;
	t->server = MARKET_NOWHERE;
	if (spot->workers < o->workers)
		return false;
	if (s->job->no_ps)
		return spot->workers > spot->largest;
	least = ps_for(s, away_from(spot->largest, o->workers));
	if (least > spot->most_ps || least > t->limit[MARKET_PS] ||
	    !beats(s, o, market_search_payoff(t, least)))
		return false;
	t->server = ps_server(s, t->start, o, spot->workers, &t->ps);
	return t->server != MARKET_NOWHERE && t->ps <= t->limit[MARKET_PS] &&
	       beats(s, o, market_search_payoff(t, t->ps));
}

/* Whether the whole option fits on one server. */
static bool fit_whole(struct search *s, struct trial *t)
{
	const struct market_option *o = t->option;

	if (spot_of(s, t->start, o->slots)->largest < o->workers)
		return false;
	t->ps = s->ps_min;
	t->server = whole_server(s, t->start, o);
	return true;
}

/* Whether there are seats for the job, on one server or on several. */
static bool fit_seats(struct search *s, struct trial *t)
{
	const struct astra_market_part *parts;

	t->ps = 0;
	t->server = MARKET_NOWHERE;
	return market_seats(s->m, s->job, t->start, t->option->slots,
			    t->option->workers, t->option->centralized,
			    &parts) > 0;
}

static bool market_search_fit(struct search *s, struct trial *t)
{
	if (s->job->picky)
		return fit_seats(s, t);
	return t->option->centralized ? fit_whole(s, t) : fit_split(s, t);
}

/* Whether the option is within the limits and could be the best. */
static bool worth_trying(const struct search *s, struct trial *t)
{
	const struct market_option *o = t->option;

	if (t->end > s->m->window.slots)
		return false;
	t->value = s->m->value[t->end - 1];
	if (!beats(s, o, t->value))
		return false;
	for (int kind = 0; kind < MARKET_KINDS; kind++) {
		const struct market_side *side = &s->m->sides[kind];

		t->price[kind] = price_between(side, t->start, t->end);
		t->limit[kind] = astra_minima_at(
			astra_minima_of(&side->limit, t->start, o->slots), 0);
	}
	return t->limit[MARKET_WORKERS] >= o->workers &&
	       t->limit[MARKET_PS] >= s->ps_min &&
	       beats(s, o, market_search_payoff(t, s->ps_min));
}

static void try_option(struct search *s, uint32_t start,
		       const struct market_option *o)
{
	struct trial t = {.option = o, .start = start, .end = start + o->slots};

	if (!worth_trying(s, &t) || !market_search_fit(s, &t) ||
	    market_search_cost_of(&t, t.ps) > s->funds)
		return;
	s->same = true;
	*s->best = (struct market_best){
		.mu = market_search_payoff(&t, t.ps),
		.value = t.value,
		.cost = {t.price[MARKET_WORKERS] * o->workers,
			 t.price[MARKET_PS] * t.ps},
		.start = start,
		.slots = o->slots,
		.amount = {o->workers, t.ps},
		.server = t.server,
		.centralized = o->centralized,
	};
}

static bool search_all(struct search *s, bool shared)
{
	s->ps_min = s->job->no_ps ? 0 : 1;
	market_search_prepare(s, shared);
	for (uint32_t start = 0; start < s->m->window.slots; start++) {
		for (size_t i = 0; i < s->option_count; i++) {
			const struct market_option *o = &s->m->options[i];

			s->same = s->same && i &&
				  s->m->options[i - 1].workers == o->workers;
			try_option(s, start, o);
		}
	}
	return s->best->slots > 0;
}

bool market_search(struct astra_market *m, const struct astra_market_job *job,
		   bool shared, struct market_best *best)
{
	struct search s = {.m = m, .job = job, .best = best};

	*best = (struct market_best){0};
	s.funds = shared ? market_funds(m, job->user) : HUGE_VAL;
	return s.funds >= 0 && search_all(&s, shared);
}

bool astra_market_quote(struct astra_market *m,
			const struct astra_market_job *job,
			struct astra_market_quote *out)
{
	struct market_best best = {.mu = -HUGE_VAL};
	struct search s = {
		.m = m, .job = job, .best = &best, .funds = HUGE_VAL};

	if (!search_all(&s, true))
		return false;
	*out = (struct astra_market_quote){
		.value = best.value,
		.cost = best.cost[MARKET_WORKERS] + best.cost[MARKET_PS],
		.start = m->window.begin + 1 + best.start,
		.workers = best.amount[MARKET_WORKERS],
	};
	return true;
}
