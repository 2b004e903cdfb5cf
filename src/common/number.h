/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparisons and roundings that every policy shares (SPEC section 0). */
#ifndef ASTRA_NUMBER_H
#define ASTRA_NUMBER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define ASTRA_TIE 1e-9

/* Like fmax() and fmin(), for numbers that are not NaN, but without a function
 * call. */
static inline double astra_max(double a, double b)
{
	return a > b ? a : b;
}

static inline double astra_min(double a, double b)
{
	return a < b ? a : b;
}

/* Whether a and b count as tied: within 1e-9 * max(1, |a|, |b|). */
static inline bool astra_tied(double a, double b)
{
	if (a == b)
		return true;
	if (isinf(a) || isinf(b))
		return false;
	return fabs(a - b) <=
	       ASTRA_TIE * astra_max(1.0, astra_max(fabs(a), fabs(b)));
}

/* Return -1, 0 or 1 if a is below, tied with, or above b. */
static inline int astra_compare(double a, double b)
{
	if (astra_tied(a, b))
		return 0;
	return a < b ? -1 : 1;
}

/* A sum, and the part of it that rounding has removed. */
struct astra_exact {
	double sum;
	double lost;
};

/* Multiply a sum by `keep` and add to it (Knuth's two-sum). */
static inline struct astra_exact astra_exact_add(struct astra_exact i,
						 double keep, double added)
{
	double before = i.sum * keep, sum = before + added;
	double seen = sum - before;

	i.lost = i.lost * keep + (before - (sum - seen)) + (added - seen);
	i.sum = sum;
	return i;
}

/* Compare two uint32_t, for qsort() and bsearch(). */
static inline int astra_compare_u32(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static inline double astra_ceil(double x)
{
	return ceil(x - ASTRA_TIE);
}

static inline double astra_floor(double x)
{
	return floor(x + ASTRA_TIE);
}

/* Return a / b rounded up, b > 0. */
static inline uint64_t astra_div_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b ? 1 : 0);
}

#endif
