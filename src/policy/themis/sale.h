/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One auction among some of the apps: their bids, what they win, what they keep
 * of it once they have paid. */
#ifndef ASTRA_THEMIS_SALE_H
#define ASTRA_THEMIS_SALE_H

#include "src/policy/themis/leftovers.h"
#include "src/policy/themis/parties.h"

/* Who got what; taker: a party. Each party and machine once in one sale. */
struct themis_gains {
	struct astra_themis_gift *list;
	size_t count, room;
};

/* Append. Returns 0, or -1 when memory is out. */
int astra_themis_gain(struct themis_gains *gains, uint32_t party,
		      uint32_t machine, uint32_t gpus);

/* Sell what is free.
 * bidders: numbers of the parties.
 * cap: the most GPUs that each may win; 0: as many as it wants.
 * machines: their free GPUs are offered and reduced by what is kept.
 * gains: appended to.
 * Returns 0, or -1 with err set. */
int astra_themis_sell(const struct themis_parties *parties,
		      const uint32_t *bidders, size_t bidder_count,
		      uint32_t cap, uint32_t cluster_gpus,
		      struct astra_themis_machine *machines,
		      size_t machine_count, struct themis_gains *gains,
		      struct astra_error *err);

#endif
