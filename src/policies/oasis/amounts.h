/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the market of a pool counts: GPUs, and the CPUs and memory beside them.
 *
 * L is one price for all resources: a job's worth divided by the sum of what a
 * worker takes of each resource (history.c). So the sum must not mix MiB and
 * GPUs, and each resource is counted in units of what the pool has of it per
 * GPU. With 4 GPUs, 32 CPUs and 256 GiB the units are a GPU, 8 CPUs and 64 GiB,
 * and the pool has 4 of each. A job that takes its GPUs' part of all three
 * counts three times in the sum, and so does the capacity. So L's eta is the
 * same as for GPUs alone.
 *
 * If some node with GPUs does not report a resource, the resource is not
 * counted: no job demands it, and it has no part in any price.
 *
 * What is booked is no more than the pool has in total. It is not known in
 * advance how this is spread over nodes, and what jobs without leases take of
 * it. */
#ifndef ASTRA_OASIS_AMOUNTS_H
#define ASTRA_OASIS_AMOUNTS_H

#include "src/policies/oasis/recent.h"
#include "src/policies/policy.h"

struct oasis_amounts {
	/* Size of a unit, in GPUs, CPUs or MiB; 0: not counted. */
	double unit[OASIS_POOL_RESOURCES];
	double capacity[OASIS_POOL_RESOURCES]; /* of the pool, in units */
	double node_gpus;		       /* mean GPUs of nodes with
						* GPUs */
	uint32_t node_gpus_max;
};

/* Update the amounts from an offer. Units stay, so that prices stay comparable,
 * until the pool has more than twice or less than half as much per GPU. Returns
 * whether a known unit has changed. */
bool oasis_amounts_see(struct oasis_amounts *amounts,
		       const struct astra_offer *offer);

/* Compute what a worker, that is a GPU, demands: its part of all that the job
 * takes with all its GPUs. The job is assumed to be on as few nodes as its
 * request and the largest node allow. A job that shares its nodes with no other
 * job takes all of that many average nodes. Parameter servers run on the pool's
 * nodes. Their CPUs are in the request, in proportion to the workers, so they
 * are part of their workers' demand. Results are multiples of 2^-30, rounded
 * down, so that sums are exact. So giving back what was booked leaves nothing,
 * slots that are used alike are equal (runs.c), and all that fits by whole CPUs
 * fits. */
void oasis_amounts_demand(const struct oasis_amounts *amounts,
			  const struct astra_request *request,
			  double demand[OASIS_POOL_RESOURCES]);

#endif
