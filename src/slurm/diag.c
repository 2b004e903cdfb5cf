/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/diag.h"

#include <time.h>

double astra_boot_sec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

uint64_t astra_usec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

void astra_clock_add(struct astra_clock *clock, uint64_t since_usec)
{
	clock->last_usec = astra_usec() - since_usec;
	clock->sum_usec += clock->last_usec;
	clock->count++;
	if (clock->last_usec > clock->max_usec)
		clock->max_usec = clock->last_usec;
}

struct astra_report_timing astra_clock_report(const struct astra_clock *clock)
{
	return (struct astra_report_timing){
		.last_usec = clock->last_usec,
		.mean_usec = clock->count ? clock->sum_usec / clock->count : 0,
		.max_usec = clock->max_usec,
		.count = clock->count,
		.sum_usec = clock->sum_usec,
	};
}

void astra_diag_reset(struct astra_diag *diag, double now_sec)
{
	diag->reset_sec = now_sec;
	diag->rounds = 0;
	diag->round = diag->decide = (struct astra_clock){0};
	diag->snapshot = diag->write_lock = (struct astra_clock){0};
	diag->started = diag->skipped = diag->state_saves = 0;
}
