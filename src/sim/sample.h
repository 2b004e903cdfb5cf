/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bag of numbers, infinite ones among them, and what is asked of it. */
#ifndef ASTRA_SAMPLE_H
#define ASTRA_SAMPLE_H

#include <stddef.h>

struct astra_sample {
	double *values;
	size_t count, room;
};

void astra_sample_clear(struct astra_sample *sample);

/* value: no NaN. Returns 0, or -1 when out of memory. */
int astra_sample_add(struct astra_sample *sample, double value);

void astra_sample_sort(struct astra_sample *sample);

/* The p quantile of a sorted sample by nearest rank: the least value that at
 * least a share p of them does not exceed; p = 0: the least one. NaN of none.
 */
double astra_sample_quantile(const struct astra_sample *sample, double p);

double astra_sample_mean(const struct astra_sample *sample);

/* The share of values below a limit; one that is tied with it is not. */
double astra_sample_below(const struct astra_sample *sample, double limit);

/* Jain's index (sum x)^2 / (n sum x^2): 1 when all are equal, 1/n when one has
 * all. Infinite ones do not count. NaN of none. */
double astra_sample_jain(const struct astra_sample *sample);

#endif
