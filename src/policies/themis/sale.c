/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The auctions of a round: bids, what is won, what is kept once it is paid. */
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policies/themis/rounding.h"
#include "src/policies/themis/themis.h"

/* Some of the round's bidders, and what is offered to them. */
struct sale {
	const struct astra_themis_market *market;
	struct astra_themis_round *round;
	struct astra_themis_machine *machines; /* with what is free by now */
	size_t from, count;		       /* bidders */
	uint32_t cap; /* the most that each may win; 0: no such limit */
	struct astra_themis_bid *bids;
	struct astra_themis_bidder *bidders;
};

static const struct astra_themis_app *sale_app_of(const struct sale *s,
						  size_t i)
{
	return &s->market->apps[s->round->bidders[s->from + i]];
}

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

static int make_bids(struct sale *s)
{
	uint32_t offered = 0;

	for (size_t n = 0; n < s->market->machine_count; n++)
		offered += s->machines[n].free;
	if (s->cap && s->cap < offered)
		offered = s->cap;
	for (size_t i = 0; i < s->count; i++) {
		const struct astra_themis_app *a = sale_app_of(s, i);
		uint32_t held = astra_themis_gpus(a->held);
		uint32_t most = astra_themis_room(a, held);

		if (most > offered)
			most = offered;
		if (astra_themis_bid_init(&s->bids[i], a,
					  s->market->cluster_gpus,
					  held + most) < 0)
			return -1;
		set_least(&s->bids[i], held, a->gpus_least);
		s->bidders[i] = (struct astra_themis_bidder){
			.bid = &s->bids[i],
			.held = a->held,
			.quantum = a->quantum,
		};
	}
	return 0;
}

/* A bidder keeps a part of its bundle. */
static int sale_collect(struct sale *s, size_t i, uint32_t *kept)
{
	struct astra_themis_round *round = s->round;
	struct astra_themis_shares pf = astra_themis_pf(&round->auction, i);
	size_t at = round->first[s->from + i];
	struct astra_themis_won won = {
		.gpus = astra_themis_gpus(pf),
		.c = round->auction.c[i],
	};

	round->won[s->from + i] = won;
	if (astra_grow(&round->kept, &round->kept_room, at + pf.count + 1,
		       sizeof(*round->kept)) < 0)
		return -1;
	astra_themis_round_bundle(
		pf,
		astra_themis_keep(won.c, won.gpus, sale_app_of(s, i)->quantum),
		kept);
	for (size_t k = 0; k < pf.count; k++) {
		s->machines[pf.share[k].machine].free -= kept[k];
		if (!kept[k])
			continue;
		round->kept[at] = pf.share[k];
		round->kept[at++].gpus = kept[k];
	}
	round->first[s->from + i + 1] = at;
	return 0;
}

static int sale_run(struct sale *s, struct astra_error *err)
{
	int (*hold)(const struct astra_themis_machine *, size_t,
		    const struct astra_themis_bidder *, size_t,
		    struct astra_themis_auction *, struct astra_error *) =
		s->market->unproved ? astra_themis_auction_guess
				    : astra_themis_auction_run;
	struct astra_themis_auction *auction = &s->round->auction;
	uint32_t *kept;
	int rc;

	if (make_bids(s) < 0)
		return astra_error_nomem(err);
	astra_themis_auction_clear(auction);
	if (hold(s->machines, s->market->machine_count, s->bidders, s->count,
		 auction, err) < 0)
		return -1;
	kept = calloc(s->market->machine_count + 1, sizeof(*kept));
	rc = kept ? 0 : -1;
	for (size_t i = 0; !rc && i < s->count; i++)
		rc = sale_collect(s, i, kept);
	free(kept);
	return rc < 0 ? astra_error_nomem(err) : 0;
}

static int sale_sell(struct sale *s, size_t from, size_t count, uint32_t cap,
		     struct astra_error *err)
{
	int rc;

	s->from = from;
	s->count = count;
	s->cap = cap;
	s->bids = calloc(count + 1, sizeof(*s->bids));
	s->bidders = calloc(count + 1, sizeof(*s->bidders));
	if (s->bids && s->bidders)
		rc = sale_run(s, err);
	else
		rc = astra_error_nomem(err);
	for (size_t i = 0; s->bids && i < count; i++)
		astra_themis_bid_clear(&s->bids[i]);
	free(s->bids);
	free(s->bidders);
	return rc;
}

static void offer_all(struct sale *s)
{
	if (s->market->machine_count)
		memcpy(s->machines, s->market->machines,
		       s->market->machine_count * sizeof(*s->machines));
}

/* Whether the first of the bidders got nothing, although it could be served. */
static bool worst_is_empty(const struct sale *s)
{
	uint64_t offered = 0;

	if (!s->market->worst_first || !s->round->bidder_count ||
	    s->round->first[1])
		return false;
	for (size_t n = 0; n < s->market->machine_count; n++)
		offered += s->market->machines[n].free;
	s->round->first[0] = 0;
	return s->market->apps[s->round->bidders[0]].gpus_least <= offered;
}

int astra_themis_sell(const struct astra_themis_market *market,
		      struct astra_themis_round *round, struct astra_error *err)
{
	size_t count = round->bidder_count;
	struct sale s = {
		.market = market,
		.round = round,
		.machines =
			calloc(market->machine_count + 1, sizeof(*s.machines)),
	};
	int rc;

	round->first = calloc(count + 1, sizeof(*round->first));
	round->won = calloc(count + 1, sizeof(*round->won));
	if (!s.machines || !round->first || !round->won) {
		free(s.machines);
		return astra_error_nomem(err);
	}
	offer_all(&s);
	rc = sale_sell(&s, 0, count, 0, err);
	if (!rc && worst_is_empty(&s)) {
		offer_all(&s);
		rc = sale_sell(&s, 0, 1,
			       market->apps[round->bidders[0]].gpus_least, err);
		if (!rc)
			rc = sale_sell(&s, 1, count - 1, 0, err);
	}
	for (size_t n = 0; !rc && n < market->machine_count; n++)
		round->idle[n] = s.machines[n].free;
	free(s.machines);
	return rc;
}
