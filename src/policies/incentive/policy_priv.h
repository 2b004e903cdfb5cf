/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of incentive as a policy: policy.c sells windows, explains them
 * and keeps its state over restarts; carry.c carries windows out. */
#ifndef ASTRA_INCENTIVE_POLICY_PRIV_H
#define ASTRA_INCENTIVE_POLICY_PRIV_H

#include "src/policies/incentive/batch.h"
#include "src/policies/incentive/purse.h"

struct incentive {
	double slot_sec, spare_sec, theta, epoch_sec;
	uint32_t batch_max;
	bool own_share;
	bool lends;
	bool begun;
	double origin_sec;     /* when slot 1 begins */
	uint32_t begin, slots; /* the window: slots begin + 1 … begin + slots */
	bool sold;
	struct astra_calendar calendar;
	struct astra_market_account *accounts; /* of tenants, in GPU hours */
	size_t tenant_count, tenant_room;
	struct astra_purses purses; /* Budget */
	struct astra_board board;   /* of the window */
	uint32_t present;	    /* the slot of the last round; 0: none */
	double *incomes;	    /* scratch: of each tenant */
	size_t income_room;
};

/* Return the end of a slot. */
static inline double incentive_end_of(const struct incentive *p, uint32_t slot)
{
	return p->origin_sec + slot * p->slot_sec;
}

/* Return how many entries of a job are already carried out: those of tasks that
 * have left the array or were promised GPUs. */
uint32_t incentive_carried_out(const struct astra_calendar_entry *entry,
			       const struct astra_demand *demand);

/* Award each job the GPUs that the calendar has for it in slot over + 1, the
 * present one (carry.c). Returns 0, or -1 when memory is out. */
int incentive_carry_out(const struct incentive *p,
			const struct astra_offer *offer, uint32_t over,
			struct astra_allocation *out);

#endif
