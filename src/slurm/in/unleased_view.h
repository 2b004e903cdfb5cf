/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bounds of jobs without leases, in a view of a pool and at submission. */
#ifndef ASTRA_UNLEASED_VIEW_H
#define ASTRA_UNLEASED_VIEW_H

#include "src/common/arena.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"

struct astra_view;

/* Pools are numbered as in the configuration in force; in those beyond no job
 * may start at its submission. */
#define ASTRA_ROOM_POOLS 64

/* Those that are over a bound are BLOCKED, with the reason that squeue and
 * `sfair why` show. Without a gate, or leases, nothing is done.
 * Locks: caller holds job and part read. Returns 0, or -1 when out of memory.
 */
int astra_unleased_share(struct astra_arena *arena, size_t pool,
			 struct astra_view *view,
			 const struct astra_options *options);

/* The seconds of a time limit in minutes, as Slurm sets it at a run's start:
 * NO_VAL stands for the partition's, which may be NULL; 0: none.
 * Locks: caller holds part read. */
double astra_unleased_limit(uint32_t minutes, const part_record_t *part);

/* Whether a job of srun or salloc may start now. Its GPUs are taken off then.
 * Locks: caller holds job write and part read. */
bool astra_unleased_admit(size_t pool, const struct astra_options *options,
			  const job_record_t *job);

/* The options as they hold: a bound that is the default is none where
 * JobRequeue=0 makes every job one without leases.
 * Locks: caller holds conf read. */
void astra_unleased_default(struct astra_options *options);

#endif
