/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The results on the live cluster, with the tools that its users have. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "src/cmd/sfairsim/replay.h"
#include "src/common/clock.h"
#include "src/common/grow.h"
#include "src/sim/child.h"

/* Tenants. */

static uint32_t replay_live_find_tenant(const struct astra_trace *trace,
					const char *name)
{
	for (uint32_t i = 0; i < trace->tenant_count; i++)
		if (!strcasecmp(trace->tenants[i].name, name))
			return i; /* sacctmgr has lower-case names only */
	return ASTRA_NONE;
}

/* Finds the tenant's row, or adds one, as tenants without jobs have a share,
 * too. */
static int place_tenant(struct replay *r, const char *name, uint32_t *tenant)
{
	struct astra_trace *trace = &r->setup->trace;
	size_t room = trace->tenant_count;

	*tenant = replay_live_find_tenant(trace, name);
	if (*tenant != ASTRA_NONE)
		return 0;
	*tenant = astra_trace_tenant(trace, name);
	if (*tenant == ASTRA_NONE ||
	    astra_grow(&r->tenants, &room, trace->tenant_count,
		       sizeof(*r->tenants)) < 0)
		return -1;
	r->tenants[*tenant] = (struct replay_tenant){.jobs = 0};
	return 0;
}

static int take_tenant(struct replay *r, const json_t *row, bool first)
{
	const char *name = json_string_value(json_object_get(row, "name"));
	const char *pool = json_string_value(json_object_get(row, "pool"));
	double gpu_sec =
		json_number_value(json_object_get(row, "alloc_gpu_sec"));
	uint32_t at;

	if (!name || (r->args->pool && pool && strcmp(pool, r->args->pool)))
		return 0;
	if (!first) {
		at = replay_live_find_tenant(&r->setup->trace, name);
		if (at != ASTRA_NONE)
			r->tenants[at].sfair_gpu_sec +=
				gpu_sec - r->tenants[at].before_gpu_sec;
		return 0;
	}
	if (!json_is_true(json_object_get(row, "listed")))
		return 0;
	if (place_tenant(r, name, &at) < 0)
		return -1;
	r->tenants[at].before_gpu_sec = gpu_sec;
	r->setup->trace.tenants[at].weight =
		json_number_value(json_object_get(row, "weight"));
	return 0;
}

int replay_ask_tenants(struct replay *r, bool first, struct astra_error *err)
{
	char *argv[] = {"sfair", "tenant", "--json", NULL};
	json_error_t where;
	json_t *all, *row;
	char *text;
	size_t i;
	int rc = 0;

	if (astra_child_text(argv, &text, err) < 0)
		return -1;
	all = json_loads(text, 0, &where);
	free(text);
	if (!all)
		return astra_error_set(err, "sfair tenant --json: %s",
				       where.text);
	for (i = 0; !first && i < r->setup->trace.tenant_count; i++)
		r->tenants[i].sfair_gpu_sec = 0;
	json_array_foreach(json_object_get(all, "tenants"), i, row)
	{
		if (!rc && take_tenant(r, row, first) < 0)
			rc = astra_error_nomem(err);
	}
	json_decref(all);
	return rc;
}

/* sacct. */

static int replay_live_keep_run(struct replay *r, uint32_t at, double start,
				double end)
{
	struct replay_job *job = &r->jobs[at];

	if (astra_grow(&r->runs, &r->run_room, r->run_count + 1,
		       sizeof(*r->runs)) < 0)
		return -1;
	r->runs[r->run_count++] = (struct replay_run){
		.job = at,
		.start_sec = start - r->begin_unix,
		.end_sec = end - r->begin_unix,
	};
	job->records++;
	job->elapsed_sec += end - start;
	if (start >= job->last_start_unix) {
		job->last_start_unix = start;
		job->last_elapsed_sec = end - start;
	}
	return 0;
}

/* Reads one run, "ID|STATE|START|END". active: set if the run is not over.
 * Returns 1 if the run was the job's last, 0 if not, or -1 when out of
 * memory. */
static int take_record(struct replay *r, char *line, bool *active)
{
	char *id = strsep(&line, "|"), *state = strsep(&line, "|");
	char *start = strsep(&line, "|");
	double begin = start ? strtod(start, NULL) : 0;
	double end = line ? strtod(line, NULL) : 0;
	uint32_t at =
		astra_idmap_get(&r->by_id, (uint32_t)strtoul(id, NULL, 10));

	if (at == ASTRA_IDMAP_NONE || !line)
		return 0;
	*active = *active || !strcmp(state, "RUNNING") ||
		  !strcmp(state, "PENDING");
	if (!(begin > 0) || !(end > 0))
		return 0;
	if (replay_live_keep_run(r, at, begin, end) < 0)
		return -1;
	return strcmp(state, "REQUEUED") != 0 &&
	       strcmp(state, "PREEMPTED") != 0 &&
	       strcmp(state, "NODE_FAIL") != 0;
}

static void forget_records(struct replay *r)
{
	r->run_count = 0;
	for (size_t i = 0; i < r->setup->trace.job_count; i++) {
		r->jobs[i].records = 0;
		r->jobs[i].elapsed_sec = r->jobs[i].last_elapsed_sec = 0;
		r->jobs[i].last_start_unix = 0;
	}
}

static char *call_sacct(const struct replay *r, struct astra_error *err)
{
	time_t since = (time_t)r->begin_unix - 60;
	char name[80], start[64], *text;
	char *argv[] = {"sacct",
			"--noheader",
			"--allocations",
			"--duplicates",
			"--parsable2",
			"--format=JobIDRaw,State,Start,End",
			name,
			start,
			NULL};
	struct tm tm;

	snprintf(name, sizeof(name), "--name=%s", r->name);
	strftime(start, sizeof(start), "--starttime=%Y-%m-%dT%H:%M:%S",
		 localtime_r(&since, &tm));
	return astra_child_text(argv, &text, err) < 0 ? NULL : text;
}

static int take_records(struct replay *r, size_t *over, bool *active,
			struct astra_error *err)
{
	char *text = call_sacct(r, err), *rest = text, *line;
	int one = 0;

	if (!text)
		return -1;
	forget_records(r);
	while (one >= 0 && (line = strsep(&rest, "\n"))) {
		one = take_record(r, line, active);
		*over += one > 0;
	}
	free(text);
	return one < 0 ? astra_error_nomem(err) : 0;
}

/* slurmdbd gets its records only some seconds later. */
#define SACCT_PATIENCE_SEC 60

int replay_ask_sacct(struct replay *r, struct astra_error *err)
{
	double until = astra_now_sec(CLOCK_REALTIME) + SACCT_PATIENCE_SEC;

	r->accounted = true;
	for (;;) {
		size_t over = 0;
		bool active = false;

		if (take_records(r, &over, &active, err) < 0)
			return -1;
		if (!active && over >= r->setup->trace.job_count)
			return 0;
		if (astra_now_sec(CLOCK_REALTIME) > until || replay_stop)
			return astra_error_set(
				err, "sacct shows the end of %zu jobs of %zu",
				over, r->setup->trace.job_count);
		replay_sleep(1);
	}
}

/* Measures the time of runs besides their work. A job's last run gives the time
 * of a start; other runs also have a checkpoint. */
static void measure_runs(struct replay *r)
{
	size_t count = r->setup->trace.job_count, others = 0;
	double last = 0, more = 0;

	for (size_t i = 0; i < count; i++) {
		const struct replay_job *j = &r->jobs[i];

		last += j->last_elapsed_sec - j->last_sec;
		more += j->elapsed_sec - j->last_elapsed_sec -
			(j->work_sec - j->last_sec);
		others += j->records - 1;
	}
	r->start_sec = last / (double)count;
	if (others)
		r->checkpoint_sec =
			fmax(0, more / (double)others - r->start_sec);
}

/* Measures the same times from the GPU time that sfair shows for all
 * tenants. */
static void measure_tenants(struct replay *r)
{
	const struct astra_trace *trace = &r->setup->trace;
	double beside = 0, runs = 0;

	for (size_t i = 0; i < trace->tenant_count; i++)
		beside += r->tenants[i].sfair_gpu_sec;
	for (size_t i = 0; i < trace->job_count; i++) {
		beside -= trace->jobs[i].gpus * r->jobs[i].work_sec;
		runs += (double)trace->jobs[i].gpus * r->jobs[i].runs;
	}
	r->start_sec = runs > 0 ? beside / runs : 0;
}

void replay_measure(struct replay *r)
{
	const struct astra_trace *trace = &r->setup->trace;

	for (size_t i = 0; i < trace->job_count; i++) {
		const struct replay_job *j = &r->jobs[i];
		struct replay_tenant *t = &r->tenants[trace->jobs[i].tenant];

		t->jobs++;
		t->live_jct_sec += j->end_sec - j->submit_sec;
		t->live_gpu_sec += trace->jobs[i].gpus * j->elapsed_sec;
	}
	for (size_t i = 0; i < trace->tenant_count; i++) {
		struct replay_tenant *t = &r->tenants[i];

		if (!r->accounted)
			t->live_gpu_sec = t->sfair_gpu_sec;
		if (t->jobs)
			t->live_jct_sec /= t->jobs;
	}
	if (r->accounted)
		measure_runs(r);
	else
		measure_tenants(r);
}
