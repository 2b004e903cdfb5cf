/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The partial-allocation auction, for offers given as numbers of GPUs on
 * machines. (Mahajan et al., NSDI'20, section 4.1, Pseudocode 1; SPEC section
 * 2, "Allocation", "Payments") */
#ifndef ASTRA_THEMIS_AUCTION_H
#define ASTRA_THEMIS_AUCTION_H

#include "src/common/error.h"
#include "src/policies/themis/app.h"

/* A participant. All pointers are borrowed. */
struct astra_themis_bidder {
	const struct astra_themis_bid *bid;
	struct astra_themis_shares held; /* counts in k and for the level */
	uint32_t quantum; /* its offers are multiples of this; >= 1 */
};

struct astra_themis_auction {
	/* Shares of bidder i: shares[first[i]] up to shares[first[i + 1]]. */
	struct astra_themis_share *shares;
	size_t *first;
	size_t served; /* bidders with V > 0, even if only what they hold makes
			* V > 0 */
	double log_product; /* sum of log V over the bidders served */
	bool exact;	    /* pf is proved to be optimal */
	/* What is proved: no allocation serves more bidders than served_bound.
	 * No allocation that serves at least `served` bidders has a log_product
	 * above bound. If exact, both are pf's own values. */
	size_t served_bound;
	double bound;
	double *c; /* by bidder: factor of the hidden payment, 0 to 1 */
};

/* Finds the proportionally fair allocation pf: the lexicographic maximum of
 * (bidders served, sum of their log V). Also finds the factor c of each bidder:
 * the other bidders' product of V in pf, divided by their product in the pf
 * without this bidder.
 *
 * pf is exact if the product of (free + 1) over the machines is at most 3000.
 * Otherwise it is the result of a local search. It is never worse than the
 * greedy allocation, which gives GPU by GPU to the bidder that gains most;
 * `bound` says how good it is. The pf without a bidder is found by the same
 * search, starting from pf.
 *
 * machines, bidders: may be empty. No bidder is given more free GPUs than its
 * gpus_max less what it holds. out: clear it in both cases. Returns 0, or -1
 * with err set. */
int astra_themis_auction_run(const struct astra_themis_machine *machines,
			     size_t machine_count,
			     const struct astra_themis_bidder *bidders,
			     size_t bidder_count,
			     struct astra_themis_auction *out,
			     struct astra_error *err);
/* As astra_themis_auction_run(), but without proving how good pf is. Unless pf
 * is exact, the bounds are infinite. */
int astra_themis_auction_guess(const struct astra_themis_machine *machines,
			       size_t machine_count,
			       const struct astra_themis_bidder *bidders,
			       size_t bidder_count,
			       struct astra_themis_auction *out,
			       struct astra_error *err);
void astra_themis_auction_clear(struct astra_themis_auction *auction);

/* Returns the certified optimality gap, exp((bound - log_product) / served) -
 * 1. It is the fraction by which the geometric mean of V over the served
 * bidders could be larger. Returns 0 if no bidder is served, and infinity
 * unless it is proved that no allocation serves more. */
double astra_themis_auction_gap(const struct astra_themis_auction *auction);

/* Returns what pf gives to bidder i; borrowed. */
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
