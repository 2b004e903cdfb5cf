/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a scheduler answers to an offer: the app's bid, and what becomes of its
 * jobs. Pure. */
#ifndef AGENT_BID_H
#define AGENT_BID_H

#include "src/agent/offer.h"

struct agent_bid {
	/* rho[level * gpus_max + k - 1] of k GPUs in all, from 1 to gpus_max;
	 * >= 0, may be infinite. NULL: the plugin's own estimate is to be
	 * used. */
	double *rho;
	uint32_t gpus_max;
	double rho_now; /* with what it holds; < 0: not stated */
	/* Jobs, those who get GPUs first to the front; the others follow. */
	uint32_t *order;
	size_t order_count;
	uint32_t *stop; /* jobs that the search gives up */
	size_t stop_count;
};

/* An empty bid with room for an order and a stop of all jobs of an offer.
 * Returns 0, or -1 when out of memory, with err set; destroy it in both cases.
 */
int agent_bid_init(struct agent_bid *bid, const struct agent_offer *offer,
		   struct astra_error *err);
void agent_bid_destroy(struct agent_bid *bid);

/* A job's place: by the first number, then by the second, then by its own. */
struct agent_turn {
	uint32_t job;
	double first, second;
};

/* Set the bid's order. turns: as many as the offer has jobs at most; sorted. */
void agent_bid_order(struct agent_bid *bid, struct agent_turn *turns,
		     size_t count);

/* Read what a program answered to an offer:
 *   {"rho": {"slot": [...], ...}, "rho_now": X, "jobs": [...], "stop": [...]}
 * of which all may be left out; levels as in doc/protocol.md, "bid".
 * bid: destroy it, after failures too.
 * Returns 0, or -1 with err naming what is wrong: no JSON, an unknown key, a
 *   number that is no rho, more GPUs than offered, jobs that are not offered.
 */
int agent_bid_read(struct agent_bid *bid, const struct agent_offer *offer,
		   const char *text, struct astra_error *err);

/* The members of the request "bid", as JSON: what it says, but not of whom.
 * Returns text to be freed, "{}" if there is nothing to say, or NULL when
 * out of memory. */
char *agent_bid_write(const struct agent_bid *bid);

#endif
