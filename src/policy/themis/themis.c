/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policy/themis/themis.h"

#include <stdlib.h>

#include "src/policy/themis/filter.h"
#include "src/policy/themis/rounding.h"

static uint32_t gpus_free(const struct astra_themis_market *market)
{
	uint32_t gpus = 0;

	for (size_t i = 0; i < market->machine_count; i++)
		gpus += market->machines[i].free;
	return gpus;
}

/* GPUs that an app could use beside those that it has. */
static uint32_t room(const struct astra_themis_app *app, uint32_t has)
{
	return has < app->gpus_max ? app->gpus_max - has : 0;
}

int astra_themis_rho_now(const struct astra_themis_market *market, size_t app,
			 double *rho)
{
	const struct astra_themis_app *a = &market->apps[app];
	const struct astra_themis_shares none = {0};

	*rho = a->rho_current;
	if (a->rho_current >= 0)
		return 0;
	return astra_themis_rho(
		a, market->cluster_gpus, astra_themis_gpus(a->held),
		astra_themis_level(market->machines, a->held, none), rho);
}

static int choose_bidders(const struct astra_themis_market *market,
			  struct astra_themis_round *out)
{
	struct astra_themis_claim *claims =
		calloc(market->app_count + 1, sizeof(*claims));

	for (size_t i = 0; claims && i < market->app_count; i++) {
		const struct astra_themis_app *a = &market->apps[i];
		double ideal = astra_themis_ideal(a, market->cluster_gpus);

		if (astra_themis_rho_now(market, i, &out->rho[i]) < 0) {
			free(claims);
			return -1;
		}
		claims[i] = (struct astra_themis_claim){
			.wants = room(a, astra_themis_gpus(a->held)) >=
				 a->quantum,
			.rho = out->rho[i],
			.waiting =
				a->elapsed_sec > 0 ? a->elapsed_sec / ideal : 0,
		};
	}
	if (claims)
		out->bidder_count = astra_themis_filter(
			claims, market->app_count, market->f, gpus_free(market),
			out->bidders);
	free(claims);
	return claims ? 0 : -1;
}

/* bids, bidders: of bidder_count. */
static int collect_bids(const struct astra_themis_market *market,
			const struct astra_themis_round *round,
			struct astra_themis_bid *bids,
			struct astra_themis_bidder *bidders)
{
	for (size_t i = 0; i < round->bidder_count; i++) {
		const struct astra_themis_app *a =
			&market->apps[round->bidders[i]];
		uint32_t most = astra_themis_gpus(a->held) + gpus_free(market);

		if (most > a->gpus_max)
			most = a->gpus_max;
		if (astra_themis_bid_init(&bids[i], a, market->cluster_gpus,
					  most) < 0)
			return -1;
		bidders[i] = (struct astra_themis_bidder){
			.bid = &bids[i],
			.held = a->held,
			.quantum = a->quantum,
		};
	}
	return 0;
}

static int hold_auction(const struct astra_themis_market *market,
			struct astra_themis_round *out, struct astra_error *err)
{
	size_t count = out->bidder_count;
	struct astra_themis_bid *bids = calloc(count + 1, sizeof(*bids));
	struct astra_themis_bidder *bidders =
		calloc(count + 1, sizeof(*bidders));
	int rc;

	if (!bids || !bidders || collect_bids(market, out, bids, bidders) < 0)
		rc = astra_error_nomem(err);
	else
		rc = astra_themis_auction_run(market->machines,
					      market->machine_count, bidders,
					      count, &out->auction, err);
	for (size_t i = 0; bids && i < count; i++)
		astra_themis_bid_clear(&bids[i]);
	free(bids);
	free(bidders);
	return rc;
}

/* Each bidder keeps a part of its bundle; idle: loses that. */
static int collect_payments(const struct astra_themis_market *market,
			    struct astra_themis_round *out)
{
	const struct astra_themis_auction *auction = &out->auction;
	size_t shares = auction->first[out->bidder_count], count = 0;
	uint32_t *kept = calloc(shares + 1, sizeof(*kept));

	out->kept = calloc(shares + 1, sizeof(*out->kept));
	out->first = calloc(out->bidder_count + 1, sizeof(*out->first));
	if (!kept || !out->kept || !out->first) {
		free(kept);
		return -1;
	}
	for (size_t i = 0; i < out->bidder_count; i++) {
		struct astra_themis_shares pf = astra_themis_pf(auction, i);
		uint32_t k = astra_themis_keep(
			auction->c[i], astra_themis_gpus(pf),
			market->apps[out->bidders[i]].quantum);

		astra_themis_round_bundle(pf, k, kept);
		for (size_t j = 0; j < pf.count; j++) {
			if (!kept[j])
				continue;
			out->kept[count] = pf.share[j];
			out->kept[count++].gpus = kept[j];
			out->idle[pf.share[j].machine] -= kept[j];
		}
		out->first[i + 1] = count;
	}
	free(kept);
	return 0;
}

static int give_leftovers(const struct astra_themis_market *market,
			  struct astra_themis_round *out)
{
	struct astra_themis_taker *takers =
		calloc(market->app_count + 1, sizeof(*takers));
	int rc;

	if (!takers)
		return -1;
	for (size_t i = 0; i < market->app_count; i++) {
		const struct astra_themis_app *a = &market->apps[i];

		takers[i].quantum = a->quantum;
		takers[i].room = room(a, astra_themis_gpus(a->held));
	}
	for (size_t i = 0; i < out->bidder_count; i++) {
		struct astra_themis_taker *t = &takers[out->bidders[i]];

		t->participant = true;
		t->room -= astra_themis_gpus(astra_themis_kept(out, i));
	}
	rc = astra_themis_give(out->idle, market->machine_count, takers,
			       market->app_count, market->seed, &out->gifts,
			       &out->gift_count);
	free(takers);
	return rc;
}

int astra_themis_round_run(const struct astra_themis_market *market,
			   struct astra_themis_round *out,
			   struct astra_error *err)
{
	*out = (struct astra_themis_round){
		.rho = calloc(market->app_count + 1, sizeof(*out->rho)),
		.bidders = calloc(market->app_count + 1, sizeof(*out->bidders)),
		.idle = calloc(market->machine_count + 1, sizeof(*out->idle)),
	};
	if (!out->rho || !out->bidders || !out->idle)
		return astra_error_nomem(err);
	for (size_t i = 0; i < market->machine_count; i++)
		out->idle[i] = market->machines[i].free;
	if (choose_bidders(market, out) < 0)
		return astra_error_nomem(err);
	if (hold_auction(market, out, err) < 0)
		return -1;
	if (collect_payments(market, out) < 0 ||
	    give_leftovers(market, out) < 0)
		return astra_error_nomem(err);
	return 0;
}

void astra_themis_round_clear(struct astra_themis_round *round)
{
	free(round->rho);
	free(round->bidders);
	astra_themis_auction_clear(&round->auction);
	free(round->kept);
	free(round->first);
	free(round->gifts);
	free(round->idle);
	*round = (struct astra_themis_round){0};
}
