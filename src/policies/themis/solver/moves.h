/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moves of bidders to other nodes. Private to the auction. */
#ifndef ASTRA_THEMIS_MOVES_H
#define ASTRA_THEMIS_MOVES_H

#include "src/policies/themis/solver/deal.h"

/* A move of a bidder to x GPUs at a node. Another bidder (or NONE) is evicted,
 * and then takes the best place that it finds. */
struct astra_themis_move {
	uint32_t node, x, evicted;
	double worth; /* estimated; larger is better */
};

/* Gives bidder i, which has nothing, the place that looks best, at the cost of
 * other bidders. The score may fall. */
void astra_themis_insert(struct astra_themis_deal *deal, uint32_t i);

/* Limits of a search. */
struct astra_themis_effort {
	size_t width;  /* trials in one turn of a bidder, at most 16 */
	size_t trials; /* trials in all */
	size_t turns;  /* turns in all */
};

/* Lets bidders move as long as that improves the score. They take turns,
 * beginning with `first`, and move to the places that look best for them,
 * evicting others if necessary. Places that did not change since the bidder's
 * last turn are skipped. */
void astra_themis_improve(struct astra_themis_deal *deal, uint32_t first,
			  const struct astra_themis_effort *effort);

#endif
