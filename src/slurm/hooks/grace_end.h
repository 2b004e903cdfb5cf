/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a job in its grace (note/note.h). One that leaves with an
 * agreed exit code, or dies of the signal, has checkpointed: it is requeued in
 * the very moment in which Slurm would have called it failed (checkpointed.h).
 * So is a job that leaves with such a code after Slurm's own signal before its
 * time limit (TimeLimitExit).
 */
#ifndef ASTRA_GRACE_END_H
#define ASTRA_GRACE_END_H

#include "src/slurm/compat/compat.h"

/* A job has ended; Slurm's state and exit code are final, nobody has been told
 * yet. Turns a checkpointed job into a requeued one.
 * Locks: caller holds job write (job_completion_logger()).
 * Returns whether it did. */
bool astra_grace_end(job_record_t *job);

#endif
