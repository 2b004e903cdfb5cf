/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of a round of a policy that allocates: allot.c asks the policy and
 * applies its answer to each job, allot_place.c finds the places. */
#ifndef ASTRA_ALLOT_PRIV_H
#define ASTRA_ALLOT_PRIV_H

#include "src/engine/engine_priv.h"

/* The policy's question and answer, and the contenders behind the demands. */
struct allotment {
	struct round *r;
	struct ballot ballot; /* the tenants */
	struct astra_demand *demands;
	size_t demand_count;
	struct demand_source {
		size_t contender; /* index of its first contender */
		size_t awarded;	  /* how many of the job's copies were awarded
				   * GPUs */
		size_t award;	  /* index of its last award */
	} * sources;
	uint32_t *free;
	struct astra_space *space;    /* GPUs that may be awarded */
	struct astra_share *promised; /* shares of jobs that wait for their
				       * GPUs */
	size_t promised_count;
	struct astra_share *withheld; /* free shares of holds that begin soon */
	size_t withheld_count;
	/* The grants of served holds are those from grants_before up to
	 * grants_served. */
	size_t grants_before, grants_served;
	struct astra_allocation answer;
	struct reclaim rc;
};

/* Check the answer and make grants of its awards; then lend the idle GPUs.
 * Contenders whose leases continue are marked granted. Contenders whose GPUs go
 * to others are marked taken. Returns 0, or -1 with err set if an award is
 * invalid or memory is out. */
int astra_allot_place(struct allotment *a, struct astra_error *err);

/* lend.c: lend the GPUs that are idle after all awards to waiting jobs, until
 * until_sec. If a job finds no place, the next one is tried. Returns 0, or -1
 * when memory is out. */
int astra_allot_lend(struct allotment *a, double until_sec);

/* allot_promise.c */
/* Call before the policy is asked. Serve the holds whose time has come. Keep
 * from the policy the free GPUs of holds that begin too soon for these GPUs to
 * be lent. If first starts have no bound, drop all holds. Returns 0, or -1 when
 * memory is out. */
int astra_allot_serve_holds(struct allotment *a);
/* Cut the lease of a contender on these shares at the start of the first hold
 * that needs them. *until_sec: 0 for a full term. Returns whether the lease may
 * begin there. It may not if it would be too short, or if a running job would
 * move there only to have its lease cut. */
bool astra_allot_cut(struct allotment *a, const struct contender *c,
		     const struct astra_share *shares, size_t count,
		     double *until_sec);
/* Call after the policy has answered. Set the ends of the leases of served
 * holds to ends of the policy's slots, and charge these leases by the policy's
 * rule. */
void astra_allot_settle_served(struct allotment *a);
/* Call once all leases are settled. Plan holds for the first starts that are
 * due. Returns 0, or -1 when memory is out. */
int astra_allot_plan_holds(struct allotment *a);

#endif
