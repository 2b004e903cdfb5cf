/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The partitions and QOS that a job names: it runs in any pair of them, which
 * Slurm tries one after the other. Several QOS: from 24.11 on. */
#ifndef ASTRA_PAIRS_H
#define ASTRA_PAIRS_H

#include "src/slurm/compat/compat.h"

/* Whether the job names more than one pair. Locks: caller holds job read. */
bool astra_pairs_are_several(const job_record_t *job);

/* Give the job the first pair that suits it, in Slurm's order; where none does
 * it keeps the one that it has. first: the partition to begin with, or NULL.
 * suits: is asked with the pair in the record.
 * Locks: caller holds job write, part read. Returns whether one suits. */
bool astra_pairs_find(job_record_t *job, part_record_t *first,
		      bool (*suits)(job_record_t *job, void *arg), void *arg);

#endif
