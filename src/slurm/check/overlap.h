/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pools whose partitions share nodes. Only one pool leases the GPUs of a node:
 * the first pool in astraea.conf that has the node. */
#ifndef ASTRA_OVERLAP_H
#define ASTRA_OVERLAP_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"

/* Return the nodes that a pool leases: those of its partitions, except the
 * nodes of earlier pools. The result is a bitmap over all nodes; the caller
 * frees it. Locks: caller holds part and node read. */
bitstr_t *astra_pool_nodes(const struct astra_config *config, size_t pool);

/* Check that no node is in two pools, if slurmctld has its partitions and the
 * self-check has passed; at slurmctld's start neither is so. Locks: as
 * astra_pool_nodes(). Returns 0, or -1 with err naming two pools and a node. */
int astra_overlap_check(const struct astra_config *config,
			struct astra_error *err);

#endif
