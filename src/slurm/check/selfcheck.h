/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether slurmctld's structures are those that this plugin was built with.
 *
 * Slurm loads a plugin by its version alone. Built with other headers of the
 * same version it would read and write what it does not mean. So before
 * anything of slurmctld is read its size is compared, before a pointer of it is
 * followed its target is looked at, and before anything is changed the members
 * are compared with what slurmctld answers to scontrol (layout.h,
 * selfcheck_answer.c). What differs makes the plugin stand aside for the rest
 * of the process: all jobs are Slurm's own, as if it were not there.
 *
 * It cannot see that two members of one kind and size have changed places where
 * they had equal values in all records that were looked at, or where slurmctld
 * answers neither of them.
 */
#ifndef ASTRA_SELFCHECK_H
#define ASTRA_SELFCHECK_H

#include "src/slurm/compat/compat.h"

/* The first thing to call: variables and the configuration, and whether the
 * plugins that are loaded are of this build.
 * Locks: caller holds slurmctld's, or it serves nobody yet.
 * Returns 0, or -1 where nothing of slurmctld may be read; the plugin may stand
 * aside after a 0, too. */
int astra_selfcheck_begin(void);

/* Look at what has not been looked at: some nodes and partitions once, and the
 * first jobs that there are; then it costs nothing.
 * Locks: caller holds those of astra_write_locks().
 * Returns 0, or -1 where the plugin stands aside. */
int astra_selfcheck_look(void);

/* Whether a job has been compared with slurmctld's answer, and whether all is
 * done. Until the first nothing may be changed. Any thread. */
bool astra_selfcheck_passed(void);
bool astra_selfcheck_done(void);

/* Whether the plugin stands aside, and why; "" where it does not. Any thread.
 */
bool astra_selfcheck_aside(void);
const char *astra_selfcheck_reason(void);

/* Stand aside: a picture of slurmctld cannot be. why: copied; the first reason
 * stays. Any thread. */
void astra_selfcheck_refuse(const char *why);

/* For the entry points: whether what slurmctld hands over may be read. Looks at
 * it itself until a job has been compared.
 * Locks: as slurmctld calls, job and part read. */
bool astra_selfcheck_job(const job_record_t *job);
bool astra_selfcheck_desc(const job_desc_msg_t *desc);

#endif
