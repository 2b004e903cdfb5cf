/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a tenant's inner policy is offered of a round: the tenant's part. */
#ifndef ASTRA_TIERS_PART_H
#define ASTRA_TIERS_PART_H

#include "src/policies/policy.h"

struct tiers_part {
	struct astra_offer offer;
	struct astra_job *jobs;		 /* of each demand, where it differs */
	struct astra_contestant *people; /* in the place of tenants */
};

/* What it is made of. Borrowed. */
struct tiers_whole {
	const struct astra_offer *offer; /* the round's */
	const uint32_t *free;		 /* of each node: the tenant's */
	const struct astra_space *own;	 /* with CPUs and memory */
	uint64_t granted;		 /* GPUs, in all */
	const uint32_t *origins; /* of the tenant's demands in the offer */
	const bool *stay;	 /* of the offer's demands */
};

/* Make it. demands: the tenant's, which are changed where the inner policy
 * plans by slots: of a job that has to leave nothing is held any more, and one
 * that knows users has these in the place of tenants. Returns 0, or -1 when
 * out of memory; clear it in both cases. */
int astra_tiers_part(struct tiers_part *part, const struct astra_policy *inner,
		     const struct tiers_whole *whole, uint32_t tenant,
		     struct astra_demand *demands, size_t count);
void astra_tiers_part_clear(struct tiers_part *part);

/* The index by which the tenant's inner policy knows a demand's owner. */
uint32_t astra_tiers_owner(const struct astra_policy *inner,
			   const struct astra_demand *demand);

#endif
