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

/* What nodes with GPUs have, in sum. */
struct astra_blocked_sums {
	double charge, gpus, cpus, mem_mib;
	size_t count;
};

/* The nodes of a pool. */
struct astra_blocked {
	const struct astra_node *nodes; /* with their charges */
	const uint32_t *global;		/* their indices in slurmctld */
	size_t count;
	bool memory;			  /* jobs are allocated memory */
	int gpu_tres;			  /* from astra_gres_tres() */
	double least_cpus, least_mem_mib; /* for one GPU, the least of any
					   * node */
	const uint64_t *allowed;	  /* nodes that were summed last */
	struct astra_blocked_sums sums;
};

/* Begin with a pool's nodes, once their charges are known. The caller sets the
 * members up to gpu_tres; nodes and global are borrowed. Locks: caller holds
 * node read. */
void astra_blocked_begin(struct astra_blocked *pool);

/* Return the index of gres/NAME among TRES, or -1: AccountingStorageTRES does
 * not have it. Locks: takes assoc_mgr's TRES read lock. */
int astra_gres_tres(const char *name);

/* Raise the charges of what the job asks for and of what it holds. A CPU is
 * worth its node's GPUs divided by its CPUs, a MiB likewise. If the partition's
 * TRESBillingWeights weigh GPUs, these give the worth. All of a node is worth
 * its GPUs. A job that asks for no more than its GPUs' part costs a few
 * multiplications, other jobs at most a walk over the nodes. The job's set of
 * nodes must live as long as `pool` is used. Locks: caller holds job, node and
 * part read. */
void astra_charge_blocked(struct astra_blocked *pool,
			  const job_record_t *record, struct astra_job *job);

#endif
