/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of what was due was not given. */
#include <math.h>

#include "src/sim/metrics.h"

struct due {
	double sum, lost; /* GPU seconds */
};

static void due_add(struct due *due, double alloc_gpu_sec, double fair_gpu_sec)
{
	due->sum += fair_gpu_sec;
	due->lost += fmax(0, fair_gpu_sec - alloc_gpu_sec);
}

static double due_share(const struct due *due)
{
	return due->sum > 0 ? due->lost / due->sum : (double)NAN;
}

double astra_job_due_lost(const struct astra_sim_result *r)
{
	struct due due = {0};

	for (size_t i = 0; i < r->trace->job_count; i++)
		due_add(&due, r->jobs[i].alloc_gpu_sec,
			r->jobs[i].fair_gpu_sec);
	return due_share(&due);
}

double astra_tenant_due_lost(const struct astra_sim_result *r)
{
	size_t count = r->interval_count * r->trace->tenant_count;
	struct due due = {0};

	for (size_t i = 0; i < count; i++)
		due_add(&due, r->cells[i].alloc_gpu_sec,
			r->cells[i].fair_gpu_sec);
	return due_share(&due);
}
