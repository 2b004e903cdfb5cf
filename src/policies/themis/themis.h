/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round of Themis: the worst-off apps are offered the free GPUs, the auction
 * shares these out, bidders pay by keeping fewer, and the rest is given away.
 * (Mahajan et al., NSDI'20, section 4, Pseudocode 1; SPEC section 2) */
#ifndef ASTRA_THEMIS_H
#define ASTRA_THEMIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/policies/themis/app.h"
#include "src/policies/themis/auction.h"

/* Returns how many GPUs a participant keeps of its proportionally fair bundle
 * after the hidden payment. (Mahajan et al., NSDI'20, section 4.1; SPEC section
 * 2, "Rounding") For a bundle of g GPUs and the factor c, it is max(1, floor(c
 * g)), rounded down to a multiple of the quantum. At least one quantum is kept,
 * and never more than g. */
uint32_t astra_themis_keep(double c, uint32_t gpus, uint32_t quantum);

/* Chooses k of the bundle's GPUs. If k is large enough, they are on all of its
 * machines: one GPU on each, then one more wherever most is missing of k g_m /
 * g. Otherwise they are on the machines with most of the bundle's GPUs. Ties go
 * to the lower index. k: at most the bundle's GPUs. kept: gets a number for
 * each share of the bundle, perhaps 0. */
void astra_themis_round_bundle(struct astra_themis_shares bundle, uint32_t k,
			       uint32_t *kept);

/* An app that may be given GPUs that an auction leaves over. They are given at
 * random, whatever was bid. (Mahajan et al., NSDI'20, Pseudocode 1, line 15;
 * SPEC section 2, "Leftovers") */
struct astra_themis_taker {
	uint32_t room;	  /* GPUs that it can still use, up to its demand */
	uint32_t quantum; /* GPUs given at a time; >= 1 */
	bool participant; /* took part in the auction: it is given GPUs only
			   * when no other app has room left */
};

struct astra_themis_gift {
	uint32_t taker;
	struct astra_themis_share share;
};

/* Gives away free GPUs in the order of the machines, a quantum at a time. Each
 * time one of the takers with room gets a quantum, all with equal probability.
 * The quantum is on one machine if one has enough. GPUs stay only if they are
 * fewer than the quantum of each taker with room. free_gpus: by machine;
 * reduced by what is given. gifts: gets gift_count gifts, sorted by taker and
 * machine, each pair once; free it with free(). Returns 0, or -1 when out of
 * memory; then nothing has changed. */
int astra_themis_give(uint32_t *free_gpus, size_t machine_count,
		      const struct astra_themis_taker *takers,
		      size_t taker_count, uint64_t seed,
		      struct astra_themis_gift **gifts, size_t *gift_count);

/* An app's claim to take part in an auction. The worst-off apps do. (Mahajan et
 * al., NSDI'20, section 4; SPEC section 2, "Participants") */
struct astra_themis_claim {
	bool wants;	/* it could use more GPUs than it holds */
	double rho;	/* rho with what it holds; may be infinite */
	double waiting; /* elapsed time / T_id; may be infinite */
};

/* Chooses the participants: the largest rho first. Claims with an unbounded rho
 * go by `waiting`, the largest first; ties go by index. Of n apps that want
 * GPUs, max(1, ceil((1 - f) n)) take part, at most one per free GPU. f: from 0
 * to 1. chosen: gets their indices in that order; has room for count. Returns
 * their number. */
size_t astra_themis_filter(const struct astra_themis_claim *claims,
			   size_t count, double f, uint64_t gpus_free,
			   uint32_t *chosen);

/* What is offered, and the apps to which it may be offered. All pointers are
 * borrowed. Apps are identified by their index. */
struct astra_themis_market {
	uint32_t cluster_gpus; /* R_C, for T_id */
	double f;	       /* from 0 (offers to all) to 1 (to one) */
	uint64_t seed;	       /* for giving away leftovers at random */
	const struct astra_themis_machine *machines;
	size_t machine_count;
	const struct astra_themis_app *apps;
	size_t app_count;
	/* If the app that is worst off wins nothing, it is offered its
	 * gpus_least alone, and then the other apps are offered the rest.
	 * Otherwise an app with large jobs would never win, as an auction
	 * serves as many apps as it can. */
	bool worst_first;
	bool unproved; /* the auction does not bound its result */
	/* The GPUs of running jobs. If no bidder keeps such GPUs and their app
	 * takes no part, they stay with the app: chance may as well leave a job
	 * where it is. */
	const struct astra_themis_home *homes;
	size_t home_count;
};

/* The GPUs of an app's running job. Only all of them together are of use. */
struct astra_themis_home {
	uint32_t app;
	struct astra_themis_shares shares;
};

/* What a bidder won before the hidden payment. */
struct astra_themis_won {
	uint32_t gpus; /* its GPUs in pf */
	double c;      /* factor of its hidden payment */
};

struct astra_themis_round {
	struct astra_themis_claim *claims; /* of each app */
	uint32_t *bidders; /* the apps that take part, the worst off first */
	size_t bidder_count;
	struct astra_themis_auction auction; /* the last auction, among these
					      * bidders */
	/* Kept by bidder i: kept[first[i]] up to kept[first[i + 1]]. */
	struct astra_themis_share *kept;
	size_t kept_room;
	size_t *first;
	struct astra_themis_won *won; /* of each bidder */
	/* GPUs given away; taker: an app. */
	struct astra_themis_gift *gifts;
	size_t gift_count, gift_room;
	uint32_t *idle; /* by machine: GPUs that are of no use to any app */
};

/* Holds a round. out: clear it in both cases. Returns 0, or -1 with err set. */
int astra_themis_round_run(const struct astra_themis_market *market,
			   struct astra_themis_round *out,
			   struct astra_error *err);
void astra_themis_round_clear(struct astra_themis_round *round);

/* Returns what bidder i keeps of what the auction gave it; borrowed. */
static inline struct astra_themis_shares
astra_themis_kept(const struct astra_themis_round *round, size_t i)
{
	size_t first = round->first[i];

	return (struct astra_themis_shares){
		.share = round->kept + first,
		.count = round->first[i + 1] - first,
	};
}

/* Returns how many GPUs an app could use now beyond the `has` ones that it
 * has. */
uint32_t astra_themis_room(const struct astra_themis_app *app, uint32_t has);

/* Holds the auctions of a round among its bidders for the idle GPUs. Reduces
 * `idle` by what the bidders keep. Returns 0, or -1 with err set. (sale.c) */
int astra_themis_sell(const struct astra_themis_market *market,
		      struct astra_themis_round *round,
		      struct astra_error *err);

#endif
