/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of a round of a policy that allocates: allot.c asks it and says
 * what its answer means for each job, allot_place.c finds the places. */
#ifndef ASTRA_ALLOT_PRIV_H
#define ASTRA_ALLOT_PRIV_H

#include "src/engine/engine_priv.h"

/* What the policy is asked, and where its demands come from. */
struct allotment {
	struct round *r;
	struct ballot ballot; /* the tenants */
	struct astra_demand *demands;
	size_t demand_count;
	struct demand_source {
		size_t contender; /* its first one */
		size_t awarded;	  /* of its copies */
		size_t award;	  /* the last of these */
	} * sources;
	uint32_t *free;
	struct astra_space *space;    /* what may be awarded */
	struct astra_share *promised; /* of those that wait for their GPUs */
	size_t promised_count;
	struct astra_share *withheld; /* what is free of holds that are near */
	size_t withheld_count;
	/* From the one to the other: the grants of holds that were served. */
	size_t grants_before, grants_served;
	struct astra_allocation answer;
	struct reclaim rc;
};

/* Check the answer, and make grants of its awards; then lend what is idle.
 * Contenders that go on are marked granted, those whose GPUs others get taken.
 * Returns 0, or -1 with err set: an award that cannot be meant, or no memory.
 */
int astra_allot_place(struct allotment *a, struct astra_error *err);

/* lend.c: what is idle after all awards goes to those who wait, until then: a
 * job that finds no place gives its turn to the next. Returns 0, or -1 when
 * memory is out. */
int astra_allot_lend(struct allotment *a, double until_sec);

/* allot_promise.c */
/* Before the policy is asked: serve the holds whose time has come, and keep
 * from the policy what is free of those that begin too soon to be lent. Without
 * the promise: forget all holds. Returns 0, or -1 when memory is out. */
int astra_allot_serve_holds(struct allotment *a);
/* Let the lease of a contender on these shares end with the first hold that
 * needs them. *until_sec: 0: after a term. Returns whether it may begin there:
 * not if it would be too short, or if a job that runs would move there to be
 * cut. */
bool astra_allot_cut(struct allotment *a, const struct contender *c,
		     const struct astra_share *shares, size_t count,
		     double *until_sec);
/* After the policy has answered: the leases of the holds that were served end
 * with its slots, and are paid for as its rule is. */
void astra_allot_settle_served(struct allotment *a);
/* Once all leases are settled: plan holds for the first starts that are due.
 * Returns 0, or -1 when memory is out. */
int astra_allot_plan_holds(struct allotment *a);

#endif
