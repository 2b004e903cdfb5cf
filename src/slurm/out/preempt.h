/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preemption by QOS or partition is the site's own rule and has priority over
 * leases. Before the engine decides, a managed job that may preempt running
 * jobs is given to Slurm's own choice of nodes and victims. */
#ifndef ASTRA_PREEMPT_H
#define ASTRA_PREEMPT_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"
#include "src/slurm/round/diag.h"

/* Try some of the waiting managed jobs; the next calls try the others. Locks:
 * none; takes slurmctld's write locks. */
void astra_preempt_serve(const struct astra_config *config,
			 struct astra_diag *diag);

/* Return the nodes that jobs are leaving for a job that preempted them, by
 * slurmctld's index; NULL: none. No other job may start there. Borrowed until
 * the next call of astra_preempt_serve(). Call from the same thread. */
bitstr_t *astra_preempt_kept(void);

#endif
