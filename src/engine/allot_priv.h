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

#endif
