/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bounds of jobs without leases, for those that start at their submission,
 * between two rounds (arrival.h). What the last round left to each user in each
 * account is kept, and used up; two users of one tenant may get it both, until
 * the next round counts them.
 */
#ifndef ASTRA_UNLEASED_ARRIVAL_H
#define ASTRA_UNLEASED_ARRIVAL_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"
#include "src/slurm/in/unleased.h"

struct astra_view;

/* Note what a round leaves. list: after astra_unleased_deal(); gpus: of the
 * pool's usable nodes. Locks: caller holds job read.
 * Returns 0, or -1 when memory is out. */
int astra_unleased_note(size_t pool, const struct astra_view *view,
			const struct astra_options *options,
			const struct astra_unleased *list, size_t count,
			uint64_t gpus);

/* Whether a job of srun or salloc may start now. Its GPUs are taken off then.
 * Locks: caller holds job write and part read. */
bool astra_unleased_admit(size_t pool, const struct astra_options *options,
			  const job_record_t *job);

#endif
