/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a round that is offered to a tenant's inner policy. */
#ifndef ASTRA_TIERS_PART_H
#define ASTRA_TIERS_PART_H

#include "src/policies/policy.h"

struct tiers_part {
	struct astra_offer offer;
	struct astra_job *jobs; /* by demand; used for jobs that hold something
				 * else in this part */
	struct astra_contestant *people; /* users that replace the tenants */
};

/* What a part is made from. Borrowed. */
struct tiers_whole {
	const struct astra_offer *offer; /* the round's */
	const uint32_t *free;		 /* by node: the tenant's GPUs */
	const struct astra_space *own;	 /* the same with CPUs and memory */
	uint64_t granted;		 /* number of GPUs granted to the
					  * tenant */
	const uint32_t *origins; /* indices of its demands in the offer */
	const bool *stay;	 /* by the offer's demands: LTGF lets the job
				  * continue where it is */
};

/* Makes a tenant's part. demands: the tenant's. If the inner policy plans by
 * slots, they are changed: jobs that have to leave no longer hold anything. If
 * it knows users, these replace the tenants. Returns 0, or -1 when out of
 * memory; clear the part in both cases. */
int astra_tiers_part(struct tiers_part *part, const struct astra_policy *inner,
		     const struct tiers_whole *whole, uint32_t tenant,
		     struct astra_demand *demands, size_t count);
void astra_tiers_part_clear(struct tiers_part *part);

/* Returns the index by which the tenant's inner policy knows a demand's
 * owner. */
uint32_t astra_tiers_owner(const struct astra_policy *inner,
			   const struct astra_demand *demand);

#endif
