/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where jobs could run on what a policy that allocates is offered: node by node
 * GPUs, CPUs, memory, and what the job allows. */
#ifndef ASTRA_OFFER_H
#define ASTRA_OFFER_H

#include "src/placement/placement.h"
#include "src/policies/policy.h"

/* All that may be awarded, a copy; where the offer has no space, the GPUs that
 * are free with plenty beside them. NULL when out of memory. */
struct astra_space *astra_offer_space(const struct astra_offer *offer);

/* A space of its nodes on which nothing is free, or NULL. */
struct astra_space *astra_offer_empty(const struct astra_offer *offer);

/* Take from a space what a demand's job runs on, or give it back: on nodes that
 * can be used, for from others nothing is offered. */
void astra_demand_take(const struct astra_offer *offer,
		       struct astra_space *space, const struct astra_demand *d);
void astra_demand_give(const struct astra_offer *offer,
		       struct astra_space *space, const struct astra_demand *d);

/* Whether the job may stay where it runs: it does, a space has all of that, and
 * no node of it is to become empty. */
bool astra_demand_is_in(const struct astra_offer *offer,
			const struct astra_space *space,
			const struct astra_demand *d);

/* A place for a demand's job on just so many GPUs. shares: room for one a node.
 * Returns how many shares, or 0. */
size_t astra_demand_place(const struct astra_space *space,
			  const struct astra_demand *d, uint32_t gpus,
			  struct astra_share *shares);

/* The same on as many GPUs as find a place, from its fewest up to `most` and
 * its own. */
size_t astra_demand_place_most(const struct astra_space *space,
			       const struct astra_demand *d, uint64_t most,
			       struct astra_share *shares);

/* Take these GPUs for a demand's job, with the CPUs and memory that go with
 * them. */
void astra_demand_settle(struct astra_space *space,
			 const struct astra_demand *d,
			 const struct astra_share *shares, size_t count);

#endif
