/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The requeue of a job that has left with a checkpoint.
 *
 * Slurm learns of it as of an end: job_completion_logger(job, false) asks us
 * while it is telling of that end. From there on the job is what "scontrol
 * requeue" makes of a running job: it stays counted for the limits of
 * submissions, its array does not see its exit code, its user gets the mail of
 * a requeue, and sacct shows a requeued run.
 */
#ifndef ASTRA_CHECKPOINTED_H
#define ASTRA_CHECKPOINTED_H

#include "src/slurm/compat/compat.h"

/* Turn the end that Slurm is telling of into a requeue. Slurm goes on to tell
 * the job's array, to mail, and to tell slurmdbd: these see it as requeued.
 * Locks: caller holds job write and is job_completion_logger(). */
void astra_checkpointed_end(job_record_t *job);

/* Let the jobs of which Slurm has told be pending, as after a requeue, before
 * their nodes are clean: a user may cancel or change them then. When the
 * bell orders it, and each round.
 * Locks: caller holds job write, part and conf read. */
void astra_checkpointed_settle(void);

/* The same after a restart of slurmctld, which may have been between the two.
 * Locks: as astra_checkpointed_settle(). */
void astra_checkpointed_resume(void);

/* Locks: caller holds job write. */
void astra_checkpointed_free(void);

#endif
