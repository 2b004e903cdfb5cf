/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pools whose partitions share nodes. One pool leases a node's GPUs: the first
 * one in astraea.conf that has the node. */
#ifndef ASTRA_OVERLAP_H
#define ASTRA_OVERLAP_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"

/* Return the nodes that a pool leases: those of its partitions except those of
 * pools before it. A bitmap of all nodes, freed by the caller. Locks: caller
 * holds part and node read. */
bitstr_t *astra_pool_nodes(const struct astra_config *config, size_t pool);

/* Check that each node is in one pool at most, as far as slurmctld knows its
 * partitions and the self-check has passed; when slurmctld starts it knows
 * none. Locks: as astra_pool_nodes(). Returns 0, or -1 with err naming two
 * pools and a node. */
int astra_overlap_check(const struct astra_config *config,
			struct astra_error *err);

#endif
