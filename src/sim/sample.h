/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of numbers, which may be infinite, and its statistics. */
#ifndef ASTRA_SAMPLE_H
#define ASTRA_SAMPLE_H

#include <stddef.h>

struct astra_sample {
	double *values;
	size_t count, room;
};

void astra_sample_clear(struct astra_sample *sample);

/* Adds a value other than NaN. Returns 0, or -1 if out of memory. */
int astra_sample_add(struct astra_sample *sample, double value);

void astra_sample_sort(struct astra_sample *sample);

/* Returns the p quantile of a sorted sample by nearest rank: the least value
 * that at least a share p of the values does not exceed; p = 0: the least
 * value. NaN if empty. */
double astra_sample_quantile(const struct astra_sample *sample, double p);

double astra_sample_mean(const struct astra_sample *sample);

/* Returns the share of values below a limit. Values equal to the limit do not
 * count. */
double astra_sample_below(const struct astra_sample *sample, double limit);

/* Returns Jain's index (sum x)^2 / (n sum x^2): 1 if all values are equal, 1/n
 * if only one is not 0. Ignores infinite values. NaN if no finite value is
 * left. */
double astra_sample_jain(const struct astra_sample *sample);

#endif
