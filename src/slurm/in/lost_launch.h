/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Launches that slurmctld had queued for its nodes when it ended, and that none
 * of them heard of: such a job is RUNNING without a process. Slurm itself gives
 * up a batch job that its node does not report when it registers, but only once
 * the job, and slurmctld, are older than BatchStartTimeout; the registration
 * after a start comes too soon for that, the next one maybe in twenty minutes.
 * So nodes are asked once more. What they report is never touched.
 */
#ifndef ASTRA_LOST_LAUNCH_H
#define ASTRA_LOST_LAUNCH_H

/* Once after slurmctld's start, when its jobs are there. Locks: none. */
void astra_lost_launch_doubt(void);

/* When it is time, once: have the nodes registered on which batch jobs were
 * started shortly before slurmctld. Each round.
 * Locks: caller holds job and node read. */
void astra_lost_launch_ask(void);

#endif
