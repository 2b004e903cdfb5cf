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
#include "src/slurm/in/unleased_view.h"
#include "src/slurm/out/apply.h"
#include "src/slurm/round/pool.h"

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
