/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobs use of the limits and licences that keep other jobs waiting. From
 * this the engine knows whose leases would have to end for these. */
#ifndef ASTRA_USES_H
#define ASTRA_USES_H

#include "src/slurm/in/snapshot.h"

#define ASTRA_USES_JOBS 256 /* waiting jobs that a round looks at */
#define ASTRA_USES_MAX 64   /* limits of a pool */
#define ASTRA_USES_LICENCES 16

/* Jobs over a limit are BLOCKED. Set those to PENDING that could run if leases
 * of jobs under the same limits ended, and note what each job uses of these
 * limits. Costs nothing if no job is over a limit. Locks: caller holds conf,
 * job and part read; takes assoc_mgr's read. Returns 0, or -1 when memory is
 * out. */
int astra_uses_find(struct astra_arena *arena, struct astra_view *view,
		    const struct astra_options *options);

#endif
