/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A window of a pool: its jobs as the market sees them, and what the market
 * sold to each. Workers are GPUs; there are no parameter servers. */
#ifndef ASTRA_BATCH_H
#define ASTRA_BATCH_H

#include "src/policies/incentive/board.h"
#include "src/policies/incentive/calendar.h"
#include "src/policies/incentive/market.h"
#include "src/policies/policy.h"

struct astra_batch {
	/* The rules. */
	double slot_sec;
	double spare_sec; /* how much later than its arrival a job may still
			   * start */
	double theta;	  /* parameter of the prices, which are in GPU hours */
	bool own_share;	  /* OwnPrice=share */
	/* The window: slots begin + 1 … begin + slots. */
	double origin_sec; /* begin of slot 1 */
	uint32_t begin, slots;
	double until_sec; /* jobs that came by then take part */
	/* Results for the window and its jobs: */
	struct astra_board *board;
	double *credits; /* of each tenant: what it can pay, less payments, plus
			  * incomes; NULL: no bound */
};

/* Divide GPUs by weight into whole quotas whose sum is `gpus`. The largest
 * remainders are rounded up; ties go by index. If all weights are 0, the quotas
 * are equal. quotas: room for each tenant. Returns 0, or -1 when memory is
 * out. */
int astra_batch_quotas(const double *weights, size_t count, uint32_t gpus,
		       struct astra_market_room *quotas);

/* Sell the window. A job longer than the window is offered as a part that fills
 * the window; if that does not fit, as half of it, and so on. calendar: reset
 * and filled. accounts: by tenant; what it gained, paid and earned is added.
 * Returns 0, or -1 with err set. */
int astra_batch_sell(const struct astra_batch *batch,
		     const struct astra_offer *offer,
		     struct astra_calendar *calendar,
		     struct astra_market_account *accounts,
		     struct astra_error *err);

#endif
