/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/intern.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/fnv.h"
#include "src/common/grow.h"

/* Hash a name. The lower bits choose the slot, so the upper half is mixed into
 * them. */
static size_t intern_hash_of(const char *name)
{
	uint64_t hash = astra_fnv64_text(ASTRA_FNV64_BASIS, name);

	return (size_t)(hash ^ hash >> 32);
}

/* Return the slot with the name, or else the free slot for it. */
static size_t intern_find(const struct astra_intern *table, const char *name)
{
	size_t i = intern_hash_of(name) & (table->slot_count - 1);

	while (table->slots[i] &&
	       strcmp(table->names[table->slots[i] - 1], name) != 0)
		i = (i + 1) & (table->slot_count - 1);
	return i;
}

static int intern_resize(struct astra_intern *table, size_t slot_count)
{
	uint32_t *slots = calloc(slot_count, sizeof(*slots));

	if (!slots)
		return -1;
	free(table->slots);
	table->slots = slots;
	table->slot_count = slot_count;
	for (size_t i = 0; i < table->count; i++)
		slots[intern_find(table, table->names[i])] = (uint32_t)i + 1;
	return 0;
}

uint32_t astra_intern_get(const struct astra_intern *table, const char *name)
{
	uint32_t slot;

	if (!table->count)
		return ASTRA_INTERN_NONE;
	slot = table->slots[intern_find(table, name)];
	return slot ? slot - 1 : ASTRA_INTERN_NONE;
}

uint32_t astra_intern_put(struct astra_intern *table, const char *name)
{
	const char *copy;
	size_t at;

	if (2 * (table->count + 1) > table->slot_count &&
	    intern_resize(table,
			  table->slot_count ? 2 * table->slot_count : 64) < 0)
		return ASTRA_INTERN_NONE;
	at = intern_find(table, name);
	if (table->slots[at])
		return table->slots[at] - 1;
	copy = astra_arena_text(&table->texts, name);
	if (!copy || astra_grow(&table->names, &table->room, table->count + 1,
				sizeof(*table->names)) < 0)
		return ASTRA_INTERN_NONE;
	table->names[table->count++] = copy;
	table->slots[at] = (uint32_t)table->count;
	return (uint32_t)table->count - 1;
}

void astra_intern_clear(struct astra_intern *table)
{
	astra_arena_free(&table->texts);
	free(table->names);
	free(table->slots);
	*table = (struct astra_intern){0};
}
