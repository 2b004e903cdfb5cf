/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the market of a pool counts: GPUs, and the CPUs and memory beside them.
 *
 * L is one price for all resources, of a job's worth over the sum of what a
 * worker takes of each (history.c), so the sum must not mix MiB and GPUs. Each
 * resource is therefore counted in units of what the pool has of it per GPU.
 * With 4 GPUs, 32 CPUs and 256 GiB the units are a GPU, 8 CPUs and 64 GiB, and
 * the pool has 4 of each. A job that takes its GPUs' part of all three counts
 * three times in the sum, and so does the capacity, so L's eta is the same as
 * for GPUs alone.
 *
 * A resource that some node with GPUs does not report is not counted: nothing
 * of it is demanded, and it has no part in any price.
 *
 * What is booked is no more than the pool has in total. How it is spread over
 * nodes, and what jobs without leases take of it, is not known in advance. */
#ifndef ASTRA_OASIS_AMOUNTS_H
#define ASTRA_OASIS_AMOUNTS_H

#include "src/policies/oasis/recent.h"
#include "src/policies/policy.h"

struct oasis_amounts {
	/* Size of a unit: in GPUs, CPUs, MiB; 0: not counted. */
	double unit[OASIS_POOL_RESOURCES];
	double capacity[OASIS_POOL_RESOURCES]; /* of the pool, in units */
	double node_gpus;		       /* mean of nodes with GPUs */
	uint32_t node_gpus_max;
};

/* Update the amounts by an offer. Units stay, so that prices go on, until the
 * pool has more than twice or less than half as much per GPU. Returns whether a
 * known unit has changed. */
bool oasis_amounts_see(struct oasis_amounts *amounts,
		       const struct astra_offer *offer);

/* Compute what a worker, that is a GPU, demands: its part of all that the job
 * takes with all its GPUs, on as few nodes as its request and the largest node
 * allow. A job that shares its nodes with none takes all of as many mean nodes.
 * Parameter servers run on the pool's nodes and are in the request's CPUs, in
 * proportion to the workers, so they are part of their workers' demand. Results
 * are multiples of 2^-30, rounded down, so that sums are exact: booking and
 * giving back leaves nothing, slots used alike are equal (runs.c), and all that
 * fits by whole CPUs fits. */
void oasis_amounts_demand(const struct oasis_amounts *amounts,
			  const struct astra_request *request,
			  double demand[OASIS_POOL_RESOURCES]);

#endif
