/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/round/diag.h"

#include <math.h>
#include <stdatomic.h>
#include <time.h>

#include "src/common/clock.h"

static atomic_llong boot_msec; /* the moment of boot as the rounds know it; 0:
				* unknown */

double astra_boot_sec(void)
{
	return astra_now_sec(CLOCK_BOOTTIME);
}

void astra_clock_follow(double boot_sec)
{
	atomic_store(&boot_msec, (long long)(boot_sec * 1000));
}

double astra_clock_followed(double now_sec)
{
	long long boot = atomic_load(&boot_msec);
	double followed = (double)boot / 1000 + astra_boot_sec();

	if (!boot || fabs(followed - now_sec) <= ASTRA_JUMP_SEC)
		return now_sec;
	return followed;
}

uint64_t astra_usec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

void astra_clock_add(struct astra_report_timing *clock, uint64_t since_usec)
{
	clock->last_usec = astra_usec() - since_usec;
	clock->sum_usec += clock->last_usec;
	clock->mean_usec = clock->sum_usec / ++clock->count;
	if (clock->last_usec > clock->max_usec)
		clock->max_usec = clock->last_usec;
}

void astra_diag_reset(struct astra_diag *diag, double now_sec)
{
	struct astra_report_diag *of = &diag->of;

	of->reset_sec = now_sec;
	of->rounds = of->started = of->skipped = of->state_saves = 0;
	of->round = of->decide = (struct astra_report_timing){0};
	of->snapshot = of->write_lock = (struct astra_report_timing){0};
}
