/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preemption by QOS or partition is the site's own order and goes before
 * leases: a managed job that may preempt jobs which run is given to Slurm's own
 * choice of nodes and victims before the engine decides. */
#ifndef ASTRA_PREEMPT_H
#define ASTRA_PREEMPT_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"
#include "src/slurm/round/diag.h"

/* Try some of the waiting managed jobs, the others in the next calls.
 * Locks: none; takes the write locks. */
void astra_preempt_serve(const struct astra_config *config,
			 struct astra_diag *diag);

/* Return the nodes that are being left for such a job, by slurmctld's numbers:
 * no other job is to start there. NULL: none. Borrowed until the next call of
 * astra_preempt_serve(). Called by the thread that serves. */
bitstr_t *astra_preempt_kept(void);

#endif
