/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/intern.h"
#include "src/model/model.h"

/* The year 2001: what is later counts from 1970, what is earlier from some
 * beginning of the trace. */
#define UNIX_LEAST 1e9

struct astra_trace_names {
	struct astra_arena jobs; /* their names, which are seldom the same */
	struct astra_intern tenants, users, apps;
};

_Static_assert(ASTRA_NONE == ASTRA_INTERN_NONE, "one number for none");

void astra_trace_init(struct astra_trace *trace)
{
	*trace = (struct astra_trace){.source = ""};
}

void astra_trace_clear(struct astra_trace *trace)
{
	free(trace->jobs);
	free(trace->tenants);
	free(trace->users);
	free(trace->profiles);
	free(trace->utilities);
	if (trace->names) {
		astra_arena_free(&trace->names->jobs);
		astra_intern_clear(&trace->names->tenants);
		astra_intern_clear(&trace->names->users);
		astra_intern_clear(&trace->names->apps);
		free(trace->names);
	}
	astra_trace_init(trace);
}

static struct astra_trace_names *trace_names_of(struct astra_trace *trace)
{
	if (!trace->names)
		trace->names = calloc(1, sizeof(*trace->names));
	return trace->names;
}

uint32_t astra_trace_tenant(struct astra_trace *trace, const char *name)
{
	struct astra_trace_names *names = trace_names_of(trace);
	uint32_t at =
		names ? astra_intern_put(&names->tenants, name) : ASTRA_NONE;

	if (at == ASTRA_NONE || at < trace->tenant_count)
		return at;
	if (astra_grow(&trace->tenants, &trace->tenant_room, (size_t)at + 1,
		       sizeof(*trace->tenants)) < 0)
		return ASTRA_NONE;
	trace->tenants[at] = (struct astra_trace_tenant){
		.name = names->tenants.names[at],
		.weight = 1,
	};
	trace->tenant_count = (size_t)at + 1;
	return at;
}

uint32_t astra_trace_user(struct astra_trace *trace, const char *name)
{
	struct astra_trace_names *names = trace_names_of(trace);
	uint32_t at =
		names ? astra_intern_put(&names->users, name) : ASTRA_NONE;

	if (at == ASTRA_NONE || at < trace->user_count)
		return at;
	if (astra_grow(&trace->users, &trace->user_room, (size_t)at + 1,
		       sizeof(*trace->users)) < 0)
		return ASTRA_NONE;
	trace->users[at] = names->users.names[at];
	trace->user_count = (size_t)at + 1;
	return at;
}

uint32_t astra_trace_app(struct astra_trace *trace, const char *name)
{
	struct astra_trace_names *names = trace_names_of(trace);
	uint32_t at = names ? astra_intern_put(&names->apps, name) : ASTRA_NONE;

	if (at == ASTRA_NONE)
		return at;
	trace->app_count = (uint32_t)names->apps.count;
	return at + 1;
}

/* Of the last ones: there are few kinds of programs, but a file may have one a
 * line. */
#define PROFILES_LOOKED_AT 64

uint32_t astra_trace_profile(struct astra_trace *trace,
			     const struct astra_profile *profile)
{
	size_t n = trace->profile_count;

	for (size_t i = n; i-- && n - i <= PROFILES_LOOKED_AT;)
		if (!memcmp(&trace->profiles[i], profile, sizeof(*profile)))
			return (uint32_t)i + 1;
	if (astra_grow(&trace->profiles, &trace->profile_room, n + 1,
		       sizeof(*profile)) < 0)
		return ASTRA_NONE;
	trace->profiles[trace->profile_count++] = *profile;
	return (uint32_t)trace->profile_count;
}

int astra_trace_add(struct astra_trace *trace,
		    const struct astra_trace_job *job, const char *name)
{
	struct astra_trace_names *names = trace_names_of(trace);
	const char *copy = names ? astra_arena_text(&names->jobs, name) : NULL;

	if (!copy || trace->job_count >= UINT32_MAX - 1 ||
	    astra_grow(&trace->jobs, &trace->job_room, trace->job_count + 1,
		       sizeof(*trace->jobs)) < 0)
		return -1;
	trace->jobs[trace->job_count] = *job;
	trace->jobs[trace->job_count++].name = copy;
	return 0;
}

/* Where a job belongs: by submission, then by place in the file. */
struct place {
	double submit_sec;
	size_t at;
};

static int trace_by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->submit_sec != y->submit_sec)
		return x->submit_sec < y->submit_sec ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static bool sorted(const struct astra_trace *trace)
{
	for (size_t i = 1; i < trace->job_count; i++)
		if (trace->jobs[i].submit_sec < trace->jobs[i - 1].submit_sec)
			return false;
	return true;
}

static int trace_sort(struct astra_trace *trace)
{
	struct place *places = calloc(trace->job_count, sizeof(*places));
	struct astra_trace_job *jobs =
		calloc(trace->job_count, sizeof(*trace->jobs));

	if (!places || !jobs) {
		free(places);
		free(jobs);
		return -1;
	}
	for (size_t i = 0; i < trace->job_count; i++)
		places[i] = (struct place){trace->jobs[i].submit_sec, i};
	qsort(places, trace->job_count, sizeof(*places), trace_by_place);
	for (size_t i = 0; i < trace->job_count; i++)
		jobs[i] = trace->jobs[places[i].at];
	free(places);
	free(trace->jobs);
	trace->jobs = jobs;
	trace->job_room = trace->job_count;
	return 0;
}

/* All jobs were left out: say why, by the first defect. */
static int no_job(const struct astra_trace *trace, struct astra_error *err)
{
	char *text = astra_trace_defects_text(trace);
	char *stop = text ? strchr(text, '\n') : NULL;

	if (stop)
		*stop = '\0';
	if (stop)
		astra_error_set(err, "there is no job; %s", text);
	else
		astra_error_set(err, "%s: there is no job", trace->source);
	free(text);
	return -1;
}

int astra_trace_finish(struct astra_trace *trace, struct astra_error *err)
{
	double first;

	if (trace->taker)
		return 0;
	if (!trace->job_count)
		return no_job(trace, err);
	if (!sorted(trace) && trace_sort(trace) < 0)
		return astra_error_nomem(err);
	first = trace->jobs[0].submit_sec;
	for (size_t i = 0; i < trace->job_count; i++) {
		trace->jobs[i].submit_sec -= first;
		if (trace->jobs[i].start_sec >= 0)
			trace->jobs[i].start_sec -= first;
	}
	if (first >= UNIX_LEAST)
		trace->begin_unix_sec = first;
	else if (trace->begin_unix_sec > 0)
		trace->begin_unix_sec += first;
	return 0;
}

/* Whether the job is smaller than the cluster; a defect if it is not, or if it
 * is larger than its quota. */
static bool trace_fits(struct astra_trace *trace,
		       const struct astra_trace_job *job, uint64_t gpus,
		       double weight_sum)
{
	double weight = trace->tenants[job->tenant].weight;
	double quota = weight_sum > 0 ? (double)gpus * weight / weight_sum : 0;
	char value[48];

	if (job->line)
		snprintf(value, sizeof(value), "%u GPUs", job->gpus);
	else
		snprintf(value, sizeof(value), "job %s: %u GPUs", job->name,
			 job->gpus);
	if (job->gpus > gpus) {
		astra_trace_defect(trace, ASTRA_DEFECT_CLUSTER, job->line,
				   value);
		return false;
	}
	if (job->gpus > quota + 1e-9)
		astra_trace_defect(trace, ASTRA_DEFECT_QUOTA, job->line, value);
	return true;
}

void astra_trace_fit(struct astra_trace *trace, uint64_t gpus)
{
	double weight_sum = 0;
	size_t kept = 0;

	for (size_t i = 0; i < trace->tenant_count; i++)
		weight_sum += trace->tenants[i].weight;
	for (size_t i = 0; i < trace->job_count; i++)
		if (trace_fits(trace, &trace->jobs[i], gpus, weight_sum))
			trace->jobs[kept++] = trace->jobs[i];
	trace->job_count = kept;
}
