/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a lease: the checkpoint signal and the requeue. */
#ifndef ASTRA_REVOKE_H
#define ASTRA_REVOKE_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/in/managed.h"

/* Send the checkpoint signal as Slurm sends its warning: to the batch shell
 * alone or to the steps. If no part of the script is a step, the forwarder on
 * its node sends the signal to the processes that catch it. The user's own
 * warning before the time limit is still sent. Locks: caller holds job and node
 * write. Returns a Slurm error number. */
int astra_revoke_signal(job_record_t *job, const struct astra_terms *terms);

/* Take the GPUs back: Slurm ends the job (TERM, KillWait, KILL) and queues it
 * again. If Slurm refuses, the run is marked as not revocable. Locks: caller
 * holds job and node write, conf, part and fed read. Returns a Slurm error
 * number. */
int astra_revoke_requeue(job_record_t *job);

/* Note in the job's record that this run's requeue is ours.
 * Locks: caller holds job write. */
void astra_revoke_mark(job_record_t *job);

/* Whether the requeue was marked for the present run. Locks: caller holds job
 * read. */
bool astra_revoke_marked(const job_record_t *job);

/* Finish the requeue of a pending job. Slurm makes every requeued job wait two
 * minutes; one that we requeued is eligible at once. Locks: caller holds job
 * and node write. */
void astra_revoke_tidy(job_record_t *job);

#endif
