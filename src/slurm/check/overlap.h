/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pools whose partitions share nodes. A node's GPUs are leased by one pool: the
 * first in astraea.conf of those that have it.
 */
#ifndef ASTRA_OVERLAP_H
#define ASTRA_OVERLAP_H

#include "src/slurm/conf/config.h"
#include "src/slurm/compat/compat.h"

/* The nodes that a pool leases: those of its partitions without those of the pools
 * before it. Returns a bitmap of all nodes, the caller's to free.
 * Locks: caller holds part and node read. */
bitstr_t *astra_pool_nodes(const struct astra_config *config, size_t pool);

/* Whether each node is in one pool at most, as far as slurmctld knows its
 * partitions and the self-check has passed: at its start it knows none.
 * Locks: the same. Returns 0, or -1 with err naming two pools and a node. */
int astra_overlap_check(const struct astra_config *config,
			struct astra_error *err);

#endif
