/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the last run of a requeued job ended (run_end_sec of its note). Slurm's
 * record has this time until the job's nodes are clean. From then on the record
 * has the time of the cleaning, which is later by the epilog and by the time
 * that a job takes to die. A round that sees the job only then reads the note,
 * so that accounts agree with sacct. After slurmctld was killed, the time comes
 * from the black box. */
#ifndef ASTRA_RUN_END_H
#define ASTRA_RUN_END_H

#include "src/slurm/compat/compat.h"
#include "src/store/black_box.h"

/* Note that a run has ended. Locks: caller holds job write. */
void astra_run_end_note(const job_record_t *job);

/* Note when a run ended, from the last event before slurmctld was killed. Does
 * nothing unless the event is the requeue of the run before the record's.
 * Locks: caller holds job write. */
void astra_run_end_recall(const struct astra_box_event *last);

#endif
