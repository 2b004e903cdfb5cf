/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far apart nodes and GPUs are, as far as slurmctld knows.
 *
 * A rack is the leaf switch of topology/tree, or the block of topology/block.
 * A node that is below several leaf switches shares a rack with those below the
 * same ones. One that is below none is a rack of its own, as nothing is known
 * to be near it. Without switches all nodes are one rack.
 */
#ifndef ASTRA_TOPOLOGY_H
#define ASTRA_TOPOLOGY_H

#include "src/common/intern.h"
#include "src/slurm/compat.h"

/* Zeroed, it is empty. */
struct astra_racks {
	struct astra_intern names; /* switches above a node, e.g. "s0.s4." */
	uint32_t *of_node;	   /* by slurmctld's node number */
	size_t count, room;
	time_t taken;
};

/* Bring the racks up to date: anew when Slurm's configuration was read or nodes
 * were added since the last call, which is the only time that it costs much.
 * Locks: caller holds conf and node read.
 * Returns 0, or -1 when memory is out. */
int astra_racks_take(struct astra_racks *racks, time_t now);

void astra_racks_free(struct astra_racks *racks);

/* GPUs of a node that are next to each other: the smallest group of those that
 * are linked (Links of gres.conf, or found by AutoDetect), else of those at one
 * socket (Cores); 0: all of them, or it is not known.
 * Locks: caller holds the node read lock. */
uint32_t astra_slot_gpus(const node_record_t *node);

#endif
