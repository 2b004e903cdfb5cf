/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The requeue of a job that has left with a checkpoint.
 *
 * To Slurm this is an end at first: job_completion_logger(job, false) calls us
 * while Slurm reports that end. From then on the job is treated like a running
 * job after "scontrol requeue": it still counts for the limits on submissions,
 * its array does not see its exit code, its user gets the mail of a requeue,
 * and sacct shows a requeued run. */
#ifndef ASTRA_CHECKPOINTED_H
#define ASTRA_CHECKPOINTED_H

#include "src/slurm/compat/compat.h"

/* Turn the end that Slurm is reporting into a requeue. Slurm then reports to
 * the job's array, by mail, and to slurmdbd: all of them see a requeue. Locks:
 * caller holds job write and is job_completion_logger(). */
void astra_checkpointed_end(job_record_t *job);

/* Make the jobs whose end Slurm has reported pending, as after a requeue. This
 * happens before their nodes are clean, so that a user may cancel or change
 * them. Call when the bell orders it, and each round. Locks: caller holds job
 * write, part and conf read. */
void astra_checkpointed_settle(void);

/* Restore the mail settings of such jobs after a restart of slurmctld, which
 * may have ended in between. Locks: as astra_checkpointed_settle(). */
void astra_checkpointed_resume(void);

/* Free all memory. Locks: caller holds job write. */
void astra_checkpointed_free(void);

#endif
