/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a job could not have the nodes that it needs even if no job ran: they are
 * reserved, drained or down. The engine does not know the cause, only that the
 * job does not fit. */
#ifndef ASTRA_BARRED_H
#define ASTRA_BARRED_H

#include "src/slurm/in/snapshot.h"

/* Say in info, in Slurm's words, what keeps a waiting job from its nodes. A job
 * that a maintenance keeps waiting is blocked, like a job over a limit. Locks:
 * caller holds conf, job, node and part read. Returns 0, or -1 when memory is
 * out. */
int astra_barred_find(struct astra_arena *arena, const struct astra_view *view,
		      job_record_t *job, struct astra_job_info *info,
		      struct astra_job *out);

#endif
