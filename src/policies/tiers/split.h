/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The upper tier: LTGF says which GPUs of an offer each tenant has to share out
 * among its apps. */
#ifndef ASTRA_TIERS_SPLIT_H
#define ASTRA_TIERS_SPLIT_H

#include "src/policies/offer.h"

/* GPUs of one node for a tenant. */
struct tiers_parcel {
	uint32_t tenant; /* index into the offer's */
	uint32_t node;
	uint32_t gpus;
};

/* One job that competes; a demand has as many as it has copies. */
struct tiers_runner {
	uint32_t demand;
	bool placed;
	bool excluded; /* was granted GPUs, and there is no place for it */
};

struct tiers_split {
	struct astra_contestant *tenants; /* leases that go on are charged */
	struct astra_candidate *candidates;
	struct tiers_runner *runners; /* of each candidate */
	size_t runner_count;
	struct astra_ranking ranking; /* LTGF's, of all candidates */
	bool *stay; /* of each demand: LTGF lets its job go on where it is */
	struct tiers_parcel *parcels; /* by tenant; a node may come twice */
	size_t parcel_count, parcel_room;
	uint64_t gpus; /* that were on offer */
};

/* Share an offer out. A tenant gets the GPUs of those of its jobs that LTGF
 * grants: where they run, else where they would be placed, so that each of them
 * could have them; who gets them is for the tenant's apps to settle. What is of
 * no use to a job that is granted goes to the neediest tenant, so that one
 * alone has all there is. ltgf: an instance of astra_ltgf. Returns 0, or -1
 * with err set; clear it in both cases. */
int astra_tiers_split(struct tiers_split *split, void *ltgf,
		      const struct astra_offer *offer, struct astra_error *err);
void astra_tiers_split_clear(struct tiers_split *split);

/* Whether a job runs and its GPUs are on offer. */
static inline bool astra_tiers_competes(const struct astra_demand *d)
{
	return d->open && d->job->state == ASTRA_JOB_RUNNING;
}

/* Let so many GPUs of a node be free in a space, with all CPUs and memory that
 * another one has there. */
void astra_tiers_set_free(struct astra_space *space,
			  const struct astra_space *of, uint32_t node,
			  uint32_t gpus);

/* Give what the tenants' apps left idle to jobs of whoever fits, in the order
 * of LTGF.
 * left: that; taken from. awarded: copies of each demand; until_sec: of these
 * leases, 0: as Themis has it. Returns 0, or -1 when out of memory. */
int astra_tiers_rest(const struct tiers_split *split,
		     const struct astra_offer *offer, struct astra_space *left,
		     uint32_t *awarded, double until_sec,
		     struct astra_allocation *out);

#endif
