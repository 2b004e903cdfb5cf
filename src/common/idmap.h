/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A map from job ids to array indices: open addressing, no allocation per
 * entry. Keys are never 0; values are below UINT32_MAX.
 */
#ifndef ASTRA_IDMAP_H
#define ASTRA_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASTRA_IDMAP_NONE UINT32_MAX

struct astra_idmap {
	uint32_t *keys;
	uint32_t *values;
	size_t room; /* a power of two, or 0 */
	size_t count;
};

/* Return the value of a key, or ASTRA_IDMAP_NONE. */
uint32_t astra_idmap_get(const struct astra_idmap *map, uint32_t key);

/* Add a key or replace its value. Returns 0, or -1 when out of memory. */
int astra_idmap_put(struct astra_idmap *map, uint32_t key, uint32_t value);

/* Remove a key, if it is there. */
void astra_idmap_del(struct astra_idmap *map, uint32_t key);

/* Free what the map holds. It is then empty and can be reused. */
void astra_idmap_clear(struct astra_idmap *map);

#endif
