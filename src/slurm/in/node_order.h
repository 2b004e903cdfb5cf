/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes in the order in which GPUs are collected for a job whose nodes have to
 * fit together. They are put in order once a picture of slurmctld, by the first
 * such job; the others only walk along them.
 */
#ifndef ASTRA_NODE_ORDER_H
#define ASTRA_NODE_ORDER_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/in/racks.h"

struct astra_ordered_node {
	uint32_t rack, node; /* slurmctld's number */
	uint32_t place;	     /* in its ring, from 1 on; 0: it is in none */
	uint64_t gpus, free;
	uint32_t shards; /* that one job can have of it */
};

/* Zeroed, it is empty. */
struct astra_node_order {
	const struct astra_racks *racks; /* borrowed */
	struct astra_ordered_node *list; /* row after row of all nodes */
	size_t room;
	uint64_t ready; /* bit i: row i is of this picture */
};

/* Begin a new picture. racks: borrowed, as of this picture, until the next.
 * Returns 0, or -1 when out of memory. */
int astra_node_order_begin(struct astra_node_order *order,
			   const struct astra_racks *racks);

/* Each gives racks->nodes of them, of this picture: by their number; those with
 * the most free GPUs first; or so within each rack of the partition's topology,
 * rack by rack, but in rings by their places. Equal ones are by their number.
 * Locks: caller holds node and part read, since before the picture began. */
const struct astra_ordered_node *
astra_node_order_numbered(struct astra_node_order *order);
const struct astra_ordered_node *
astra_node_order_by_gpus(struct astra_node_order *order);
const struct astra_ordered_node *
astra_node_order_by_rack(struct astra_node_order *order,
			 const part_record_t *part);

void astra_node_order_free(struct astra_node_order *order);

#endif
