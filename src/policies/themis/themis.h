/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round of Themis: who is worst off is offered what is free, the auction
 * shares it out, everybody pays by keeping less, and the rest is given away.
 * (Mahajan et al., NSDI'20, section 4, Pseudocode 1; SPEC section 2)
 */
#ifndef ASTRA_THEMIS_H
#define ASTRA_THEMIS_H

#include "src/common/error.h"
#include "src/policies/themis/app.h"
#include "src/policies/themis/auction.h"
#include "src/policies/themis/filter.h"
#include "src/policies/themis/leftovers.h"

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
	uint32_t *idle; /* GPUs that nobody can use, of each machine */
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
