/* SPDX-License-Identifier: GPL-2.0-or-later */
/* After a crash. Slurm saves its jobs every five seconds: killed in between, it
 * knows nothing of the last starts and ends, would run a job again that is over
 * and start one beside its live processes. The black box (store/black_box.h)
 * knows; here its events are written, and after a start the job records are
 * brought up to them:
 *
 *   the record says   the box says    what is done
 *   running           started         it was not launched: it is requeued
 *   running           over            it ends as it had ended
 *   running           requeued        it is requeued
 *   pending           over            it ends as it had ended
 *   pending           started,        it waits until the nodes of that run have
 *                     launched, or    answered and killed what they found
 *                     requeued (survivor.h)
 *
 * A record of the same number of restarts that began later is newer than the
 * box: another controller has started the job, or its nodes have booted since.
 */
#ifndef ASTRA_RECOVER_H
#define ASTRA_RECOVER_H

#include "src/common/error.h"
#include "src/slurm/compat/compat.h"

/* Open the box of a cluster. Does I/O. Without one only this safety is missing,
 * which astra_recover_warn() tells.
 * folder: StateSaveLocation, which names the cluster. */
void astra_recover_open(const char *folder);
void astra_recover_warn(struct astra_error *out);

/* Note that slurmctld lives, and make the box again if somebody has removed its
 * file. Each round. Does I/O then. Locks: takes job write then. */
void astra_recover_round(void);

/* Locks: caller holds job write. */
void astra_recover_close(void);

/* A managed job has got its nodes; then, it has been launched.
 * Locks: caller holds job write. */
void astra_recover_started(const job_record_t *job);
void astra_recover_launched(const job_record_t *job);

/* A job has ended; its state and exit code are final, nobody has been told.
 * Locks: caller holds job write (job_completion_logger()). */
void astra_recover_ended(const job_record_t *job);

/* Slurmctld has read its jobs and is not yet asked anything. A running batch
 * job that was saved before its launch has no step of its script, and without
 * one Slurm takes no notice of its end. Locks: caller holds conf, job, node and
 * part write. */
void astra_recover_steps(void);

/* Once after slurmctld's start: bring the records up to the box.
 * Locks: takes conf, job and node write, part and fed read. */
void astra_recover_jobs(void);

#endif
