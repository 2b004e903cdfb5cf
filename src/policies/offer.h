/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where jobs could run on what a policy that allocates is offered: GPUs, CPUs
 * and memory node by node, and what the job allows. */
#ifndef ASTRA_OFFER_H
#define ASTRA_OFFER_H

#include "src/placement/placement.h"
#include "src/policies/policy.h"

/* Return a copy of all that may be awarded; if the offer has no space, the free
 * GPUs with plenty beside them. NULL when memory is out. */
struct astra_space *astra_offer_space(const struct astra_offer *offer);

/* Return a space of the offer's nodes with nothing free, or NULL. */
struct astra_space *astra_offer_empty(const struct astra_offer *offer);

/* Take from a space what a demand's job runs on; give it back. Only on usable
 * nodes, since nothing is offered from others. */
void astra_demand_take(const struct astra_offer *offer,
		       struct astra_space *space, const struct astra_demand *d);
void astra_demand_give(const struct astra_offer *offer,
		       struct astra_space *space, const struct astra_demand *d);

/* Whether the job may stay where it runs: it runs, the space has all of that,
 * and no node of it is to be emptied. */
bool astra_demand_is_in(const struct astra_offer *offer,
			const struct astra_space *space,
			const struct astra_demand *d);

/* Find a place for a demand's job on exactly so many GPUs. shares: room for one
 * per node. Returns the number of shares, or 0. */
size_t astra_demand_place(const struct astra_space *space,
			  const struct astra_demand *d, uint32_t gpus,
			  struct astra_share *shares);

/* Do the same on as many GPUs as find a place, from its fewest up to `most` and
 * its own maximum. */
size_t astra_demand_place_most(const struct astra_space *space,
			       const struct astra_demand *d, uint64_t most,
			       struct astra_share *shares);

/* Take these GPUs for a demand's job, with their CPUs and memory. */
void astra_demand_settle(struct astra_space *space,
			 const struct astra_demand *d,
			 const struct astra_share *shares, size_t count);

#endif
