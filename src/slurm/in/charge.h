/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What GPUs are charged with: GPUWeight of their types; a shard with its part
 * of that. Without any of both, what is asked for and held is left at 0, which
 * counts one a GPU.
 */
#ifndef ASTRA_CHARGE_H
#define ASTRA_CHARGE_H

#include "src/model/model.h"
#include "src/slurm/compat/compat.h"

struct astra_options;

/* Fill node->charge. Locks: caller holds node read. */
void astra_charge_node(const struct astra_options *options,
		       const node_record_t *record, struct astra_node *node);

/* Fill the charges of what the job asks for, of what it holds, and of what a
 * run that is over had. A request that names no type is expected to cost the
 * mean of the GPUs on the nodes that it may use. nodes, count: the pool's, with
 * their charges. Locks: caller holds job and node read. */
void astra_charge_job(const struct astra_options *options,
		      const job_record_t *record,
		      const struct astra_node *nodes, size_t count,
		      struct astra_job *job);

/* Devices of the job's last run, by its record or by what was noted before
 * slurmctld was killed; 0: it is not over, or not known. job: with its state
 * and times. Locks: caller holds job read. */
uint32_t astra_charge_run_gpus(const struct astra_job *job,
			       const job_record_t *record);

/* The GPUs that a job is to hold: of whole nodes all, those of the nodes it
 * names and of the smallest others that would do. Locks: none. */
uint32_t astra_charge_gpus(const struct astra_request *request,
			   const struct astra_node *nodes, size_t count);

#endif
