/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of a space, shared by its own files only:
 *   space.c     nodes by their free GPUs: set, take, give, copy
 *   ranks.c     nodes by their weights
 *   placement.c what one node could host of a request; the search for a place
 */
#ifndef ASTRA_SPACE_PRIV_H
#define ASTRA_SPACE_PRIV_H

#include "src/common/nodeset.h"
#include "src/placement/placement.h"

struct space_node {
	struct astra_room room;
	bool whole; /* when all that is taken is given back */
	uint32_t users;
};

/* A node as it was before it changed. */
struct space_note {
	uint32_t node;
	struct space_node before;
};

struct astra_space {
	size_t count;
	uint32_t gpus_max;
	uint64_t gpus;
	bool over; /* some node had, and may still have, more than gpus_max */
	struct space_node *nodes;
	uint64_t *bits; /* the level sets, one after the other, then the rest */
	struct astra_set levels; /* levels with nodes; level 0 is not kept */
	uint32_t *population;	 /* by level */
	const struct astra_ranks *ranks; /* NULL: all nodes weigh the same */
	/* Only during one astra_place(): */
	uint64_t *used;	 /* bitmap of nodes; empty in between */
	uint64_t *heavy; /* bitmap of nodes */
	uint32_t *scratch;
	uint32_t *order; /* nodes by descending fit */
	uint32_t *heads; /* index in order where each fit begins */
	uint32_t *fits;	 /* by node */
	/* What changed since astra_space_log(). */
	bool logs, log_lost; /* lost: memory was out */
	struct space_note *log;
	size_t log_count, log_room;
};

/* Return the nodes with so many free GPUs. */
static inline struct astra_set
astra_space_level(const struct astra_space *space, size_t level)
{
	return astra_set_at(space->bits + level * astra_set_words(space->count),
			    space->count);
}

static inline uint32_t astra_min32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

#endif
