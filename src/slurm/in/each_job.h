/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ASTRA_EACH_JOB_H
#define ASTRA_EACH_JOB_H

#include "src/slurm/compat/compat.h"

/* Call see(job, arg) for all of slurmctld's jobs, in its order, until see()
 * returns a negative value. Jobs lie all over the memory, so a walk over many
 * is a third faster if the caches prefetch the next ones. see() must not change
 * the list. Locks: caller holds job read. */
void astra_each_job(ListForF see, void *arg);

#endif
