/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the last run of a requeued job ended (run_end_sec of its note). Slurm
 * knows it until the job's nodes are clean; then the record has but the time of
 * that, which is later: by the epilog, and by what a job takes to die. A round
 * that sees the job only then asks the note, so that accounts are sacct's.
 * After a kill the black box knows it.
 */
#ifndef ASTRA_RUN_END_H
#define ASTRA_RUN_END_H

#include "src/slurm/compat/compat.h"
#include "src/store/black_box.h"

/* A run has ended. Locks: caller holds job write. */
void astra_run_end_note(const job_record_t *job);

/* The last that is known of a job from before slurmctld was killed: where it is
 * the requeue of the run before the record's, when that run ended.
 * Locks: caller holds job write. */
void astra_run_end_recall(const struct astra_box_event *last);

#endif
