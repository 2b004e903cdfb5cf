/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of parked jobs (out/park.h). */
#ifndef ASTRA_PARKED_H
#define ASTRA_PARKED_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/note/note.h"

/* How many jobs a round looks at. If there are more, they take turns. */
#define ASTRA_PARK_BATCH 1000

static inline bool astra_is_parked(const job_record_t *job)
{
	return job->state_reason == FAIL_BURST_BUFFER_OP;
}

static inline bool astra_job_waits(const job_record_t *job)
{
	return IS_JOB_PENDING(job) && !IS_JOB_COMPLETING(job);
}

/* Return Slurm's reason for refusing a job's last start; NULL: it gave none. */
const char *astra_refused_reason(uint32_t job);

/* Set the expected start time of a waiting job, which squeue --start shows.
 * Backfill clears all start times when a pass begins, and computes only those
 * of the jobs in its own queue. When the pass ends, under the same lock, it
 * asks the gate. The gate restores our times, so nobody sees them missing.
 * start_sec: seconds since the epoch; 0: unknown. Locks: caller holds job
 * write. */
void astra_expected_set(job_record_t *job, double start_sec);

/* Restore the times that were set for parked jobs, and forget those of other
 * jobs. Locks: caller holds job write. */
void astra_expected_restore(void);

#endif
