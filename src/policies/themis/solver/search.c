/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "src/policies/themis/solver/bound.h"
#include "src/policies/themis/solver/deal.h"
#include "src/policies/themis/solver/moves.h"

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

/* Compares the best step so far with giving bidder i one more GPU, at the node
 * and at each node above it, and keeps the best. */
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

/* Returns the machine with most GPUs left, or the root if no machine has
 * any. */
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

/* Returns the node where bidder i, which has nothing, begins. */
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

/* Deals out GPUs one by one, from the present deal on. Each GPU goes to the
 * bidder whose score it raises most: on one of its machines, elsewhere in its
 * rack, or anywhere. A bidder's first GPU is on the machine that has most GPUs
 * left. Ends when no single GPU raises a score. */
static void themis_greedy(struct astra_themis_deal *deal)
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

/* The effort of a search. It depends on the number of bidders and not on the
 * clock, so that results are reproducible. */
struct effort {
	struct astra_themis_effort improve;
	size_t kicks;	  /* kicks for pf, in all */
	size_t own_kicks; /* kicks for each pf without one of the bidders */
};

static size_t search_clamp(size_t x, size_t least, size_t most)
{
	return x < least ? least : x > most ? most : x;
}

/* Returns the effort for a number of bidders. Measured: 64 GPUs and 16 bidders
 * take 3 ms, 10,000 GPUs and 200 bidders less than a second. */
static struct effort effort_for(size_t bidders)
{
	size_t few = 400 / bidders, many = 50000 / bidders;

	return (struct effort){
		.improve = {.width = search_clamp(64 / bidders, 2, 8),
			    .trials = search_clamp(1200 / bidders, 30, 400),
			    .turns = 160000 / bidders + 1},
		.kicks = search_clamp(bidders * bidders / 200, few, few + many),
		.own_kicks = 15 / bidders,
	};
}

/* Returns the sum of the scores of all bidders except i. */
static double score_without(const struct astra_themis_deal *deal, uint32_t i)
{
	double sum = 0.0;

	for (uint32_t j = 0; j < deal->tree->game->count; j++)
		if (j != i)
			sum += deal->hands[j].value;
	return sum;
}

/* Whether the deal is better by more than rounding errors. */
static bool search_better(const struct astra_themis_deal *deal,
			  const struct astra_themis_deal *than)
{
	const struct astra_themis_mark mark = astra_themis_mark(than);

	return astra_themis_won(deal, &mark) > 100 * ASTRA_THEMIS_GAIN;
}

static void take_out(struct astra_themis_deal *deal, uint32_t i,
		     const struct effort *effort)
{
	deal->hands[i].absent = true;
	astra_themis_deal_give(deal, i, ASTRA_THEMIS_NONE, 0);
	astra_themis_improve(deal, i, &effort->improve);
}

static void bring_back(struct astra_themis_deal *deal, uint32_t i,
		       const struct effort *effort)
{
	deal->hands[i].absent = false;
	astra_themis_insert(deal, i);
	astra_themis_improve(deal, i, &effort->improve);
}

/* Kicks: takes some other bidders out and brings them back, which may improve
 * the deal. absent: the bidder that stays out. `try` is scratch. */
static void kick(struct astra_themis_deal *deal, struct astra_themis_deal *try,
		 uint32_t absent, const struct effort *effort)
{
	uint32_t n = (uint32_t)deal->tree->game->count;

	for (size_t k = 1; k <= effort->own_kicks && k < n; k++) {
		uint32_t i = (absent + (uint32_t)k) % n;

		astra_themis_deal_copy(try, deal);
		take_out(try, i, effort);
		bring_back(try, i, effort);
		if (search_better(try, deal))
			astra_themis_deal_copy(deal, try);
	}
}

/* Finds, for each bidder, the best sum of the other bidders without it. After a
 * bidder comes back, the deal may be better than pf. Then this deal is the new
 * pf and all starts again. */
static void search_price(struct astra_themis_deal *pf,
			 struct astra_themis_deal *deal,
			 struct astra_themis_deal *try, double *without)
{
	uint32_t n = (uint32_t)pf->tree->game->count, done = 0;
	struct effort effort = effort_for(n);

	for (uint32_t i = 0; done < n; i = (i + 1) % n) {
		done++;
		astra_themis_deal_copy(deal, pf);
		take_out(deal, i, &effort);
		kick(deal, try, i, &effort);
		without[i] = astra_themis_max(score_without(pf, i),
					      score_without(deal, i));
		if (effort.kicks == 0)
			continue;
		effort.kicks--;
		bring_back(deal, i, &effort);
		if (search_better(deal, pf)) {
			astra_themis_deal_copy(pf, deal);
			done = 0;
		}
	}
}

static int by_machine(const void *a, const void *b)
{
	const struct astra_themis_share *p = a, *q = b;

	return p->machine < q->machine ? -1 : p->machine > q->machine;
}

/* Adds GPUs to the shares, which name each machine once. */
static void add_share(struct astra_themis_share *shares, size_t *count,
		      uint32_t machine, uint32_t gpus)
{
	size_t k = 0;

	while (k < *count && shares[k].machine != machine)
		k++;
	if (k == *count)
		shares[(*count)++] = (struct astra_themis_share){machine, 0};
	shares[k].gpus += gpus;
}

/* Takes x GPUs of the machines at nodes first … last - 1. They come from the
 * machine with the fewest GPUs that suffice; if none suffices, first from the
 * machine with the most. */
static void search_draw(const struct astra_themis_tree *tree, uint32_t *left,
			uint32_t first, uint32_t last, uint32_t x,
			struct astra_themis_share *shares, size_t *count)
{
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
		add_share(shares, count, tree->nodes[best].machine, take);
	}
}

/* Returns the rack with the fewest GPUs left that suffice, or else the root. */
static uint32_t rack_for(const struct astra_themis_tree *tree,
			 const uint32_t *left, uint32_t x)
{
	uint32_t best = 0;
	uint64_t least = UINT64_MAX;

	for (uint32_t r = 1; r <= tree->rack_count; r++) {
		uint64_t gpus = 0;

		for (uint32_t v = tree->begin[r]; v < tree->begin[r + 1]; v++)
			gpus += left[v];
		if (gpus >= x && gpus < least) {
			least = gpus;
			best = r;
		}
	}
	return best;
}

/* Takes x GPUs for jobs of `each` GPUs. Each job's GPUs are on one machine if
 * possible, else in one rack, else anywhere. */
static void draw_for_jobs(const struct astra_themis_tree *tree, uint32_t *left,
			  uint32_t x, uint32_t each,
			  struct astra_themis_share *shares, size_t *count)
{
	const uint32_t first = tree->rack_count + 1, last = tree->node_count;

	while (x > 0) {
		uint32_t gpus = x < each ? x : each, rack = 0, most = 0;

		for (uint32_t v = first; v < last; v++)
			if (left[v] > most)
				most = left[v];
		if (most < gpus)
			rack = rack_for(tree, left, gpus);
		search_draw(tree, left, rack ? tree->begin[rack] : first,
			    rack ? tree->begin[rack + 1] : last, gpus, shares,
			    count);
		x -= gpus;
	}
}

struct pieces {
	size_t first, count;
};

/* Returns the turn of a bidder when GPUs are taken from machines; larger turns
 * come first. Bidders at deeper nodes come first. Then come bidders that choose
 * their machines themselves, those with larger jobs first. Bidders for which
 * all GPUs are equally good come last. */
static uint64_t search_turn(const struct astra_themis_deal *deal, uint32_t i)
{
	const struct astra_themis_player *player =
		&deal->tree->game->players[i];
	uint32_t v = deal->hands[i].node, racks = deal->tree->rack_count;

	if (player->flat)
		return 0;
	if (player->job_gpus)
		return player->job_gpus;
	return UINT64_MAX - 2 + (v > 0) + (v > racks);
}

struct turn {
	uint64_t turn;
	uint32_t bidder;
};

static int later_turn(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->turn != y->turn)
		return x->turn > y->turn ? -1 : 1;
	return x->bidder < y->bidder ? -1 : x->bidder > y->bidder;
}

/* Takes a bidder's GPUs from machines. Returns the number of shares. */
static size_t draw_hand(const struct astra_themis_deal *deal, uint32_t *left,
			uint32_t i, struct astra_themis_share *shares)
{
	const struct astra_themis_tree *tree = deal->tree;
	const struct astra_themis_player *player = &tree->game->players[i];
	uint32_t v = deal->hands[i].node, x = deal->hands[i].x;
	uint32_t racks = tree->rack_count, from = racks + 1,
		 to = tree->node_count;
	size_t count = 0;

	x -= x % tree->game->bidders[i].quantum;
	if (player->job_gpus) {
		draw_for_jobs(tree, left, x, player->job_gpus, shares, &count);
	} else {
		if (v > racks && !player->flat) {
			from = v;
			to = v + 1;
		} else if (v > 0 && !player->flat) {
			from = tree->begin[v];
			to = tree->begin[v + 1];
		}
		search_draw(tree, left, from, to, x, shares, &count);
	}
	if (count)
		qsort(shares, count, sizeof(*shares), by_machine);
	return count;
}

/* Assigns machines: first to bidders at a machine, then to bidders at a rack,
 * last to bidders at the root. Each bidder finds enough GPUs, as no node has
 * more dealt below it than it has. */
static int hand_out(const struct astra_themis_deal *deal,
		    struct astra_themis_auction *out, size_t room)
{
	const struct astra_themis_tree *tree = deal->tree;
	size_t n = tree->game->count, used = 0;
	uint32_t *left = calloc(tree->node_count, sizeof(*left));
	struct pieces *pieces = calloc(n + 1, sizeof(*pieces));
	struct turn *turns = calloc(n + 1, sizeof(*turns));
	struct astra_themis_share *shares = calloc(room + 1, sizeof(*shares));
	int rc = -1;

	if (!left || !pieces || !turns || !shares)
		goto out;
	for (uint32_t v = tree->rack_count + 1; v < tree->node_count; v++) {
		left[v] = tree->nodes[v].free;
	}
	for (uint32_t i = 0; i < n; i++)
		turns[i] = (struct turn){search_turn(deal, i), i};
	qsort(turns, n, sizeof(*turns), later_turn);
	for (size_t k = 0; k < n; k++) {
		uint32_t i = turns[k].bidder;

		if (deal->hands[i].node == ASTRA_THEMIS_NONE)
			continue;
		pieces[i].first = used;
		pieces[i].count = draw_hand(deal, left, i, shares + used);
		used += pieces[i].count;
	}
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
	free(pieces);
	free(turns);
	free(shares);
	return rc;
}

/* Takes back GPUs that make no difference. */
static void search_give_back(struct astra_themis_deal *deal)
{
	for (uint32_t i = 0; i < deal->tree->game->count; i++) {
		const struct astra_themis_hand *hand = &deal->hands[i];

		while (hand->down && hand->loss <= 0.0)
			astra_themis_deal_give(deal, i, hand->node,
					       hand->x - hand->down);
	}
}

/* Inserts all bidders, each at the cost of those before it: in the given order,
 * or in reverse if `number` is odd. Each pair of numbers begins with another
 * bidder. number: from 0 to of - 1. */
static void search_begin(struct astra_themis_deal *deal, size_t number,
			 size_t of)
{
	size_t n = deal->tree->game->count, first = number / 2 * 2 * n / of;

	for (size_t i = 0; i < n; i++) {
		size_t k = first + (number % 2 ? n - 1 - i : i);

		astra_themis_insert(deal, (uint32_t)(k % n));
	}
}

/* Finds the best of several local optima: the greedy one, and those of some
 * orders of the bidders. empty: a deal in which no bidder has anything. */
static void search_solve(struct astra_themis_deal *pf,
			 struct astra_themis_deal *deal,
			 const struct astra_themis_deal *empty)
{
	const struct astra_themis_effort thorough = {
		.width = 4, .trials = 20000, .turns = SIZE_MAX};
	size_t n = pf->tree->game->count;
	size_t starts = search_clamp(64 / n, 2, n < 3 ? n : 2 * n);

	themis_greedy(pf);
	astra_themis_improve(pf, 0, &thorough);
	for (size_t s = 0; s < starts; s++) {
		astra_themis_deal_copy(deal, empty);
		search_begin(deal, s, starts);
		astra_themis_improve(deal, 0, &thorough);
		if (search_better(deal, pf))
			astra_themis_deal_copy(pf, deal);
	}
}

/* Sets own: the scores that are compared with `without`. */
static void search_score(const struct astra_themis_deal *pf,
			 const struct astra_themis_auction *out, double *own)
{
	const struct astra_themis_game *game = pf->tree->game;

	for (size_t i = 0; i < game->count; i++) {
		struct astra_themis_shares won = astra_themis_pf(out, i);

		own[i] = game->bidders[i].bid->app
				 ? pf->hands[i].value
				 : astra_themis_score(game, i, won.share,
						      won.count);
	}
}

int astra_themis_search(struct astra_themis_game *game,
			struct astra_themis_auction *out, size_t room,
			double *own, double *without, struct astra_error *err)
{
	struct astra_themis_tree tree;
	struct astra_themis_deal pf = {0}, deal = {0}, try = {0};
	int rc = -1;

	if (game->count == 0) {
		out->first[0] = 0;
		out->served_bound = 0;
		out->bound = 0.0;
		return 0;
	}
	if (astra_themis_tree_init(&tree, game) ||
	    astra_themis_deal_init(&pf, &tree) ||
	    astra_themis_deal_init(&deal, &tree) ||
	    astra_themis_deal_init(&try, &tree))
		goto out;
	search_solve(&pf, &deal, &try);
	search_price(&pf, &deal, &try, without);
	search_give_back(&pf);
	if (pf.failed || deal.failed || try.failed || hand_out(&pf, out, room))
		goto out;
	search_score(&pf, out, own);
	rc = 0;
	if (!game->unproved)
		rc = astra_themis_bound(&pf, &out->served_bound, &out->bound);
out:
	astra_themis_deal_free(&pf);
	astra_themis_deal_free(&deal);
	astra_themis_deal_free(&try);
	return rc ? astra_error_nomem(err) : 0;
}
