/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The upper tier: LTGF decides which GPUs of an offer each tenant may share out
 * among its apps. */
#ifndef ASTRA_TIERS_SPLIT_H
#define ASTRA_TIERS_SPLIT_H

#include "src/policies/offer.h"

/* GPUs of one node that a tenant gets. */
struct tiers_parcel {
	uint32_t tenant; /* index in the offer */
	uint32_t node;
	uint32_t gpus;
};

/* A job that competes; a demand has one for each copy. */
struct tiers_runner {
	uint32_t demand;
	bool placed;
	bool excluded; /* was granted GPUs, but found no place */
};

struct tiers_split {
	struct astra_contestant *tenants; /* usage includes the rest of leases
					   * that continue */
	struct astra_candidate *candidates;
	struct tiers_runner *runners; /* by candidate */
	size_t runner_count;
	struct astra_ranking ranking; /* LTGF's ranking of all candidates */
	bool *stay; /* by demand: LTGF lets its job continue where it is */
	struct tiers_parcel *parcels; /* by tenant; a node may occur twice */
	size_t parcel_count, parcel_room;
	uint64_t gpus; /* GPUs on offer */
};

/* Shares an offer out. A tenant gets GPUs for those of its jobs that LTGF
 * grants: where they run, or else where they would be placed. So each of these
 * jobs can have its GPUs. The inner policy decides which of the tenant's jobs
 * get them. GPUs that no granted job can use go to the neediest tenant, so a
 * single tenant gets all GPUs. ltgf: an instance of astra_ltgf. Returns 0, or
 * -1 with err set; clear the split in both cases. */
int astra_tiers_split(struct tiers_split *split, void *ltgf,
		      const struct astra_offer *offer, struct astra_error *err);
void astra_tiers_split_clear(struct tiers_split *split);

/* Whether a job runs and its GPUs are on offer. */
static inline bool astra_tiers_competes(const struct astra_demand *d)
{
	return d->open && d->job->state == ASTRA_JOB_RUNNING;
}

/* Sets what is free on a node in a space: at most `gpus` GPUs, with all CPUs
 * and memory that the node has in the space `of`. */
void astra_tiers_set_free(struct astra_space *space,
			  const struct astra_space *of, uint32_t node,
			  uint32_t gpus);

/* Gives idle GPUs to jobs that fit, in the order of LTGF. left: the idle GPUs;
 * reduced. awarded: number of awards by demand. until_sec: the end of these
 * leases; 0: as Themis sets it. Returns 0, or -1 when out of memory. */
int astra_tiers_rest(const struct tiers_split *split,
		     const struct astra_offer *offer, struct astra_space *left,
		     uint32_t *awarded, double until_sec,
		     struct astra_allocation *out);

#endif
