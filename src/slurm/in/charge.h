/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The charge of GPUs: GPUWeight of their types; a shard is charged for its part
 * of the GPU. Without GPUWeight and shards, the charges of requests and of held
 * GPUs stay 0, which counts each GPU as one. */
#ifndef ASTRA_CHARGE_H
#define ASTRA_CHARGE_H

#include "src/model/model.h"
#include "src/slurm/compat/compat.h"

struct astra_options;

/* Fill node->charge. Locks: caller holds node read. */
void astra_charge_node(const struct astra_options *options,
		       const node_record_t *record, struct astra_node *node);

/* Fill in the charges of what the job asks for, of what it holds, and of what a
 * run that is over had. A request without a type is expected to cost the mean
 * of the GPUs on the nodes that it may use. nodes, count: the pool's, with
 * their charges. Locks: caller holds job and node read. */
void astra_charge_job(const struct astra_options *options,
		      const job_record_t *record,
		      const struct astra_node *nodes, size_t count,
		      struct astra_job *job);

/* Return how many devices the job's last run had, from its record or from what
 * was noted before slurmctld was killed; 0: the run is not over, or the number
 * is unknown. job has its state and times. Locks: caller holds job read. */
uint32_t astra_charge_run_gpus(const struct astra_job *job,
			       const job_record_t *record);

/* Return how many GPUs a job will hold. If it takes whole nodes, these are all
 * GPUs of the nodes that it names and of the smallest other nodes that are
 * enough. Locks: none. */
uint32_t astra_charge_gpus(const struct astra_request *request,
			   const struct astra_node *nodes, size_t count);

#endif
