/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that take whole nodes. */
#ifndef ASTRA_WHOLE_H
#define ASTRA_WHOLE_H

#include "src/slurm/compat/compat.h"

/* Return the fewest CPUs that a waiting job will have if it takes whole nodes
 * of its partition; 0: it does not, or the number is unknown. The job's record
 * counts only the CPUs that it asks for. Locks: caller holds job, node and part
 * read. */
uint32_t astra_whole_cpus(const job_record_t *job);

#endif
