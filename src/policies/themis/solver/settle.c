/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settling: GPUs change hands one step at a time, and bidders stay at their
 * nodes. If scores are concave at each node, the result is optimal for these
 * nodes, as the possible deals form a polymatroid. */
#include <math.h>
#include <string.h>

#include "src/policies/themis/solver/deal.h"

static void settle_consider(struct astra_themis_pair *pair, uint32_t i,
			    double loss)
{
	if (loss < pair->loss[0]) {
		pair->loss[1] = pair->loss[0];
		pair->bidder[1] = pair->bidder[0];
		pair->loss[0] = loss;
		pair->bidder[0] = i;
	} else if (loss < pair->loss[1]) {
		pair->loss[1] = loss;
		pair->bidder[1] = i;
	}
}

static const struct astra_themis_pair nobody = {
	.bidder = {ASTRA_THEMIS_NONE, ASTRA_THEMIS_NONE},
	.loss = {INFINITY, INFINITY},
};

static struct astra_themis_pair
cheapest_on_machine(const struct astra_themis_deal *deal, uint32_t node,
		    uint32_t but)
{
	struct astra_themis_pair pair = nobody;

	for (uint32_t i = deal->first[node]; i != ASTRA_THEMIS_NONE;
	     i = deal->hands[i].next)
		if (i != but)
			settle_consider(&pair, i, deal->hands[i].loss);
	return pair;
}

struct astra_themis_pair
astra_themis_cheapest(const struct astra_themis_deal *deal, uint32_t node,
		      uint32_t but)
{
	struct astra_themis_pair pair = nobody;

	if (node > deal->tree->rack_count)
		return cheapest_on_machine(deal, node, but);
	for (uint32_t i = 0; i < deal->tree->game->count; i++) {
		const struct astra_themis_hand *hand = &deal->hands[i];

		if (i != but && hand->loss < pair.loss[1] &&
		    astra_themis_below(hand, deal->tree, node))
			settle_consider(&pair, i, hand->loss);
	}
	return pair;
}

/* Shrinks a bidder by its step down. If that step is longer than `lacking` and
 * costs more as a whole, shrinks it by just `lacking` GPUs. */
static void shrink(struct astra_themis_deal *deal, uint32_t i, int64_t lacking)
{
	const struct astra_themis_hand *hand = &deal->hands[i];
	const double *value =
		astra_themis_curve(deal->tree, i, hand->node)->value;
	uint32_t down = hand->down;

	if (down > lacking &&
	    value[hand->x - (uint32_t)lacking] > value[hand->x - down])
		down = (uint32_t)lacking;
	astra_themis_deal_give(deal, i, hand->node, hand->x - down);
}

bool astra_themis_repair(struct astra_themis_deal *deal, uint32_t v,
			 uint32_t but)
{
	for (; v != ASTRA_THEMIS_NONE; v = astra_themis_parent(deal->tree, v)) {
		while (deal->left[v] < 0) {
			uint32_t j =
				astra_themis_cheapest(deal, v, but).bidder[0];

			if (j == ASTRA_THEMIS_NONE || deal->failed)
				return false;
			shrink(deal, j, -deal->left[v]);
		}
	}
	return true;
}

void astra_themis_find_cheapest(struct astra_themis_deal *deal)
{
	if (deal->fresh)
		return;
	deal->fresh = true;
	for (uint32_t v = 0; v <= deal->tree->rack_count; v++)
		deal->racks[v] = nobody;
	for (uint32_t i = 0; i < deal->tree->game->count; i++) {
		const struct astra_themis_hand *hand = &deal->hands[i];

		if (hand->node == ASTRA_THEMIS_NONE)
			continue;
		settle_consider(&deal->racks[0], i, hand->loss);
		if (hand->rack != ASTRA_THEMIS_NONE)
			settle_consider(&deal->racks[hand->rack], i,
					hand->loss);
	}
}

/* Estimates what the other bidders lose by giving back `lacking` GPUs. One of
 * the two that lose least per GPU gives them, in whole steps. */
static double settle_cost_of(const struct astra_themis_deal *deal,
			     const struct astra_themis_pair *pair, uint32_t but,
			     double lacking)
{
	double least = INFINITY;

	for (int k = 0; k < 2; k++) {
		uint32_t i = pair->bidder[k];

		if (i != ASTRA_THEMIS_NONE && i != but)
			least = astra_themis_min(
				least,
				pair->loss[k] *
					astra_themis_max(lacking,
							 deal->hands[i].down));
	}
	return least;
}

/* Estimates what the other bidders lose by bidder i's step up. */
static double cost_of_step(const struct astra_themis_deal *deal, uint32_t i)
{
	const struct astra_themis_hand *hand = &deal->hands[i];
	double cost = 0.0;

	for (uint32_t v = hand->node; v != ASTRA_THEMIS_NONE;
	     v = astra_themis_parent(deal->tree, v)) {
		double lacking = (double)hand->up - (double)deal->left[v];
		struct astra_themis_pair pair;

		if (lacking <= 0.0)
			continue;
		pair = v > deal->tree->rack_count
			       ? cheapest_on_machine(deal, v, i)
			       : deal->racks[v];
		cost = astra_themis_max(
			cost, settle_cost_of(deal, &pair, i, lacking));
	}
	return cost;
}

static uint32_t best_step(struct astra_themis_deal *deal)
{
	double least = ASTRA_THEMIS_GAIN;
	uint32_t best = ASTRA_THEMIS_NONE;

	astra_themis_find_cheapest(deal);
	for (uint32_t i = 0; i < deal->tree->game->count; i++) {
		const struct astra_themis_hand *hand = &deal->hands[i];
		double gain = hand->gain * hand->up;

		if (hand->up == 0 || deal->stuck[i] || gain <= least)
			continue;
		gain -= cost_of_step(deal, i);
		if (gain > least) {
			least = gain;
			best = i;
		}
	}
	return best;
}

void astra_themis_settle(struct astra_themis_deal *deal)
{
	uint32_t i;

	memset(deal->stuck, 0, deal->tree->game->count * sizeof(*deal->stuck));
	while ((i = best_step(deal)) != ASTRA_THEMIS_NONE && !deal->failed) {
		const struct astra_themis_hand *hand = &deal->hands[i];
		struct astra_themis_mark mark = astra_themis_mark(deal);

		astra_themis_deal_give(deal, i, hand->node, hand->x + hand->up);
		if (astra_themis_repair(deal, hand->node, i) &&
		    astra_themis_won(deal, &mark) > ASTRA_THEMIS_GAIN)
			continue;
		astra_themis_deal_undo(deal, &mark);
		deal->stuck[i] = true;
	}
}
