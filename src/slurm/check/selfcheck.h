/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether slurmctld's structures are those that this plugin was built with.
 *
 * Slurm loads a plugin by its version alone. A plugin built with other headers
 * of the same version would read and write the wrong members. So before
 * anything of slurmctld is read, its size is compared. Before a pointer in it
 * is followed, its target is checked. And before anything is changed, the
 * members are compared with what slurmctld answers to scontrol (layout.h,
 * selfcheck_answer.c). If anything differs, the plugin stands aside for the
 * rest of the process: all jobs are Slurm's own, as if the plugin were not
 * there.
 *
 * The check cannot see that two members of one kind and size have changed
 * places if their values were equal in all records that were looked at, or if
 * slurmctld's answers contain neither of them. */
#ifndef ASTRA_SELFCHECK_H
#define ASTRA_SELFCHECK_H

#include "src/slurm/compat/compat.h"

/* Call this first. Check variables and the configuration, and whether the
 * loaded plugins are of this build. Locks: caller holds slurmctld's, or
 * slurmctld serves nobody yet. Returns 0, or -1 if nothing of slurmctld may be
 * read. The plugin may stand aside after a 0, too. */
int astra_selfcheck_begin(void);

/* Look at what has not been looked at yet: some nodes and partitions once, and
 * the first jobs. After that a call costs nothing. Locks: caller holds those of
 * astra_write_locks(). Returns 0, or -1 if the plugin stands aside. */
int astra_selfcheck_look(void);

/* Whether a job has been compared with slurmctld's answer; whether all checks
 * are done. Nothing may be changed until the first is true. Any thread. */
bool astra_selfcheck_passed(void);
bool astra_selfcheck_done(void);

/* Whether the plugin stands aside; return why, or "". Any thread. */
bool astra_selfcheck_aside(void);
const char *astra_selfcheck_reason(void);

/* Stand aside because a snapshot of slurmctld is impossible. why: copied; the
 * first reason stays. Any thread. */
void astra_selfcheck_refuse(const char *why);

/* For the entry points: whether what slurmctld passes may be read. They check
 * it themselves until a job has been compared. Locks: as slurmctld calls, job
 * and part read. */
bool astra_selfcheck_job(const job_record_t *job);
bool astra_selfcheck_desc(const job_desc_msg_t *desc);

#endif
