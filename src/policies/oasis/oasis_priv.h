/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What OASiS's files share: the market, and the search for a schedule. */
#ifndef ASTRA_OASIS_PRIV_H
#define ASTRA_OASIS_PRIV_H

#include <math.h>

#include "src/policies/oasis/oasis.h"

/* Sums whose relative difference is at most this are equal except for rounding.
 * Prices span many orders of magnitude, so an absolute 1e-9 would be too
 * coarse. */
#define OASIS_NOISE 1e-12

/* All servers of one kind. Arrays are indexed by slot, then resource, then
 * server. */
struct oasis_side {
	size_t count;
	double *capacity; /* by resource, then server */
	double *used;
	double *price;
	const double *upper; /* U^r, in the market's range */
	double lower;	     /* L */
};

/* A server in the greedy choice within a slot. */
struct oasis_stall {
	double key;  /* the cost without rounding noise */
	double cost; /* of one worker, or PS */
	uint32_t server;
};

/* A piece of a slot's lower convex hull. */
struct oasis_edge {
	double slope;
	double cost; /* cost of the whole piece */
	uint64_t size;
};

/* An option in a slot: n workers, which do `size` of the work. Option 0 has no
 * workers. */
struct oasis_option {
	uint32_t workers;
	uint32_t ps;
	uint64_t size;
};

/* What the search knows of schedules that end in one slot. */
struct oasis_ending {
	double utility;
	double bound;  /* lower bound of its cost */
	double lambda; /* the multiplier that gives the bound */
	double cost;   /* cost of the best schedule known */
	double budget; /* how far above the bound the cost may be */
	bool possible;
	bool tried;  /* the greedy search has tried it */
	bool exact;  /* cost is optimal */
	bool tabled; /* the dynamic programme has computed its cost */
};

/* The options of a slot with the smallest c - lambda x. Only the first and the
 * last of them are kept; ties are common when slots are alike. */
struct oasis_tied {
	double least;
	uint32_t first, last;
};

/* A row of the dynamic programme: the states of a slot that are needed. */
struct oasis_row {
	int64_t low, high;	       /* range of the work that must be done by
					* then */
	size_t values;		       /* index of its first value in the
					* table */
	size_t allowed, allowed_count; /* the options that an optimum may have,
					* as a range in `allowed` */
};

/* The state of a search. Its arrays grow and are reused. */
struct oasis_search {
	const struct astra_oasis_job *job;
	uint64_t total; /* all work, in worker-slots or chunks */
	int64_t from;	/* the first slot */
	uint32_t slots; /* number of slots from `from` to the end of the
			 * window */

	struct oasis_option *options;
	size_t option_count, option_room;
	double *costs;	    /* by slot, then option */
	uint32_t *feasible; /* per slot: number of feasible options */
	size_t cost_room, feasible_room;
	double *sums; /* costs of the n cheapest workers, then of the n cheapest
		       * PSs */
	size_t sum_room;
	struct oasis_stall *stalls;
	size_t stall_room;

	struct oasis_edge *edges; /* a heap, the steepest on top */
	size_t edge_count, edge_room;
	struct oasis_edge *hull; /* of one slot */
	size_t hull_room;

	struct oasis_ending *endings; /* per slot */
	size_t ending_room;
	struct oasis_tied *tied; /* per slot */
	size_t tied_room;
	uint32_t *choice; /* per slot: the index of an option */
	size_t choice_room;

	struct oasis_row *rows;
	size_t row_room;
	uint32_t *allowed;
	size_t allowed_count, allowed_room;
	bool *marks; /* per option */
	size_t mark_room;
	double *table;
	size_t table_count, table_room;
};

/* Consecutive slots of the window that are used alike. */
struct oasis_run {
	size_t row; /* row of the first of these slots */
	uint32_t slots;
};

struct oasis_runs {
	struct oasis_run *list;
	size_t count, room;
	bool known; /* false: the list is out of date */
};

/* A sum, and what rounding takes from it (Neumaier). It stays accurate if it
 * contained large terms for a while and is small afterwards. */
struct oasis_sum {
	double sum, rest;
};

static inline void oasis_sum_add(struct oasis_sum *s, double term)
{
	double sum = s->sum + term;

	s->rest += fabs(s->sum) >= fabs(term) ? s->sum - sum + term
					      : term - sum + s->sum;
	s->sum = sum;
}

static inline double oasis_sum(const struct oasis_sum *s)
{
	return s->sum + s->rest;
}

struct astra_oasis_market {
	size_t resources;
	uint32_t slots;
	int64_t first;
	bool whole_chunks;
	struct astra_oasis_range range;
	struct oasis_side workers, ps;
	struct oasis_runs runs;
	struct oasis_search search;
};

/* Return f(D - 1), the most that a job can be worth. If that is infinite,
 * return f(D). The result is never NaN, nor above ASTRA_OASIS_PRICE_MAX. */
double oasis_best(const struct astra_oasis_job *job);

int oasis_list_runs(struct astra_oasis_market *market);

/* Return what the job is worth if it ends in a slot; never infinite. */
static inline double oasis_utility(const struct astra_oasis_job *job,
				   int64_t slot)
{
	double value = astra_utility_value(&job->utility,
					   (double)(slot - job->arrival));

	return fmax(-ASTRA_OASIS_PRICE_MAX, fmin(value, ASTRA_OASIS_PRICE_MAX));
}

/* Return the row, in the ring of slots, of a slot in the window. */
static inline size_t oasis_row_of(const struct astra_oasis_market *market,
				  int64_t slot)
{
	int64_t row = slot % market->slots;

	return (size_t)(row < 0 ? row + market->slots : row);
}

/* Compute into sums the costs of the 0 … need cheapest workers in a slot.
 * Unless out is NULL, add the places of these workers to it. Returns for how
 * many workers there is room, or -1 when memory is out. */
int64_t oasis_fill(const struct astra_oasis_market *market,
		   const struct oasis_side *side, struct oasis_search *search,
		   int64_t slot, const double *demand, uint32_t need,
		   double *sums, struct astra_oasis_places *out);

/* Return how many workers of this demand a server has room for: the least
 * floor((c - g) / w) over the resources, at most `most`. */
uint32_t oasis_room_at(const struct astra_oasis_market *market,
		       const struct oasis_side *side, size_t row, size_t server,
		       const double *demand, uint32_t most);

/* Append a place. Returns 0, or -1 when out of memory. */
int oasis_add_place(struct astra_oasis_places *out, int64_t slot,
		    uint32_t server, uint32_t count);

/* Restore a heap of edges with the steepest on top: move the edge at `at` up,
 * or the top down. */
void oasis_edge_up(struct oasis_edge *heap, size_t at);
void oasis_edge_down(struct oasis_edge *heap, size_t count);

/* Return the payoff that an ending must reach to be chosen when one with
 * `payoff` is known. An earlier ending that is tied with it may be chosen, and
 * an ending tied with that one before it. */
double oasis_floor_of(double payoff);

/* Whether cost a is below b by more than rounding. */
static inline bool oasis_is_cheaper(double a, double b)
{
	return a * (1 + OASIS_NOISE) < b;
}

/* Whether oasis_simple_offer() can find the best schedule, by runs. There must
 * be one server and no PSs. The job must be rigid or allow any number of
 * workers, and its worth must never rise. */
bool oasis_is_simple(const struct astra_oasis_market *market,
		     const struct astra_oasis_job *job);

/* Find the best schedule by runs, once the search is set up. Returns 0, or -1
 * when memory is out. */
int oasis_simple_offer(struct astra_oasis_market *market,
		       struct astra_oasis_offer *out);

/* Compute the costs of the options in each slot. */
int oasis_price(const struct astra_oasis_market *market,
		struct oasis_search *search);

/* Compute for each ending a lower bound of its cost, and the multiplier. */
int oasis_bound(struct oasis_search *search);

/* Look for a schedule up to slot `last` with the bound's multiplier. The
 * schedule is in choice. Its cost, and whether it is proved optimal, are in the
 * ending. */
void oasis_greedy(struct oasis_search *search, uint32_t last);

/* Compute the cost of every ending that is still open and could reach `floor`,
 * by the dynamic programme over the options that its optimum may have. Returns
 * 0, 1 when the table would be too large, or -1 when memory is out. */
int oasis_settle(struct oasis_search *search, double floor);

/* Put the schedule of an ending into choice. Call after oasis_settle(). */
void oasis_trace(struct oasis_search *search, uint32_t last);

/* Return c - lambda x of an option, given its slot's costs. */
static inline double oasis_reduced(const struct oasis_search *search,
				   const double *costs, uint32_t option,
				   double lambda)
{
	return costs[option] - lambda * (double)search->options[option].size;
}

/* Return the least c - lambda x in a slot. It is at most 0, the value of option
 * 0. */
double oasis_least(const struct oasis_search *search, uint32_t slot,
		   double lambda);

static inline const double *oasis_costs(const struct oasis_search *search,
					uint32_t slot)
{
	return &search->costs[slot * search->option_count];
}

#endif
