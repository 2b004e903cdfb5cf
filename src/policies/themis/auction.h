/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The partial-allocation auction for offers of machine counts. (Mahajan et al.,
 * NSDI'20, section 4.1, Pseudocode 1; SPEC section 2, "Allocation", "Payments")
 */
#ifndef ASTRA_THEMIS_AUCTION_H
#define ASTRA_THEMIS_AUCTION_H

#include "src/common/error.h"
#include "src/policies/themis/app.h"

/* One participant. Everything is borrowed. */
struct astra_themis_bidder {
	const struct astra_themis_bid *bid;
	struct astra_themis_shares held; /* counts in k and in the level */
	uint32_t quantum; /* what it is offered in all is a multiple, >= 1 */
};

struct astra_themis_auction {
	/* Of bidder i: shares[first[i]] up to shares[first[i + 1]]. */
	struct astra_themis_share *shares;
	size_t *first;
	size_t served;	    /* bidders with V > 0, by what they hold, too */
	double log_product; /* sum of log V of those served */
	bool exact;	    /* pf is an optimum, not only good */
	/* Proved: no allocation serves more than served_bound, and none that
	 * serves at least `served` has a log_product above bound. Both are
	 * pf's own where exact. */
	size_t served_bound;
	double bound;
	double *c; /* hidden payments' factor of each bidder, 0 to 1 */
};

/* Find the proportionally fair allocation pf, the lexicographic maximum of
 * (bidders served, sum of their log V), and the c of each bidder: the product
 * of the others' V in pf by what it would be in the pf without this bidder.
 * Exact where the product of (free + 1) over the machines is at most 3000. A
 * local search beyond, which is never worse than giving one GPU after the other
 * to whoever gains most; `bound` says how good it is. The same search, from pf,
 * finds the pf without each bidder.
 * machines, bidders: may be none. Free GPUs beyond a bidder's gpus_max less
 *   what it holds are never given to it.
 * out: clear it in both cases. Returns 0, or -1 with err set. */
int astra_themis_auction_run(const struct astra_themis_machine *machines,
			     size_t machine_count,
			     const struct astra_themis_bidder *bidders,
			     size_t bidder_count,
			     struct astra_themis_auction *out,
			     struct astra_error *err);
/* The same without the work of proving anything where it is not exact: no bound
 * is below infinity then. */
int astra_themis_auction_guess(const struct astra_themis_machine *machines,
			       size_t machine_count,
			       const struct astra_themis_bidder *bidders,
			       size_t bidder_count,
			       struct astra_themis_auction *out,
			       struct astra_error *err);
void astra_themis_auction_clear(struct astra_themis_auction *auction);

/* The certified optimality gap: by which part the geometric mean of V over the
 * bidders that pf serves could be larger at most, exp((bound - log_product) /
 * served) - 1; 0 where none is served. Infinite while it is not proved that no
 * allocation serves more. */
double astra_themis_auction_gap(const struct astra_themis_auction *auction);

/* What pf gives to bidder i; borrowed. */
static inline struct astra_themis_shares
astra_themis_pf(const struct astra_themis_auction *auction, size_t i)
{
	size_t first = auction->first[i];

	return (struct astra_themis_shares){
		.share = auction->shares + first,
		.count = auction->first[i + 1] - first,
	};
}

#endif
