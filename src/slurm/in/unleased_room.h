/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many GPUs without leases a new job may have until the next round. */
#ifndef ASTRA_UNLEASED_ROOM_H
#define ASTRA_UNLEASED_ROOM_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"
#include "src/slurm/in/unleased.h"

struct astra_view;

/* Pools are numbered as in the configuration in force; in those beyond no job
 * may start at its submission. */
#define ASTRA_ROOM_POOLS 64

/* Note what a round leaves. list: after astra_unleased_deal(); gpus: of the
 * pool's usable nodes. Locks: caller holds job read.
 * Returns 0, or -1 when out of memory. */
int astra_unleased_note(size_t pool, const struct astra_view *view,
			const struct astra_options *options,
			const struct astra_unleased *list, size_t count,
			uint64_t gpus);

/* Whether a job of srun or salloc may start now. Its GPUs are taken off then.
 * Locks: caller holds job write and part read. */
bool astra_unleased_admit(size_t pool, const struct astra_options *options,
			  const job_record_t *job);

#endif
