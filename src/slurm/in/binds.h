/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why slurmctld keeps a job from running, for `sfair why`: holds,
 * dependencies, begin times, licences, limits. Only jobs that are kept cost
 * anything, and each has ASTRA_REPORT_BINDS at most.
 */
#ifndef ASTRA_BINDS_H
#define ASTRA_BINDS_H

#include "src/common/arena.h"
#include "src/proto/report.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/in/arrays.h"

/* What keeps a pending job. Limits are without their numbers.
 * name: Slurm's reason, or that of the limit of a parked job.
 * out: *count of them, NULL for none; of the arena.
 * Locks: caller holds job, part and conf read. Returns 0, or -1 when memory is
 * out. */
int astra_binds_of(struct astra_arena *arena, job_record_t *job,
		   const char *name, struct astra_report_bind **out,
		   uint32_t *count);

/* How many tasks of a pending record's array may run, and do; all 0 where that
 * has no limit. Locks: caller holds job read. */
struct astra_report_array astra_array_of(const job_record_t *job);

#define ASTRA_LIMITS_MAX 1000 /* jobs a round whose limit is looked up */

/* Whether that is the name of a limit of what running jobs have, or may still
 * use, together: of a group, an account or a user, or of an association's jobs.
 * The end of one makes room in it. (limit.c) */
bool astra_limit_is_of_runs(const char *name);

/* The numbers of a limit by its name. (limit.c)
 * Locks: caller holds job and part read, and of assoc_mgr assoc, qos and tres
 * read. Returns 0, or -1 when out of memory. */
int astra_limit_fill(struct astra_arena *arena, job_record_t *job,
		     struct astra_report_bind *bind);

#endif
