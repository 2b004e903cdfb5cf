/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of names. Each name is stored once, and names are numbered from 0 in
 * the order of first use. A name's text never moves. Two threads must not share
 * a table. */
#ifndef ASTRA_INTERN_H
#define ASTRA_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "src/common/arena.h"

#define ASTRA_INTERN_NONE UINT32_MAX

struct astra_intern {
	struct astra_arena texts;
	const char **names; /* the name of each number */
	size_t count, room;
	uint32_t *slots;   /* hash table with open addressing: 1 + number; 0:
			    * free */
	size_t slot_count; /* a power of two, or 0 */
};

/* Return the number of a name. A copy of a new name is added. Returns
 * ASTRA_INTERN_NONE when memory is out. */
uint32_t astra_intern_put(struct astra_intern *table, const char *name);

/* Return the number of a name, or ASTRA_INTERN_NONE. */
uint32_t astra_intern_get(const struct astra_intern *table, const char *name);

/* Free what the table holds. It is then empty and can be reused. */
void astra_intern_clear(struct astra_intern *table);

#endif
