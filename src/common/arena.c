/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)256 * 1024)

struct astra_arena_block {
	struct astra_arena_block *next;
	size_t size, used;
	alignas(max_align_t) char data[];
};

static struct astra_arena_block *add_block(struct astra_arena *arena,
					   size_t size)
{
	struct astra_arena_block *block;

	if (size < BLOCK_SIZE)
		size = BLOCK_SIZE;
	block = malloc(sizeof(*block) + size);
	if (!block)
		return NULL;
	block->next = NULL;
	block->size = size;
	block->used = 0;
	if (arena->current) {
		block->next = arena->current->next;
		arena->current->next = block;
	} else {
		arena->blocks = block;
	}
	arena->current = block;
	return block;
}

void *astra_arena_take(struct astra_arena *arena, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct astra_arena_block *block = arena->current;
	void *memory;

	size = (size + align - 1) / align * align;
	while (block && block->size - block->used < size) {
		block = block->next;
		if (block)
			arena->current = block;
	}
	if (!block)
		block = add_block(arena, size);
	if (!block)
		return NULL;
	memory = block->data + block->used;
	block->used += size;
	return memset(memory, 0, size);
}

const char *astra_arena_text(struct astra_arena *arena, const char *text)
{
	size_t size;
	char *copy;

	if (!text || !*text)
		return "";
	size = strlen(text) + 1;
	copy = astra_arena_take(arena, size);
	return copy ? memcpy(copy, text, size) : NULL;
}

void astra_arena_reset(struct astra_arena *arena)
{
	for (struct astra_arena_block *b = arena->blocks; b; b = b->next)
		b->used = 0;
	arena->current = arena->blocks;
}

void astra_arena_free(struct astra_arena *arena)
{
	while (arena->blocks) {
		struct astra_arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
	arena->current = NULL;
}
