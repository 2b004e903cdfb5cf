/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round of Themis: the worst-off apps are offered the free GPUs, the auction
 * shares these out, bidders pay by keeping less, and the rest is given away.
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
 * 2, "Rounding") Of a bundle of g GPUs, with the payment's factor c, it is
 * max(1, floor(c g)), rounded down to a multiple of the quantum. At least one
 * quantum is kept, and never more than g. */
uint32_t astra_themis_keep(double c, uint32_t gpus, uint32_t quantum);

/* Chooses k of the bundle's GPUs. If k allows, they are on all of its machines:
 * one on each, then one more wherever most is missing of k g_m / g. Otherwise
 * they are on the machines with most of its GPUs. Ties go to the lower index.
 * k: at most the bundle's GPUs. kept: gets a number for each share of the
 * bundle, maybe 0. */
void astra_themis_round_bundle(struct astra_themis_shares bundle, uint32_t k,
			       uint32_t *kept);

/* An app that may be given GPUs that an auction leaves. They are given at
 * random, whatever was bid. (Mahajan et al., NSDI'20, Pseudocode 1, line 15;
 * SPEC section 2, "Leftovers") */
struct astra_themis_taker {
	uint32_t room;	  /* GPUs below its demand */
	uint32_t quantum; /* GPUs given at a time; >= 1 */
	bool participant; /* served when no other app has room left */
};

struct astra_themis_gift {
	uint32_t taker;
	struct astra_themis_share share;
};

/* Gives away free GPUs in the order of the machines: a quantum at a time, each
 * time to a taker with room, all equally likely. The quantum is of one machine
 * if one has enough. Only GPUs fewer than the quantum of each taker with room
 * stay. free_gpus: of each machine; reduced by what is given. gifts: gets
 * gift_count gifts by taker and machine, each pair once; free it with free().
 * Returns 0, or -1 when out of memory; then nothing has changed. */
int astra_themis_give(uint32_t *free_gpus, size_t machine_count,
		      const struct astra_themis_taker *takers,
		      size_t taker_count, uint64_t seed,
		      struct astra_themis_gift **gifts, size_t *gift_count);

/* An app's claim to take part in an auction; the worst off do. (Mahajan et al.,
 * NSDI'20, section 4; SPEC section 2, "Participants") */
struct astra_themis_claim {
	bool wants;	/* it could use more than it holds */
	double rho;	/* with what it holds; may be infinite */
	double waiting; /* elapsed time / T_id; may be infinite */
};

/* Chooses the participants: by rho, the largest first; unbounded ones by
 * `waiting`, the largest first; ties by index. Of n apps that want GPUs max(1,
 * ceil((1 - f) n)) take part, at most one per free GPU. f: from 0 to 1. chosen:
 * gets their indices in that order; has room for count. Returns their
 * number. */
size_t astra_themis_filter(const struct astra_themis_claim *claims,
			   size_t count, double f, uint64_t gpus_free,
			   uint32_t *chosen);

/* What is offered to which apps. Everything is borrowed; apps are known by
 * their index. */
struct astra_themis_market {
	uint32_t cluster_gpus; /* R_C, for T_id */
	double f;	       /* from 0 (offers to all) to 1 (to one) */
	uint64_t seed;	       /* for giving away leftovers */
	const struct astra_themis_machine *machines;
	size_t machine_count;
	const struct astra_themis_app *apps;
	size_t app_count;
	/* If the app that is worst off wins nothing, it is offered its
	 * gpus_least alone, then the others are offered the rest. Otherwise an
	 * app with large jobs would never win, as an auction serves as many
	 * apps as it can. */
	bool worst_first;
	bool unproved; /* the auction need not bound its result */
	/* GPUs of running jobs. They stay with apps that take no part if no
	 * bidder keeps them: chance may as well leave a job where it is. */
	const struct astra_themis_home *homes;
	size_t home_count;
};

/* What a running job of an app has; only all of it is of use. */
struct astra_themis_home {
	uint32_t app;
	struct astra_themis_shares shares;
};

/* What a bidder won before the payment. */
struct astra_themis_won {
	uint32_t gpus; /* of pf */
	double c;      /* its hidden payment's factor */
};

struct astra_themis_round {
	struct astra_themis_claim *claims; /* of each app */
	uint32_t *bidders; /* the apps that take part, the worst off first */
	size_t bidder_count;
	struct astra_themis_auction auction; /* the last, of these bidders */
	/* Kept by bidder i: kept[first[i]] up to kept[first[i + 1]]. */
	struct astra_themis_share *kept;
	size_t kept_room;
	size_t *first;
	struct astra_themis_won *won; /* of each bidder */
	/* GPUs given away; "taker" is an app. */
	struct astra_themis_gift *gifts;
	size_t gift_count, gift_room;
	uint32_t *idle; /* of each machine: GPUs of no use to any app */
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

/* Holds the auctions of a round among its bidders for what is idle, and reduces
 * `idle` by what they keep. Returns 0, or -1 with err set. (sale.c) */
int astra_themis_sell(const struct astra_themis_market *market,
		      struct astra_themis_round *round,
		      struct astra_error *err);

#endif
