/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays whose tasks may not all run at once (%N), in a view of a pool.
 * Locks: caller holds job, part and conf read. */
#ifndef ASTRA_ARRAYS_H
#define ASTRA_ARRAYS_H

#include "src/common/arena.h"
#include "src/slurm/compat/compat.h"

struct astra_view;

/* The record that counts the tasks of a job's array, if that has a limit, else
 * NULL. Borrowed. */
const job_array_struct_t *astra_array_throttle(const job_record_t *job);

/* Leave the waiting records of each array together no more tasks than its limit
 * does. Those that may start none are BLOCKED, with what squeue and
 * `sfair why` say of it. Returns 0, or -1 when out of memory. */
int astra_arrays_share(struct astra_arena *arena, struct astra_view *view);

#endif
