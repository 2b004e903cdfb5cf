/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policy/themis/sale.h"

#include <stdlib.h>

#include "src/common/grow.h"
#include "src/policy/themis/auction.h"
#include "src/policy/themis/rounding.h"

/* With fewer GPUs than its smallest job asks for an app is no better off. */
static void set_least(struct astra_themis_bid *bid, uint32_t held,
		      uint32_t least)
{
	for (size_t level = 0; level < ASTRA_LEVEL_COUNT; level++) {
		double *v = bid->log_v + level * ((size_t)bid->gpus_max + 1);

		for (uint32_t k = held + 1;
		     k < held + least && k <= bid->gpus_max; k++)
			v[k] = v[held];
	}
}

static int make_bid(struct astra_themis_bid *bid, const struct themis_party *p,
		    uint32_t cluster_gpus, uint64_t free_gpus)
{
	uint64_t most = p->wanted_gpus < free_gpus ? p->wanted_gpus : free_gpus;

	if (astra_themis_bid_init(bid, &p->app, cluster_gpus,
				  p->held_gpus + (uint32_t)most) < 0)
		return -1;
	set_least(bid, p->held_gpus, p->least_gpus);
	return 0;
}

int astra_themis_gain(struct themis_gains *gains, uint32_t party,
		      uint32_t machine, uint32_t gpus)
{
	if (astra_grow(&gains->list, &gains->room, gains->count + 1,
		       sizeof(*gains->list)) < 0)
		return -1;
	gains->list[gains->count++] = (struct astra_themis_gift){
		.taker = party,
		.share = {.machine = machine, .gpus = gpus},
	};
	return 0;
}

/* What a winner keeps once it has paid. */
static int collect(struct themis_gains *gains, const struct themis_party *p,
		   uint32_t party, double c, struct astra_themis_shares pf,
		   struct astra_themis_machine *machines)
{
	uint32_t *kept = calloc(pf.count + 1, sizeof(*kept));
	uint32_t keep =
		astra_themis_keep(c, astra_themis_gpus(pf), p->app.quantum);
	int rc = kept ? 0 : -1;

	if (!rc)
		astra_themis_round_bundle(pf, keep, kept);
	for (size_t i = 0; !rc && i < pf.count; i++) {
		machines[pf.share[i].machine].free -= kept[i];
		if (kept[i])
			rc = astra_themis_gain(gains, party,
					       pf.share[i].machine, kept[i]);
	}
	free(kept);
	return rc;
}

static uint64_t free_gpus(const struct astra_themis_machine *machines,
			  size_t count)
{
	uint64_t gpus = 0;

	for (size_t n = 0; n < count; n++)
		gpus += machines[n].free;
	return gpus;
}

int astra_themis_sell(const struct themis_parties *parties,
		      const uint32_t *bidders, size_t bidder_count,
		      uint32_t cap, uint32_t cluster_gpus,
		      struct astra_themis_machine *machines,
		      size_t machine_count, struct themis_gains *gains,
		      struct astra_error *err)
{
	uint64_t offered = free_gpus(machines, machine_count);
	struct astra_themis_bid *bids = calloc(bidder_count + 1, sizeof(*bids));
	struct astra_themis_bidder *who =
		calloc(bidder_count + 1, sizeof(*who));
	struct astra_themis_auction auction = {0};
	int rc = bids && who ? 0 : -1;

	for (size_t i = 0; !rc && i < bidder_count; i++) {
		const struct themis_party *p = &parties->list[bidders[i]];

		rc = make_bid(&bids[i], p, cluster_gpus,
			      cap && cap < offered ? cap : offered);
		who[i] = (struct astra_themis_bidder){
			.bid = &bids[i],
			.held = p->app.held,
			.quantum = p->app.quantum,
		};
	}
	if (rc)
		astra_error_nomem(err);
	else if (bidder_count && offered)
		rc = astra_themis_auction_run(machines, machine_count, who,
					      bidder_count, &auction, err);
	for (size_t i = 0; !rc && auction.first && i < bidder_count; i++) {
		rc = collect(gains, &parties->list[bidders[i]], bidders[i],
			     auction.c[i], astra_themis_pf(&auction, i),
			     machines);
		if (rc)
			astra_error_nomem(err);
	}
	for (size_t i = 0; bids && i < bidder_count; i++)
		astra_themis_bid_clear(&bids[i]);
	astra_themis_auction_clear(&auction);
	free(bids);
	free(who);
	return rc;
}
