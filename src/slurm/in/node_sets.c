/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/node_sets.h"

#include <string.h>

#include "src/slurm/in/gpus.h"

#define KEPT                                           \
	(sizeof(((struct astra_node_sets *)0)->kept) / \
	 sizeof(struct astra_node_set))

static uint64_t node_sets_shards(const struct astra_node_map *map,
				 const struct astra_ask *ask)
{
	return map->shards ? ask->count[ASTRA_PER_NODE] : 0;
}

static struct astra_node_set *node_sets_find(const struct astra_node_map *map,
					     bitstr_t *nodes,
					     const struct astra_ask *ask)
{
	for (size_t i = 0; i < KEPT; i++) {
		struct astra_node_set *s = &map->sets->kept[i];

		if (s->nodes && s->shards == node_sets_shards(map, ask) &&
		    !strcmp(s->type, ask->type) && bit_equal(s->nodes, nodes))
			return s;
	}
	return NULL;
}

bool astra_node_suits(const struct astra_node_map *map, size_t local,
		      const struct astra_ask *ask)
{
	uint32_t node = map->global[local], kind = map->kind[local];
	const node_record_t *record = node_record_table_ptr[node];

	if (*ask->type && kind != ASTRA_NONE)
		return !xstrcmp(astra_node_gpus(record)->type_name[kind],
				ask->type);
	if (*ask->type && !astra_node_has_type(record, ask->type))
		return false;
	return !map->shards ||
	       astra_node_order_numbered(map->order)[node].shards >=
		       node_sets_shards(map, ask);
}

const struct astra_node_set *
astra_node_sets_of(const struct astra_node_map *map, bitstr_t *nodes,
		   const struct astra_ask *ask, struct astra_arena *arena)
{
	struct astra_node_set *found = node_sets_find(map, nodes, ask);
	uint64_t *set;

	if (found)
		return found;
	set = astra_arena_take(arena, (map->count / 64 + 1) * sizeof(*set));
	if (!set)
		return NULL;
	found = &map->sets->kept[map->sets->next];
	map->sets->next = (map->sets->next + 1) % KEPT;
	FREE_NULL_BITMAP(found->nodes);
	*found = (struct astra_node_set){
		.nodes = bit_copy(nodes),
		.shards = node_sets_shards(map, ask),
		.set = set,
	};
	memcpy(found->type, ask->type, sizeof(found->type));
	for (size_t i = 0; i < map->count; i++) {
		if (!bit_test(nodes, map->global[i]) ||
		    !astra_node_suits(map, i, ask))
			continue;
		set[i / 64] |= UINT64_C(1) << (i % 64);
		found->count++;
	}
	return found;
}

void astra_node_sets_free(struct astra_node_sets *sets)
{
	for (size_t i = 0; i < KEPT; i++)
		FREE_NULL_BITMAP(sets->kept[i].nodes);
}
