/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Return what a clock shows now, such as CLOCK_REALTIME or CLOCK_MONOTONIC. */
#ifndef ASTRA_CLOCK_H
#define ASTRA_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline double astra_now_sec(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline int64_t astra_now_msec(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

#endif
