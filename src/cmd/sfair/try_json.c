/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The results of sfair try as JSON. The tables are made from this JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/audit.h"
#include "src/cmd/sfair/try.h"

#define LESS_SEC 1 /* smaller differences do not count */

static void try_put(json_t *row, const char *prefix, const char *key,
		    double value)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s", prefix, key);
	json_object_set_new(row, name, sfair_real(value));
}

/* Returns a job's wait: infinite if it never starts, NaN if the run ends before
 * its submission. */
static double try_wait_sec(const struct astra_sim_result *r, uint32_t job)
{
	double wait_sec = astra_first_wait_sec(r, job);

	return isnan(wait_sec) || r->jobs[job].start_sec >= 0 ? wait_sec
							      : HUGE_VAL;
}

size_t sfair_try_never(const struct sfair_try *t, size_t run)
{
	size_t count = 0;

	for (uint32_t i = 0; i < t->forward.trace.job_count; i++)
		if (isinf(try_wait_sec(&t->runs[run].result, i)))
			count++;
	return count;
}

/* Sums for a row over its jobs, in one of the two runs. */

struct try_sum {
	struct astra_sample waits, times;
	double alloc_gpu_sec, fair_gpu_sec;
	double preemptions, leases, never;
};

static int try_sum_add(struct try_sum *s, const struct astra_sim_result *r,
		       uint32_t job)
{
	const struct astra_sim_job *j = &r->jobs[job];
	double wait_sec = try_wait_sec(r, job);

	s->alloc_gpu_sec += j->alloc_gpu_sec;
	s->fair_gpu_sec += j->fair_gpu_sec;
	s->preemptions += j->preemptions;
	s->leases += j->leases;
	s->never += j->start_sec < 0;
	if (!isnan(wait_sec) && astra_sample_add(&s->waits, wait_sec) < 0)
		return -1;
	return j->end_sec < 0
		       ? 0
		       : astra_sample_add(
				 &s->times,
				 j->end_sec - r->trace->jobs[job].submit_sec);
}

static void try_sum_put(struct try_sum *s, json_t *row, const char *prefix,
			double jobs)
{
	astra_sample_sort(&s->waits);
	astra_sample_sort(&s->times);
	try_put(row, prefix, "never", s->never);
	try_put(row, prefix, "wait_mean_sec", astra_sample_mean(&s->waits));
	try_put(row, prefix, "wait_p50_sec",
		astra_sample_quantile(&s->waits, 0.5));
	try_put(row, prefix, "wait_p95_sec",
		astra_sample_quantile(&s->waits, 0.95));
	try_put(row, prefix, "jct_mean_sec", astra_sample_mean(&s->times));
	try_put(row, prefix, "alloc_gpu_sec", s->alloc_gpu_sec);
	try_put(row, prefix, "fair_gpu_sec", s->fair_gpu_sec);
	try_put(row, prefix, "rho",
		astra_share_rho(s->alloc_gpu_sec, s->fair_gpu_sec));
	try_put(row, prefix, "preemptions", s->preemptions / jobs);
	try_put(row, prefix, "leases", s->leases / jobs);
	astra_sample_clear(&s->waits);
	astra_sample_clear(&s->times);
}

/* The runs. */

static json_t *try_run_row(const struct sfair_try_run *run)
{
	const struct astra_sim_result *r = &run->result;
	json_t *row = sfair_audit_metrics(r, run->name);
	struct try_sum sum = {0};
	int rc = row ? 0 : -1;

	for (uint32_t i = 0; !rc && i < r->trace->job_count; i++)
		rc = try_sum_add(&sum, r, i);
	json_object_set_new(row, "jobs",
			    json_integer((json_int_t)r->trace->job_count));
	astra_sample_sort(&sum.waits);
	try_put(row, "", "wait_max_sec", astra_sample_quantile(&sum.waits, 1));
	try_sum_put(&sum, row, "", (double)r->trace->job_count);
	return row;
}

static json_t *try_runs(const struct sfair_try *t)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < 2; i++)
		json_array_append_new(rows, try_run_row(&t->runs[i]));
	return rows;
}

/* Changes of waits. */

static void try_put_change(json_t *row, double change_sec)
{
	char span[48], text[64] = "N/A";

	if (!isnan(change_sec)) {
		if (isinf(change_sec))
			strcpy(span, "inf");
		else
			sfair_span(fabs(change_sec), span, sizeof(span));
		snprintf(text, sizeof(text), "%s%s",
			 fabs(change_sec) < 0.5 ? ""
			 : change_sec < 0	? "-"
						: "+",
			 span);
	}
	json_object_set_new(row, "change_sec",
			    isinf(change_sec) ? json_string(text)
					      : sfair_real(change_sec));
	json_object_set_new(row, "change", json_string(text));
}

static double try_change_sec(const struct sfair_try *t, uint32_t job)
{
	double now = try_wait_sec(&t->runs[0].result, job);
	double tried = try_wait_sec(&t->runs[1].result, job);

	return isinf(now) && isinf(tried) ? 0 : tried - now;
}

/* A job with its sort keys: the row of a table that it belongs to. */
struct try_group {
	uint32_t tenant, user, job; /* user: 0 in the table of tenants */
};

static int try_by_group(const void *a, const void *b)
{
	const struct try_group *x = a, *y = b;

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

/* Sets the GPU time that the tenant itself had and was entitled to. */
static void try_put_tenant(json_t *row, const struct sfair_try *t,
			   uint32_t tenant)
{
	static const char *const prefixes[] = {"", "new_"};

	for (size_t i = 0; i < 2; i++) {
		const struct astra_sim_tenant *out =
			&t->runs[i].result.tenants[tenant];

		try_put(row, prefixes[i], "weight",
			t->runs[i].trace.tenants[tenant].weight);
		try_put(row, prefixes[i], "alloc_gpu_sec", out->alloc_gpu_sec);
		try_put(row, prefixes[i], "fair_gpu_sec", out->fair_gpu_sec);
		try_put(row, prefixes[i], "rho",
			astra_share_rho(out->alloc_gpu_sec, out->fair_gpu_sec));
	}
}

static json_t *try_group_row(const struct sfair_try *t,
			     const struct try_group *jobs, size_t count,
			     bool users)
{
	json_t *row = json_object();
	struct try_sum sums[2] = {0};
	size_t less = 0, more = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++) {
		double change_sec = try_change_sec(t, jobs[i].job);

		less += change_sec <= -LESS_SEC;
		more += change_sec >= LESS_SEC;
		for (size_t k = 0; !rc && k < 2; k++)
			rc = try_sum_add(&sums[k], &t->runs[k].result,
					 jobs[i].job);
	}
	json_object_set_new(
		row, "tenant",
		json_string(t->forward.trace.tenants[jobs->tenant].name));
	if (users)
		json_object_set_new(
			row, "user",
			json_string(t->forward.trace.users[jobs->user]));
	json_object_set_new(row, "jobs", json_integer((json_int_t)count));
	json_object_set_new(row, "less", json_integer((json_int_t)less));
	json_object_set_new(row, "more", json_integer((json_int_t)more));
	try_put_change(row, astra_sample_mean(&sums[1].waits) -
				    astra_sample_mean(&sums[0].waits));
	try_sum_put(&sums[0], row, "", (double)count);
	try_sum_put(&sums[1], row, "new_", (double)count);
	if (!users)
		try_put_tenant(row, t, jobs->tenant);
	return row;
}

/* Returns the change by which rows are sorted: rows that would wait less come
 * first. */
static double try_row_change(const json_t *row)
{
	const json_t *change = json_object_get(row, "change_sec");

	if (json_is_number(change))
		return json_number_value(change);
	return json_is_string(change) && *json_string_value(change) == '-'
		       ? -HUGE_VAL
		       : HUGE_VAL;
}

static int try_by_change(const void *a, const void *b)
{
	double x = try_row_change(*(json_t *const *)a);
	double y = try_row_change(*(json_t *const *)b);
	int order;

	if (x != y)
		return x < y ? -1 : 1;
	for (const char *const *key =
		     (const char *const[]){"tenant", "user", NULL};
	     *key; key++) {
		const json_t *of_x = json_object_get(*(json_t *const *)a, *key);
		const json_t *of_y = json_object_get(*(json_t *const *)b, *key);

		order = of_x && of_y ? strcmp(json_string_value(of_x),
					      json_string_value(of_y))
				     : 0;
		if (order)
			return order;
	}
	return 0;
}

/* Sorts rows into an array, which is returned. The rows are stolen. */
static json_t *try_sorted(json_t **rows, size_t count)
{
	json_t *out = json_array();

	qsort(rows, count, sizeof(*rows), try_by_change);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(out, rows[i]);
	return out;
}

static json_t *try_groups(const struct sfair_try *t, bool users)
{
	const struct astra_trace *trace = &t->forward.trace;
	size_t size = trace->job_count + 1, count = 0, next;
	struct try_group *jobs = calloc(size, sizeof(*jobs));
	json_t **rows = calloc(size, sizeof(*rows)), *out = NULL;

	for (uint32_t i = 0; jobs && i < trace->job_count; i++)
		jobs[i] = (struct try_group){
			.tenant = trace->jobs[i].tenant,
			.user = users ? trace->jobs[i].user : 0,
			.job = i,
		};
	if (jobs && rows) {
		qsort(jobs, trace->job_count, sizeof(*jobs), try_by_group);
		for (size_t i = 0; i < trace->job_count; i = next) {
			next = i + 1;
			while (next < trace->job_count &&
			       jobs[next].tenant == jobs[i].tenant &&
			       jobs[next].user == jobs[i].user)
				next++;
			rows[count++] =
				try_group_row(t, &jobs[i], next - i, users);
		}
		out = try_sorted(rows, count);
	}
	free(jobs);
	free(rows);
	return out;
}

/* Rows of jobs, in the order of their submission. */

static json_t *try_job_row(const struct sfair_try *t, uint32_t job)
{
	static const char *const prefixes[] = {"", "new_"};
	const struct astra_trace *trace = &t->forward.trace;
	const struct astra_trace_job *j = &trace->jobs[job];
	json_t *row = json_object();

	json_object_set_new(row, "id_text", json_string(j->name));
	json_object_set_new(row, "tenant",
			    json_string(trace->tenants[j->tenant].name));
	json_object_set_new(row, "user", json_string(trace->users[j->user]));
	json_object_set_new(row, "gpus", json_integer(j->gpus));
	json_object_set_new(row, "present",
			    json_boolean(job < t->forward.begin.job_count));
	try_put(row, "", "submit_sec", trace->begin_unix_sec + j->submit_sec);
	try_put(row, "", "duration_sec", j->duration_sec);
	try_put_change(row, try_change_sec(t, job));
	for (size_t i = 0; i < 2; i++) {
		const struct astra_sim_result *r = &t->runs[i].result;
		const struct astra_sim_job *out = &r->jobs[job];

		try_put(row, prefixes[i], "wait_sec", try_wait_sec(r, job));
		try_put(row, prefixes[i], "jct_sec",
			out->end_sec < 0 ? (double)NAN
					 : out->end_sec - j->submit_sec);
		try_put(row, prefixes[i], "preemptions", out->preemptions);
		try_put(row, prefixes[i], "leases", out->leases);
	}
	return row;
}

static json_t *try_jobs(const struct sfair_try *t)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < t->forward.trace.job_count; i++)
		json_array_append_new(rows, try_job_row(t, i));
	return rows;
}

/* The document. */

static json_t *try_describe(const struct sfair_try *t)
{
	const struct astra_forward *f = &t->forward;

	return json_pack(
		"{s:s, s:s, s:f, s:i, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
		"s:I, s:I, s:I, s:O}",
		"cluster", t->round->head.cluster, "pool", t->round->head.pool,
		"now_sec", t->round->snapshot.now_sec, "days",
		(int)t->args->days, "source", t->record.source, "gpus",
		(json_int_t)f->cluster.gpus, "gpus_of_others",
		(json_int_t)f->foreign_gpus, "running", (json_int_t)f->running,
		"waiting", (json_int_t)f->waiting, "come", (json_int_t)f->come,
		"unended", (json_int_t)f->unended, "blocked",
		(json_int_t)f->blocked, "never", (json_int_t)f->never, "large",
		(json_int_t)f->large, "strangers", (json_int_t)t->strangers,
		"tried", t->tried);
}

json_t *sfair_try_document(const struct sfair_try *t)
{
	bool jobs = t->args->show.style == SFAIR_JSON ||
		    t->args->table == SFAIR_TRY_JOBS;
	json_t *all = json_object();
	int rc = json_object_set_new(all, "try", try_describe(t));

	rc |= json_object_set_new(all, "runs", try_runs(t));
	rc |= json_object_set_new(all, "tenants", try_groups(t, false));
	rc |= json_object_set_new(all, "users", try_groups(t, true));
	if (jobs)
		rc |= json_object_set_new(all, "jobs", try_jobs(t));
	if (!rc)
		return all;
	json_decref(all);
	return NULL;
}
