/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a job may run. */
#ifndef ASTRA_REQUEST_NODES_H
#define ASTRA_REQUEST_NODES_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/in/node_order.h"

/* All nodes that Slurm's rules leave to the job, by slurmctld's numbers. To be
 * freed with bit_free().
 * possible: see astra_constraint_apply().
 * Locks: caller holds conf, job, node and part read. */
bitstr_t *astra_request_nodes(job_record_t *job, struct astra_node_order *order,
			      time_t now, bitstr_t *possible);

/* The most nodes that a partition lets the job have; INFINITE: any.
 * Locks: caller holds job and part read; takes assoc_mgr's read lock. */
uint32_t astra_part_nodes(const job_record_t *job, const part_record_t *part);

#endif
