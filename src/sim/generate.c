/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/generate.h"

#include <stdio.h>
#include <string.h>

#include "src/model/model.h"
#include "src/sim/generate_priv.h"

#define JOBS_MAX 100000000

const struct astra_generator astra_generators[] = {
	{"venus",
	 "like SenseTime's Venus cluster: two weeks, GPU counts from 1 to 160",
	 11308, 14, astra_generate_venus},
	{"philly",
	 "like Microsoft's Philly: two weeks, most jobs of one GPU, long tail",
	 33390, 14, astra_generate_philly},
	{"apps", "hyper-parameter searches by successive halving, as in Themis",
	 3000, 7, astra_generate_apps},
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
