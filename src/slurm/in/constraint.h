/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wishes about nodes that the engine does not know: --constraint, --prefer,
 * --contiguous, --switches, and blocks of topology/block with --segment. Those
 * that a set of nodes can express become such a set; Slurm checks the others
 * when the job starts. */
#ifndef ASTRA_CONSTRAINT_H
#define ASTRA_CONSTRAINT_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/in/node_order.h"

/* Leave in nodes those that --constraint allows. Of "[a|b]" one alternative is
 * left: the one whose nodes have the most free GPUs, among those with enough
 * nodes. For counts, --contiguous and blocks see constraint.c. possible: gets
 * all nodes that --constraint allows, since the next round may choose others.
 * Locks: caller holds conf, job, node and part read. */
void astra_constraint_apply(const job_record_t *job,
			    struct astra_node_order *order, bitstr_t *nodes,
			    bitstr_t *possible);

/* Whether a set of nodes cannot express all that the job wishes, so that Slurm
 * may have to choose the nodes itself. Locks: caller holds conf, job and part
 * read. */
bool astra_constraint_intricate(const job_record_t *job);

/* Choose which features select_nodes() is to obey: those of --prefer or those
 * of --constraint. Locks: caller holds job write. */
void astra_constraint_use(job_details_t *details, bool prefer);

#endif
