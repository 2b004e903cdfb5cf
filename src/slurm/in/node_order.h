/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes in the order in which GPUs are collected for a job whose nodes must fit
 * together. The first such job sorts them, once in each snapshot of slurmctld;
 * later jobs only walk along them. */
#ifndef ASTRA_NODE_ORDER_H
#define ASTRA_NODE_ORDER_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/in/racks.h"

struct astra_ordered_node {
	uint32_t rack, node; /* node: slurmctld's index */
	uint32_t place;	     /* in its ring, from 1 on; 0: no ring */
	uint64_t gpus, free;
	uint32_t shards; /* the most that one job can have of the node */
};

/* Zeroed, it is empty. */
struct astra_node_order {
	const struct astra_racks *racks; /* borrowed */
	struct astra_ordered_node *list; /* rows, each of all nodes */
	size_t room;
	uint64_t ready; /* bit i: row i is of this snapshot */
};

/* Begin a new snapshot. racks: of this snapshot; borrowed until the next.
 * Returns 0, or -1 when memory is out. */
int astra_node_order_begin(struct astra_node_order *order,
			   const struct astra_racks *racks);

/* Each returns the racks->nodes nodes of this snapshot.
 * numbered: by index.
 * by_gpus: those with the most free GPUs first.
 * by_rack: rack by rack of the partition's topology, those with the most free
 * GPUs first; in rings by place.
 * Ties go by index. Locks: caller holds node and part read, since before the
 * snapshot began. */
const struct astra_ordered_node *
astra_node_order_numbered(struct astra_node_order *order);
const struct astra_ordered_node *
astra_node_order_by_gpus(struct astra_node_order *order);
const struct astra_ordered_node *
astra_node_order_by_rack(struct astra_node_order *order,
			 const part_record_t *part);

void astra_node_order_free(struct astra_node_order *order);

#endif
