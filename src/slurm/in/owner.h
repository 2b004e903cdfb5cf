/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes that are one user's alone, or one MCS label's: ExclusiveUser=YES of a
 * partition, --exclusive=user, and a plugin of MCS that selects nodes. Of all
 * jobs that are together on a node Slurm wants one owner then. Owners are
 * numbers; 0: nobody.
 */
#ifndef ASTRA_OWNER_H
#define ASTRA_OWNER_H

#include "src/model/model.h"
#include "src/slurm/compat/compat.h"

/* Whether a job's nodes are to be its owner's alone. Locks: caller holds job
 * and part read. */
bool astra_owner_wants(const job_record_t *job);

/* Its user, as the owner of jobs without a label. Locks: caller holds job read.
 */
uint32_t astra_owner_of_user(const job_record_t *job);

/* Fill in owner and alone of a node. user: owner of all jobs there, if they are
 * one user's. Locks: caller holds node read. */
void astra_owner_of_node(const node_record_t *node, uint32_t user,
			 struct astra_node *out);

/* Fill in owner and alone of a job's request.
 * Locks: caller holds job and part read. */
void astra_owner_of_job(job_record_t *job, struct astra_request *out);

#endif
