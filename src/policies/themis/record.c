/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"

#define ESTIMATES_MAX 2000
#define ESTIMATE_GPUS_MAX 256

/* Ranks the apps that wanted GPUs by rho; other apps keep their last rank. */
static int rank_apps(const struct themis_division *division,
		     const struct themis_parties *parties,
		     struct themis_memories *memories, uint64_t number)
{
	uint32_t *order = calloc(parties->count + 1, sizeof(*order));
	size_t count;

	if (!order)
		return -1;
	count = astra_themis_filter(division->round.claims, parties->count, 0,
				    UINT64_MAX, order);
	for (size_t i = 0; i < count; i++)
		memories->rows[order[i]].fare = (struct themis_fare){
			.auction = number,
			.rank = (uint32_t)i + 1,
			.ranks = (uint32_t)count,
		};
	free(order);
	return 0;
}

static void note_bidders(const struct astra_themis_round *round,
			 struct themis_memories *memories)
{
	for (size_t i = 0; i < round->bidder_count; i++) {
		struct themis_fare *fare =
			&memories->rows[round->bidders[i]].fare;

		fare->offered = true;
		fare->won = round->won[i].gpus;
		fare->c = round->won[i].c;
		fare->kept = astra_themis_gpus(astra_themis_kept(round, i));
	}
	for (size_t i = 0; i < round->gift_count; i++)
		memories->rows[round->gifts[i].taker].fare.given +=
			round->gifts[i].share.gpus;
}

int astra_themis_record_auction(struct themis_record *record,
				const struct themis_division *division,
				const struct themis_parties *parties,
				struct themis_memories *memories,
				const struct astra_offer *offer)
{
	struct astra_auction *auction = &record->auction;

	if (!division->round.bidder_count)
		return 0;
	if (rank_apps(division, parties, memories, auction->number + 1) < 0)
		return -1;
	note_bidders(&division->round, memories);
	auction->number++;
	auction->time_sec = offer->now_sec;
	auction->bidders = division->round.bidder_count;
	auction->exact = division->round.auction.exact;
	auction->gpus = 0;
	for (size_t n = 0; n < offer->node_count; n++)
		auction->gpus += offer->free[n];
	return 0;
}

static uint32_t estimates_of(const struct astra_themis_app *app)
{
	return app->gpus_max < ESTIMATE_GPUS_MAX ? app->gpus_max
						 : ESTIMATE_GPUS_MAX;
}

/* Makes room for all estimates beforehand, as the apps point into them. */
static int record_make_room(struct themis_record *record,
			    const struct themis_parties *parties)
{
	size_t left = 0;

	for (size_t i = 0; i < parties->count && i < ESTIMATES_MAX; i++)
		left += estimates_of(&parties->apps[i]);
	if (astra_grow(&record->apps, &record->app_room, parties->count + 1,
		       sizeof(*record->apps)) < 0 ||
	    astra_grow(&record->left, &record->left_room, left + 1,
		       sizeof(*record->left)) < 0)
		return -1;
	return 0;
}

static void describe_jobs(const struct themis_party *party,
			  const struct astra_offer *offer,
			  struct astra_auction_app *out)
{
	const struct astra_demand *d = &offer->demands[party->demands[0]];

	out->app = party->key;
	out->tenant = d->tenant;
	out->job = d->job->id;
	out->job_count = party->job_count;
	for (size_t i = 1; i < party->demand_count; i++) {
		uint32_t id = offer->demands[party->demands[i]].job->id;

		if (id < out->job)
			out->job = id;
	}
}

static void describe_fare(const struct themis_fare *fare,
			  struct astra_auction_app *out)
{
	out->auction = fare->auction;
	out->rank = fare->rank;
	out->ranks = fare->ranks;
	out->offered = fare->offered;
	out->won = fare->won;
	out->kept = fare->kept;
	out->given = fare->given;
	out->factor = fare->c;
}

static int record_describe(const struct themis_parties *parties, size_t i,
			   const struct astra_offer *offer,
			   struct astra_auction_app *out)
{
	const struct astra_themis_app *app = &parties->apps[i];
	const struct astra_themis_shares none = {0};

	out->elapsed_sec = app->elapsed_sec;
	out->navg = app->navg;
	out->ideal_sec = astra_themis_ideal(app, (uint32_t)offer->gpus);
	out->gpus_held = astra_themis_gpus(app->held);
	out->gpus_max = app->gpus_max;
	memcpy(out->slowdown, app->slowdown, sizeof(out->slowdown));
	out->bid_sec = app->stated ? app->stated->time_sec : 0;
	out->rho = app->rho_current;
	if (app->rho_current >= 0)
		return 0;
	return astra_themis_rho_on(app, (uint32_t)offer->gpus,
				   parties->machines, none, &out->rho);
}

int astra_themis_record_apps(struct themis_record *record,
			     const struct themis_parties *parties,
			     const struct themis_memories *memories,
			     const struct astra_offer *offer)
{
	double *left;

	record->auction.app_count = 0;
	if (record_make_room(record, parties) < 0)
		return -1;
	left = record->left;
	for (size_t i = 0; i < parties->count; i++) {
		struct astra_auction_app *out = &record->apps[i];

		*out = (struct astra_auction_app){0};
		describe_jobs(&parties->list[i], offer, out);
		describe_fare(&memories->rows[i].fare, out);
		if (record_describe(parties, i, offer, out) < 0)
			return -1;
		if (i >= ESTIMATES_MAX || !estimates_of(&parties->apps[i]))
			continue;
		out->left_count = estimates_of(&parties->apps[i]);
		if (astra_themis_left(&parties->apps[i], 1, out->left_count,
				      left) < 0)
			return -1;
		out->left_sec = left;
		left += out->left_count;
	}
	record->auction.apps = record->apps;
	record->auction.app_count = parties->count;
	return 0;
}

void astra_themis_auction_save(const struct astra_auction *a,
			       struct astra_bytes *out)
{
	astra_put_u64(out, a->number);
	astra_put_f64(out, a->time_sec);
	astra_put_u64(out, a->gpus);
	astra_put_u64(out, a->bidders);
	astra_put_u32(out, a->exact);
}

int astra_themis_auction_restore(struct astra_auction *a,
				 struct astra_reader *in)
{
	a->number = astra_get_u64(in);
	if (in->at == in->size)
		return in->failed ? -1 : 0;
	a->time_sec = astra_get_f64(in);
	a->gpus = astra_get_u64(in);
	a->bidders = (size_t)astra_get_u64(in);
	a->exact = astra_get_u32(in) != 0;
	return in->failed || !isfinite(a->time_sec) ? -1 : 0;
}

void astra_themis_record_clear(struct themis_record *record)
{
	free(record->apps);
	free(record->left);
	*record = (struct themis_record){0};
}
