/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An app scheduler's answer to an offer: the app's bid, the order of its jobs,
 * and the jobs that it gives up. Pure. */
#ifndef AGENT_BID_H
#define AGENT_BID_H

#include "src/agent/offer.h"

struct agent_bid {
	/* rho[level * gpus_max + k - 1]: rho with k GPUs in all, for k from 1
	 * to gpus_max; >= 0, may be infinite. NULL: the plugin uses its own
	 * estimate. */
	double *rho;
	uint32_t gpus_max;
	double rho_now; /* rho with the GPUs held now; < 0: not stated */
	/* Jobs in the order in which they get GPUs. Jobs that are not listed
	 * come last. */
	uint32_t *order;
	size_t order_count;
	uint32_t *stop; /* jobs that the search has given up */
	size_t stop_count;
};

/* Makes an empty bid, with room for all jobs of an offer in its order and stop.
 * Returns 0, or -1 with err set when out of memory. Destroy the bid in both
 * cases. */
int agent_bid_init(struct agent_bid *bid, const struct agent_offer *offer,
		   struct astra_error *err);
void agent_bid_destroy(struct agent_bid *bid);

/* A job with its sort keys: first, then second, then the job's id. */
struct agent_turn {
	uint32_t job;
	double first, second;
};

/* Sorts turns and sets the bid's order from them. count: at most the offer's
 * jobs. */
void agent_bid_order(struct agent_bid *bid, struct agent_turn *turns,
		     size_t count);

/* Reads a program's answer to an offer:
 *   {"rho": {"slot": [...], ...}, "rho_now": X, "jobs": [...], "stop": [...]}
 * All keys may be left out; levels as in doc/protocol.md, "bid".
 * bid: destroy it, after failures too.
 * Returns 0, or -1 with err naming what is wrong: invalid JSON, an unknown key,
 *   an invalid rho, more GPUs than offered, jobs that were not offered. */
int agent_bid_read(struct agent_bid *bid, const struct agent_offer *offer,
		   const char *text, struct astra_error *err);

/* Writes the members of the request "bid" as a JSON object, without the app's
 * name. Returns text to be freed ("{}" for an empty bid), or NULL when out of
 * memory. */
char *agent_bid_write(const struct agent_bid *bid);

#endif
