/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Upper bounds by Lagrangian relaxation of the nodes' capacities.
 *
 * Let each node v of the tree have a price p_v >= 0, and let a bundle (v, x)
 * cost x times the prices on v's path to the root. In a deal of bundles (v_i,
 * x_i) no node has more dealt below it than its free GPUs, so the bundles cost
 * at most sum_v p_v free_v. Therefore
 *
 *   sum_i log V_i <= sum_v p_v free_v + sum_i max over bundles of
 *                    (log V_i(bundle) - its cost)
 *
 * for any prices (weak duality). A bundle belongs to the lowest node that has
 * all of its GPUs and all that the bidder holds, with the exact level there, so
 * the maximum covers every possible deal. Rounding errors are 1e-13 of the
 * sums; a margin of 1e-11 is added.
 *
 * If all bidders that can be served are served, the maximum is over bundles
 * that serve: other deals that serve as many serve the same bidders. Otherwise
 * - with 1 instead of log V for a bundle that serves, and 0 for none, the same
 *   bounds the number served;
 * - with log V + m, m >= 0, for a bundle that serves and 0 for none, sum log V
 *   of deals that serve at least s is at most the bound less m s.
 *
 * Prices (and m) go down the subgradient in steps of Polyak's length, with the
 * deal's own value for the unknown optimum, each scaled by its capacity.
 */
#include "src/policies/themis/solver/bound.h"

#include <math.h>
#include <string.h>

#include "src/policies/themis/solver/prices.h"

enum { ROUNDS = 600, PATIENCE = 15 };
#define INERTIA 0.7

/* A bound of the sum of weight * log V + bonus over the bidders served. */
struct dual {
	struct astra_themis_prices prices;
	const struct astra_themis_deal *deal;
	double weight, bonus;
	bool must;     /* all bidders that can be served are served */
	double want;   /* the least number served; each one more gets the
			* bonus */
	double served; /* number of bidders served at the last value */
	double target; /* value of the deal */
	double best;
	double *best_prices;
	double best_bonus;
};

struct choice {
	double worth;
	uint32_t class, x; /* NONE: the bidder keeps what it holds, if
			    * anything */
	bool served;
};

static void bound_look_at(const struct dual *dual, const double *score,
			  const double *cost, const uint32_t *from,
			  uint32_t room, struct choice *choice)
{
	double unit = dual->deal->tree->game->unit;

	for (uint32_t x = 1; x <= room; x++) {
		double worth = dual->weight * (score[x] - unit) + dual->bonus -
			       cost[x];

		if (worth > choice->worth && score[x] > 0.0) {
			*choice = (struct choice){.worth = worth,
						  .class = from[x],
						  .x = x,
						  .served = true};
		}
	}
}

/* Compares the choice so far with the bundles at the bidder's home, whose class
 * has a single price, and keeps the best. */
static void look_at_home(const struct dual *dual, const double *score,
			 uint32_t home, uint32_t room, struct choice *choice)
{
	const struct astra_themis_tree *tree = dual->deal->tree;
	uint32_t c = dual->prices.of[home];
	double unit = tree->game->unit, price = dual->prices.classes[c].full;

	if (room > tree->nodes[home].free)
		room = tree->nodes[home].free;
	for (uint32_t x = 1; x <= room; x++) {
		double worth = dual->weight * (score[x] - unit) + dual->bonus -
			       price * x;

		if (worth > choice->worth && score[x] > 0.0)
			*choice = (struct choice){.worth = worth,
						  .class = c,
						  .x = x,
						  .served = true};
	}
}

/* Compares the choice so far with the bundles on machines of each kind, and
 * keeps the best. */
static void look_at_machines(const struct dual *dual, uint32_t i,
			     struct choice *choice)
{
	const struct astra_themis_tree *tree = dual->deal->tree;

	for (uint32_t kind = ASTRA_THEMIS_MACHINE_KINDS;
	     kind < tree->kind_count; kind++) {
		const struct astra_themis_offer *offer =
			&dual->prices.offers[kind];
		const struct astra_themis_curve *curve =
			&tree->curves[i * tree->kind_count + kind];

		bound_look_at(dual, curve->value, offer->cost, offer->from,
			      curve->room, choice);
	}
}

static uint32_t bound_least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Returns the bidder's best bundle at the prices. */
static struct choice respond(const struct dual *dual, uint32_t i)
{
	const struct astra_themis_tree *tree = dual->deal->tree;
	const struct astra_themis_player *player = &tree->game->players[i];
	const struct astra_themis_offer *offers = dual->prices.offers;
	const struct astra_themis_offer *root = &offers[ASTRA_THEMIS_ROOT_KIND];
	const struct astra_themis_offer *rack = &offers[ASTRA_THEMIS_RACK_KIND];
	double base = player->score[0][0];
	struct choice choice = {.class = ASTRA_THEMIS_NONE};

	if (dual->must)
		choice.worth = -INFINITY;
	if (base > 0.0) {
		choice.served = true;
		choice.worth =
			dual->weight * (base - tree->game->unit) + dual->bonus;
	}
	if (player->most) { /* no node costs less than the root */
		bound_look_at(dual, player->most, root->cost, root->from,
			      player->room, &choice);
		return choice;
	}
	bound_look_at(dual, player->score[ASTRA_LEVEL_CROSS], root->cost,
		      root->from, player->room, &choice);
	if (player->spread == ASTRA_LEVEL_SLOT) {
		bound_look_at(dual, player->score[ASTRA_LEVEL_RACK], rack->cost,
			      rack->from, bound_least(player->room, rack->room),
			      &choice);
		look_at_machines(dual, i, &choice);
		return choice;
	}
	if (tree->home_rack[i] != ASTRA_THEMIS_NONE)
		look_at_home(dual, player->score[ASTRA_LEVEL_RACK],
			     tree->home_rack[i], player->room, &choice);
	if (tree->home_machine[i] != ASTRA_THEMIS_NONE) {
		const struct astra_themis_curve *curve =
			astra_themis_curve(tree, i, tree->home_machine[i]);

		look_at_home(dual, curve->value, tree->home_machine[i],
			     curve->room, &choice);
	}
	return choice;
}

/* Returns the bound at the prices. Sets how many GPUs of each class bidders
 * want. */
static double bound_value_of(struct dual *dual)
{
	struct astra_themis_prices *prices = &dual->prices;
	double value = -dual->want * dual->bonus, sizes = -value;

	astra_themis_prices_offer(prices);
	dual->served = 0.0;
	for (uint32_t g = 0; g < prices->group_count; g++)
		value += prices->groups[g].price * prices->groups[g].free;
	sizes += value;
	for (uint32_t c = 0; c < prices->count; c++)
		prices->classes[c].used = 0.0;
	for (uint32_t i = 0; i < dual->deal->tree->game->count; i++) {
		struct choice choice = respond(dual, i);

		if (isinf(choice.worth))
			continue; /* it cannot be served */
		value += choice.worth;
		sizes += fabs(choice.worth);
		dual->served += choice.served;
		for (uint32_t c = choice.class; c != ASTRA_THEMIS_NONE;
		     c = prices->classes[c].parent)
			prices->classes[c].used += choice.x;
	}
	return value + 1e-13 * sizes;
}

static void bound_save(struct dual *dual, double value)
{
	dual->best = value;
	dual->best_bonus = dual->bonus;
	for (uint32_t g = 0; g < dual->prices.group_count; g++)
		dual->best_prices[g] = dual->prices.groups[g].price;
}

static void go_back(struct dual *dual)
{
	dual->bonus = dual->best_bonus;
	for (uint32_t g = 0; g < dual->prices.group_count; g++)
		dual->prices.groups[g].price = dual->best_prices[g];
}

/* Updates the direction, a moving mean of the subgradients. Returns the sum of
 * its squared parts, each divided by its capacity. */
static double turn(struct dual *dual)
{
	struct astra_themis_prices *prices = &dual->prices;
	double more = dual->served - dual->want, norm = 0.0;

	for (uint32_t g = 0; g < prices->group_count; g++) {
		struct astra_themis_group *group = &prices->groups[g];

		group->over =
			INERTIA * group->over - (1.0 - INERTIA) * group->free;
	}
	for (uint32_t c = 0; c < prices->count; c++)
		prices->groups[prices->classes[c].group].over +=
			(1.0 - INERTIA) * prices->classes[c].used;
	for (uint32_t g = 0; g < prices->group_count; g++) {
		const struct astra_themis_group *group = &prices->groups[g];

		if (group->over > 0.0 || group->price > 0.0)
			norm += group->over * group->over / group->free;
	}
	if (dual->want > 0.0)
		norm += more * more / dual->want;
	return norm;
}

/* Takes a step. length: by how much the bound should fall. */
static void step(struct dual *dual, double length)
{
	struct astra_themis_prices *prices = &dual->prices;
	double norm = turn(dual), most = dual->deal->tree->game->unit;

	if (norm == 0.0)
		return;
	length /= norm;
	for (uint32_t g = 0; g < prices->group_count; g++) {
		struct astra_themis_group *group = &prices->groups[g];

		group->price += length * group->over / group->free;
		group->price = astra_themis_min(
			astra_themis_max(0.0, group->price), most);
	}
	if (dual->want > 0.0)
		dual->bonus = astra_themis_max(
			0.0, dual->bonus - length *
						   (dual->served - dual->want) /
						   dual->want);
}

/* Takes steps until the bound is within `enough` of the target, or the steps
 * get short. */
static void descend(struct dual *dual, double enough)
{
	double theta = 1.0;
	int idle = 0;

	bound_save(dual, bound_value_of(dual));
	for (int round = 0; round < ROUNDS && theta > 1e-3; round++) {
		double value = bound_value_of(dual), fall = dual->best - value;

		if (fall > 0.01 * (dual->best - dual->target))
			idle = 0;
		if (fall > 0.0)
			bound_save(dual, value);
		if (dual->best - dual->target <= enough)
			break;
		if (++idle > PATIENCE) {
			idle = 0;
			theta /= 2;
			go_back(dual);
			value = bound_value_of(dual);
		}
		step(dual, theta * (value - dual->target));
	}
	go_back(dual);
}

/* Descends three times. The first two times there are few prices, which soon
 * gives nearly as good a bound. */
static void descend_thrice(struct dual *dual, double enough)
{
	struct astra_themis_prices *prices = &dual->prices;

	memset(prices->groups, 0, prices->count * sizeof(*prices->groups));
	astra_themis_prices_few(prices, false);
	descend(dual, enough);
	astra_themis_prices_few(prices, true);
	descend(dual, enough);
	astra_themis_prices_all(prices);
	descend(dual, enough);
}

/* Returns how many bidders could be served if each were alone. */
static size_t count_possible(struct dual *dual)
{
	size_t count = 0;

	astra_themis_prices_few(&dual->prices, false);
	astra_themis_prices_offer(&dual->prices);
	for (uint32_t i = 0; i < dual->deal->tree->game->count; i++)
		count += respond(dual, i).served;
	return count;
}

static void bound_served(struct dual *dual, size_t *served)
{
	dual->weight = 0.0;
	dual->bonus = 1.0;
	dual->target = (double)*served;
	descend_thrice(dual, 1.0 - 1e-6);
	*served = (size_t)astra_themis_max(dual->target,
					   floor(dual->best + 1e-9));
}

int astra_themis_bound(const struct astra_themis_deal *deal, size_t *served,
		       double *log_product)
{
	struct dual dual = {.deal = deal, .must = true, .weight = 1.0};
	size_t possible, have = (size_t)deal->served;

	if (astra_themis_prices_init(&dual.prices, deal->tree))
		return -1;
	dual.best_prices =
		astra_arena_take(&deal->tree->game->arena,
				 (dual.prices.count + 1) * sizeof(double));
	if (!dual.best_prices)
		return -1;
	possible = count_possible(&dual);
	*served = have;
	if (possible > have) {
		dual.must = false;
		bound_served(&dual, served);
		dual.weight = 1.0;
		dual.bonus = 0.0;
		dual.want = (double)have;
	}
	dual.target = deal->sum;
	descend_thrice(&dual, 1e-5 * (double)(have + 1));
	*log_product = astra_themis_max(deal->sum, dual.best);
	return 0;
}
