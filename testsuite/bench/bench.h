/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Medians of repeated runs, and how time grows with size. */
#ifndef ASTRA_BENCH_H
#define ASTRA_BENCH_H

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Of this program, however busy the machine is. */
static inline double bench_cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Sorts the samples. */
static inline double bench_median(double *samples, size_t count)
{
	qsort(samples, count, sizeof(*samples), bench_compare);
	return samples[count / 2];
}

/* The exponent e of time ~ size^e, by least squares of the logarithms. */
static inline double bench_exponent(const double *sizes, const double *times,
				    size_t count)
{
	double sx = 0, sy = 0, sxx = 0, sxy = 0, n = (double)count;

	for (size_t i = 0; i < count; i++) {
		double x = log(sizes[i]), y = log(times[i]);

		sx += x;
		sy += y;
		sxx += x * x;
		sxy += x * y;
	}
	return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

#endif
