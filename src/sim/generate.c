/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/generate.h"

#include <stdio.h>
#include <string.h>

#include "src/model/model.h"
#include "src/sim/generate_priv.h"

/* Hyper-parameter searches by successive halving (Jamieson, Talwalkar:
 * Non-stochastic best arm identification and hyperparameter optimization,
 * AISTATS 2016), the apps of Themis (NSDI'20, section 5.2): of an app's jobs,
 * the better half goes on after each rung, for twice as many iterations. Here
 * the jobs are submitted side by side, and those that are given up at a rung
 * end with it.
 */

#define TENANTS 8
#define USERS 6		     /* of a tenant */
#define RUNG_MEDIAN_SEC 1500 /* the first rung of one job */
#define LEAST_LOG2 2	     /* 4 jobs an app */
#define MOST_LOG2 6	     /* 64 */

/* Apps come day and night. */
static const struct astra_rhythm apps_rhythm = {15, .5, .8};

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

/* Returns 0, or -1 when out of memory. */
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

	job.submit_sec = floor(astra_random_time(random, days, &apps_rhythm));
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

static int generate_apps(struct astra_trace *trace,
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

#define JOBS_MAX 100000000

const struct astra_generator astra_generators[] = {
	{"venus",
	 "like SenseTime's Venus cluster: two weeks, GPU counts from 1 to 160",
	 11308, 14, astra_generate_venus},
	{"philly",
	 "like Microsoft's Philly: two weeks, most jobs of one GPU, long tail",
	 33390, 14, astra_generate_philly},
	{"apps", "hyper-parameter searches by successive halving, as in Themis",
	 3000, 7, generate_apps},
	{0},
};

double astra_random_time(struct astra_random *random, double days,
			 const struct astra_rhythm *rhythm)
{
	for (;;) {
		double sec =
			astra_random_uniform(random) * days * ASTRA_DAY_SEC;
		double day = sec / ASTRA_DAY_SEC;
		double angle = 2 * M_PI * (day - rhythm->peak_hour / 24);
		double rate =
			(1 + rhythm->swing * cos(angle)) / (1 + rhythm->swing);

		if (fmod(day, 7) >= 5)
			rate *= rhythm->sunday;
		if (astra_random_uniform(random) < rate)
			return sec;
	}
}

size_t astra_random_index(struct astra_random *random, const double *sums,
			  size_t count)
{
	double at = astra_random_uniform(random) * sums[count - 1];
	size_t i = 0;

	while (i + 1 < count && sums[i] <= at)
		i++;
	return i;
}

int astra_generate_job(struct astra_trace *trace, struct astra_trace_job *job,
		       uint32_t user)
{
	char name[64];

	snprintf(name, sizeof(name), "%s-u%02u",
		 trace->tenants[job->tenant].name, user + 1);
	job->user = astra_trace_user(trace, name);
	if (job->user == ASTRA_NONE)
		return -1;
	job->start_sec = -1;
	snprintf(name, sizeof(name), "%zu", trace->job_count + 1);
	return astra_trace_add(trace, job, name);
}

int astra_generate_tenants(struct astra_trace *trace, uint32_t count,
			   double nodes, double power)
{
	char name[16];

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at;

		snprintf(name, sizeof(name), "t%02u", i + 1);
		at = astra_trace_tenant(trace, name);
		if (at == ASTRA_NONE)
			return -1;
		trace->tenants[at].weight =
			8 * fmax(1, round(nodes * pow(i + 1, -power)));
	}
	return 0;
}

static const struct astra_generator *generate_find(const char *name,
						   struct astra_error *err)
{
	const struct astra_generator *g = astra_generators;

	while (g->name && strcmp(g->name, name) != 0)
		g++;
	if (g->name)
		return g;
	astra_error_set(err, "there is no generator %s; there are", name);
	for (g = astra_generators; g->name; g++) {
		size_t length = strlen(err->text);

		snprintf(err->text + length, sizeof(err->text) - length,
			 "%s %s", g == astra_generators ? "" : ",", g->name);
	}
	return NULL;
}

int astra_trace_generate(struct astra_trace *trace, const char *name,
			 const struct astra_generate_options *options,
			 struct astra_error *err)
{
	const struct astra_generator *generator = generate_find(name, err);
	struct astra_generate_options all = *options;

	if (!generator)
		return -1;
	trace->source = generator->name;
	if (!all.jobs && all.days > 0)
		all.jobs = (uint64_t)((double)generator->jobs * all.days /
					      generator->days +
				      0.5);
	if (!all.jobs)
		all.jobs = generator->jobs;
	if (!(all.days > 0))
		all.days = generator->days * (double)all.jobs /
			   (double)generator->jobs;
	if (all.jobs > JOBS_MAX)
		return astra_error_set(err, "%s: more than %d jobs", name,
				       JOBS_MAX);
	if (generator->generate(trace, &all) < 0)
		return astra_error_nomem(err);
	return astra_trace_finish(trace, err);
}
