/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for one round: taken piece by piece, given back at once, and kept for
 * the next round, so that a round in the steady state allocates nothing. What
 * was taken never moves. Not for two threads.
 */
#ifndef ASTRA_ARENA_H
#define ASTRA_ARENA_H

#include <stddef.h>

struct astra_arena_block;

struct astra_arena {
	struct astra_arena_block *blocks, *current;
};

/* Zeroed memory, aligned for any type, until the next reset. NULL when memory
 * is out. */
void *astra_arena_take(struct astra_arena *arena, size_t size);

/* A copy of a text; NULL counts as "". NULL when out of memory. */
const char *astra_arena_text(struct astra_arena *arena, const char *text);

/* Forget all that was taken; the memory stays. */
void astra_arena_reset(struct astra_arena *arena);

/* Free all. It is empty and usable afterwards. */
void astra_arena_free(struct astra_arena *arena);

#endif
