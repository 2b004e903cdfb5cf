/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recovery after a crash. Slurm saves its jobs every five seconds. If it is
 * killed in between, it does not know the last starts and ends: it would run
 * again a job that is over, and start a job beside its own live processes. The
 * black box (store/black_box.h) knows. Here its events are written, and after a
 * start the job records are updated from them:
 *
 *   record says   box says        what is done
 *   running       started         it was not launched: it is requeued
 *   running       over            it ends as it had ended
 *   running       requeued        it is requeued
 *   pending       over            it ends as it had ended
 *   pending       started,        it waits until the nodes of that run
 *                 launched or     have answered and killed what they
 *                 requeued        found (survivor.h)
 *
 * A record whose run began later than the event's, with the same count of
 * restarts, is newer than the box: another controller has started the job, or
 * its nodes have booted since. */
#ifndef ASTRA_RECOVER_H
#define ASTRA_RECOVER_H

#include "src/common/error.h"
#include "src/slurm/compat/compat.h"

/* Open the cluster's box. Does I/O. Without a box there is no such recovery,
 * and astra_recover_warn() says so. folder: StateSaveLocation, which identifies
 * the cluster. */
void astra_recover_open(const char *folder);
void astra_recover_warn(struct astra_error *out);

/* Note that slurmctld lives. Make the box again if its file was removed: that
 * does I/O and takes job write. Call each round. */
void astra_recover_round(void);

/* Close the box. Locks: caller holds job write. */
void astra_recover_close(void);

/* Note that a managed job has got its nodes, or that it has been launched.
 * Locks: caller holds job write. */
void astra_recover_started(const job_record_t *job);
void astra_recover_launched(const job_record_t *job);

/* Note that a job has ended. Its state and exit code are final, and nobody has
 * been told yet. Locks: caller holds job write (job_completion_logger()). */
void astra_recover_ended(const job_record_t *job);

/* Call when slurmctld has read its jobs and does not answer yet. A running
 * batch job that was saved before its launch has no step for its script, and
 * Slurm ignores the end of such a job. Locks: caller holds conf, job, node and
 * part write. */
void astra_recover_steps(void);

/* Update the job records by the box, once after slurmctld's start. Locks: takes
 * conf, job and node write, part and fed read. */
void astra_recover_jobs(void);

#endif
