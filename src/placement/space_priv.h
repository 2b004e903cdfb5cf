/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of a space, shared by its own files only:
 *   space.c     keeps nodes by their free GPUs: set, take, give, copy
 *   ranks.c     sorts nodes by their weights
 *   placement.c finds what a node can host of a request, and searches a place
 */
#ifndef ASTRA_SPACE_PRIV_H
#define ASTRA_SPACE_PRIV_H

#include "src/common/nodeset.h"
#include "src/placement/placement.h"

struct space_node {
	struct astra_room room;
	bool whole; /* the node is whole when all that was taken is given
		     * back */
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
	bool over; /* some node had more than gpus_max free GPUs, and may still
		    * have */
	struct space_node *nodes;
	uint64_t *bits; /* the sets of the levels, one after the other, then all
			 * other bitmaps */
	struct astra_set levels; /* levels that have nodes, except level 0 */
	uint32_t *population;	 /* by level */
	const struct astra_ranks *ranks; /* NULL: all nodes weigh the same */
	/* Only during one astra_place(): */
	uint64_t *used;	 /* bitmap of the nodes in use; empty between
			  * searches */
	uint64_t *heavy; /* bitmap of nodes that are too heavy */
	uint32_t *scratch;
	uint32_t *order; /* nodes by descending fit */
	uint32_t *heads; /* index in order where each fit begins */
	uint32_t *fits;	 /* by node */
	/* What changed since astra_space_log(). */
	bool logs, log_lost; /* log_lost: memory was out for the log */
	struct space_note *log;
	size_t log_count, log_room;
};

/* Return the set of nodes with `level` free GPUs. */
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
