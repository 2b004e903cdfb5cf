/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/solver/prices.h"

#include <math.h>

static bool alike(const struct astra_themis_tree *tree, uint32_t v, uint32_t w)
{
	return tree->nodes[v].kind == tree->nodes[w].kind &&
	       tree->nodes[v].free == tree->nodes[w].free;
}

/* Whether two racks have the same machines. */
static bool racks_alike(const struct astra_themis_tree *tree, uint32_t a,
			uint32_t b)
{
	const uint32_t *begin = tree->begin;
	uint32_t count = begin[a + 1] - begin[a];

	if (!alike(tree, a, b) || count != begin[b + 1] - begin[b])
		return false;
	for (uint32_t k = 0; k < count; k++)
		if (!alike(tree, begin[a] + k, begin[b] + k))
			return false;
	return true;
}

static uint32_t prices_add_class(struct astra_themis_prices *prices,
				 uint32_t node)
{
	const struct astra_themis_node *is = &prices->tree->nodes[node];

	prices->classes[prices->count] = (struct astra_themis_class){
		.parent = is->parent == ASTRA_THEMIS_NONE
				  ? ASTRA_THEMIS_NONE
				  : prices->of[is->parent],
		.kind = is->kind,
		.each = is->free,
	};
	return prices->count++;
}

static void classify_machines(struct astra_themis_prices *prices,
			      const bool *home, uint32_t first, uint32_t last)
{
	const struct astra_themis_tree *tree = prices->tree;
	uint32_t run = ASTRA_THEMIS_NONE, class = 0;

	for (uint32_t v = first; v < last; v++) {
		if (home[v]) {
			prices->of[v] = prices_add_class(prices, v);
			continue;
		}
		if (tree->nodes[v].run != run)
			class = prices_add_class(prices, v);
		run = tree->nodes[v].run;
		prices->of[v] = class;
	}
}

/* Sorts nodes into classes. Equal racks share classes unless a bidder holds
 * GPUs there. */
static void prices_classify(struct astra_themis_prices *prices,
			    const bool *home)
{
	const struct astra_themis_tree *tree = prices->tree;
	const uint32_t *begin = tree->begin;

	prices->of[0] = prices_add_class(prices, 0);
	for (uint32_t r = 1; r <= tree->rack_count; r++) {
		uint32_t like = 1;

		while (like < r &&
		       (home[r] || home[like] || !racks_alike(tree, r, like)))
			like++;
		if (like < r) {
			uint32_t shift = begin[r] - begin[like];

			prices->of[r] = prices->of[like];
			for (uint32_t v = begin[r]; v < begin[r + 1]; v++)
				prices->of[v] = prices->of[v - shift];
			continue;
		}
		prices->of[r] = prices_add_class(prices, r);
		classify_machines(prices, home, begin[r], begin[r + 1]);
	}
	for (uint32_t v = 0; v < tree->node_count; v++)
		prices->classes[prices->of[v]].free += tree->nodes[v].free;
}

static int prices_make_offers(struct astra_themis_prices *prices)
{
	const struct astra_themis_tree *tree = prices->tree;
	struct astra_arena *arena = &tree->game->arena;

	prices->offers = astra_arena_take(
		arena, tree->kind_count * sizeof(*prices->offers));
	if (!prices->offers)
		return -1;
	for (uint32_t v = 0; v < tree->node_count; v++) {
		struct astra_themis_offer *offer =
			&prices->offers[tree->nodes[v].kind];

		if (tree->nodes[v].free > offer->room)
			offer->room = tree->nodes[v].free;
	}
	for (uint32_t kind = 0; kind < tree->kind_count; kind++) {
		struct astra_themis_offer *offer = &prices->offers[kind];
		size_t cells = (size_t)offer->room + 1;

		offer->from =
			astra_arena_take(arena, cells * sizeof(*offer->from));
		offer->cost =
			astra_arena_take(arena, cells * sizeof(*offer->cost));
		if (!offer->from || !offer->cost)
			return -1;
	}
	return 0;
}

int astra_themis_prices_init(struct astra_themis_prices *prices,
			     const struct astra_themis_tree *tree)
{
	struct astra_arena *arena = &tree->game->arena;
	size_t nodes = tree->node_count;
	bool *home = astra_arena_take(arena, nodes * sizeof(*home));

	*prices = (struct astra_themis_prices){
		.tree = tree,
		.classes = astra_arena_take(arena,
					    nodes * sizeof(*prices->classes)),
		.groups = astra_arena_take(arena,
					   nodes * sizeof(*prices->groups)),
		.of = astra_arena_take(arena, nodes * sizeof(*prices->of)),
	};
	if (!home || !prices->classes || !prices->groups || !prices->of ||
	    prices_make_offers(prices))
		return -1;
	for (size_t i = 0; i < tree->game->count; i++) {
		if (tree->home_machine[i] != ASTRA_THEMIS_NONE)
			home[tree->home_machine[i]] = true;
		if (tree->home_rack[i] != ASTRA_THEMIS_NONE)
			home[tree->home_rack[i]] = true;
	}
	prices_classify(prices, home);
	return 0;
}

static void clear_offers(struct astra_themis_prices *prices)
{
	for (uint32_t kind = 0; kind < prices->tree->kind_count; kind++) {
		struct astra_themis_offer *offer = &prices->offers[kind];

		for (uint32_t x = 0; x <= offer->room; x++) {
			offer->from[x] = ASTRA_THEMIS_NONE;
			offer->cost[x] = INFINITY;
		}
	}
}

void astra_themis_prices_offer(struct astra_themis_prices *prices)
{
	clear_offers(prices);
	for (uint32_t c = 0; c < prices->count; c++) {
		struct astra_themis_class *class = &prices->classes[c];
		struct astra_themis_offer *offer = &prices->offers[class->kind];

		class->full = prices->groups[class->group].price;
		if (class->parent != ASTRA_THEMIS_NONE)
			class->full += prices->classes[class->parent].full;
		if (class->full < offer->cost[class->each]) {
			offer->cost[class->each] = class->full;
			offer->from[class->each] = c;
		}
	}
	for (uint32_t kind = 0; kind < prices->tree->kind_count; kind++) {
		struct astra_themis_offer *offer = &prices->offers[kind];

		for (uint32_t x = offer->room; x-- > 0;)
			if (offer->cost[x + 1] < offer->cost[x]) {
				offer->cost[x] = offer->cost[x + 1];
				offer->from[x] = offer->from[x + 1];
			}
		for (uint32_t x = 1; x <= offer->room; x++)
			offer->cost[x] *= x;
	}
}

/* Saves the price of each class in `full`. */
static void keep_prices(struct astra_themis_prices *prices)
{
	for (uint32_t c = 0; c < prices->count; c++)
		prices->classes[c].full =
			prices->groups[prices->classes[c].group].price;
}

static void join_group(struct astra_themis_prices *prices, uint32_t c,
		       uint32_t group)
{
	struct astra_themis_class *class = &prices->classes[c];

	if (group == prices->group_count)
		prices->groups[prices->group_count++] =
			(struct astra_themis_group){.price = class->full};
	class->group = group;
	prices->groups[group].free += class->free;
}

void astra_themis_prices_few(struct astra_themis_prices *prices, bool by_size)
{
	keep_prices(prices);
	clear_offers(prices);
	prices->group_count = 0;
	for (uint32_t c = 0; c < prices->count; c++) {
		const struct astra_themis_class *class = &prices->classes[c];
		bool machine = class->kind >= ASTRA_THEMIS_MACHINE_KINDS;
		uint32_t *group =
			&prices->offers[class->kind]
				 .from[machine && by_size ? class->each : 0];

		if (*group == ASTRA_THEMIS_NONE)
			*group = prices->group_count;
		join_group(prices, c, *group);
	}
}

void astra_themis_prices_all(struct astra_themis_prices *prices)
{
	keep_prices(prices);
	prices->group_count = 0;
	for (uint32_t c = 0; c < prices->count; c++)
		join_group(prices, c, c);
}
