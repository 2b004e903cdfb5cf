/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moves of bidders to other nodes. Private to the auction. */
#ifndef ASTRA_THEMIS_MOVES_H
#define ASTRA_THEMIS_MOVES_H

#include "src/policies/themis/solver/deal.h"

/* A change of a bidder to x GPUs at the node. Another bidder (or NONE) is
 * evicted and then takes the best that it finds. */
struct astra_themis_move {
	uint32_t node, x, evicted;
	double worth; /* estimated; larger is better */
};

/* Gives bidder i, which has nothing, what looks best, at the cost of others.
 * The score may fall. */
void astra_themis_insert(struct astra_themis_deal *deal, uint32_t i);

/* Limits of a search. */
struct astra_themis_effort {
	size_t width;  /* trials in one turn of a bidder, at most 16 */
	size_t trials; /* trials in all */
	size_t turns;  /* turns in all */
};

/* Lets bidders move as long as that improves the score: in turn, beginning with
 * `first`, to the places that look best for them, evicting others if necessary.
 * Skips places that did not change since the bidder's last turn. */
void astra_themis_improve(struct astra_themis_deal *deal, uint32_t first,
			  const struct astra_themis_effort *effort);

#endif
