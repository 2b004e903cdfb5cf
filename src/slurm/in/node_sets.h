/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes that jobs may use, as sets of a pool's nodes. Thousands of jobs
 * wait for the same nodes: a set is made once in a snapshot and shared. */
#ifndef ASTRA_NODE_SETS_H
#define ASTRA_NODE_SETS_H

#include "src/slurm/in/request.h"

/* The sets that were made last in a snapshot. Zeroed, it has none. */
struct astra_node_sets {
	struct astra_node_set {
		bitstr_t *nodes; /* by slurmctld's index; NULL: unused */
		char type[ASTRA_GPU_TYPE_MAX];
		uint64_t shards; /* that the node must have on a single GPU */
		const uint64_t *set; /* by the pool's index, in the arena */
		size_t count;
	} kept[4];
	size_t next; /* which one is replaced next */
};

/* Whether a node of the pool has what the job asks of each node: the GPU type,
 * and the number of shards on a single GPU. Locks: caller holds node read. */
bool astra_node_suits(const struct astra_node_map *map, size_t local,
		      const struct astra_ask *ask);

/* Return which of these nodes are in the pool and have what the job asks of
 * each node: the GPU type, and the number of shards on a single GPU. Owned by
 * the arena. Locks: caller holds node read. Returns NULL when memory is out. */
const struct astra_node_set *
astra_node_sets_of(const struct astra_node_map *map, bitstr_t *nodes,
		   const struct astra_ask *ask, struct astra_arena *arena);

/* Forget all sets. Call before the arena is reused. */
void astra_node_sets_free(struct astra_node_sets *sets);

#endif
