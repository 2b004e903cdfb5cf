/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job's weight within its tenant: QOSWeight of its QOS, by number, so that
 * jobs are looked at without the lock of the QOS. */
#ifndef ASTRA_QOS_H
#define ASTRA_QOS_H

#include "src/common/idmap.h"
#include "src/model/weights.h"
#include "src/slurm/compat/compat.h"

/* The partitions and QOS that a job names: it runs in any pair of them, which
 * Slurm tries one after the other. Several QOS: from 24.11 on. */

/* Whether the job names more than one pair. Locks: caller holds job read. */
bool astra_pairs_are_several(const job_record_t *job);

/* Give the job the first pair that suits it, in Slurm's order; where none does
 * it keeps the one that it has. first: the partition to begin with, or NULL.
 * suits: is asked with the pair in the record.
 * Locks: caller holds job write, part read. Returns whether one suits. */
bool astra_pairs_find(job_record_t *job, part_record_t *first,
		      bool (*suits)(job_record_t *job, void *arg), void *arg);

struct astra_qos_weights {
	const struct astra_weights *weights; /* borrowed */
	struct astra_idmap by_id;	     /* QOS -> row of weights */
};

/* Begin anew. Locks: takes assoc_mgr's read lock.
 * Returns 0, or -1 when out of memory. */
int astra_qos_begin(struct astra_qos_weights *qos,
		    const struct astra_weights *weights);

/* The weight of jobs of the QOS of that number; 0: no QOS. Locks: none. */
double astra_qos_weight(const struct astra_qos_weights *qos, uint32_t id);

void astra_qos_free(struct astra_qos_weights *qos);

/* The number of the QOS of that name; 0: there is none.
 * Locks: takes assoc_mgr's read lock. */
uint32_t astra_qos_find(const char *name);

/* Whether the job's QOS lets it have more nodes than its partition's MaxNodes.
 * Locks: caller holds job read; takes assoc_mgr's read lock. */
bool astra_qos_frees_nodes(const job_record_t *job);

#endif
