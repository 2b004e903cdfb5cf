/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes that belong to one user or one MCS label: ExclusiveUser=YES of a
 * partition, --exclusive=user, or an MCS plugin that selects nodes. Slurm then
 * wants one owner for all jobs that share a node. An owner is a number; 0:
 * none. */
#ifndef ASTRA_OWNER_H
#define ASTRA_OWNER_H

#include "src/model/model.h"
#include "src/slurm/compat/compat.h"

/* Whether the job needs nodes that only its owner may use. Locks: caller holds
 * job and part read. */
bool astra_owner_wants(const job_record_t *job);

/* Return the job's user as the owner of jobs without a label. Locks: caller
 * holds job read. */
uint32_t astra_owner_of_user(const job_record_t *job);

/* Fill in owner and alone of a node. user: owner of all jobs there, if they
 * have the same user. Locks: caller holds node read. */
void astra_owner_of_node(const node_record_t *node, uint32_t user,
			 struct astra_node *out);

/* Fill in owner and alone of a job's request.
 * Locks: caller holds job and part read. */
void astra_owner_of_job(job_record_t *job, struct astra_request *out);

#endif
