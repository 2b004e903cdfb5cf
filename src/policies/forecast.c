/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/forecast.h"

#include <math.h>

#define HOUR_SEC 3600
#define WORK_UNKNOWN_SEC HOUR_SEC
#define LEFT_LEAST_SEC 60

double astra_work_sec(const struct astra_job *job)
{
	if (job->forecast.work_sec > 0)
		return job->forecast.work_sec;
	return job->time_limit_sec > 0 ? job->time_limit_sec : WORK_UNKNOWN_SEC;
}

const double *astra_slowdown(const struct astra_forecast *forecast)
{
	static const double usual[ASTRA_LEVEL_COUNT] = {1, 1, 1.1, 1.3};

	return forecast->slowdown[0] > 0 ? forecast->slowdown : usual;
}

double astra_left_sec(const struct astra_demand *demand)
{
	const struct astra_job *job = demand->job;
	double done_sec = job->forecast.measured ? job->forecast.done_sec
						 : demand->ran_sec;

	return fmax(astra_work_sec(job) - done_sec, LEFT_LEAST_SEC);
}

struct astra_utility astra_job_utility(const struct astra_job *job)
{
	double hours = astra_work_sec(job) / HOUR_SEC;

	if (job->forecast.utility.kind != ASTRA_UTILITY_NONE)
		return job->forecast.utility;
	return (struct astra_utility){
		.kind = ASTRA_UTILITY_SIGMOID,
		.sigmoid = {.g1 = job->weight * job->request.gpus * hours,
			    .g2 = .1,
			    .g3 = hours + 24},
	};
}
