/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bidders that change their node. Private to the auction. */
#ifndef ASTRA_THEMIS_MOVES_H
#define ASTRA_THEMIS_MOVES_H

#include "src/policies/themis/solver/deal.h"

/* One change of a bidder: to x GPUs at the node, while another bidder (or NONE)
 * leaves its node for the best it then finds. */
struct astra_themis_move {
	uint32_t node, x, evicted;
	double worth; /* estimate; larger is better */
};

/* Give bidder i, who has nothing, what looks best, at the cost of others. The
 * score may fall. */
void astra_themis_insert(struct astra_themis_deal *deal, uint32_t i);

/* How long to go on. */
struct astra_themis_effort {
	size_t width;  /* trials in one turn of a bidder, at most 16 */
	size_t trials; /* at most so many in all */
	size_t turns;  /* likewise */
};

/* Let bidders move as long as that improves the score: each in turn, `first` to
 * begin with, to the places that look best for it, with others evicted where
 * need be. Places that did not change since its last turn are not looked at. */
void astra_themis_improve(struct astra_themis_deal *deal, uint32_t first,
			  const struct astra_themis_effort *effort);

#endif
