/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The market of Wang et al. (Online Scheduling of Distributed ML Jobs for
 * Incentivizing Sharing in Multi-Tenant Systems; SPEC.md section 3).
 *
 * Time is divided into slots; slot t is the time (t - 1, t]. A window is a
 * range of slots that is empty at first. A round fills it: first each user's
 * jobs within its quota, unpaid (own phase); then the remaining jobs in what is
 * unused (shared phase), which pay posted prices to the users whose share it
 * is. Each job gets the best schedule at the prices before it, or none.
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
	double theta_w, theta_p; /* of the prices, >= 1 */
	double unit;		 /* of all prices; 0: 1, as in the paper */
	double b_w, b_p;	 /* bandwidth of a worker and of a PS, >= 0 */
	bool own_share; /* prices of the own phase: of the user's own quota; if
			 * false, as in the paper, the cluster's */
	const struct astra_market_room *servers; /* borrowed for the call */
	size_t server_count;
	/* Borrowed for the call; they add up to the servers' capacity. */
	const struct astra_market_room *quotas;
	size_t user_count;
	/* What each user may pay in the shared phase. Payments are taken from
	 * it and incomes added. A user with nothing buys nothing. Borrowed for
	 * the call; NULL: no bound, as in the paper. */
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
	bool no_ps;	       /* needs no parameter server */
	double arrival;	       /* slots */
	double work;	       /* mini-batches: E D M */
	/* Mini-batches of one worker in a slot: with all workers on one server,
	 * or on several; 0: it cannot run so. */
	double n_cent, n_dist;
	struct astra_utility utility; /* of the slots from arrival to end */
	/* Of a part of a longer job: the part of the utility that it is worth,
	 * and how many slots later, at the earliest, the job has that utility.
	 * 0: it is the whole job. */
	double part, later;
	double least; /* least worth in comparisons */
	/* Where the job is, by server; borrowed. A job without PSs that starts
	 * with the window stays there if it can. */
	const struct astra_market_part *home;
	size_t home_count;
	/* Its demand, if there are seats; borrowed. picky: it needs particular
	 * workers, so it is given seats; it has no PSs. */
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
	double cost;	     /* at the prices before it */
	double mu;	     /* value - cost > 0 */
	double pay_w, pay_p; /* part of the cost that it pays: all if shared */
	double utility;	     /* from arrival to the end */
	size_t first_income; /* if shared: index of its incomes, one per user */
};

/* Zeroed, it is empty. */
struct astra_market_book {
	struct astra_market_deal *deals;
	size_t count, room;
	struct astra_market_part *parts;
	size_t part_count, part_room;
	double *incomes;
	size_t income_count, income_room;
};

/* A user's gain is utility - paid + income. The sum of all gains is the sum of
 * utilities. */
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

/* Go on with an empty window; accounts stay. window: slots > 0. Returns 0, or
 * -1 with err set: then begin again. */
int astra_market_begin(struct astra_market *market,
		       const struct astra_market_window *window,
		       struct astra_error *err);

/* Run a round: offer jobs to the window. Another round in the same window finds
 * what the first has left.
 * jobs: borrowed; their users exist.
 * offered, count: indices of the jobs to offer, in any order. On return those
 * that were not admitted, by arrival and then index.
 * book: the deals are added, in the order of admission, with those indices.
 * Deterministic; O(S log T) memory traffic per candidate for S servers and T
 * slots, at most T candidates of each kind per start slot. Returns 0, or -1
 * with err set when memory is out: then destroy the market. */
int astra_market_offer(struct astra_market *market,
		       const struct astra_market_job *jobs, uint32_t *offered,
		       size_t *count, struct astra_market_book *book,
		       struct astra_error *err);

/* As astra_market_offer(), for the own phase alone. */
int astra_market_offer_own(struct astra_market *market,
			   const struct astra_market_job *jobs,
			   uint32_t *offered, size_t *count,
			   struct astra_market_book *book,
			   struct astra_error *err);

/* The schedule with the largest payoff in the shared phase now, even if that is
 * negative or costs more than the user may pay. Nothing is admitted. */
struct astra_market_quote {
	double value, cost;
	uint32_t start, workers; /* the first slot; workers in each */
};

/* Quote a job. Returns false if the window has no room for the job at all. */
bool astra_market_quote(struct astra_market *market,
			const struct astra_market_job *job,
			struct astra_market_quote *out);

/* Return the workers in use in the window's slot of that index; those of a user
 * that are unpaid. */
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
