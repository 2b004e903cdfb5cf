/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Launches that slurmctld had queued when it ended and that no node has
 * received: such a job is RUNNING without a process. Slurm itself gives up a
 * batch job that its node does not report on registration, but only once the
 * job and slurmctld are older than BatchStartTimeout. The registration after a
 * start comes too soon for that, and the next one perhaps twenty minutes later.
 * So nodes are asked once more. Jobs that a node reports are never touched. */
#ifndef ASTRA_LOST_LAUNCH_H
#define ASTRA_LOST_LAUNCH_H

/* Note which jobs are in doubt. Call once after slurmctld's start, when its
 * jobs are loaded. Locks: none. */
void astra_lost_launch_doubt(void);

/* Ask the nodes on which batch jobs were started shortly before slurmctld to
 * register: once, when a launch must be over. Call each round. Locks: caller
 * holds job and node read. */
void astra_lost_launch_ask(void);

#endif
