/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the jobs were worth, and what a scheduler says of revenue. */
#include <math.h>

#include "src/sim/metrics.h"

#define HOUR_SEC 3600.0

static double worth_worth(const struct astra_sim_result *r, size_t job,
			  double sec)
{
	struct astra_utility u =
		astra_trace_job_utility(r->trace, (uint32_t)job, r->seed);

	return astra_utility_value(&u, sec / HOUR_SEC);
}

double astra_job_worth(const struct astra_sim_result *r, size_t job)
{
	double end_sec = r->jobs[job].end_sec;

	if (end_sec < 0)
		return 0;
	return worth_worth(r, job, end_sec - r->trace->jobs[job].submit_sec);
}

double astra_job_worth_alone(const struct astra_sim_result *r, size_t job)
{
	return worth_worth(r, job, r->trace->jobs[job].duration_sec);
}

double astra_income_jain(const struct astra_sim_result *r)
{
	const struct astra_sample incomes = {
		.values = r->income,
		.count = r->income ? r->trace->tenant_count : 0,
	};

	return isnan(r->revenue) ? (double)NAN : astra_sample_jain(&incomes);
}
