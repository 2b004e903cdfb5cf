/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a job in its grace (note/note.h). A job that exits with an agreed
 * code, or dies of the signal, has written a checkpoint. It is requeued at the
 * moment at which Slurm would call it failed (checkpointed.h). The same holds
 * for a job that exits with such a code after Slurm's own signal before its
 * time limit (TimeLimitExit). */
#ifndef ASTRA_GRACE_END_H
#define ASTRA_GRACE_END_H

#include "src/slurm/compat/compat.h"

/* Requeue a job that ended with a checkpoint. Slurm's state and exit code are
 * final, and not reported yet. Locks: caller holds job write
 * (job_completion_logger()). Returns whether the job was requeued. */
bool astra_grace_end(job_record_t *job);

#endif
