/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/division.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"

int astra_themis_gain(struct themis_gains *gains, uint32_t party,
		      struct astra_themis_share share)
{
	if (astra_grow(&gains->list, &gains->room, gains->count + 1,
		       sizeof(*gains->list)) < 0)
		return -1;
	gains->list[gains->count++] = (struct astra_themis_gift){party, share};
	return 0;
}

static int compare_gains(const void *a, const void *b)
{
	const struct astra_themis_gift *x = a, *y = b;

	if (x->taker != y->taker)
		return x->taker < y->taker ? -1 : 1;
	if (x->share.machine != y->share.machine)
		return x->share.machine < y->share.machine ? -1 : 1;
	return x->share.gpus < y->share.gpus ? -1
					     : x->share.gpus > y->share.gpus;
}

int astra_themis_write_down(struct themis_division *division, size_t parties,
			    struct themis_gains *gains)
{
	struct astra_themis_gift *list = gains->list;
	struct astra_themis_share *shares =
		calloc(gains->count + 1, sizeof(*shares));
	size_t at = 0, kept = 0;

	if (!shares)
		return -1;
	if (gains->count)
		qsort(list, gains->count, sizeof(*list), compare_gains);
	for (size_t i = 0; i < parties; i++) {
		division->first[i] = kept;
		for (; at < gains->count && list[at].taker == i; at++)
			if (kept > division->first[i] &&
			    shares[kept - 1].machine == list[at].share.machine)
				shares[kept - 1].gpus += list[at].share.gpus;
			else
				shares[kept++] = list[at].share;
	}
	division->first[parties] = kept;
	free(division->shares);
	division->shares = shares;
	return 0;
}

/* Collects what was won and what was given into the division's shares. */
static int division_collect(struct themis_division *division, size_t parties)
{
	const struct astra_themis_round *round = &division->round;
	struct themis_gains gains = {0};
	int rc = 0;

	for (size_t i = 0; i < round->bidder_count; i++) {
		struct astra_themis_shares kept = astra_themis_kept(round, i);

		division->participant[round->bidders[i]] = true;
		for (size_t k = 0; !rc && k < kept.count; k++)
			rc = astra_themis_gain(&gains, round->bidders[i],
					       kept.share[k]);
	}
	for (size_t i = 0; !rc && i < round->gift_count; i++)
		rc = astra_themis_gain(&gains, round->gifts[i].taker,
				       round->gifts[i].share);
	if (!rc)
		rc = astra_themis_write_down(division, parties, &gains);
	free(gains.list);
	return rc;
}

int astra_themis_divide(struct themis_division *division,
			const struct themis_parties *parties,
			const struct astra_offer *offer, double knob,
			struct astra_error *err)
{
	struct astra_themis_market market = {
		.cluster_gpus = (uint32_t)offer->gpus,
		.f = knob,
		.machines = parties->machines,
		.machine_count = offer->node_count,
		.apps = parties->apps,
		.app_count = parties->count,
		.worst_first = true,
		.unproved = true,
		.homes = parties->homes,
		.home_count = parties->home_count,
	};

	*division = (struct themis_division){
		.participant = calloc(parties->count + 1,
				      sizeof(*division->participant)),
		.first = calloc(parties->count + 2, sizeof(*division->first)),
	};
	if (!division->participant || !division->first)
		return astra_error_nomem(err);
	/* The seed looks random, but is the same for the same question. */
	memcpy(&market.seed, &offer->now_sec, sizeof(market.seed));
	if (astra_themis_round_run(&market, &division->round, err) < 0)
		return -1;
	division->free = division->round.idle;
	return division_collect(division, parties->count) < 0
		       ? astra_error_nomem(err)
		       : 0;
}

void astra_themis_division_clear(struct themis_division *division)
{
	astra_themis_round_clear(&division->round);
	free(division->participant);
	free(division->shares);
	free(division->first);
}
