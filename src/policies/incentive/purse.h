/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tenants have to buy GPUs of others' shares with: each begins with a
 * budget, and where it has less, it is given some by time. What it is paid may
 * make it more.
 *
 * The search of the shared phase takes the best schedule that the tenant can
 * pay. A tenant that has nothing left is asked for no price, and its own phase
 * goes on. What all pay is what all are given, so credits come from Budget and
 * BudgetRefill alone.
 */
#ifndef ASTRA_PURSE_H
#define ASTRA_PURSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/bytes.h"

/* Zeroed except for the rules, no tenant has a purse. */
struct astra_purses {
	/* The rules. */
	double budget;	   /* credits; negative: there are no purses */
	double daily;	   /* refilled per day, up to the budget */
	double filled_sec; /* until when they were refilled */
	double *credits;   /* of each tenant */
	size_t count, room;
};

/* Give all tenants a purse, refilled until now; a clock that goes back refills
 * nothing. Returns 0, or -1 when memory is out. */
int astra_purses_fill(struct astra_purses *purses, size_t tenants,
		      double now_sec);

/* Return what a tenant has, or all tenants together; NaN: there is no purse. */
double astra_purses_of(const struct astra_purses *purses, uint32_t tenant);

void astra_purses_free(struct astra_purses *purses);

void astra_purses_save(const struct astra_purses *purses,
		       struct astra_bytes *out);
/* Read into empty purses; earlier releases saved none. Without a budget they
 * are read and forgotten. Returns 0, or -1 when memory is out or the data is
 * damaged. */
int astra_purses_restore(struct astra_purses *purses, struct astra_reader *in);

#endif
