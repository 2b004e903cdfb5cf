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
 * none; takes the write locks. */
void astra_preempt_serve(const struct astra_config *config,
			 struct astra_diag *diag);

/* Return the nodes that jobs are leaving for such a job, by slurmctld's index:
 * no other job may start there. NULL: none. Borrowed until the next call of
 * astra_preempt_serve(). Same thread as that call. */
bitstr_t *astra_preempt_kept(void);

#endif
