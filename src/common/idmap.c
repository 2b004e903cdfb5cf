/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/idmap.h"

#include <stdlib.h>

/* Fibonacci hashing spreads consecutive job ids over the table. */
static size_t slot_of(const struct astra_idmap *map, uint32_t key)
{
	return (size_t)((key * UINT64_C(11400714819323198485)) >> 20) &
	       (map->room - 1);
}

static size_t idmap_find(const struct astra_idmap *map, uint32_t key)
{
	size_t i = slot_of(map, key);

	while (map->keys[i] && map->keys[i] != key)
		i = (i + 1) & (map->room - 1);
	return i;
}

uint32_t astra_idmap_get(const struct astra_idmap *map, uint32_t key)
{
	size_t i;

	if (!map->count || !key)
		return ASTRA_IDMAP_NONE;
	i = idmap_find(map, key);
	return map->keys[i] ? map->values[i] : ASTRA_IDMAP_NONE;
}

static int idmap_resize(struct astra_idmap *map, size_t room)
{
	struct astra_idmap grown = {
		.keys = calloc(room, sizeof(*map->keys)),
		.values = calloc(room, sizeof(*map->values)),
		.room = room,
	};

	if (!grown.keys || !grown.values) {
		astra_idmap_clear(&grown);
		return -1;
	}
	for (size_t i = 0; i < map->room; i++) {
		size_t at;

		if (!map->keys[i])
			continue;
		at = idmap_find(&grown, map->keys[i]);
		grown.keys[at] = map->keys[i];
		grown.values[at] = map->values[i];
		grown.count++;
	}
	astra_idmap_clear(map);
	*map = grown;
	return 0;
}

int astra_idmap_put(struct astra_idmap *map, uint32_t key, uint32_t value)
{
	size_t i;

	if (!key)
		return -1;
	if (2 * (map->count + 1) > map->room &&
	    idmap_resize(map, map->room ? 2 * map->room : 64) < 0)
		return -1;
	i = idmap_find(map, key);
	if (!map->keys[i]) {
		map->keys[i] = key;
		map->count++;
	}
	map->values[i] = value;
	return 0;
}

/* Removing shifts the entries behind back, so that no deleted marks are
 * left. */
void astra_idmap_del(struct astra_idmap *map, uint32_t key)
{
	size_t hole, i;

	if (!map->count || !key)
		return;
	hole = idmap_find(map, key);
	if (!map->keys[hole])
		return;
	for (i = (hole + 1) & (map->room - 1); map->keys[i];
	     i = (i + 1) & (map->room - 1)) {
		size_t home = slot_of(map, map->keys[i]);

		if (((i - home) & (map->room - 1)) <
		    ((i - hole) & (map->room - 1)))
			continue;
		map->keys[hole] = map->keys[i];
		map->values[hole] = map->values[i];
		hole = i;
	}
	map->keys[hole] = 0;
	map->count--;
}

void astra_idmap_clear(struct astra_idmap *map)
{
	free(map->keys);
	free(map->values);
	*map = (struct astra_idmap){0};
}
