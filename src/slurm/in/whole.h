/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that take whole nodes. */
#ifndef ASTRA_WHOLE_H
#define ASTRA_WHOLE_H

#include "src/slurm/compat/compat.h"

/* Return the fewest CPUs that a waiting job will have that takes whole nodes of
 * its partition; 0: another job, or unknown. The job's record counts only the
 * CPUs that it asks for. Locks: caller holds job, node and part read. */
uint32_t astra_whole_cpus(const job_record_t *job);

#endif
