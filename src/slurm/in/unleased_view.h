/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bounds of jobs without leases, in a view of a pool and at submission. */
#ifndef ASTRA_UNLEASED_VIEW_H
#define ASTRA_UNLEASED_VIEW_H

#include "src/common/arena.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"

struct astra_view;

/* Pools are numbered as in the configuration in force. In a pool beyond these,
 * no job may start at its submission. */
#define ASTRA_ROOM_POOLS 64

/* Block jobs that are over a bound, with the reason that squeue and `sfair why`
 * show. Without a gate, or without leases, nothing is done. Locks: caller holds
 * job and part read. Returns 0, or -1 when memory is out. */
int astra_unleased_share(struct astra_arena *arena, size_t pool,
			 struct astra_view *view,
			 const struct astra_options *options);

/* Return the seconds of a time limit in minutes, as Slurm sets it when a run
 * starts. NO_VAL stands for the partition's default; part may be NULL; 0: none.
 * Locks: caller holds part read. */
double astra_unleased_limit(uint32_t minutes, const part_record_t *part);

/* Whether a job of srun or salloc may start now. If so, its GPUs are subtracted
 * from those that are left. Locks: caller holds job write and part read. */
bool astra_unleased_admit(size_t pool, const struct astra_options *options,
			  const job_record_t *job);

/* Adjust the options: a bound that is the default does not apply if
 * JobRequeue=0 leaves every job without leases. Locks: caller holds conf
 * read. */
void astra_unleased_default(struct astra_options *options);

#endif
