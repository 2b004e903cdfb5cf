/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the market's files share. Slots count from the window's begin here: slot
 * i of 0 … slots - 1 is slot begin + 1 + i. */
#ifndef ASTRA_MARKET_PRIV_H
#define ASTRA_MARKET_PRIV_H

#include <math.h>

#include "src/policies/incentive/market.h"
#include "src/policies/incentive/minima.h"
#include "src/policies/incentive/seats.h"

#define MARKET_NOWHERE UINT32_MAX

/* Workers and PSs are sold in the same way. */
enum market_kind { MARKET_WORKERS, MARKET_PS, MARKET_KINDS };

struct market_side {
	double theta, unit;
	uint64_t capacity;
	uint32_t *quota;	  /* per user */
	struct astra_minima free; /* slot by server */
	uint64_t *used;		  /* per slot */
	uint64_t *shared;	  /* the part of used by jobs that pay */
	double *price;		  /* per slot; the cluster's */
	uint32_t *own;		  /* [user][slot]: used by unpaid jobs */
	/* Scratch of one search: what the job may use, and the sum of the
	 * prices that it sees before each slot. sum_rest has what rounding
	 * takes off sum; otherwise an expensive slot would hide differences
	 * between cheap slots after it. */
	struct astra_minima limit;
	double *sum, *sum_rest;
};

/* A number of workers for a number of slots. */
struct market_option {
	uint32_t workers, slots;
	bool centralized;
};

/* What servers have free in a range of slots. */
struct market_spot {
	uint32_t start;	  /* start of the range + 1; 0: unknown */
	uint32_t largest; /* most workers on one server that has a PS for the
			   * job */
	uint32_t most_ps; /* most PSs on one server */
	uint64_t workers; /* workers on all servers */
};

/* The best schedule so far. */
struct market_best {
	double mu, value, cost[MARKET_KINDS];
	uint32_t start, slots;
	uint32_t amount[MARKET_KINDS]; /* workers and PSs in each slot */
	uint32_t server;	       /* server of the PSs, or of the whole
					* job */
	bool centralized;
};

struct market_place {
	uint32_t server, free;
};

struct astra_market {
	double bandwidth; /* b_w / b_p: PSs needed per worker on another
			   * server */
	bool own_share;
	size_t server_count, user_count;
	struct astra_market_account *accounts;
	double *budgets; /* per user; NULL: no bound */
	struct astra_seats *seats;
	struct astra_market_window window;
	struct market_side sides[MARKET_KINDS];
	uint32_t *capacity[MARKET_KINDS]; /* per server */
	/* Scratch of one search: */
	double *value; /* by slot: worth of a job that ends with the slot */
	struct market_option *options;
	struct market_spot *spots; /* by the number of slots */
	struct market_place *places;
};

/* Return the worth of a job that ends x slots after its arrival. */
static inline double market_value(const struct astra_market_job *job, double x)
{
	double value = astra_utility_value(&job->utility, x + job->later);

	return job->part > 0 ? job->part * value : value;
}

/* Return the price of one unit for one slot when `used` of `capacity` units are
 * in use. */
static inline double market_price(const struct market_side *side, uint64_t used,
				  uint64_t capacity)
{
	return side->unit * astra_market_price(side->theta, used, capacity);
}

/* Return what a user may pay now for a job of the shared phase. < 0: it may buy
 * nothing, even at price 0. */
static inline double market_funds(const struct astra_market *m, uint32_t user)
{
	double left;

	if (!m->budgets)
		return HUGE_VAL;
	left = m->budgets[user] - m->accounts[user].paid +
	       m->accounts[user].income;
	return left > 0 ? left : -1;
}

/* Find a place for a picky job's workers, on one server or on several. Returns
 * the number of servers, or 0. parts: borrowed until the next call. */
static inline size_t market_seats(struct astra_market *m,
				  const struct astra_market_job *job,
				  uint32_t start, uint32_t slots,
				  uint32_t workers, bool centralized,
				  const struct astra_market_part **parts)
{
	size_t count = astra_seats_find(m->seats, job->demand, workers,
					job->home_count && !start, start,
					start + slots, parts);

	return (count == 1) == centralized ? count : 0;
}

/* Find the best schedule of a job in a phase, Alg. 3. Returns false if no
 * schedule has mu > 0. Changes only the search's own state. */
bool market_search(struct astra_market *m, const struct astra_market_job *job,
		   bool shared, struct market_best *best);

/* Mark as used what a deal of this job uses; prices follow. */
void market_take(struct astra_market *m, const struct astra_market_job *job,
		 const struct astra_market_deal *deal,
		 const struct astra_market_part *parts);

#endif
