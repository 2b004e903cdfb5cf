/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes in a job's own record: environment variables, which slurmctld saves
 * with the job. */
#ifndef ASTRA_MARKS_H
#define ASTRA_MARKS_H

#include "src/slurm/compat/compat.h"

/* Set a variable, replacing an earlier value.
 * Locks: caller holds job write. */
void astra_env_set(job_details_t *details, const char *name, const char *value);

/* As astra_env_set(), with a whole number. Locks: caller holds job write. */
void astra_env_set_number(job_details_t *details, const char *name,
			  double value);

/* Remove a variable. Locks: caller holds job write. */
void astra_env_unset(job_details_t *details, const char *name);

/* Why a job was refused and is held, as astra_reason_text(); kept until the job
 * starts. */
#define ASTRA_ENV_REFUSED "ASTRAEA_REFUSED"

/* Set if the user allowed a requeue after the submission. */
#define ASTRA_ENV_REQUEUE "ASTRAEA_REQUEUE"

/* Return the value of a variable, or NULL; borrowed. Locks: caller holds job
 * read. */
const char *astra_env_get(const job_details_t *details, const char *name);

/* The number of restarts of the run that has leases. */
#define ASTRA_ENV_RUN "ASTRAEA_LEASED_RUN"

/* Whether the present run has leases, since we started it. The variable stays
 * in the job's record under stock Slurm. Locks: caller holds job read. */
bool astra_env_is_leased(const job_record_t *job);

/* Note that the present run has leases from now on. Locks: caller holds job
 * write. */
void astra_env_lease_run(const job_record_t *job);

/* Note that a limit allows an elastic job only so many GPUs; 0: no limit any
 * more. For an hour its run is not ended to get more GPUs, as it would come
 * back at the same size. Locks: caller holds job write. */
void astra_resize_bound(job_record_t *job, uint32_t gpus);

/* Return the noted number of GPUs; 0: none is noted. Locks: job read. */
uint32_t astra_resize_bound_of(const job_record_t *job, time_t now);

#endif
