/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One GPU after the other, to whoever gains most by it. Private to the auction.
 */
#ifndef ASTRA_THEMIS_GREEDY_H
#define ASTRA_THEMIS_GREEDY_H

#include "src/policies/themis/solver/deal.h"

/* Deal out GPUs one by one, from where the deal stands: each to the bidder
 * whose score it raises most, on one of its machines, elsewhere in its rack or
 * anywhere; the first one on the machine that has most left. Ends when no
 * single GPU raises a score. */
void astra_themis_greedy(struct astra_themis_deal *deal);

#endif
