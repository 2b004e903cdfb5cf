/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/solver/greedy.h"

struct step {
	uint32_t bidder, node;
	double gain;
};

static bool has_one(const struct astra_themis_deal *deal, uint32_t node)
{
	for (uint32_t v = node; v != ASTRA_THEMIS_NONE;
	     v = astra_themis_parent(deal->tree, v))
		if (deal->left[v] < 1)
			return false;
	return true;
}

/* Compare with a GPU more for bidder i at the node and those above it. */
static void greedy_look_up(const struct astra_themis_deal *deal, uint32_t i,
			   uint32_t node, struct step *best)
{
	const struct astra_themis_hand *hand = &deal->hands[i];

	for (uint32_t v = node; v != ASTRA_THEMIS_NONE;
	     v = astra_themis_parent(deal->tree, v)) {
		const struct astra_themis_curve *curve =
			astra_themis_curve(deal->tree, i, v);
		double gain;

		if (hand->x >= curve->room || !has_one(deal, v))
			continue;
		gain = curve->value[hand->x + 1] - hand->value;
		if (gain > best->gain)
			*best = (struct step){i, v, gain};
	}
}

/* The machine with most GPUs left of those that may be used, or the root. */
static uint32_t find_roomiest(const struct astra_themis_deal *deal)
{
	const struct astra_themis_tree *tree = deal->tree;
	uint32_t best = 0;

	for (uint32_t v = tree->rack_count + 1; v < tree->node_count; v++)
		if (has_one(deal, v) &&
		    (best == 0 || deal->left[v] > deal->left[best]))
			best = v;
	return best;
}

/* Where bidder i, who has nothing, begins. */
static uint32_t greedy_begin_at(const struct astra_themis_deal *deal,
				uint32_t i, uint32_t roomiest)
{
	const struct astra_themis_tree *tree = deal->tree;

	if (tree->game->players[i].spread == ASTRA_LEVEL_SLOT)
		return roomiest;
	if (tree->home_machine[i] != ASTRA_THEMIS_NONE)
		return tree->home_machine[i];
	if (tree->home_rack[i] != ASTRA_THEMIS_NONE)
		return tree->home_rack[i];
	return 0;
}

void astra_themis_greedy(struct astra_themis_deal *deal)
{
	uint32_t n = (uint32_t)deal->tree->game->count, roomiest = 0;
	struct step best;

	while (deal->left[0] > 0 && !deal->failed) {
		if (deal->left[roomiest] < 1 || !has_one(deal, roomiest) ||
		    deal->steps < n)
			roomiest = find_roomiest(deal);
		best = (struct step){.gain = ASTRA_THEMIS_GAIN};
		for (uint32_t i = 0; i < n; i++) {
			uint32_t node = deal->hands[i].node;

			if (node == ASTRA_THEMIS_NONE)
				node = greedy_begin_at(deal, i, roomiest);
			greedy_look_up(deal, i, node, &best);
		}
		if (best.gain <= ASTRA_THEMIS_GAIN)
			break;
		astra_themis_deal_give(deal, best.bidder, best.node,
				       deal->hands[best.bidder].x + 1);
	}
	deal->steps = 0;
}
