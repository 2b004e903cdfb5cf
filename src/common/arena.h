/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for one round. It is taken piece by piece, given back all at once, and
 * kept for the next round, so that most rounds allocate nothing. Pieces never
 * move. Two threads must not share an arena. */
#ifndef ASTRA_ARENA_H
#define ASTRA_ARENA_H

#include <stddef.h>

struct astra_arena_block;

struct astra_arena {
	struct astra_arena_block *blocks, *current;
};

/* Take zeroed memory, aligned for any type. It stays valid until the next
 * reset. Returns NULL when memory is out. */
void *astra_arena_take(struct astra_arena *arena, size_t size);

/* Copy a text into the arena; NULL counts as "". Returns NULL when memory is
 * out. */
const char *astra_arena_text(struct astra_arena *arena, const char *text);

/* Forget all pieces, but keep the memory. */
void astra_arena_reset(struct astra_arena *arena);

/* Free everything. The arena is then empty and can be reused. */
void astra_arena_free(struct astra_arena *arena);

#endif
