/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The market of Wang et al. (Online Scheduling of Distributed ML Jobs for
 * Incentivizing Sharing in Multi-Tenant Systems; SPEC.md section 3).
 *
 * Time is divided into slots; slot t is the time (t - 1, t]. A window is a
 * range of slots that is empty at first. A round fills it in two phases. In the
 * own phase each user's jobs get slots within the user's quota, unpaid. In the
 * shared phase the remaining jobs buy unused slots at posted prices, and pay
 * the users whose share it is. Each job gets the best schedule at the prices
 * before it, or none.
 *
 *   struct astra_market *market = astra_market_create(&setup, &err);
 *   for each window:
 *       astra_market_begin(market, &window, &err);
 *       astra_market_offer(market, jobs, offered, &count, &book, &err);
 *       astra_market_account(market, user)->... */
#ifndef ASTRA_MARKET_H
#define ASTRA_MARKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/model/utility.h"

struct astra_demand;
struct astra_seats;

/* Workers and parameter servers (PSs): a server's capacity, or a user's
 * quota. */
struct astra_market_room {
	uint32_t workers, ps;
};

struct astra_market_setup {
	double theta_w, theta_p; /* parameters of the prices, >= 1 */
	double unit;		 /* factor of all prices; 0: 1, as in the
				  * paper */
	double b_w, b_p;	 /* bandwidth of a worker and of a PS, >= 0 */
	bool own_share; /* own phase: prices follow the use of the user's own
			 * quota; false, as in the paper: of the cluster */
	const struct astra_market_room *servers; /* borrowed for the call */
	size_t server_count;
	/* By user. They add up to the servers' capacity. Borrowed for the
	 * call. */
	const struct astra_market_room *quotas;
	size_t user_count;
	/* By user: what it may pay in the shared phase. Payments are subtracted
	 * and incomes added. A user with nothing left buys nothing. Borrowed
	 * for the call; NULL: no bound, as in the paper. */
	const double *budgets;
	/* What the servers have besides workers, in each window; borrowed as
	 * long as the market lives. NULL: nothing else is scarce. */
	struct astra_seats *seats;
};

/* A number of workers on a server. */
struct astra_market_part {
	uint32_t server, workers;
};

struct astra_market_job {
	uint32_t user;
	uint32_t d_min, d_max; /* workers in each of its slots; d_min >= 1 */
	bool no_ps;	       /* it needs no parameter servers */
	double arrival;	       /* slots */
	double work;	       /* mini-batches: E D M */
	/* Mini-batches of one worker in a slot, with all workers on one server
	 * (n_cent), or on several (n_dist). 0: it cannot run that way. */
	double n_cent, n_dist;
	struct astra_utility utility; /* of the slots from arrival to end */
	/* If this is a part of a longer job: part is the fraction of the
	 * utility that it is worth. later is how many slots later, at the
	 * earliest, the whole job has that utility. 0: this is the whole
	 * job. */
	double part, later;
	double least; /* least worth in comparisons */
	/* Where the job is now, by server; borrowed. If it starts with the
	 * window and has no PSs, it stays there if it can. */
	const struct astra_market_part *home;
	size_t home_count;
	/* Its demand, if there are seats; borrowed. picky: the job needs
	 * particular workers, so seats are searched for it; it has no PSs. */
	const struct astra_demand *demand;
	bool picky;
};

/* The slots begin + 1 … begin + slots. */
struct astra_market_window {
	uint32_t begin, slots;
	uint32_t interval, round; /* only copied into deals */
};

/* An admitted job. */
struct astra_market_deal {
	uint32_t job;
	uint32_t interval, round;
	bool shared;
	bool centralized;		 /* all on one server */
	uint32_t start, end;		 /* first and last slot */
	uint32_t workers, ps, ps_server; /* in each slot */
	size_t first_part, part_count;	 /* by server */
	double value;	     /* utility from the window's begin to its end */
	double cost;	     /* at the prices before the deal */
	double mu;	     /* value - cost > 0 */
	double pay_w, pay_p; /* the part of the cost that it pays: all if
			      * shared, else none */
	double utility;	     /* from arrival to the end */
	size_t first_income; /* if shared: index of its incomes, one per user */
};

/* A list of deals. If zeroed, it is empty. */
struct astra_market_book {
	struct astra_market_deal *deals;
	size_t count, room;
	struct astra_market_part *parts;
	size_t part_count, part_room;
	double *incomes;
	size_t income_count, income_room;
};

/* A user's account. Its gain is utility - paid + income. The sum of all gains
 * is the sum of utilities. */
struct astra_market_account {
	double utility, paid, income;
};

struct astra_market;

/* Return the price of one unit for one slot: theta^(used / capacity) - 1; 0 if
 * there is no capacity. */
double astra_market_price(double theta, uint64_t used, uint64_t capacity);

/* Make a market, without a window yet. Returns NULL with err set when memory is
 * out or the quotas do not add up to the capacity. */
struct astra_market *astra_market_create(const struct astra_market_setup *setup,
					 struct astra_error *err);
void astra_market_destroy(struct astra_market *market); /* accepts NULL */

/* Begin an empty window; accounts stay. window: slots > 0. Returns 0, or -1
 * with err set: then begin again. */
int astra_market_begin(struct astra_market *market,
		       const struct astra_market_window *window,
		       struct astra_error *err);

/* Run a round: offer jobs to the window. Another round in the same window
 * offers what the first has left.
 * jobs: borrowed; their users exist.
 * offered, count: indices of the jobs to offer, in any order. On return, the
 * indices of jobs that were not admitted, by arrival and then index.
 * book: the deals are added, in the order of admission, with those indices.
 * Deterministic; O(S log T) memory traffic per candidate for S servers and T
 * slots, at most T candidates of each kind per start slot. Returns 0, or -1
 * with err set when memory is out: then destroy the market. */
int astra_market_offer(struct astra_market *market,
		       const struct astra_market_job *jobs, uint32_t *offered,
		       size_t *count, struct astra_market_book *book,
		       struct astra_error *err);

/* As astra_market_offer(), but only the own phase. */
int astra_market_offer_own(struct astra_market *market,
			   const struct astra_market_job *jobs,
			   uint32_t *offered, size_t *count,
			   struct astra_market_book *book,
			   struct astra_error *err);

/* The schedule with the largest payoff in the shared phase now. The payoff may
 * be negative, and the cost more than the user may pay. Nothing is admitted. */
struct astra_market_quote {
	double value, cost;
	uint32_t start, workers; /* the first slot; workers in each slot */
};

/* Quote a job. Returns false if the window has no room for the job at all. */
bool astra_market_quote(struct astra_market *market,
			const struct astra_market_job *job,
			struct astra_market_quote *out);

/* Return how many workers are used in a slot, by its index in the window: all
 * workers, or the unpaid ones of a user. */
uint64_t astra_market_used(const struct astra_market *market, uint32_t slot);
uint32_t astra_market_own(const struct astra_market *market, uint32_t user,
			  uint32_t slot);

/* Return a user's account. Borrowed; valid until the next offer. */
const struct astra_market_account *
astra_market_account(const struct astra_market *market, uint32_t user);

static inline double
astra_market_gain(const struct astra_market_account *account)
{
	return account->utility - account->paid + account->income;
}

/* Free what the book holds. It is then empty and can be reused. */
void astra_market_book_clear(struct astra_market_book *book);

#endif
