/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far apart nodes are, as far as slurmctld knows.
 *
 * A rack is the leaf switch of topology/tree, the block of topology/block, or
 * the ring of topology/ring, in which nodes have places. A node below several
 * leaf switches shares a rack with nodes below the same ones. A node below none
 * is a rack of its own, as nothing is known to be near it. Without switches all
 * nodes are one rack.
 *
 * Partitions may have topologies of their own. A node is then in a rack of each
 * topology. */
#ifndef ASTRA_RACKS_H
#define ASTRA_RACKS_H

#include "src/common/intern.h"
#include "src/slurm/compat/compat.h"

/* Partitions with a topology beyond these count as having the cluster's. */
#define ASTRA_TOPOLOGIES_MAX 32

/* Zeroed, there are none. */
struct astra_racks {
	struct astra_intern names; /* switches above a node, e.g. "s0.s4." */
	uint32_t *of_node; /* by topology, then by slurmctld's node index */
	uint32_t *places;  /* place in the ring, indexed likewise; 0: no ring */
	size_t topologies, nodes, room, place_room;
	uint64_t rings; /* bit i: topology i has rings */
	time_t taken;
};

/* Bring the racks up to date. They are built again if Slurm's configuration was
 * read or nodes were added since the last call; only such a call costs much.
 * Locks: caller holds conf, node and part read. Returns 0, or -1 when memory is
 * out. */
int astra_racks_take(struct astra_racks *racks, time_t now);

/* Return the index of the partition's topology, less than racks->topologies; 0:
 * the cluster's. Locks: caller holds part read. */
size_t astra_rack_topology(const struct astra_racks *racks,
			   const part_record_t *part);

/* Return the rack of a node, given by slurmctld's index, for jobs of a
 * partition. Locks: caller holds part read. */
uint32_t astra_rack_of(const struct astra_racks *racks,
		       const part_record_t *part, uint32_t node);

/* Whether the racks of a partition are rings; return a node's place in its
 * ring, from 1 on, 0 if it is in none. Locks: caller holds part read. */
bool astra_racks_are_rings(const struct astra_racks *racks,
			   const part_record_t *part);
uint32_t astra_rack_place(const struct astra_racks *racks,
			  const part_record_t *part, uint32_t node);

void astra_racks_free(struct astra_racks *racks);

#endif
