/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the market of a pool counts: GPUs, and the CPUs and memory beside them.
 *
 * L is one price for all resources, of a job's worth over the sum of what a
 * worker takes of each (history.c), so the sum must not be of MiB and GPUs.
 * Each resource is therefore counted in units of what the pool has of it for a
 * GPU: of 4 GPUs with 32 CPUs and 256 GiB a unit is a GPU, 8 CPUs, 64 GiB, and
 * the pool has 4 of each. A job that takes its GPUs' part of all three counts
 * thrice in sum, beside three times the capacity, so that L's eta is what it
 * would be for GPUs alone.
 *
 * A resource that some node with GPUs does not tell is not counted: nothing of
 * it is demanded, and it has no part in any price.
 *
 * What is booked is no more than the pool has in all; how it lies on nodes, and
 * what jobs without leases take of it, is not known ahead. */
#ifndef ASTRA_OASIS_AMOUNTS_H
#define ASTRA_OASIS_AMOUNTS_H

#include "src/policies/oasis/recent.h"
#include "src/policies/policy.h"

struct oasis_amounts {
	/* What a unit is: a GPU, CPUs, MiB; 0: not counted. */
	double unit[OASIS_POOL_RESOURCES];
	double capacity[OASIS_POOL_RESOURCES]; /* of the pool, in units */
	double node_gpus; /* of a node with GPUs, in the mean */
	uint32_t node_gpus_max;
};

/* Bring them up to an offer. Units stay what they were, so that prices go on,
 * until the pool has more than twice or less than half as much for a GPU.
 * Returns whether a unit has changed that was known. */
bool oasis_amounts_see(struct oasis_amounts *amounts,
		       const struct astra_offer *offer);

/* What a worker, that is a GPU, demands: its part of all that the job takes
 * with all its GPUs, on as few nodes as its request and the largest node allow.
 * Who shares its nodes with nobody takes all of as many nodes as they are in
 * the mean. Parameter servers run on the pool's nodes, and are in the request's
 * CPUs, in proportion to the workers: so they are in their workers' demand.
 *
 * Multiples of 2^-30, rounded down, of which sums are exact: what is booked and
 * given back leaves nothing, slots that are used alike are equal (runs.c), and
 * all that fits by whole CPUs fits. */
void oasis_amounts_demand(const struct oasis_amounts *amounts,
			  const struct astra_request *request,
			  double demand[OASIS_POOL_RESOURCES]);

#endif
