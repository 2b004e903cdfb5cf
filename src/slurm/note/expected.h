/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When each waiting job is expected to start, for squeue --start. Backfill
 * forgets all start times at the beginning of each of its passes, and works out
 * those of jobs in its own queue only; the gate is asked at the end of the pass
 * under the same lock and gives ours back, so that nobody sees them gone.
 */
#ifndef ASTRA_EXPECTED_H
#define ASTRA_EXPECTED_H

#include "src/slurm/compat/compat.h"

/* start_sec: seconds since the epoch; 0: not known.
 * Locks: caller holds job write. */
void astra_expected_set(job_record_t *job, double start_sec);

/* Give parked jobs the times that were set; those of others are forgotten.
 * Locks: caller holds job write. */
void astra_expected_restore(void);

/* Locks: caller holds job write. */
void astra_expected_free(void);

#endif
