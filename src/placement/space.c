/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/placement/space_priv.h"

void astra_space_destroy(struct astra_space *space)
{
	if (!space)
		return;
	free(space->log);
	free(space->nodes);
	free(space->bits);
	free(space->scratch);
	free(space);
}

/* Make a space. nodes: an array with one more element than there are nodes;
 * taken, even on failure. Returns NULL when memory is out. */
static struct astra_space *space_make(size_t count, uint32_t gpus_max,
				      struct space_node *nodes)
{
	struct astra_space *space = calloc(1, sizeof(*space));
	size_t words = astra_set_words(count);
	size_t levels = (size_t)gpus_max + 1;
	size_t level_words = astra_set_words(levels);

	if (!space) {
		free(nodes);
		return NULL;
	}
	space->count = count;
	space->gpus_max = gpus_max;
	space->nodes = nodes;
	space->bits = calloc(levels * words + 2 * words + level_words + levels,
			     sizeof(*space->bits));
	space->scratch =
		malloc((2 * count + levels + 3) * sizeof(*space->scratch));
	if (!nodes || !space->bits || !space->scratch) {
		astra_space_destroy(space);
		return NULL;
	}
	space->used = space->bits + levels * words;
	space->heavy = space->used + words;
	space->levels = astra_set_at(space->heavy + words, levels);
	space->population = (uint32_t *)(space->heavy + words + level_words);
	space->order = space->scratch;
	space->fits = space->order + count + 1;
	space->heads = space->fits + count + 1;
	return space;
}

struct astra_space *astra_space_create(size_t count, uint32_t gpus_max)
{
	return space_make(count, gpus_max,
			  calloc(count + 1, sizeof(struct space_node)));
}

struct astra_space *astra_space_copy(const struct astra_space *space)
{
	struct astra_space *copy =
		space_make(space->count, space->gpus_max,
			   malloc((space->count + 1) * sizeof(*copy->nodes)));
	size_t words = astra_set_words(space->count);

	if (!copy)
		return NULL;
	copy->ranks = space->ranks;
	copy->gpus = space->gpus;
	copy->over = space->over;
	memcpy(copy->nodes, space->nodes, space->count * sizeof(*space->nodes));
	for (size_t l = astra_set_next(&space->levels, 0, NULL);
	     l != ASTRA_SET_END;
	     l = astra_set_next(&space->levels, l + 1, NULL)) {
		astra_set_add(&copy->levels, l);
		copy->population[l] = space->population[l];
		memcpy(copy->bits + l * words, space->bits + l * words,
		       words * sizeof(*space->bits));
	}
	return copy;
}

static void level_leave(struct astra_space *space, uint32_t node,
			uint32_t level)
{
	struct astra_set set = astra_space_level(space, level);

	if (!level)
		return;
	astra_set_del(&set, node);
	if (!--space->population[level])
		astra_set_del(&space->levels, level);
}

static void level_enter(struct astra_space *space, uint32_t node,
			uint32_t level)
{
	struct astra_set set = astra_space_level(space, level);

	if (!level)
		return;
	astra_set_add(&set, node);
	if (!space->population[level]++)
		astra_set_add(&space->levels, level);
}

static void space_note(struct astra_space *space, uint32_t node)
{
	if (!space->logs)
		return;
	if (astra_grow(&space->log, &space->log_room, space->log_count + 1,
		       sizeof(*space->log)) < 0) {
		space->log_lost = true;
		return;
	}
	space->log[space->log_count++] = (struct space_note){
		.node = node,
		.before = space->nodes[node],
	};
}

static void set_gpus(struct astra_space *space, uint32_t node, uint32_t gpus)
{
	struct astra_room *room = &space->nodes[node].room;
	uint32_t from = astra_min32(room->gpus, space->gpus_max);
	uint32_t to = astra_min32(gpus, space->gpus_max);

	space->gpus -= room->gpus;
	space->gpus += gpus;
	room->gpus = gpus;
	space->over |= gpus > space->gpus_max;
	if (from == to)
		return;
	level_leave(space, node, from);
	level_enter(space, node, to);
}

void astra_space_set(struct astra_space *space, uint32_t node,
		     const struct astra_room *room)
{
	astra_space_set_used(space, node, room, room->whole, 0);
}

void astra_space_set_used(struct astra_space *space, uint32_t node,
			  const struct astra_room *room, bool whole,
			  uint32_t users)
{
	struct space_node *n = &space->nodes[node];

	space_note(space, node);
	set_gpus(space, node, room->gpus);
	n->room = *room;
	n->whole = whole;
	n->users = users;
}

const struct astra_room *astra_space_get(const struct astra_space *space,
					 uint32_t node)
{
	return &space->nodes[node].room;
}

size_t astra_space_next(const struct astra_space *space, uint32_t gpus,
			size_t from)
{
	struct astra_set set;

	if (!gpus || gpus > space->gpus_max)
		return ASTRA_SET_END;
	set = astra_space_level(space, gpus);
	return astra_set_next(&set, from, NULL);
}

uint32_t astra_space_gpus_max(const struct astra_space *space)
{
	size_t level = astra_set_prev(&space->levels, space->gpus_max);
	uint32_t most = 0;

	if (!space->over)
		return level == ASTRA_SET_END ? 0 : (uint32_t)level;
	for (size_t n = astra_space_next(space, space->gpus_max, 0);
	     n != ASTRA_SET_END;
	     n = astra_space_next(space, space->gpus_max, n + 1))
		if (space->nodes[n].room.gpus > most)
			most = space->nodes[n].room.gpus;
	return most;
}

uint64_t astra_space_gpus(const struct astra_space *space)
{
	return space->gpus;
}

void astra_space_take(struct astra_space *space,
		      const struct astra_share *share)
{
	struct space_node *n = &space->nodes[share->node];
	struct astra_room *room = &n->room;

	space_note(space, share->node);
	set_gpus(space, share->node,
		 room->gpus - astra_min32(room->gpus, share->gpus));
	room->scattered -= astra_min32(room->scattered, share->gpus);
	room->cpus -= astra_min32(room->cpus, share->cpus);
	room->mem_mib -=
		share->mem_mib < room->mem_mib ? share->mem_mib : room->mem_mib;
	if (room->whole || room->owner == share->owner)
		room->owner = share->owner;
	else
		room->owner = 0;
	room->alone |= share->alone;
	room->whole = false;
	n->users++;
}

void astra_space_give(struct astra_space *space,
		      const struct astra_share *share)
{
	struct space_node *n = &space->nodes[share->node];
	struct astra_room *room = &n->room;

	space_note(space, share->node);
	set_gpus(space, share->node, room->gpus + share->gpus);
	if (__builtin_add_overflow(room->cpus, share->cpus, &room->cpus))
		room->cpus = UINT32_MAX;
	if (__builtin_add_overflow(room->mem_mib, share->mem_mib,
				   &room->mem_mib))
		room->mem_mib = UINT64_MAX;
	if (n->users && !--n->users)
		room->whole = n->whole;
	if (room->whole)
		room->alone = false;
}

void astra_space_log(struct astra_space *space)
{
	space->logs = true;
	space->log_lost = false;
	space->log_count = 0;
}

int astra_space_undo(struct astra_space *space)
{
	space->logs = false;
	while (space->log_count) {
		const struct space_note *x = &space->log[--space->log_count];

		set_gpus(space, x->node, x->before.room.gpus);
		space->nodes[x->node] = x->before;
	}
	return space->log_lost ? -1 : 0;
}
