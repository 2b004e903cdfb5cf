/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of parked jobs (out/park.h). */
#ifndef ASTRA_PARKED_H
#define ASTRA_PARKED_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/note/note.h"

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

/* Slurm's reason when it refused a job's last start; NULL: it gave none. */
const char *astra_refused_reason(uint32_t job);

/* When a waiting job is expected to start, for squeue --start. Backfill forgets
 * all start times at the beginning of each of its passes, and works out those
 * of jobs in its own queue only; the gate is asked at the end of the pass under
 * the same lock and gives ours back, so that nobody sees them gone.
 * start_sec: seconds since the epoch; 0: not known.
 * Locks: caller holds job write. */
void astra_expected_set(job_record_t *job, double start_sec);

/* Give parked jobs the times that were set; those of others are forgotten.
 * Locks: caller holds job write. */
void astra_expected_restore(void);

#endif
