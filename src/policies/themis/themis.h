/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round of Themis: who is worst off is offered what is free, the auction
 * shares it out, everybody pays by keeping less, and the rest is given away.
 * (Mahajan et al., NSDI'20, section 4, Pseudocode 1; SPEC section 2)
 */
#ifndef ASTRA_THEMIS_H
#define ASTRA_THEMIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/policies/themis/app.h"
#include "src/policies/themis/auction.h"

/* What a participant keeps of its proportionally fair bundle once it has paid
 * the hidden payment. (Mahajan et al., NSDI'20, section 4.1; SPEC section 2,
 * "Rounding") Of a bundle of g GPUs, for the payment's factor c: max(1, floor(c
 * g)), in multiples of the quantum and at least one of them; never more than g.
 */
uint32_t astra_themis_keep(double c, uint32_t gpus, uint32_t quantum);

/* Choose k of the bundle's GPUs, on all of its machines if k allows: one on
 * each, then one more wherever most is missing of k g_m / g. Else those of the
 * machines with most of its GPUs. Ties go to the lower index.
 * kept: gets a number for each share of the bundle, some may be 0.
 * k: at most the bundle's GPUs. */
void astra_themis_round_bundle(struct astra_themis_shares bundle, uint32_t k,
			       uint32_t *kept);

/* What an auction leaves goes at random, whatever was bid. (Mahajan et al.,
 * NSDI'20, Pseudocode 1, line 15; SPEC section 2, "Leftovers") */
struct astra_themis_taker {
	uint32_t room;	  /* GPUs below its demand */
	uint32_t quantum; /* so many at a time; >= 1 */
	bool participant; /* served when no other one has room left */
};

struct astra_themis_gift {
	uint32_t taker;
	struct astra_themis_share share;
};

/* Hand out what is free, in the order of the machines, each GPU to one of those
 * that have room, all of them equally likely; a quantum at a time, of one
 * machine if one has as many. Only what is less than a quantum of everybody
 * with room stays. free_gpus: of each machine; reduced by what is given. gifts:
 * gets what was given by taker and machine, each pair once; to be freed with
 * free(). Its size is gift_count. Returns 0, or -1 when out of memory; then
 * nothing has changed. */
int astra_themis_give(uint32_t *free_gpus, size_t machine_count,
		      const struct astra_themis_taker *takers,
		      size_t taker_count, uint64_t seed,
		      struct astra_themis_gift **gifts, size_t *gift_count);

/* Which apps take part in an auction: those that are worst off. (Mahajan et
 * al., NSDI'20, section 4; SPEC section 2, "Participants") */
struct astra_themis_claim {
	bool wants;	/* holds less than it could use */
	double rho;	/* with what it holds; may be infinite */
	double waiting; /* elapsed time / T_id; may be infinite */
};

/* By rho, the largest first; unbounded ones by `waiting`, the largest first;
 * ties by index. Of the n that want GPUs max(1, ceil((1 - f) n)) take part, at
 * most one for each free GPU.
 * f: from 0 to 1. chosen: gets their indices in that order; has room for count.
 * Returns their number. */
size_t astra_themis_filter(const struct astra_themis_claim *claims,
			   size_t count, double f, uint64_t gpus_free,
			   uint32_t *chosen);

/* What is on offer, and to whom. Everything is borrowed; apps are known by
 * their index. */
struct astra_themis_market {
	uint32_t cluster_gpus; /* R_C, for T_id */
	double f;	       /* from 0, offers to all, to 1, to one */
	uint64_t seed;	       /* of the leftovers */
	const struct astra_themis_machine *machines;
	size_t machine_count;
	const struct astra_themis_app *apps;
	size_t app_count;
	/* An auction serves as many apps as it can, so one whose smallest job
	 * is large would never win. With this whoever is worst off of all does
	 * not go empty-handed: it is offered its gpus_least before the others
	 * are offered anything. */
	bool worst_first;
	bool unproved; /* how good an auction was is not asked */
	/* Chance may as well leave a job where it is: of the apps that take no
	 * part, those keep these GPUs that nobody else keeps. */
	const struct astra_themis_home *homes;
	size_t home_count;
};

/* What a running job of an app has; all of it or nothing is of use. */
struct astra_themis_home {
	uint32_t app;
	struct astra_themis_shares shares;
};

/* What a bidder won before it paid. */
struct astra_themis_won {
	uint32_t gpus; /* of pf */
	double c;      /* its hidden payment's factor */
};

struct astra_themis_round {
	struct astra_themis_claim *claims; /* of each app */
	uint32_t *bidders; /* the apps that take part, the worst off first */
	size_t bidder_count;
	struct astra_themis_auction auction; /* the last one: among them, in
					      * that order */
	/* What bidder i keeps: kept[first[i]] up to kept[first[i + 1]]. */
	struct astra_themis_share *kept;
	size_t kept_room;
	size_t *first;
	struct astra_themis_won *won; /* of each bidder */
	/* What is given away: "taker" is an app. */
	struct astra_themis_gift *gifts;
	size_t gift_count, gift_room;
	uint32_t *idle; /* GPUs of no use to any app, of each machine */
};

/* Hold a round.
 * out: clear it in both cases. Returns 0, or -1 with err set. */
int astra_themis_round_run(const struct astra_themis_market *market,
			   struct astra_themis_round *out,
			   struct astra_error *err);
void astra_themis_round_clear(struct astra_themis_round *round);

/* What bidder i keeps of what the auction gave it; borrowed. */
static inline struct astra_themis_shares
astra_themis_kept(const struct astra_themis_round *round, size_t i)
{
	size_t first = round->first[i];

	return (struct astra_themis_shares){
		.share = round->kept + first,
		.count = round->first[i + 1] - first,
	};
}

/* GPUs that an app could use now beside those that it has. */
uint32_t astra_themis_room(const struct astra_themis_app *app, uint32_t has);

/* A step of a round: auctions among its bidders for what is idle, which loses
 * what they keep. Returns 0, or -1 with err set. (sale.c) */
int astra_themis_sell(const struct astra_themis_market *market,
		      struct astra_themis_round *round,
		      struct astra_error *err);

#endif
