/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs of which somebody waits at the terminal, srun and salloc, may start at
 * their submission, as under stock Slurm: in a pool in which nobody waits for
 * GPUs nothing is taken from anybody, nothing is promised or held, and Slurm
 * may choose among all that is idle. The next round finds them running.
 *
 * A round opens a pool if it has left nobody waiting but jobs that Slurm has
 * refused again and again; whoever is turned away at the gate closes it. Where
 * the policy sells or plans GPUs it is never open (policy.h: arrivals).
 */
#ifndef ASTRA_ARRIVAL_H
#define ASTRA_ARRIVAL_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"
#include "src/slurm/in/unleased.h"
#include "src/slurm/out/apply.h"
#include "src/slurm/round/pool.h"

struct astra_view;

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

/* Pools are numbered as in the configuration in force; those beyond are never
 * open. */
#define ASTRA_ARRIVAL_POOLS 64

/* Somebody waits in that pool. Any thread. Locks: caller holds job write. */
void astra_arrival_close(size_t pool);

/* The last who closed it has got nodes from Slurm, which hands them to whoever
 * waits for them, and runs in a moment: open it again. Locks: as above. */
void astra_arrival_start(job_record_t *job, size_t pool);

/* Locks: as above. */
bool astra_arrival_is_open(size_t pool);

/* Another configuration comes into force. Locks: as above. */
void astra_arrival_forget(void);

/* A round begins: whoever comes from now on may not be in it. The engine's
 * thread only, as below. Locks: none. */
void astra_arrival_round_begins(void);

/* It has been decided in a pool, and what was decided carried out: open it if
 * nobody waits. */
void astra_arrival_decided(size_t index, const struct astra_pool *pool,
			   const struct astra_applied *applied);

#endif
