/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/themis.h"

#include <stdlib.h>

#include "src/common/grow.h"

static uint32_t gpus_free(const struct astra_themis_market *market)
{
	uint32_t gpus = 0;

	for (size_t i = 0; i < market->machine_count; i++)
		gpus += market->machines[i].free;
	return gpus;
}

uint32_t astra_themis_room(const struct astra_themis_app *app, uint32_t has)
{
	uint32_t room = has < app->gpus_max ? app->gpus_max - has : 0;

	return room > app->gpus_later ? room - app->gpus_later : 0;
}

static double themis_waiting(const struct astra_themis_app *app,
			     uint32_t cluster_gpus)
{
	if (app->waiting > 0)
		return app->waiting;
	return app->elapsed_sec > 0
		       ? app->elapsed_sec /
				 astra_themis_ideal(app, cluster_gpus)
		       : 0;
}

/* Gets an app's rho with the GPUs that it holds, as stated or computed. */
static int rho_now(const struct astra_themis_market *market, size_t app,
		   double *rho)
{
	const struct astra_themis_app *a = &market->apps[app];
	const struct astra_themis_shares none = {0};

	*rho = a->rho_current;
	if (a->rho_current >= 0)
		return 0;
	return astra_themis_rho_on(a, market->cluster_gpus, market->machines,
				   none, rho);
}

static int themis_choose_bidders(const struct astra_themis_market *market,
				 struct astra_themis_round *out)
{
	for (size_t i = 0; i < market->app_count; i++) {
		const struct astra_themis_app *a = &market->apps[i];
		struct astra_themis_claim *claim = &out->claims[i];

		if (rho_now(market, i, &claim->rho) < 0)
			return -1;
		claim->wants =
			astra_themis_room(a, astra_themis_gpus(a->held)) >=
			a->quantum;
		claim->waiting = themis_waiting(a, market->cluster_gpus);
	}
	out->bidder_count =
		astra_themis_filter(out->claims, market->app_count, market->f,
				    gpus_free(market), out->bidders);
	return 0;
}

static int themis_gain(struct astra_themis_round *out, uint32_t app,
		       struct astra_themis_share share)
{
	if (astra_grow(&out->gifts, &out->gift_room, out->gift_count + 1,
		       sizeof(*out->gifts)) < 0)
		return -1;
	out->gifts[out->gift_count++] = (struct astra_themis_gift){app, share};
	return 0;
}

/* Lets running jobs keep left-over GPUs that they hold, if their apps may have
 * more. */
static int spare_moves(const struct astra_themis_market *market,
		       struct astra_themis_round *out,
		       struct astra_themis_taker *takers)
{
	for (size_t i = 0; i < market->home_count; i++) {
		const struct astra_themis_home *h = &market->homes[i];
		uint32_t gpus = astra_themis_gpus(h->shares);
		bool stays = !takers[h->app].participant &&
			     takers[h->app].room >= gpus;

		for (size_t k = 0; k < h->shares.count; k++)
			stays &= out->idle[h->shares.share[k].machine] >=
				 h->shares.share[k].gpus;
		if (!stays)
			continue;
		takers[h->app].room -= gpus;
		for (size_t k = 0; k < h->shares.count; k++) {
			out->idle[h->shares.share[k].machine] -=
				h->shares.share[k].gpus;
			if (themis_gain(out, h->app, h->shares.share[k]) < 0)
				return -1;
		}
	}
	return 0;
}

static struct astra_themis_taker *
find_takers(const struct astra_themis_market *market,
	    const struct astra_themis_round *out)
{
	struct astra_themis_taker *takers =
		calloc(market->app_count + 1, sizeof(*takers));

	for (size_t i = 0; takers && i < market->app_count; i++) {
		const struct astra_themis_app *a = &market->apps[i];

		takers[i].quantum = a->quantum;
		takers[i].room =
			astra_themis_room(a, astra_themis_gpus(a->held));
	}
	for (size_t i = 0; takers && i < out->bidder_count; i++) {
		struct astra_themis_taker *t = &takers[out->bidders[i]];

		t->participant = true;
		t->room -= astra_themis_gpus(astra_themis_kept(out, i));
	}
	return takers;
}

static int give_leftovers(const struct astra_themis_market *market,
			  struct astra_themis_round *out)
{
	struct astra_themis_taker *takers = find_takers(market, out);
	struct astra_themis_gift *gifts = NULL;
	size_t count = 0;
	int rc = -1;

	if (takers && spare_moves(market, out, takers) == 0)
		rc = astra_themis_give(out->idle, market->machine_count, takers,
				       market->app_count, market->seed, &gifts,
				       &count);
	for (size_t i = 0; !rc && i < count; i++)
		rc = themis_gain(out, gifts[i].taker, gifts[i].share);
	free(gifts);
	free(takers);
	return rc;
}

int astra_themis_round_run(const struct astra_themis_market *market,
			   struct astra_themis_round *out,
			   struct astra_error *err)
{
	*out = (struct astra_themis_round){
		.claims = calloc(market->app_count + 1, sizeof(*out->claims)),
		.bidders = calloc(market->app_count + 1, sizeof(*out->bidders)),
		.idle = calloc(market->machine_count + 1, sizeof(*out->idle)),
	};
	if (!out->claims || !out->bidders || !out->idle)
		return astra_error_nomem(err);
	for (size_t i = 0; i < market->machine_count; i++)
		out->idle[i] = market->machines[i].free;
	if (themis_choose_bidders(market, out) < 0)
		return astra_error_nomem(err);
	if (astra_themis_sell(market, out, err) < 0)
		return -1;
	if (give_leftovers(market, out) < 0)
		return astra_error_nomem(err);
	return 0;
}

void astra_themis_round_clear(struct astra_themis_round *round)
{
	free(round->claims);
	free(round->bidders);
	astra_themis_auction_clear(&round->auction);
	free(round->kept);
	free(round->first);
	free(round->won);
	free(round->gifts);
	free(round->idle);
	*round = (struct astra_themis_round){0};
}
