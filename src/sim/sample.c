/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/sample.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/common/number.h"

void astra_sample_clear(struct astra_sample *sample)
{
	free(sample->values);
	*sample = (struct astra_sample){0};
}

int astra_sample_add(struct astra_sample *sample, double value)
{
	if (astra_grow(&sample->values, &sample->room, sample->count + 1,
		       sizeof(*sample->values)) < 0)
		return -1;
	sample->values[sample->count++] = value;
	return 0;
}

static int sample_compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void astra_sample_sort(struct astra_sample *sample)
{
	if (sample->count)
		qsort(sample->values, sample->count, sizeof(*sample->values),
		      sample_compare);
}

double astra_sample_quantile(const struct astra_sample *sample, double p)
{
	double rank = astra_ceil(p * (double)sample->count);

	if (!sample->count)
		return NAN;
	rank = fmin(fmax(rank, 1), (double)sample->count);
	return sample->values[(size_t)rank - 1];
}

double astra_sample_mean(const struct astra_sample *sample)
{
	double sum = 0;

	for (size_t i = 0; i < sample->count; i++)
		sum += sample->values[i];
	return sample->count ? sum / (double)sample->count : (double)NAN;
}

double astra_sample_below(const struct astra_sample *sample, double limit)
{
	size_t below = 0;

	for (size_t i = 0; i < sample->count; i++)
		below += astra_compare(sample->values[i], limit) < 0;
	return sample->count ? (double)below / (double)sample->count
			     : (double)NAN;
}

double astra_sample_jain(const struct astra_sample *sample)
{
	double sum = 0, squares = 0;
	size_t count = 0;

	for (size_t i = 0; i < sample->count; i++) {
		double x = sample->values[i];

		if (!isfinite(x))
			continue;
		sum += x;
		squares += x * x;
		count++;
	}
	if (!count)
		return NAN;
	return squares > 0 ? sum * sum / ((double)count * squares) : 1;
}
