/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef AGENT_CLOCK_H
#define AGENT_CLOCK_H

#include <time.h>

static inline double agent_clock_sec(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static inline double agent_now_sec(void)
{
	return agent_clock_sec(CLOCK_MONOTONIC);
}

#endif
