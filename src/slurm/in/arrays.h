/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays with a limit on tasks that run at once (%N), in a view of a pool.
 * Locks: caller holds job, part and conf read. */
#ifndef ASTRA_ARRAYS_H
#define ASTRA_ARRAYS_H

#include "src/common/arena.h"
#include "src/slurm/compat/compat.h"

struct astra_view;

/* Return the record that counts the tasks of a job's array, if the array has a
 * limit, else NULL. Borrowed. */
const job_array_struct_t *astra_array_throttle(const job_record_t *job);

/* Divide the tasks that each array's limit leaves among the array's waiting
 * records. A record that may start no task is BLOCKED, with the texts for
 * squeue and `sfair why`. Returns 0, or -1 when memory is out. */
int astra_arrays_share(struct astra_arena *arena, struct astra_view *view);

#endif
