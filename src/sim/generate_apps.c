/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hyper-parameter searches by successive halving (Jamieson, Talwalkar:
 * Non-stochastic best arm identification and hyperparameter optimization,
 * AISTATS 2016), the apps of Themis (NSDI'20, section 5.2): of an app's jobs,
 * the better half goes on after each rung, for twice as many iterations. Here
 * the jobs are submitted side by side, and those that are given up at a rung
 * end with it.
 */
#include <stdio.h>

#include "src/model/model.h"
#include "src/sim/generate_priv.h"

#define TENANTS 8
#define USERS 6		     /* of a tenant */
#define RUNG_MEDIAN_SEC 1500 /* the first rung of one job */
#define LEAST_LOG2 2	     /* 4 jobs an app */
#define MOST_LOG2 6	     /* 64 */

/* Apps come day and night. */
static const struct astra_rhythm rhythm = {15, .5, .8};

/* How many rungs' time the job with this rank among the app's jobs runs: 1, 3,
 * 7 and so on, since each rung is twice as long as the one before it. */
static double rungs(uint32_t rank, uint32_t jobs)
{
	double length = 1, sum = 1;

	for (uint32_t stay = jobs / 2; rank < stay; stay /= 2) {
		length *= 2;
		sum += length;
	}
	return sum;
}

/* Jobs are 1, 2 or 4 GPUs large, all of an app alike. */
static uint32_t draw_gpus(struct astra_random *random)
{
	static const double sums[] = {.5, .75, 1};

	return 1U << astra_random_index(random, sums, 3);
}

static uint32_t draw_jobs(struct astra_random *random, uint64_t most)
{
	uint32_t jobs =
		1U << (LEAST_LOG2 +
		       astra_random_below(random, MOST_LOG2 - LEAST_LOG2 + 1));

	return jobs < most ? jobs : (uint32_t)most;
}

/* 0 … count - 1 in any order: nobody knows beforehand which job is best. */
static void generate_apps_shuffle(struct astra_random *random, uint32_t *ranks,
				  uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t j = (uint32_t)astra_random_below(random, i + 1);

		ranks[i] = ranks[j];
		ranks[j] = i;
	}
}

/* Returns 0, or -1 when memory is out. */
static int generate_apps_add_app(struct astra_trace *trace,
				 struct astra_random *random, uint32_t jobs,
				 double days)
{
	struct astra_trace_job job = {
		.tenant = (uint32_t)astra_random_below(random, TENANTS),
		.gpus = draw_gpus(random),
	};
	double rung_sec = astra_random_lognormal(random, RUNG_MEDIAN_SEC, .8);
	uint32_t user = (uint32_t)astra_random_below(random, USERS);
	uint32_t ranks[1 << MOST_LOG2];
	char name[24];

	job.submit_sec = floor(astra_random_time(random, days, &rhythm));
	snprintf(name, sizeof(name), "%u", trace->app_count + 1);
	job.app = astra_trace_app(trace, name);
	if (job.app == ASTRA_NONE)
		return -1;
	generate_apps_shuffle(random, ranks, jobs);
	for (uint32_t i = 0; i < jobs; i++) {
		/* Configurations are not equally fast. */
		double sec = rung_sec * rungs(ranks[i], jobs) *
			     astra_random_lognormal(random, 1, .15);

		job.duration_sec = fmax(1, floor(sec));
		if (astra_generate_job(trace, &job, user) < 0)
			return -1;
	}
	return 0;
}

int astra_generate_apps(struct astra_trace *trace,
			const struct astra_generate_options *options)
{
	struct astra_random random = astra_random_seed(options->seed);

	if (astra_generate_tenants(trace, TENANTS, 4, 0) < 0)
		return -1;
	while (trace->job_count < options->jobs) {
		uint64_t left = options->jobs - trace->job_count;

		if (generate_apps_add_app(trace, &random,
					  draw_jobs(&random, left),
					  options->days) < 0)
			return -1;
	}
	return 0;
}
