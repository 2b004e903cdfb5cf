/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of parked jobs (out/park.h). */
#ifndef ASTRA_PARKED_H
#define ASTRA_PARKED_H

#include "src/slurm/compat/compat.h"

/* At most so many jobs are looked at in one round; beyond, in turn. */
#define ASTRA_PARK_BATCH 1000

static inline bool astra_is_parked(const job_record_t *job)
{
	return job->state_reason == FAIL_BURST_BUFFER_OP;
}

static inline bool astra_job_waits(const job_record_t *job)
{
	return IS_JOB_PENDING(job) && !IS_JOB_COMPLETING(job);
}

/* Note whether the last look found a job over a limit.
 * Locks: caller holds job write. */
void astra_park_set_limited(uint32_t job_id, bool over);

/* Whether the last look found a parked job over a limit: it could not run if
 * there were room. Locks: caller holds job read; the engine's thread only. */
bool astra_park_limited(uint32_t job_id);

/* Note why Slurm refused a job's start; WAIT_NO_REASON: it gave no reason.
 * Locks: caller holds job write; round thread only. */
void astra_park_set_refused(uint32_t job_id, uint32_t reason);

/* Slurm's reason when it refused a job's start last; NULL: it gave none.
 * Round thread only. */
const char *astra_park_refused(uint32_t job_id);

/* Forget that of jobs that do not wait any more: they were cancelled, or are
 * gone. A few at a time. Locks: caller holds job read; round thread only. */
void astra_park_forget(void);

/* Forget all. Locks: caller holds job write. */
void astra_park_forget_all(void);

#endif
