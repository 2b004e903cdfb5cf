/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The charge of what a job keeps others from using. A job with one GPU and all
 * CPUs of a node with eight GPUs keeps all eight from others, so it is charged
 * for eight. The charge is, node by node, the larger of two: the job's GPUs,
 * and the worth of its CPUs and memory in GPUs.
 *
 * Before a job runs, it is charged as on the mean of the nodes that it may use,
 * and never for more than the nodes. The CPUs of a job that was suspended by
 * hand are free, as in Slurm, until it is resumed. */
#ifndef ASTRA_BLOCKED_H
#define ASTRA_BLOCKED_H

#include "src/model/model.h"
#include "src/slurm/compat/compat.h"

/* The sums over some nodes with GPUs. */
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
	double least_cpus, least_mem_mib; /* per GPU, the least of any node */
	const uint64_t *allowed;	  /* the nodes in `sums`; NULL: all */
	struct astra_blocked_sums sums;
};

/* Prepare for a pool's jobs, once the charges of its nodes are known. The
 * caller sets the members up to gpu_tres; nodes and global are borrowed. Locks:
 * caller holds node read. */
void astra_blocked_begin(struct astra_blocked *pool);

/* Return the index of gres/NAME among TRES, or -1 if AccountingStorageTRES does
 * not list it. Locks: takes assoc_mgr's TRES read lock. */
int astra_gres_tres(const char *name);

/* Raise the charges of what the job asks for and of what it holds by the excess
 * of its CPUs and memory. A CPU is worth the node's GPUs divided by the node's
 * CPUs; likewise a MiB. If the partition's TRESBillingWeights weigh GPUs, they
 * give the worth instead. A whole node is worth its GPUs. A job that asks for
 * no more than its GPUs' part costs a few multiplications, other jobs at most a
 * walk over the nodes. The job's set of nodes must live as long as `pool` is
 * used. Locks: caller holds job, node and part read. */
void astra_charge_blocked(struct astra_blocked *pool,
			  const job_record_t *record, struct astra_job *job);

#endif
