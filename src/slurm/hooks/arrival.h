/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs of srun and salloc, whose users wait at the terminal, may start at their
 * submission, as under stock Slurm. If no job waits for GPUs in a pool, such a
 * start takes nothing from any job, nothing is promised or held, and Slurm may
 * choose among all idle GPUs. The next round finds the jobs running.
 *
 * A round opens a pool if it leaves no job waiting except jobs that Slurm has
 * refused again and again. A job that is turned away at the gate closes it. If
 * the policy sells or plans GPUs, the pool is never open (policy.h:
 * arrivals). */
#ifndef ASTRA_ARRIVAL_H
#define ASTRA_ARRIVAL_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/in/unleased_view.h"
#include "src/slurm/out/apply.h"
#include "src/slurm/round/pool.h"

/* Close the pool, as a job waits there. May be called from any thread. Locks:
 * caller holds job write. */
void astra_arrival_close(size_t pool);

/* Open the pool again: the job that closed it last got nodes from Slurm and is
 * about to run. Slurm gives such jobs nodes by itself. Locks: as
 * astra_arrival_close(). */
void astra_arrival_start(job_record_t *job, size_t pool);

/* Whether the pool is open. Locks: as astra_arrival_close(). */
bool astra_arrival_is_open(size_t pool);

/* Close all pools, since another configuration comes into force. Locks: as
 * astra_arrival_close(). */
void astra_arrival_forget(void);

/* Note that a round begins: jobs that come from now on may not be in it.
 * Engine's thread only, as the function below. Locks: none. */
void astra_arrival_round_begins(void);

/* Note that the round's decisions for a pool have been carried out, and open
 * the pool if no job waits. */
void astra_arrival_decided(size_t index, const struct astra_pool *pool,
			   const struct astra_applied *applied);

#endif
