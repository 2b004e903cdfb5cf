/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places for jobs, for policies that allocate: on the GPUs, CPUs and memory
 * that the policy is offered, node by node, and on the nodes that each job
 * allows. */
#ifndef ASTRA_OFFER_H
#define ASTRA_OFFER_H

#include "src/placement/placement.h"
#include "src/policies/policy.h"

/* Returns a copy of the space that may be awarded. If the offer has no space,
 * it is made of the free GPUs, with unlimited CPUs and memory. Returns NULL
 * when memory is out. */
struct astra_space *astra_offer_space(const struct astra_offer *offer);

/* Returns a space of the offer's nodes with nothing free, or NULL when memory
 * is out. */
struct astra_space *astra_offer_empty(const struct astra_offer *offer);

/* Take from a space, or give back to it, what a demand's job runs on. Unusable
 * nodes are skipped, as nothing is offered there. */
void astra_demand_take(const struct astra_offer *offer,
		       struct astra_space *space, const struct astra_demand *d);
void astra_demand_give(const struct astra_offer *offer,
		       struct astra_space *space, const struct astra_demand *d);

/* Whether the job may stay where it runs: the space has room for all of its
 * GPUs, CPUs and memory, and none of its nodes is to be emptied. */
bool astra_demand_is_in(const struct astra_offer *offer,
			const struct astra_space *space,
			const struct astra_demand *d);

/* Finds a place for a demand's job on `gpus` GPUs; an elastic job gets its
 * largest size up to that. shares: room for one per node. Returns the number of
 * shares, or 0 if there is no place. */
size_t astra_demand_place(const struct astra_space *space,
			  const struct astra_demand *d, uint32_t gpus,
			  struct astra_share *shares);

/* Finds a place on as many GPUs as possible, from the job's fewest up to `most`
 * and its own maximum. shares and the result: as in astra_demand_place(). */
size_t astra_demand_place_most(const struct astra_space *space,
			       const struct astra_demand *d, uint64_t most,
			       struct astra_share *shares);

/* Takes these shares from the space for a demand's job, with their CPUs and
 * memory. For a job with whole nodes, takes all that the nodes have left. */
void astra_demand_settle(struct astra_space *space,
			 const struct astra_demand *d,
			 const struct astra_share *shares, size_t count);

#endif
