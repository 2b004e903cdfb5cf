/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/solver/moves.h"

#include <math.h>

enum { WIDTH_MAX = 16 };

/* The basis of a turn's estimates: the deal without the bidder. */
struct view {
	struct astra_themis_deal *deal;
	uint32_t bidder;
	double loss;   /* least loss of another bidder if it gives up a GPU */
	double refill; /* what a free GPU is worth to the other bidders */
	double relief; /* what the others gain by each GPU that the bidder
			* leaves at its old node */
	uint32_t from; /* its old node, x and score; node NONE if it had
			* nothing */
	uint32_t from_x;
	double from_value;
	uint64_t since; /* racks that did not change after this time are
			 * skipped */
	double least;	/* what a move must be worth at least */
	/* The best moves so far, the best one first. */
	struct astra_themis_move best[WIDTH_MAX];
	size_t count, width;
};

/* A path to the root: for each node, the GPUs left, and what the other bidders
 * lose by one GPU more. */
struct path {
	int64_t left[3];
	double loss[3];
	size_t count;
};

static double moves_cost_of(const struct path *path, uint32_t x)
{
	double cost = 0.0;

	for (size_t k = 0; k < path->count; k++) {
		int64_t lacking = (int64_t)x - path->left[k];

		if (lacking > 0)
			cost = astra_themis_max(cost, (double)lacking *
							      path->loss[k]);
	}
	return cost;
}

/* Returns the least loss of a bidder below the node if it gives up a GPU. The
 * bidder of the view and the evicted one do not count. Approximate if these two
 * have the least losses. */
static double moves_loss_at(const struct view *view, uint32_t node,
			    uint32_t evicted)
{
	const struct astra_themis_deal *deal = view->deal;
	struct astra_themis_pair pair;
	uint32_t first;

	if (node > deal->tree->rack_count)
		pair = astra_themis_cheapest(deal, node, view->bidder);
	else
		pair = deal->racks[node];
	first = pair.bidder[0];
	return pair.loss[first == evicted || first == view->bidder];
}

static void find_path(const struct view *view, uint32_t node, uint32_t evicted,
		      struct path *path)
{
	const struct astra_themis_deal *deal = view->deal;

	path->count = 0;
	for (uint32_t v = node; v != ASTRA_THEMIS_NONE;
	     v = astra_themis_parent(deal->tree, v)) {
		size_t k = path->count++;

		path->left[k] = deal->left[v];
		path->loss[k] = moves_loss_at(view, v, evicted);
		if (evicted != ASTRA_THEMIS_NONE &&
		    astra_themis_below(&deal->hands[evicted], deal->tree, v))
			path->left[k] += deal->hands[evicted].x;
	}
}

/* Chooses the x that looks best at the node: what is free, then more as long as
 * a step gains more than the other bidders lose. Returns the score of x less
 * that loss. */
static double size_up(const struct astra_themis_curve *curve,
		      const struct path *path, uint32_t *x_best)
{
	int64_t free = curve->room;
	double cost = 0.0;
	uint32_t x;

	for (size_t k = 0; k < path->count; k++)
		if (path->left[k] < free)
			free = path->left[k] > 0 ? path->left[k] : 0;
	x = (uint32_t)free;
	while (curve->up[x]) {
		uint32_t to = x + curve->up[x];
		double more = moves_cost_of(path, to);

		if (!(curve->value[to] - curve->value[x] > more - cost))
			break;
		x = to;
		cost = more;
	}
	*x_best = x;
	return curve->value[x] - cost;
}

static void moves_remember(struct view *view,
			   const struct astra_themis_move *move)
{
	size_t k = view->count;

	if (k == view->width) {
		if (move->worth <= view->best[k - 1].worth)
			return;
		k--;
	} else {
		view->count++;
	}
	for (; k > 0 && view->best[k - 1].worth < move->worth; k--)
		view->best[k] = view->best[k - 1];
	view->best[k] = *move;
}

/* Estimates what the other bidders gain by the GPUs that are left: they may
 * take the free GPUs, and may grow at the bidder's old node. */
static double moves_rest(const struct view *view, uint32_t node, int64_t left)
{
	double worth = view->refill * (double)(left > 0 ? left : 0);

	if (view->from != ASTRA_THEMIS_NONE && node != view->from)
		worth += view->relief * view->from_x;
	return worth;
}

/* Estimates what a bidder loses if it is evicted. It moves to the old node of
 * the view's bidder, or takes as many GPUs elsewhere, or gets nothing. */
static double eviction(const struct view *view, uint32_t evicted)
{
	const struct astra_themis_tree *tree = view->deal->tree;
	const struct astra_themis_hand *hand = &view->deal->hands[evicted];
	double lost = hand->value - tree->game->players[evicted].score[0][0];

	if (view->from != ASTRA_THEMIS_NONE &&
	    astra_themis_allowed(tree, evicted, view->from)) {
		const struct astra_themis_curve *curve =
			astra_themis_curve(tree, evicted, view->from);
		uint32_t x = view->from_x;

		if (x > curve->room)
			x = curve->room;
		lost = astra_themis_min(lost, hand->value - curve->value[x]);
	}
	return astra_themis_min(lost,
				astra_themis_max(0.0, view->loss) * hand->x);
}

static void moves_consider(struct view *view, uint32_t node, uint32_t evicted)
{
	struct astra_themis_move move = {.node = node, .evicted = evicted};
	const struct astra_themis_tree *tree = view->deal->tree;
	struct path path;

	if (view->deal->ideal[tree->nodes[node].kind] <= view->least ||
	    !astra_themis_allowed(tree, view->bidder, node))
		return;
	find_path(view, node, evicted, &path);
	move.worth = size_up(astra_themis_curve(tree, view->bidder, node),
			     &path, &move.x);
	if (move.x == 0)
		return;
	move.worth +=
		moves_rest(view, node, path.left[path.count - 1] - move.x);
	if (evicted != ASTRA_THEMIS_NONE)
		move.worth -= eviction(view, evicted);
	moves_remember(view, &move);
}

/* Whether the rack is unchanged since the bidder found nothing better there. */
static bool moves_known(const struct view *view, uint32_t rack)
{
	return view->deal->stamps[rack] <= view->since;
}

/* Considers the rack and its machines. Of equal idle machines only one is
 * considered. */
static void consider_rack(struct view *view, uint32_t rack)
{
	const struct astra_themis_deal *deal = view->deal;
	const struct astra_themis_tree *tree = deal->tree;
	uint32_t run = ASTRA_THEMIS_NONE;

	moves_consider(view, rack, ASTRA_THEMIS_NONE);
	if (tree->game->players[view->bidder].spread != ASTRA_LEVEL_SLOT)
		return; /* a machine other than its home is not allowed */
	for (uint32_t v = tree->begin[rack]; v < tree->begin[rack + 1]; v++) {
		if (deal->first[v] == ASTRA_THEMIS_NONE) {
			if (tree->nodes[v].run == run)
				continue;
			run = tree->nodes[v].run;
		}
		moves_consider(view, v, ASTRA_THEMIS_NONE);
	}
}

static void consider_nodes(struct view *view)
{
	const struct astra_themis_tree *tree = view->deal->tree;
	uint32_t home = tree->home_machine[view->bidder];

	if (tree->node_count > 1)
		moves_consider(view, 0, ASTRA_THEMIS_NONE);
	for (uint32_t r = 1; r <= tree->rack_count; r++)
		if (!moves_known(view, r))
			consider_rack(view, r);
	if (home != ASTRA_THEMIS_NONE &&
	    !moves_known(view, astra_themis_parent(tree, home)))
		moves_consider(view, home, ASTRA_THEMIS_NONE);
}

/* Considers evictions from the root and from machines. Bidders at racks are not
 * evicted, as they can be shrunk. */
static void consider_evictions(struct view *view)
{
	const struct astra_themis_deal *deal = view->deal;

	for (uint32_t j = 0; j < deal->tree->game->count; j++) {
		const struct astra_themis_hand *hand = &deal->hands[j];

		if (j == view->bidder || hand->node == ASTRA_THEMIS_NONE)
			continue;
		if (hand->node == 0)
			moves_consider(view, 0, j);
		if (hand->rack == ASTRA_THEMIS_NONE ||
		    moves_known(view, hand->rack))
			continue;
		if (hand->machine != ASTRA_THEMIS_NONE)
			moves_consider(view, hand->machine, j);
	}
}

/* Sets what the other bidders lose and gain while this bidder has nothing. */
static void find_losses(struct view *view)
{
	struct astra_themis_deal *deal = view->deal;
	double gain = 0.0;

	view->loss = moves_loss_at(view, 0, ASTRA_THEMIS_NONE);
	for (uint32_t j = 0; j < deal->tree->game->count; j++) {
		const struct astra_themis_hand *hand = &deal->hands[j];

		if (hand->gain <= gain || j == view->bidder)
			continue;
		if ((hand->machine == ASTRA_THEMIS_NONE ||
		     deal->left[hand->machine] > 0) &&
		    (hand->rack == ASTRA_THEMIS_NONE ||
		     deal->left[hand->rack] > 0))
			gain = hand->gain;
	}
	view->refill = gain;
	view->relief = 0.0;
	if (isfinite(view->loss))
		view->relief = 0.5 * astra_themis_max(0.0, gain - view->loss);
}

/* Sets an upper bound for each kind of node, as if all GPUs were at one node.
 * Kinds whose bound is too low are skipped. */
static void find_ideals(struct view *view)
{
	const struct astra_themis_deal *deal = view->deal;
	const struct astra_themis_tree *tree = deal->tree;
	const struct path path = {
		.left = {deal->left[0]},
		.loss = {view->loss},
		.count = 1,
	};

	for (uint32_t kind = 0; kind < tree->kind_count; kind++) {
		const struct astra_themis_curve *curve =
			&tree->curves[view->bidder * tree->kind_count + kind];
		uint32_t x;

		deal->ideal[kind] = size_up(curve, &path, &x);
		deal->ideal[kind] +=
			moves_rest(view, ASTRA_THEMIS_NONE, deal->left[0] - x);
	}
}

static void view_init(struct view *view, struct astra_themis_deal *deal,
		      uint32_t i, size_t width)
{
	view->deal = deal;
	view->bidder = i;
	view->count = 0;
	view->width = width < WIDTH_MAX ? width : WIDTH_MAX;
	view->from = deal->hands[i].node;
	view->from_x = deal->hands[i].x;
	view->from_value = deal->hands[i].value;
	view->since = 0;
	if (deal->hands[i].changed <= deal->hands[i].turned)
		view->since = deal->hands[i].turned;
}

void astra_themis_insert(struct astra_themis_deal *deal, uint32_t i)
{
	struct astra_themis_mark mark = astra_themis_mark(deal);
	struct view view;

	astra_themis_find_cheapest(deal);
	view_init(&view, deal, i, 1);
	view.since = 0;
	find_losses(&view);
	view.least = -HUGE_VAL;
	find_ideals(&view);
	consider_nodes(&view);
	if (view.count == 0)
		return;
	astra_themis_deal_give(deal, i, view.best[0].node, view.best[0].x);
	if (!astra_themis_repair(deal, deal->hands[i].node, ASTRA_THEMIS_NONE))
		astra_themis_deal_undo(deal, &mark);
}

static bool moves_try(struct astra_themis_deal *deal, uint32_t i,
		      const struct astra_themis_move *move)
{
	struct astra_themis_mark mark = astra_themis_mark(deal);

	if (move->evicted != ASTRA_THEMIS_NONE)
		astra_themis_deal_give(deal, move->evicted, ASTRA_THEMIS_NONE,
				       0);
	astra_themis_deal_give(deal, i, move->node, move->x);
	if (astra_themis_repair(deal, deal->hands[i].node, ASTRA_THEMIS_NONE)) {
		if (move->evicted != ASTRA_THEMIS_NONE)
			astra_themis_insert(deal, move->evicted);
		astra_themis_settle(deal);
		if (astra_themis_won(deal, &mark) > 10 * ASTRA_THEMIS_GAIN) {
			astra_themis_deal_keep(deal, &mark);
			return true;
		}
	}
	astra_themis_deal_undo(deal, &mark);
	return false;
}

/* Gives the bidder a turn. Returns whether it improved the score. */
static bool moves_take_turn(struct astra_themis_deal *deal, uint32_t i,
			    size_t width, size_t *trials)
{
	struct astra_themis_mark mark = astra_themis_mark(deal);
	struct view view;

	astra_themis_find_cheapest(deal);
	view_init(&view, deal, i, width);
	astra_themis_deal_give(deal, i, ASTRA_THEMIS_NONE, 0);
	find_losses(&view);
	view.least = view.from_value +
		     moves_rest(&view, view.from, deal->left[0] - view.from_x) +
		     ASTRA_THEMIS_GAIN;
	find_ideals(&view);
	consider_nodes(&view);
	consider_evictions(&view);
	astra_themis_deal_undo(deal, &mark);
	deal->fresh = true; /* nothing has changed */
	for (size_t k = 0; k < view.count; k++) {
		if (*trials == 0 || view.best[k].worth <= view.least)
			break;
		--*trials;
		if (moves_try(deal, i, &view.best[k]))
			return true;
	}
	deal->hands[i].turned = deal->clock;
	return false;
}

void astra_themis_improve(struct astra_themis_deal *deal, uint32_t first,
			  const struct astra_themis_effort *effort)
{
	size_t count = deal->tree->game->count, idle = 0, turns = effort->turns;
	size_t trials = effort->trials;

	astra_themis_settle(deal);
	astra_themis_deal_keep(deal, &(struct astra_themis_mark){0});
	deal->steps = 0;
	for (uint32_t i = first; idle < count && turns > 0 && trials > 0;
	     i = (i + 1) % (uint32_t)count) {
		idle++;
		if (deal->failed)
			return;
		if (deal->hands[i].absent)
			continue;
		turns--;
		if (moves_take_turn(deal, i, effort->width, &trials))
			idle = 0;
		deal->steps = 0;
	}
}
