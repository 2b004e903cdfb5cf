/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Purses: the credits with which tenants buy GPUs of other tenants' shares.
 * Each tenant begins with a budget. While it has less, it is given some as time
 * passes. Payments that it gets may raise its credits above the budget.
 *
 * The search of the shared phase takes the best schedule that the tenant can
 * pay. A tenant with nothing left is quoted no price, but its own phase goes
 * on. All payments go to other tenants, so credits come from Budget and
 * BudgetRefill alone. */
#ifndef ASTRA_PURSE_H
#define ASTRA_PURSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/bytes.h"

/* All purses. If zeroed except for the rules, no tenant has a purse. */
struct astra_purses {
	/* The rules. */
	double budget;	   /* credits; negative: there are no purses */
	double daily;	   /* refilled per day, up to the budget */
	double filled_sec; /* the time up to which they were refilled */
	double *credits;   /* of each tenant */
	size_t count, room;
};

/* Give all tenants a purse, and refill purses up to now. If the clock went
 * back, nothing is refilled. Returns 0, or -1 when memory is out. */
int astra_purses_fill(struct astra_purses *purses, size_t tenants,
		      double now_sec);

/* Return the credits of a tenant, or of all tenants together; NaN: no purse. */
double astra_purses_of(const struct astra_purses *purses, uint32_t tenant);

void astra_purses_free(struct astra_purses *purses);

void astra_purses_save(const struct astra_purses *purses,
		       struct astra_bytes *out);
/* Read purses into empty ones. Earlier releases saved none. Without a budget
 * the data is read and dropped. Returns 0, or -1 when memory is out or the data
 * is damaged. */
int astra_purses_restore(struct astra_purses *purses, struct astra_reader *in);

#endif
