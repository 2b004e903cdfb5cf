/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "src/policy/themis/bound.h"
#include "src/policy/themis/moves.h"

enum { WIDTH = 4, TRIALS = 20000, PAYMENT_WIDTH = 2, PAYMENT_TRIALS = 200 };

static double score_without(const struct astra_themis_deal *deal, uint32_t i)
{
	double sum = 0.0;

	for (uint32_t j = 0; j < deal->tree->game->count; j++)
		if (j != i)
			sum += deal->hands[j].value;
	return sum;
}

/* Where the others go from pf when bidder i does not take part. */
static void price(struct astra_themis_deal *deal,
		  const struct astra_themis_deal *pf, double *without)
{
	for (uint32_t i = 0; i < pf->tree->game->count; i++) {
		without[i] = score_without(pf, i);
		if (pf->hands[i].x == 0)
			continue;
		astra_themis_deal_copy(deal, pf);
		astra_themis_deal_give(deal, i, ASTRA_THEMIS_NONE, 0);
		deal->absent = i;
		astra_themis_improve(deal, PAYMENT_WIDTH, PAYMENT_TRIALS);
		without[i] = fmax(without[i], score_without(deal, i));
	}
}

static int by_machine(const void *a, const void *b)
{
	const struct astra_themis_share *p = a, *q = b;

	return p->machine < q->machine ? -1 : p->machine > q->machine;
}

/* Take x GPUs of the machines of nodes first … last - 1. */
static size_t draw(const struct astra_themis_tree *tree, uint32_t *left,
		   uint32_t first, uint32_t last, uint32_t x,
		   struct astra_themis_share *shares)
{
	size_t count = 0;

	while (x > 0) {
		uint32_t best = first, take;

		for (uint32_t v = first; v < last; v++) {
			bool enough = left[v] >= x;

			if (enough ? left[best] < x || left[v] < left[best]
				   : left[v] > left[best])
				best = v;
		}
		take = left[best] < x ? left[best] : x;
		left[best] -= take;
		x -= take;
		shares[count++] = (struct astra_themis_share){
			.machine = tree->nodes[best].machine, .gpus = take};
	}
	qsort(shares, count, sizeof(*shares), by_machine);
	return count;
}

struct pieces {
	size_t first, count;
};

/* Take each bidder's GPUs of nodes of this depth (0: the root) from machines;
 * `first` has the node after the last machine of each rack. */
static size_t draw_level(const struct astra_themis_deal *deal, uint32_t *left,
			 const uint32_t *rack_end, int depth,
			 struct astra_themis_share *shares, size_t used,
			 struct pieces *pieces)
{
	const struct astra_themis_tree *tree = deal->tree;
	uint32_t racks = tree->rack_count;

	for (uint32_t i = 0; i < tree->game->count; i++) {
		uint32_t v = deal->hands[i].node, x = deal->hands[i].x;
		uint32_t from = racks + 1, to = tree->node_count;

		if (v == ASTRA_THEMIS_NONE || (v > 0) + (v > racks) != depth)
			continue;
		x -= x % tree->game->bidders[i].quantum;
		if (v > racks) {
			from = v;
			to = v + 1;
		} else if (v > 0) {
			from = v > 1 ? rack_end[v - 1] : from;
			to = rack_end[v];
		}
		pieces[i].first = used;
		pieces[i].count = draw(tree, left, from, to, x, shares + used);
		used += pieces[i].count;
	}
	return used;
}

/* Deal out machines: to those who need that one first, those who need a rack
 * next. Each finds enough, as below no node more is dealt than it has. */
static int hand_out(const struct astra_themis_deal *deal,
		    struct astra_themis_auction *out, size_t room)
{
	const struct astra_themis_tree *tree = deal->tree;
	size_t n = tree->game->count, used = 0;
	uint32_t *left = calloc(tree->node_count, sizeof(*left));
	uint32_t *rack_end = calloc(tree->node_count, sizeof(*rack_end));
	struct pieces *pieces = calloc(n + 1, sizeof(*pieces));
	struct astra_themis_share *shares = calloc(room + 1, sizeof(*shares));
	int rc = -1;

	if (!left || !rack_end || !pieces || !shares)
		goto out;
	for (uint32_t v = tree->rack_count + 1; v < tree->node_count; v++) {
		left[v] = tree->nodes[v].free;
		rack_end[tree->nodes[v].parent] = v + 1;
	}
	for (int depth = 2; depth >= 0; depth--)
		used = draw_level(deal, left, rack_end, depth, shares, used,
				  pieces);
	out->first[0] = 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < pieces[i].count; k++)
			out->shares[out->first[i] + k] =
				shares[pieces[i].first + k];
		out->first[i + 1] = out->first[i] + pieces[i].count;
	}
	rc = 0;
out:
	free(left);
	free(rack_end);
	free(pieces);
	free(shares);
	return rc;
}

/* One GPU, or one quantum, after the other, to whoever gains most by it. */
static void begin(struct astra_themis_deal *deal)
{
	for (uint32_t i = 0; i < deal->tree->game->count; i++)
		astra_themis_insert(deal, i);
}

int astra_themis_search(struct astra_themis_game *game,
			struct astra_themis_auction *out, size_t room,
			double *without, struct astra_error *err)
{
	struct astra_themis_tree tree;
	struct astra_themis_deal pf = {0}, other = {0};
	int rc = -1;

	if (astra_themis_tree_init(&tree, game) ||
	    astra_themis_deal_init(&pf, &tree) ||
	    astra_themis_deal_init(&other, &tree))
		goto out;
	begin(&pf);
	astra_themis_improve(&pf, WIDTH, TRIALS);
	price(&other, &pf, without);
	if (pf.failed || other.failed || hand_out(&pf, out, room))
		goto out;
	rc = astra_themis_bound(&pf, &out->served_bound, &out->bound);
out:
	astra_themis_deal_free(&pf);
	astra_themis_deal_free(&other);
	return rc ? astra_error_nomem(err) : 0;
}
