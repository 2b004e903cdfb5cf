/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the last run of a requeued job ended. Slurm knows it until the job's
 * nodes are clean; then the record has but the time of that, which is later: by
 * the epilog, and by what a job takes to die. A round that sees the job only
 * then asks here, so that accounts are sacct's. Kept for an hour; after a kill
 * the black box knows it.
 */
#ifndef ASTRA_RUN_END_H
#define ASTRA_RUN_END_H

#include <time.h>

#include "src/slurm/compat/compat.h"
#include "src/store/black_box.h"

/* A run has ended. Locks: caller holds job write. */
void astra_run_end_note(const job_record_t *job);

/* The last that is known of a job from before slurmctld was killed: where it is
 * the requeue of the run before the record's, when that run ended.
 * Locks: caller holds job write. */
void astra_run_end_recall(const struct astra_box_event *last);

/* Seconds since the epoch, 0: not known. Locks: caller holds job read. */
time_t astra_run_end_of(const job_record_t *job);

/* Locks: caller holds job write. */
void astra_run_end_free(void);

#endif
