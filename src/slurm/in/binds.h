/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why slurmctld keeps a job from running, for `sfair why`: holds, dependencies,
 * begin times, licences, limits. Only such jobs cost anything, and each has at
 * most ASTRA_REPORT_BINDS entries. */
#ifndef ASTRA_BINDS_H
#define ASTRA_BINDS_H

#include "src/common/arena.h"
#include "src/proto/report.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/in/arrays.h"

/* List what keeps a pending job from running. Limits get no values here: see
 * astra_limit_fill(). name: Slurm's reason or, for a parked job, its limit's
 * name. out: *count entries in the arena, or NULL. Locks: caller holds job,
 * part and conf read. Returns 0, or -1 when memory is out. */
int astra_binds_of(struct astra_arena *arena, job_record_t *job,
		   const char *name, struct astra_report_bind **out,
		   uint32_t *count);

/* Return how many tasks of a pending record's array may run, and how many run
 * and wait; all 0 if the array has no limit. Locks: caller holds job read. */
struct astra_report_array astra_array_of(const job_record_t *job);

#define ASTRA_LIMITS_MAX 1000 /* jobs whose limit is looked up in a round */

/* Whether name is a limit on a sum over running jobs: on what the jobs of a
 * group, account, user or association have or may still use. When such a job
 * ends, there is room again. (limit.c) */
bool astra_limit_is_of_runs(const char *name);

/* Fill in the values of a limit by its name. (limit.c) Locks: caller holds job
 * and part read, and of assoc_mgr assoc, qos and tres read. Returns 0, or -1
 * when memory is out. */
int astra_limit_fill(struct astra_arena *arena, job_record_t *job,
		     struct astra_report_bind *bind);

#endif
