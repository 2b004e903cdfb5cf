/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job keeps others from using. One GPU with all CPUs of a node of eight
 * is eight GPUs that nobody else has, so it is charged with eight: the larger
 * of its GPUs and the GPUs' worth of its CPUs and memory, node by node.
 *
 * Before a job runs, the mean of the nodes that it may use counts; never more
 * than the node. The CPUs of a job that was suspended by hand are free, as in
 * Slurm, until it is resumed.
 */
#ifndef ASTRA_BLOCKED_H
#define ASTRA_BLOCKED_H

#include "src/model/model.h"
#include "src/slurm/compat/compat.h"

/* What nodes with GPUs have together. */
struct astra_blocked_sums {
	double charge, gpus, cpus, mem_mib;
	size_t count;
};

/* Of a pool. */
struct astra_blocked {
	const struct astra_node *nodes; /* with their charges */
	const uint32_t *global;		/* their numbers in slurmctld */
	size_t count;
	bool memory;			  /* is what jobs are given a part of */
	int gpu_tres;			  /* as astra_gres_tres() has it */
	double least_cpus, least_mem_mib; /* of a node, for one of its GPUs */
	const uint64_t *allowed;	  /* the nodes that were summed last */
	struct astra_blocked_sums sums;
};

/* Begin with a pool's nodes, once their charges are known. The members up to
 * gpu_tres are the caller's; nodes and global are borrowed.
 * Locks: caller holds node read. */
void astra_blocked_begin(struct astra_blocked *pool);

/* The place of gres/NAME among TRES, or -1: AccountingStorageTRES is without
 * it. Locks: takes assoc_mgr's TRES read lock. */
int astra_gres_tres(const char *name);

/* Raise the charges of what the job asks for and of what it holds. A CPU is
 * worth its node's GPUs by its CPUs, a MiB likewise; by its partition's
 * TRESBillingWeights where these weigh GPUs; all of a node is its GPUs. A job
 * that asks for no more than its GPUs' part costs a few multiplications,
 * another one a walk over the nodes at most. The job's set of nodes must live
 * as long as `pool` is used. Locks: caller holds job, node and part read. */
void astra_charge_blocked(struct astra_blocked *pool,
			  const job_record_t *record, struct astra_job *job);

#endif
