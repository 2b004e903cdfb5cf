/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A window of a pool: what its jobs are to the market, and what the market
 * sold them. Workers are GPUs; there are no parameter servers. */
#ifndef ASTRA_BATCH_H
#define ASTRA_BATCH_H

#include "src/policies/incentive/board.h"
#include "src/policies/incentive/calendar.h"
#include "src/policies/incentive/market.h"
#include "src/policies/policy.h"

struct astra_batch {
	/* The rules. */
	double slot_sec;
	double spare_sec; /* a job may start so much late */
	double theta;	  /* of the prices, which are in GPU hours */
	bool own_share;	  /* OwnPrice=share */
	/* The window: slots begin + 1 … begin + slots. */
	double origin_sec; /* of slot 1's begin */
	uint32_t begin, slots;
	double until_sec; /* jobs that came by then take part */
	/* What is told of the window, and of its jobs. */
	struct astra_board *board;
	double *credits; /* of each tenant, which bound what it buys: paid from
			  * and paid into; NULL: no bound */
};

/* Each tenant's share of so many GPUs by weight, in whole GPUs that sum to
 * them; the largest remainders are rounded up, index ties. All weights 0: equal
 * shares. quotas: room for each tenant. Returns 0, or -1 when out of memory. */
int astra_batch_quotas(const double *weights, size_t count, uint32_t gpus,
		       struct astra_market_room *quotas);

/* Sell the window. A job that is longer than the window is offered as a part
 * that fills it, then, where this does not fit, as half of that, and so on.
 * calendar: reset and filled.
 * accounts: of each tenant; what it won, paid and earned is added.
 * Returns 0, or -1 with err set. */
int astra_batch_sell(const struct astra_batch *batch,
		     const struct astra_offer *offer,
		     struct astra_calendar *calendar,
		     struct astra_market_account *accounts,
		     struct astra_error *err);

#endif
