/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job is worth to its owner, as a function of the time from its arrival
 * to its end. */
#ifndef ASTRA_UTILITY_H
#define ASTRA_UTILITY_H

#include <stdbool.h>

enum astra_utility_kind {
	ASTRA_UTILITY_NONE,    /* not stated: worth 0 whenever it ends */
	ASTRA_UTILITY_LINEAR,  /* k x + g (incentive, section 3) */
	ASTRA_UTILITY_CONVEX,  /* (e / x)^kappa (incentive, section 3) */
	ASTRA_UTILITY_SIGMOID, /* g1 / (1 + exp(g2 (x - g3))) (OASiS) */
};

/* The function f(x). Times have the unit of x: hours in the model, slots inside
 * the policies. */
struct astra_utility {
	enum astra_utility_kind kind;
	union {
		struct {
			double k, g;
		} linear;
		struct {
			double e, kappa;
		} convex;
		struct {
			double g1, g2, g3;
		} sigmoid;
	};
};

/* Return f(x). x: time from submission to end; for a convex function x > 0,
 * since it is infinite at 0. Never NaN for finite parameters and x >= 0. */
double astra_utility_value(const struct astra_utility *utility, double x);

/* Whether f never rises. */
bool astra_utility_falls(const struct astra_utility *utility);

/* Return the function for another unit of time: f'(x) = f(x * unit), where x
 * counts the new units. unit > 0. */
struct astra_utility astra_utility_scaled(const struct astra_utility *utility,
					  double unit);

/* Return the function multiplied by a factor > 0. */
struct astra_utility astra_utility_times(const struct astra_utility *utility,
					 double factor);

#endif
