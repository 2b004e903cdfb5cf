/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/solver/deal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"

/* Updates the value, and the steps up and down, of bidder i. */
static void deal_look(struct astra_themis_deal *deal, uint32_t i)
{
	struct astra_themis_hand *hand = &deal->hands[i];
	const struct astra_themis_curve *curve;

	hand->gain = 0.0;
	hand->loss = INFINITY;
	hand->up = hand->down = 0;
	if (hand->node == ASTRA_THEMIS_NONE) {
		hand->value = deal->tree->game->players[i].score[0][0];
		return;
	}
	curve = astra_themis_curve(deal->tree, i, hand->node);
	hand->value = curve->value[hand->x];
	hand->up = curve->up[hand->x];
	hand->down = curve->down[hand->x];
	if (hand->up)
		hand->gain = (curve->value[hand->x + hand->up] - hand->value) /
			     hand->up;
	if (hand->down)
		hand->loss =
			(hand->value - curve->value[hand->x - hand->down]) /
			hand->down;
}

static void leave_machine(struct astra_themis_deal *deal, uint32_t i)
{
	struct astra_themis_hand *hand = &deal->hands[i];

	if (hand->machine == ASTRA_THEMIS_NONE)
		return;
	if (hand->next != ASTRA_THEMIS_NONE)
		deal->hands[hand->next].previous = hand->previous;
	if (hand->previous != ASTRA_THEMIS_NONE)
		deal->hands[hand->previous].next = hand->next;
	else
		deal->first[hand->machine] = hand->next;
	hand->machine = ASTRA_THEMIS_NONE;
}

static void deal_enter(struct astra_themis_deal *deal, uint32_t i,
		       uint32_t node)
{
	struct astra_themis_hand *hand = &deal->hands[i];
	uint32_t racks = deal->tree->rack_count;

	hand->node = node;
	hand->rack = ASTRA_THEMIS_NONE;
	if (node == ASTRA_THEMIS_NONE || node == 0)
		return;
	hand->rack =
		node <= racks ? node : astra_themis_parent(deal->tree, node);
	if (node <= racks)
		return;
	hand->machine = node;
	hand->previous = ASTRA_THEMIS_NONE;
	hand->next = deal->first[node];
	if (hand->next != ASTRA_THEMIS_NONE)
		deal->hands[hand->next].previous = i;
	deal->first[node] = i;
}

static void take_from(struct astra_themis_deal *deal, uint32_t node, int64_t x)
{
	for (; node != ASTRA_THEMIS_NONE;
	     node = astra_themis_parent(deal->tree, node))
		deal->left[node] -= x;
}

static void deal_count(struct astra_themis_deal *deal, double score, int sign)
{
	if (score <= 0.0)
		return;
	deal->served += sign;
	deal->sum += sign * (score - deal->tree->game->unit);
}

static void deal_place(struct astra_themis_deal *deal, uint32_t i,
		       uint32_t node, uint32_t x)
{
	struct astra_themis_hand *hand = &deal->hands[i];

	deal->fresh = false;
	if (x == 0)
		node = ASTRA_THEMIS_NONE;
	take_from(deal, hand->node, -(int64_t)hand->x);
	deal_count(deal, hand->value, -1);
	if (hand->node != node) {
		leave_machine(deal, i);
		deal_enter(deal, i, node);
	}
	hand->x = x;
	take_from(deal, node, x);
	deal_look(deal, i);
	deal_count(deal, hand->value, 1);
}

void astra_themis_deal_give(struct astra_themis_deal *deal, uint32_t i,
			    uint32_t node, uint32_t x)
{
	if (astra_grow(&deal->journal, &deal->journal_room, deal->steps + 1,
		       sizeof(*deal->journal))) {
		deal->failed = true;
		return;
	}
	deal->journal[deal->steps++] = (struct astra_themis_undo){
		.bidder = i,
		.node = deal->hands[i].node,
		.x = deal->hands[i].x,
	};
	deal_place(deal, i, node, x);
}

void astra_themis_deal_undo(struct astra_themis_deal *deal,
			    const struct astra_themis_mark *mark)
{
	while (deal->steps > mark->steps) {
		const struct astra_themis_undo *u =
			&deal->journal[--deal->steps];

		deal_place(deal, u->bidder, u->node, u->x);
	}
	deal->sum = mark->sum;
}

static uint32_t rack_of(const struct astra_themis_tree *tree, uint32_t node)
{
	if (node == ASTRA_THEMIS_NONE || node <= tree->rack_count)
		return node;
	return astra_themis_parent(tree, node);
}

void astra_themis_deal_keep(struct astra_themis_deal *deal,
			    const struct astra_themis_mark *mark)
{
	deal->clock++;
	for (size_t k = mark->steps; k < deal->steps; k++) {
		const struct astra_themis_undo *was = &deal->journal[k];
		struct astra_themis_hand *hand = &deal->hands[was->bidder];
		uint32_t rack = rack_of(deal->tree, was->node);
		uint32_t more =
			hand->x > was->x ? hand->x - was->x : was->x - hand->x;

		if (hand->node == was->node && more * 8 <= hand->x)
			continue;
		hand->changed = deal->clock;
		if (rack != ASTRA_THEMIS_NONE)
			deal->stamps[rack] = deal->clock;
		if (hand->rack != ASTRA_THEMIS_NONE)
			deal->stamps[hand->rack] = deal->clock;
	}
}

int astra_themis_deal_init(struct astra_themis_deal *deal,
			   const struct astra_themis_tree *tree)
{
	size_t n = tree->game->count, nodes = tree->node_count;

	*deal = (struct astra_themis_deal){
		.tree = tree,
		.hands = calloc(n + 1, sizeof(*deal->hands)),
		.left = calloc(nodes, sizeof(*deal->left)),
		.first = calloc(nodes, sizeof(*deal->first)),
		.stuck = calloc(n + 1, sizeof(*deal->stuck)),
		.racks = calloc((size_t)tree->rack_count + 1,
				sizeof(*deal->racks)),
		.ideal = calloc(tree->kind_count, sizeof(*deal->ideal)),
		.stamps = calloc((size_t)tree->rack_count + 1,
				 sizeof(*deal->stamps)),
	};
	if (!deal->hands || !deal->left || !deal->first || !deal->stuck ||
	    !deal->racks || !deal->ideal || !deal->stamps)
		return -1;
	for (size_t v = 0; v < nodes; v++) {
		deal->left[v] = tree->nodes[v].free;
		deal->first[v] = ASTRA_THEMIS_NONE;
	}
	deal->clock = 1;
	for (size_t r = 0; r <= tree->rack_count; r++)
		deal->stamps[r] = 1;
	for (uint32_t i = 0; i < n; i++) {
		struct astra_themis_hand *hand = &deal->hands[i];

		hand->node = hand->rack = hand->machine = ASTRA_THEMIS_NONE;
		deal_look(deal, i);
		deal_count(deal, hand->value, 1);
	}
	return 0;
}

void astra_themis_deal_free(struct astra_themis_deal *deal)
{
	free(deal->hands);
	free(deal->left);
	free(deal->first);
	free(deal->journal);
	free(deal->stuck);
	free(deal->racks);
	free(deal->ideal);
	free(deal->stamps);
	*deal = (struct astra_themis_deal){0};
}

void astra_themis_deal_copy(struct astra_themis_deal *to,
			    const struct astra_themis_deal *from)
{
	size_t nodes = from->tree->node_count;

	memcpy(to->hands, from->hands,
	       from->tree->game->count * sizeof(*to->hands));
	memcpy(to->left, from->left, nodes * sizeof(*to->left));
	memcpy(to->first, from->first, nodes * sizeof(*to->first));
	memcpy(to->stamps, from->stamps,
	       ((size_t)from->tree->rack_count + 1) * sizeof(*to->stamps));
	to->clock = from->clock;
	to->fresh = false;
	to->served = from->served;
	to->sum = from->sum;
	to->steps = 0;
}
