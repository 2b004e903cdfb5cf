/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The market of Wang et al. (Online Scheduling of Distributed ML Jobs for
 * Incentivizing Sharing in Multi-Tenant Systems; SPEC.md section 3).
 *
 * Time is cut into slots; slot t is the time (t - 1, t]. A window is a range of
 * slots that is empty at first. A round fills it: each user's jobs within its
 * quota, unpaid (own phase), then the jobs that are left in what is unused
 * (shared phase), which pay posted prices to those whose share it is. Each job
 * gets the best schedule for it at the prices before it, or none.
 *
 *	struct astra_market *market = astra_market_create(&setup, &err);
 *	for each window:
 *		astra_market_begin(market, &window, &err);
 *		astra_market_offer(market, jobs, offered, &count, &book, &err);
 *	astra_market_account(market, user)->...
 */
#ifndef ASTRA_MARKET_H
#define ASTRA_MARKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/model/utility.h"

struct astra_demand;
struct astra_seats;

/* Workers and parameter servers (PSs): what a server has room for, or a user's
 * quota. */
struct astra_market_room {
	uint32_t workers, ps;
};

struct astra_market_setup {
	double theta_w, theta_p; /* of the prices, >= 1 */
	double unit;		 /* of all prices; 0: 1, as in the paper */
	double b_w, b_p;	 /* bandwidth of a worker and of a PS, >= 0 */
	bool own_share; /* prices of the own phase: false, the cluster's, as in
			 * the paper; true, of the user's own quota */
	const struct astra_market_room *servers; /* borrowed for the call */
	size_t server_count;
	/* Borrowed for the call; they sum to what the servers have. */
	const struct astra_market_room *quotas;
	size_t user_count;
	/* What each user may pay in the shared phase, less what it pays and
	 * with what it is given; who has nothing buys nothing. Borrowed for the
	 * call; NULL: no bound, as in the paper. */
	const double *budgets;
	/* What the servers have beside workers, in each window; borrowed as
	 * long as the market lives. NULL: nothing that is short. */
	struct astra_seats *seats;
};

/* So many workers on that server. */
struct astra_market_part {
	uint32_t server, workers;
};

struct astra_market_job {
	uint32_t user;
	uint32_t d_min, d_max; /* workers in each of its slots; d_min >= 1 */
	bool no_ps;	       /* needs no parameter server */
	double arrival;	       /* slots */
	double work;	       /* mini-batches: E D M */
	/* Mini-batches a slot of one worker: all on one server, or not; 0: it
	 * cannot run so. */
	double n_cent, n_dist;
	struct astra_utility utility; /* of the slots from arrival to end */
	/* A part of a longer job: what it is worth of the utility, which the
	 * job has so many slots later at the earliest. 0: it is the whole. */
	double part, later;
	double least; /* what it counts as worth at least when it is weighed */
	/* Where it is, by server; borrowed. A job without PSs that starts with
	 * the window stays there if it can. */
	const struct astra_market_part *home;
	size_t home_count;
	/* Whose it is, where there are seats; borrowed. picky: not any free
	 * workers will do for it, so it is given seats; it has no PSs. */
	const struct astra_demand *demand;
	bool picky;
};

/* The slots begin + 1 … begin + slots. */
struct astra_market_window {
	uint32_t begin, slots;
	uint32_t interval, round; /* copied into deals, no more */
};

/* A job that was admitted. */
struct astra_market_deal {
	uint32_t job;
	uint32_t interval, round;
	bool shared;
	bool centralized;		 /* all on one server */
	uint32_t start, end;		 /* first and last slot */
	uint32_t workers, ps, ps_server; /* in each slot */
	size_t first_part, part_count;	 /* by server */
	double value;	     /* utility from the window's begin to the end */
	double cost;	     /* at the prices before it */
	double mu;	     /* value - cost > 0 */
	double pay_w, pay_p; /* what it pays of the cost: all if shared */
	double utility;	     /* from arrival to the end */
	size_t first_income; /* if shared: one a user */
};

/* Zeroed is empty. */
struct astra_market_book {
	struct astra_market_deal *deals;
	size_t count, room;
	struct astra_market_part *parts;
	size_t part_count, part_room;
	double *incomes;
	size_t income_count, income_room;
};

/* A user's gain is utility - paid + income; all gains sum to all utility. */
struct astra_market_account {
	double utility, paid, income;
};

struct astra_market;

/* The price of one unit for one slot: theta^(used / capacity) - 1; 0 where
 * there is no capacity. */
double astra_market_price(double theta, uint64_t used, uint64_t capacity);

/* NULL with err set when out of memory or the quotas do not sum to what there
 * is. Has no window yet. */
struct astra_market *astra_market_create(const struct astra_market_setup *setup,
					 struct astra_error *err);
void astra_market_destroy(struct astra_market *market); /* accepts NULL */

/* Go on with a window in which nothing is used; accounts stay.
 * window: slots > 0. Returns 0, or -1 with err set; begin again then. */
int astra_market_begin(struct astra_market *market,
		       const struct astra_market_window *window,
		       struct astra_error *err);

/* A round: offer jobs to the window. Another one in the same window finds what
 * the first has left of it.
 * jobs: borrowed; their users exist.
 * offered, count: indices of the jobs to offer, in any order. On return those
 *   that were not admitted, by arrival and then index.
 * book: the deals are added, in the order of admission, with those indices.
 * Deterministic; O(S log T) memory traffic a candidate for S servers and T
 * slots, at most T candidates of each kind a start slot.
 * Returns 0, or -1 with err set when out of memory; then destroy the market. */
int astra_market_offer(struct astra_market *market,
		       const struct astra_market_job *jobs, uint32_t *offered,
		       size_t *count, struct astra_market_book *book,
		       struct astra_error *err);

/* The own phase alone, as above. */
int astra_market_offer_own(struct astra_market *market,
			   const struct astra_market_job *jobs,
			   uint32_t *offered, size_t *count,
			   struct astra_market_book *book,
			   struct astra_error *err);

/* The schedule with the largest payoff in the shared phase now, be that below
 * 0 or more than its user may pay. Nothing is admitted. */
struct astra_market_quote {
	double value, cost;
	uint32_t start, workers; /* the first slot; workers in each */
};

/* Returns false where the window has no room for the job at all. */
bool astra_market_quote(struct astra_market *market,
			const struct astra_market_job *job,
			struct astra_market_quote *out);

/* Workers in use in the window's slot of that index; of a user, unpaid. */
uint64_t astra_market_used(const struct astra_market *market, uint32_t slot);
uint32_t astra_market_own(const struct astra_market *market, uint32_t user,
			  uint32_t slot);

/* Borrowed; current until the next offer. */
const struct astra_market_account *
astra_market_account(const struct astra_market *market, uint32_t user);

static inline double
astra_market_gain(const struct astra_market_account *account)
{
	return account->utility - account->paid + account->income;
}

/* Free what the book holds; it is empty and usable afterwards. */
void astra_market_book_clear(struct astra_market_book *book);

#endif
