/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/solver/tree.h"

#include <math.h>
#include <stdlib.h>

struct place {
	struct astra_themis_machine is;
	uint32_t machine;
};

static int tree_before(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

/* Compares places by rack, slot and free GPUs, so that equal machines of a rack
 * are next to each other. */
static int tree_compare_places(const void *a, const void *b)
{
	const struct place *p = a, *q = b;
	int order = tree_before(p->is.rack, q->is.rack);

	if (!order)
		order = tree_before(p->is.slot, q->is.slot);
	if (!order)
		order = tree_before(q->is.free, p->is.free);
	return order ? order : tree_before(p->machine, q->machine);
}

static int compare_slots(const void *a, const void *b)
{
	return tree_before(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Lists the machines with free GPUs. A slot is cut to the most GPUs that a
 * bidder can have on a machine, which makes no difference. */
static size_t tree_list_places(const struct astra_themis_game *game,
			       struct place *places)
{
	uint32_t most = 0, held = 0;
	size_t count = 0;

	for (size_t i = 0; i < game->count; i++)
		if (game->players[i].machine != ASTRA_THEMIS_NONE &&
		    game->players[i].held > held)
			held = game->players[i].held;
	for (size_t m = 0; m < game->machine_count; m++)
		if (game->machines[m].free > most)
			most = game->machines[m].free;
	for (size_t m = 0; m < game->machine_count; m++) {
		struct place *p = &places[count];

		p->is = game->machines[m];
		p->machine = (uint32_t)m;
		if (p->is.slot > most + held)
			p->is.slot = most + held;
		count += p->is.free > 0;
	}
	qsort(places, count, sizeof(*places), tree_compare_places);
	return count;
}

/* Lists the distinct slots in ascending order. Returns their number. */
static uint32_t list_slots(const struct place *places, size_t count,
			   uint32_t *slots)
{
	uint32_t unlike = 0;

	for (size_t k = 0; k < count; k++)
		slots[k] = places[k].is.slot;
	qsort(slots, count, sizeof(*slots), compare_slots);
	for (size_t k = 0; k < count; k++)
		if (unlike == 0 || slots[unlike - 1] != slots[k])
			slots[unlike++] = slots[k];
	return unlike;
}

static uint32_t slot_kind(const uint32_t *slots, uint32_t count, uint32_t slot)
{
	const uint32_t *found =
		bsearch(&slot, slots, count, sizeof(*slots), compare_slots);

	return ASTRA_THEMIS_MACHINE_KINDS + (uint32_t)(found - slots);
}

/* Makes the root, and room for the other nodes. */
static int make_nodes(struct astra_themis_tree *tree,
		      const struct place *places, size_t count)
{
	struct astra_arena *arena = &tree->game->arena;

	for (size_t k = 0; k < count; k++)
		tree->rack_count +=
			k == 0 || places[k].is.rack != places[k - 1].is.rack;
	tree->node_count = 1 + tree->rack_count + (uint32_t)count;
	tree->nodes = astra_arena_take(arena,
				       tree->node_count * sizeof(*tree->nodes));
	tree->begin = astra_arena_take(arena, ((size_t)tree->rack_count + 2) *
						      sizeof(*tree->begin));
	if (!tree->nodes || !tree->begin)
		return -1;
	tree->begin[tree->rack_count + 1] = tree->node_count;
	tree->nodes[0] = (struct astra_themis_node){
		.parent = ASTRA_THEMIS_NONE,
		.machine = ASTRA_THEMIS_NONE,
		.free = tree->game->free,
	};
	return 0;
}

static bool equals(const struct astra_themis_node *a,
		   const struct astra_themis_node *b)
{
	return a->parent == b->parent && a->kind == b->kind &&
	       a->free == b->free;
}

static int build_nodes(struct astra_themis_tree *tree,
		       const struct place *places, size_t count,
		       const uint32_t *slots, uint32_t slot_count)
{
	struct astra_themis_node *nodes;
	uint32_t rack = 0, at;

	if (make_nodes(tree, places, count))
		return -1;
	nodes = tree->nodes;
	at = 1 + tree->rack_count;
	for (size_t k = 0; k < count; k++, at++) {
		const struct place *p = &places[k];

		if (k == 0 || p->is.rack != places[k - 1].is.rack) {
			nodes[++rack] = (struct astra_themis_node){
				.kind = ASTRA_THEMIS_RACK_KIND,
				.machine = ASTRA_THEMIS_NONE,
			};
			tree->begin[rack] = at;
		}
		nodes[rack].free += p->is.free;
		nodes[at] = (struct astra_themis_node){
			.parent = rack,
			.kind = slot_kind(slots, slot_count, p->is.slot),
			.free = p->is.free,
			.machine = p->machine,
			.run = at,
		};
		if (at > tree->begin[rack] &&
		    equals(&nodes[at], &nodes[at - 1]))
			nodes[at].run = nodes[at - 1].run;
	}
	return 0;
}

static double tree_slope(const double *value, uint32_t from, uint32_t to)
{
	return (value[to] - value[from]) / (double)(to - from);
}

/* Finds for each x its steps along the upper hull of the points: `up` to the
 * right of x, and `down` to the left. */
static void find_steps(const double *value, uint32_t room, uint32_t *up,
		       uint32_t *down)
{
	up[room] = down[0] = 0;
	for (uint32_t x = room; x-- > 0;) {
		uint32_t to = x + 1;

		while (up[to] && tree_slope(value, to, to + up[to]) >
					 tree_slope(value, x, to))
			to += up[to];
		up[x] = to - x;
	}
	for (uint32_t x = 1; x <= room; x++) {
		uint32_t to = x - 1;

		while (down[to] && tree_slope(value, to - down[to], to) <
					   tree_slope(value, to, x))
			to -= down[to];
		down[x] = x - to;
	}
}

/* Returns a lower bound of the score of x GPUs at a node of this kind. The GPUs
 * may turn out to be closer together, which some apps like less. */
static double value_at(const struct astra_themis_player *player, uint32_t kind,
		       uint32_t slot, uint32_t x)
{
	int level = ASTRA_LEVEL_MACHINE;
	double value;

	if (kind >= ASTRA_THEMIS_MACHINE_KINDS) {
		if (x + player->held <= slot)
			level = ASTRA_LEVEL_SLOT;
		return player->score[level][x];
	}
	level = kind == ASTRA_THEMIS_ROOT_KIND ? ASTRA_LEVEL_CROSS
					       : ASTRA_LEVEL_RACK;
	value = player->score[level][x];
	while (level-- > (int)player->level)
		value = astra_themis_min(value, player->score[level][x]);
	return value;
}

static int build_curve(struct astra_themis_tree *tree, size_t i, uint32_t kind,
		       uint32_t slot, uint32_t room)
{
	uint32_t quantum = tree->game->bidders[i].quantum;
	const struct astra_themis_player *player = &tree->game->players[i];
	size_t cells = (size_t)room + 1;
	double *value =
		astra_arena_take(&tree->game->arena, cells * sizeof(*value));
	uint32_t *up =
		astra_arena_take(&tree->game->arena, cells * sizeof(*up));
	uint32_t *down =
		astra_arena_take(&tree->game->arena, cells * sizeof(*down));

	if (!value || !up || !down)
		return -1;
	for (uint32_t x = 0; x <= room; x++)
		value[x] = value_at(player, kind, slot, x - x % quantum);
	find_steps(value, room, up, down);
	tree->curves[i * tree->kind_count + kind] = (struct astra_themis_curve){
		.value = value, .up = up, .down = down, .room = room};
	return 0;
}

static uint32_t tree_least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static int build_curves(struct astra_themis_tree *tree, const uint32_t *slots)
{
	struct astra_themis_game *game = tree->game;
	uint32_t *room = astra_arena_take(&game->arena,
					  tree->kind_count * sizeof(*room));

	tree->curves = astra_arena_take(&game->arena,
					(game->count * tree->kind_count + 1) *
						sizeof(*tree->curves));
	if (!room || !tree->curves)
		return -1;
	for (uint32_t v = 0; v < tree->node_count; v++)
		if (tree->nodes[v].free > room[tree->nodes[v].kind])
			room[tree->nodes[v].kind] = tree->nodes[v].free;
	for (size_t i = 0; i < game->count; i++)
		for (uint32_t kind = 0; kind < tree->kind_count; kind++)
			if (build_curve(
				    tree, i, kind,
				    kind < ASTRA_THEMIS_MACHINE_KINDS
					    ? 0
					    : slots[kind -
						    ASTRA_THEMIS_MACHINE_KINDS],
				    tree_least(game->players[i].room,
					       room[kind])))
				return -1;
	return 0;
}

/* Finds the nodes of the machines and racks on which bidders hold GPUs. */
static int find_homes(struct astra_themis_tree *tree)
{
	struct astra_themis_game *game = tree->game;
	size_t bytes = (game->count + 1) * sizeof(uint32_t);

	tree->home_machine = astra_arena_take(&game->arena, bytes);
	tree->home_rack = astra_arena_take(&game->arena, bytes);
	if (!tree->home_machine || !tree->home_rack)
		return -1;
	for (size_t i = 0; i < game->count; i++) {
		const struct astra_themis_player *player = &game->players[i];

		tree->home_machine[i] = tree->home_rack[i] = ASTRA_THEMIS_NONE;
		for (uint32_t v = tree->rack_count + 1;
		     player->rack != ASTRA_THEMIS_NONE && v < tree->node_count;
		     v++) {
			const struct astra_themis_node *node = &tree->nodes[v];

			if (game->machines[node->machine].rack == player->rack)
				tree->home_rack[i] = node->parent;
			if (node->machine == player->machine)
				tree->home_machine[i] = v;
		}
	}
	return 0;
}

int astra_themis_tree_init(struct astra_themis_tree *tree,
			   struct astra_themis_game *game)
{
	size_t count = game->machine_count + 1;
	struct place *places = calloc(count, sizeof(*places));
	uint32_t *slots = calloc(count, sizeof(*slots));
	int rc = -1;

	*tree = (struct astra_themis_tree){.game = game};
	if (places && slots) {
		uint32_t unlike;

		count = tree_list_places(game, places);
		unlike = list_slots(places, count, slots);
		tree->kind_count = ASTRA_THEMIS_MACHINE_KINDS + unlike;
		if (!build_nodes(tree, places, count, slots, unlike) &&
		    !build_curves(tree, slots) && !find_homes(tree))
			rc = 0;
	}
	free(places);
	free(slots);
	return rc;
}
