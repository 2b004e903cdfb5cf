/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pools whose nodes have both whole GPUs and MIG devices: gpu_kinds.h. */
#ifndef ASTRA_MIXED_H
#define ASTRA_MIXED_H

#include "src/slurm/conf/config.h"

/* Check that no pool has both kinds, as far as its nodes have reported their
 * types and the self-check has passed; at slurmctld's start nothing is known.
 * Locks: caller holds part and node read. Returns 0, or -1 with err naming the
 * pool and two of its nodes. */
int astra_mixed_check(const struct astra_config *config,
		      struct astra_error *err);

/* Add a warning if a pool has got both kinds since that check, or has MIG
 * devices that count as whole GPUs. Locks: as astra_mixed_check(). */
void astra_mixed_warn(const struct astra_pool_config *pool,
		      struct astra_error *out);

#endif
