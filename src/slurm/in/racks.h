/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far apart nodes are, as far as slurmctld knows.
 *
 * A rack is the leaf switch of topology/tree, the block of topology/block, or
 * the ring of topology/ring, in which nodes have places. A node that is below
 * several leaf switches shares a rack with those below the same ones. One that
 * is below none is a rack of its own, as nothing is known to be near it.
 * Without switches all nodes are one rack.
 *
 * Partitions may have topologies of their own, and a node then is in a rack of
 * each.
 */
#ifndef ASTRA_RACKS_H
#define ASTRA_RACKS_H

#include "src/common/intern.h"
#include "src/slurm/compat/compat.h"

/* Partitions of topologies beyond are taken as of the cluster's. */
#define ASTRA_TOPOLOGIES_MAX 32

/* Zeroed, it is empty. */
struct astra_racks {
	struct astra_intern names; /* switches above a node, e.g. "s0.s4." */
	uint32_t *of_node; /* by topology, then slurmctld's node number */
	uint32_t *places;  /* the same; 0 where there is no ring */
	size_t topologies, nodes, room, place_room;
	uint64_t rings; /* bit i: topology i has rings */
	time_t taken;
};

/* Bring the racks up to date: anew when Slurm's configuration was read or nodes
 * were added since the last call, which is the only time that it costs much.
 * Locks: caller holds conf, node and part read.
 * Returns 0, or -1 when out of memory. */
int astra_racks_take(struct astra_racks *racks, time_t now);

/* Which of the topologies is the partition's, less than racks->topologies; 0:
 * the cluster's. Locks: caller holds part read. */
size_t astra_rack_topology(const struct astra_racks *racks,
			   const part_record_t *part);

/* The rack of a node, by slurmctld's number, for jobs of a partition.
 * Locks: caller holds part read. */
uint32_t astra_rack_of(const struct astra_racks *racks,
		       const part_record_t *part, uint32_t node);

/* Whether the racks of a partition are rings, in which nodes have places from 1
 * on; 0: the node is in none. Locks: caller holds part read. */
bool astra_racks_are_rings(const struct astra_racks *racks,
			   const part_record_t *part);
uint32_t astra_rack_place(const struct astra_racks *racks,
			  const part_record_t *part, uint32_t node);

void astra_racks_free(struct astra_racks *racks);

#endif
