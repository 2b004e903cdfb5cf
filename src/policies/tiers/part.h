/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a round that a tenant's inner policy is offered. */
#ifndef ASTRA_TIERS_PART_H
#define ASTRA_TIERS_PART_H

#include "src/policies/policy.h"

struct tiers_part {
	struct astra_offer offer;
	struct astra_job *jobs; /* of each demand; used for jobs that hold
				 * something else here */
	struct astra_contestant *people; /* in the place of tenants */
};

/* What a part is made of. Borrowed. */
struct tiers_whole {
	const struct astra_offer *offer; /* the round's */
	const uint32_t *free;		 /* of each node: the tenant's GPUs */
	const struct astra_space *own;	 /* the same with CPUs and memory */
	uint64_t granted;		 /* GPUs, in all */
	const uint32_t *origins; /* indices of its demands in the offer */
	const bool *stay;	 /* of the offer's demands */
};

/* Makes a tenant's part. demands: the tenant's. If the inner policy plans by
 * slots, they are changed: jobs that have to leave hold nothing any more, and
 * if it knows users, these take the place of tenants. Returns 0, or -1 when out
 * of memory; clear the part in both cases. */
int astra_tiers_part(struct tiers_part *part, const struct astra_policy *inner,
		     const struct tiers_whole *whole, uint32_t tenant,
		     struct astra_demand *demands, size_t count);
void astra_tiers_part_clear(struct tiers_part *part);

/* Returns the index by which the tenant's inner policy knows a demand's
 * owner. */
uint32_t astra_tiers_owner(const struct astra_policy *inner,
			   const struct astra_demand *demand);

#endif
