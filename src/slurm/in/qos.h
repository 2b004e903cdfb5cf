/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job's weight within its tenant: QOSWeight of its QOS. The table is by QOS
 * id, so that looking at jobs needs no lock on the QOS. */
#ifndef ASTRA_QOS_H
#define ASTRA_QOS_H

#include "src/common/idmap.h"
#include "src/model/weights.h"
#include "src/slurm/compat/compat.h"

/* The partitions and QOS that a job names. It runs in any pair of them; Slurm
 * tries the pairs one after the other. A job may name several QOS from 24.11
 * on. */

/* Whether the job names more than one pair. Locks: caller holds job read. */
bool astra_pairs_are_several(const job_record_t *job);

/* Give the job the first pair that suits it, in Slurm's order. If no pair
 * suits, the job keeps its own. first: the partition to begin with, or NULL.
 * suits: called with the pair in the record. Locks: caller holds job write,
 * part read. Returns whether a pair suits. */
bool astra_pairs_find(job_record_t *job, part_record_t *first,
		      bool (*suits)(job_record_t *job, void *arg), void *arg);

struct astra_qos_weights {
	const struct astra_weights *weights; /* borrowed */
	struct astra_idmap by_id;	     /* id of a QOS -> row of weights */
};

/* Build the table from weights, which are borrowed. Locks: takes assoc_mgr's
 * read lock. Returns 0, or -1 when out of memory. */
int astra_qos_begin(struct astra_qos_weights *qos,
		    const struct astra_weights *weights);

/* Return the weight of jobs of the QOS with that id; 0: no QOS. Locks: none. */
double astra_qos_weight(const struct astra_qos_weights *qos, uint32_t id);

void astra_qos_free(struct astra_qos_weights *qos);

/* Return the id of the QOS of that name; 0: there is none. Locks: takes
 * assoc_mgr's read lock. */
uint32_t astra_qos_find(const char *name);

/* Whether the job's QOS allows more nodes than its partition's MaxNodes. Locks:
 * caller holds job read; takes assoc_mgr's read lock. */
bool astra_qos_frees_nodes(const job_record_t *job);

#endif
