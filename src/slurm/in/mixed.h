/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pools whose nodes have whole GPUs and devices of MIG: gpu_kinds.h. */
#ifndef ASTRA_MIXED_H
#define ASTRA_MIXED_H

#include "src/slurm/conf/config.h"

/* Whether no pool is of both kinds, as far as its nodes have told their types,
 * and the self-check has passed: at slurmctld's start nothing is known.
 * Locks: caller holds part and node read.
 * Returns 0, or -1 with err naming the pool and two of its nodes. */
int astra_mixed_check(const struct astra_config *config,
		      struct astra_error *err);

/* Add a warning where a pool has become one since, or has devices of MIG that
 * count as whole GPUs. Locks: the same. */
void astra_mixed_warn(const struct astra_pool_config *pool,
		      struct astra_error *out);

#endif
