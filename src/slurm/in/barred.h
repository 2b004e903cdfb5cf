/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes that a job needs and cannot have, whoever waits: reserved for others,
 * drained or down. The engine knows of no cause, only that the job does not fit.
 */
#ifndef ASTRA_BARRED_H
#define ASTRA_BARRED_H

#include "src/slurm/in/snapshot.h"

/* Say in info what keeps a waiting job from its nodes, as Slurm would. A job that
 * a maintenance keeps from them is as over a limit: blocked.
 * Locks: caller holds conf, job, node and part read.
 * Returns 0, or -1 when out of memory. */
int astra_barred_find(struct astra_arena *arena, const struct astra_view *view,
		      job_record_t *job, struct astra_job_info *info,
		      struct astra_job *out);

#endif
