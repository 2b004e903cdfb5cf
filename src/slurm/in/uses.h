/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobs use of limits and licences that hold others, so that the engine
 * knows whose leases would have to end for those.
 */
#ifndef ASTRA_USES_H
#define ASTRA_USES_H

#include "src/slurm/in/snapshot.h"

#define ASTRA_USES_JOBS 256 /* that wait for room, looked at in a round */
#define ASTRA_USES_MAX 64   /* limits of a pool */
#define ASTRA_USES_LICENCES 16

/* Jobs that are over a limit are BLOCKED. Those that could run if leases of
 * jobs under the same limits ended are PENDING from now on, and what each job
 * uses of these limits is known. Costs nothing where no job is over a limit.
 * Locks: caller holds conf, job and part read; takes assoc_mgr's read.
 * Returns 0, or -1 when out of memory. */
int astra_uses_find(struct astra_arena *arena, struct astra_view *view,
		    const struct astra_options *options);

#endif
