/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks whether slurmctld's structures are those with which this plugin was
 * built.
 *
 * Slurm checks only the version of a plugin. A plugin built with other headers
 * of the same version would read and write the wrong members. So before any
 * structure of slurmctld is read, its size is compared. Before a pointer in it
 * is followed, its target is checked. And before anything is changed, the
 * members are compared with what slurmctld answers to scontrol (layout.h,
 * selfcheck_answer.c). If anything differs, the plugin stands aside for the
 * rest of the process: all jobs are Slurm's own, as if the plugin were not
 * there.
 *
 * The check cannot see that two members of the same kind and size were swapped
 * if their values were equal in all records that were looked at, or if
 * slurmctld's answers contain neither of them. */
#ifndef ASTRA_SELFCHECK_H
#define ASTRA_SELFCHECK_H

#include "src/slurm/compat/compat.h"

/* Check variables and the configuration, and whether the loaded plugins are of
 * this build. Call this first. Locks: caller holds slurmctld's, or slurmctld
 * serves nobody yet. Returns 0, or -1 if nothing of slurmctld may be read. Even
 * if it returns 0, the plugin may stand aside. */
int astra_selfcheck_begin(void);

/* Check records that were not checked yet: some nodes and partitions once, and
 * the first jobs. After that a call costs nothing. Locks: caller holds those of
 * astra_write_locks(). Returns 0, or -1 if the plugin stands aside. */
int astra_selfcheck_look(void);

/* Whether a job has been compared with slurmctld's answer; whether all checks
 * are done. Nothing may be changed until the first is true. May be called from
 * any thread. */
bool astra_selfcheck_passed(void);
bool astra_selfcheck_done(void);

/* Whether the plugin stands aside; return why, or "". May be called from any
 * thread. */
bool astra_selfcheck_aside(void);
const char *astra_selfcheck_reason(void);

/* Stand aside because a snapshot of slurmctld is impossible. why: copied; the
 * first reason stays. May be called from any thread. */
void astra_selfcheck_refuse(const char *why);

/* For the entry points: whether they may read the records that slurmctld
 * passes. They check these records themselves until a job has been compared.
 * Locks: those with which slurmctld calls, job and part read. */
bool astra_selfcheck_job(const job_record_t *job);
bool astra_selfcheck_desc(const job_desc_msg_t *desc);

#endif
