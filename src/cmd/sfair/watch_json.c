/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The results of watching as JSON. The tables are made from this JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/audit.h"
#include "src/cmd/sfair/watch.h"
#include "src/common/text.h"
#include "src/policies/options.h"

/* Slurm's backfill runs every half minute, so smaller differences do not
 * count. */
#define LESS_SEC 30
#define NAMES_TOLD 3

static void watch_put(json_t *row, const char *key, double value)
{
	json_object_set_new(row, key, sfair_real(value));
}

static void watch_put_count(json_t *row, const char *key, size_t value)
{
	json_object_set_new(row, key, json_integer((json_int_t)value));
}

static const struct astra_record_job *
watch_record_job(const struct sfair_watch *w, uint32_t job)
{
	return &w->record.jobs[w->replay.trace.jobs[job].line - 1];
}

/* Whether the job already ran when the window began; if so, the window does not
 * have its first start. */
static bool watch_began(const struct sfair_watch *w, uint32_t job)
{
	return watch_record_job(w, job)->start_sec <= w->window.start_sec;
}

static double watch_wait_sec(const struct sfair_watch *w,
			     const struct astra_sim_result *r, uint32_t job)
{
	return watch_began(w, job) ? (double)NAN : astra_first_wait_sec(r, job);
}

static double watch_change_sec(const struct sfair_watch *w, uint32_t job)
{
	return watch_wait_sec(w, &w->leases, job) -
	       watch_wait_sec(w, &w->real, job);
}

/* Returns the GPU time that interruptions cost the job: checkpoints, new starts
 * and, if the job declares no checkpoint, the work that it had done. */
static double watch_lost_gpu_sec(const struct sfair_watch *w, uint32_t job)
{
	const struct astra_sim_job *j = &w->leases.jobs[job];

	return j->cold_gpu_sec + j->checkpoint_gpu_sec;
}

static bool watch_unprepared(const struct sfair_watch *w, uint32_t job)
{
	const struct astra_trace_job *j = &w->replay.trace.jobs[job];

	return j->unprepared && !j->pinned;
}

/* The sums for a row over its jobs. */

struct watch_sum {
	size_t jobs, unprepared, less, more;
	size_t interrupted, unprepared_interrupted, interruptions;
	double lost_gpu_sec, unprepared_lost_gpu_sec;
	struct astra_sample waits[2];
	double alloc_gpu_sec[2], fair_gpu_sec[2];
};

static int watch_sum_add(struct watch_sum *s, const struct sfair_watch *w,
			 uint32_t job)
{
	const struct astra_sim_result *runs[2] = {&w->real, &w->leases};
	size_t times = w->leases.jobs[job].preemptions;
	bool unprepared = watch_unprepared(w, job);
	double change_sec = watch_change_sec(w, job);

	s->jobs++;
	s->unprepared += unprepared;
	s->less += change_sec <= -LESS_SEC;
	s->more += change_sec >= LESS_SEC;
	s->interrupted += times > 0;
	s->unprepared_interrupted += unprepared && times;
	s->interruptions += times;
	s->lost_gpu_sec += watch_lost_gpu_sec(w, job);
	if (unprepared)
		s->unprepared_lost_gpu_sec += watch_lost_gpu_sec(w, job);
	for (size_t i = 0; i < 2; i++) {
		double wait_sec = watch_wait_sec(w, runs[i], job);

		s->alloc_gpu_sec[i] += runs[i]->jobs[job].alloc_gpu_sec;
		s->fair_gpu_sec[i] += runs[i]->jobs[job].fair_gpu_sec;
		if (!isnan(wait_sec) &&
		    astra_sample_add(&s->waits[i], wait_sec) < 0)
			return -1;
	}
	return 0;
}

/* Writes the sum to a row, and clears it. */
static void watch_sum_put(struct watch_sum *s, json_t *row)
{
	static const char *const keys[2][5] = {
		{"wait_mean_sec", "wait_p50_sec", "wait_p95_sec",
		 "alloc_gpu_sec", "fair_gpu_sec"},
		{"new_wait_mean_sec", "new_wait_p50_sec", "new_wait_p95_sec",
		 "new_alloc_gpu_sec", "new_fair_gpu_sec"},
	};

	watch_put_count(row, "jobs", s->jobs);
	watch_put_count(row, "unprepared", s->unprepared);
	watch_put_count(row, "less", s->less);
	watch_put_count(row, "more", s->more);
	watch_put_count(row, "interrupted", s->interrupted);
	watch_put_count(row, "unprepared_interrupted",
			s->unprepared_interrupted);
	watch_put_count(row, "interruptions", s->interruptions);
	watch_put(row, "lost_gpu_sec", s->lost_gpu_sec);
	watch_put(row, "unprepared_lost_gpu_sec", s->unprepared_lost_gpu_sec);
	for (size_t i = 0; i < 2; i++) {
		astra_sample_sort(&s->waits[i]);
		watch_put(row, keys[i][0], astra_sample_mean(&s->waits[i]));
		watch_put(row, keys[i][1],
			  astra_sample_quantile(&s->waits[i], 0.5));
		watch_put(row, keys[i][2],
			  astra_sample_quantile(&s->waits[i], 0.95));
		watch_put(row, keys[i][3], s->alloc_gpu_sec[i]);
		watch_put(row, keys[i][4], s->fair_gpu_sec[i]);
		astra_sample_clear(&s->waits[i]);
	}
}

/* A job with its sort keys: the row of a table that it belongs to, by names. */
struct watch_member {
	const char *tenant, *user; /* user: "" in the table of tenants */
	uint32_t tenant_at, job;
};

static int watch_by_member(const void *a, const void *b)
{
	const struct watch_member *x = a, *y = b;
	int order = strcmp(x->tenant, y->tenant);

	if (!order)
		order = strcmp(x->user, y->user);
	return order ? order : (x->job > y->job) - (x->job < y->job);
}

static bool watch_same(const struct watch_member *a,
		       const struct watch_member *b)
{
	return !strcmp(a->tenant, b->tenant) && !strcmp(a->user, b->user);
}

/* Sets values from the tenant's own account. This has a part that its jobs'
 * accounts lack: what is due to the tenant while they wait. */
static void watch_put_tenant(const struct sfair_watch *w, uint32_t tenant,
			     json_t *row)
{
	const struct astra_sim_tenant *real = &w->real.tenants[tenant];
	const struct astra_sim_tenant *leases = &w->leases.tenants[tenant];

	watch_put(row, "weight", w->replay.trace.tenants[tenant].weight);
	watch_put(row, "alloc_gpu_sec", real->alloc_gpu_sec);
	watch_put(row, "fair_gpu_sec", real->fair_gpu_sec);
	watch_put(row, "new_alloc_gpu_sec", leases->alloc_gpu_sec);
	watch_put(row, "new_fair_gpu_sec", leases->fair_gpu_sec);
}

static json_t *watch_group_row(const struct sfair_watch *w,
			       const struct watch_member *members, size_t count,
			       bool users)
{
	json_t *row = json_object();
	struct watch_sum sum = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++)
		rc = watch_sum_add(&sum, w, members[i].job);
	json_object_set_new(row, "tenant", json_string(members->tenant));
	if (users)
		json_object_set_new(row, "user", json_string(members->user));
	watch_sum_put(&sum, row);
	if (!users)
		watch_put_tenant(w, members->tenant_at, row);
	return row;
}

static json_t *watch_groups(const struct sfair_watch *w, bool users)
{
	const struct astra_trace *t = &w->replay.trace;
	struct watch_member *list = calloc(t->job_count + 1, sizeof(*list));
	json_t *rows = list ? json_array() : NULL;

	for (uint32_t i = 0; list && i < t->job_count; i++)
		list[i] = (struct watch_member){
			.tenant = t->tenants[t->jobs[i].tenant].name,
			.user = users ? t->users[t->jobs[i].user] : "",
			.tenant_at = t->jobs[i].tenant,
			.job = i,
		};
	if (list)
		qsort(list, t->job_count, sizeof(*list), watch_by_member);
	for (size_t i = 0, next; rows && i < t->job_count; i = next) {
		next = i + 1;
		while (next < t->job_count && watch_same(&list[i], &list[next]))
			next++;
		json_array_append_new(
			rows, watch_group_row(w, &list[i], next - i, users));
	}
	free(list);
	return rows;
}

/* Jobs, by submission. */

static json_t *watch_job_row(const struct sfair_watch *w, uint32_t job)
{
	const struct astra_trace *t = &w->replay.trace;
	const struct astra_record_job *j = watch_record_job(w, job);
	const struct astra_sim_job *out = &w->leases.jobs[job];
	json_t *row = json_object();

	json_object_set_new(row, "id_text", json_string(j->name));
	json_object_set_new(row, "tenant",
			    json_string(t->tenants[t->jobs[job].tenant].name));
	json_object_set_new(row, "user", json_string(j->user));
	watch_put_count(row, "gpus", j->gpus);
	json_object_set_new(row, "unprepared", json_boolean(j->unprepared));
	json_object_set_new(row, "pinned", json_boolean(t->jobs[job].pinned));
	watch_put(row, "ready_sec", j->submit_sec);
	watch_put(row, "start_sec",
		  isfinite(j->start_sec) ? j->start_sec : (double)NAN);
	watch_put(row, "new_start_sec",
		  out->start_sec < 0 ? (double)NAN
				     : w->window.start_sec + out->start_sec);
	watch_put(row, "end_sec",
		  isfinite(j->end_sec) ? j->end_sec : (double)NAN);
	watch_put(row, "new_end_sec",
		  out->end_sec < 0 ? (double)NAN
				   : w->window.start_sec + out->end_sec);
	watch_put(row, "wait_sec", watch_wait_sec(w, &w->real, job));
	watch_put(row, "new_wait_sec", watch_wait_sec(w, &w->leases, job));
	watch_put_count(row, "interruptions", out->preemptions);
	watch_put(row, "lost_gpu_sec", watch_lost_gpu_sec(w, job));
	return row;
}

static json_t *watch_jobs(const struct sfair_watch *w)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < w->replay.trace.job_count; i++)
		json_array_append_new(rows, watch_job_row(w, i));
	return rows;
}

/* The summary. */

static double watch_number(const json_t *row, const char *key)
{
	return json_number_value(json_object_get(row, key));
}

/* Appends a text such as "tenant b (a wait of 0:30 instead of 1:10:00) and 2
 * others". way: -1 for tenants that wait less, 1 for tenants that wait longer.
 * Returns whether there are any. */
static bool watch_tell_waits(const json_t *tenants, int way,
			     struct astra_text *out)
{
	size_t i, count = 0;
	const json_t *row;

	json_array_foreach(tenants, i, row)
	{
		double was = watch_number(row, "wait_mean_sec");
		double is = watch_number(row, "new_wait_mean_sec");
		char before[32], after[32];

		if (way * (is - was) < LESS_SEC || count++ >= NAMES_TOLD)
			continue;
		sfair_span(was, before, sizeof(before));
		sfair_span(is, after, sizeof(after));
		astra_text_printf(
			out, "%stenant %s (a wait of %s instead of %s)",
			count > 1 ? ", " : "",
			json_string_value(json_object_get(row, "tenant")),
			after, before);
	}
	if (count > NAMES_TOLD)
		astra_text_printf(out, " and %zu others", count - NAMES_TOLD);
	return count;
}

/* Appends the names of users whose unprepared jobs were interrupted. */
static void watch_tell_users(const json_t *users, struct astra_text *out)
{
	size_t i, count = 0;
	const json_t *row;

	json_array_foreach(users, i, row)
	{
		if (!(watch_number(row, "unprepared_interrupted") > 0) ||
		    count++ >= NAMES_TOLD)
			continue;
		astra_text_printf(
			out, "%s user %s", count > 1 ? "," : "",
			json_string_value(json_object_get(row, "user")));
	}
	if (count > NAMES_TOLD)
		astra_text_printf(out, " and %zu others", count - NAMES_TOLD);
}

static void watch_tell_stops(const json_t *tenants, const json_t *users,
			     struct astra_text *out)
{
	double jobs = 0, unprepared = 0, lost_sec = 0;
	size_t i;
	const json_t *row;

	json_array_foreach(tenants, i, row)
	{
		jobs += watch_number(row, "interrupted");
		unprepared += watch_number(row, "unprepared_interrupted");
		lost_sec += watch_number(row, "lost_gpu_sec");
	}
	if (!(jobs > 0)) {
		astra_text_printf(out, " No job would have been interrupted.");
		return;
	}
	astra_text_printf(out,
			  " %.0f job%s would have been interrupted, at a cost "
			  "of %.2f GPU hours.",
			  jobs, jobs == 1 ? "" : "s", lost_sec / 3600);
	if (!(unprepared > 0)) {
		astra_text_printf(out, " %s a checkpoint.",
				  jobs == 1 ? "It declares"
					    : "All of them declare");
		return;
	}
	astra_text_printf(out,
			  " Of these, %.0f declare%s no checkpoint and would "
			  "have begun anew:",
			  unprepared, unprepared == 1 ? "s" : "");
	watch_tell_users(users, out);
	astra_text_printf(out, ".");
}

/* Returns sentences that say what would have changed. */
static json_t *watch_summary(const struct sfair_watch *w, const json_t *tenants,
			     const json_t *users)
{
	struct astra_text less = {0}, more = {0}, out = {0};
	char span[32], since[32];
	bool is_less = watch_tell_waits(tenants, -1, &less);
	bool is_more = watch_tell_waits(tenants, 1, &more);
	json_t *text = NULL;

	sfair_span(w->window.end_sec - w->window.start_sec, span, sizeof(span));
	sfair_time(w->window.start_sec, since, sizeof(since));
	astra_text_printf(&out, "Watched for %s, since %s. With leases ", span,
			  since);
	if (is_less || is_more)
		astra_text_printf(
			&out,
			"first starts would have come, on average, "
			"%s%s%s%s%s.",
			is_less ? "earlier in " : "", is_less ? less.bytes : "",
			is_less && is_more ? ", later in " : "",
			!is_less ? "later in " : "", is_more ? more.bytes : "");
	else
		astra_text_printf(&out,
				  "no tenant's first starts would have come "
				  "%d s earlier or later, on average.",
				  LESS_SEC);
	watch_tell_stops(tenants, users, &out);
	if (!out.failed && !less.failed && !more.failed)
		text = json_string(out.bytes);
	astra_text_clear(&less);
	astra_text_clear(&more);
	astra_text_clear(&out);
	return text;
}

/* The document. */

static json_t *watch_describe(const struct sfair_watch *w)
{
	const struct astra_replay *r = &w->replay;
	static const char *const unprepared[] = {
		[ASTRA_UNPREPARED_REQUEUE] = "requeue",
		[ASTRA_UNPREPARED_SHARE] = "share",
		[ASTRA_UNPREPARED_KEEP] = "keep",
	};

	return json_pack(
		"{s:s*, s:s, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
		"s:I, s:I, s:f, s:s, s:f, s:f}",
		"cluster", w->round->head.cluster, "pool", w->round->head.pool,
		"watch_sec", w->since_sec, "start_sec", w->window.start_sec,
		"end_sec", w->window.end_sec, "gpus",
		(json_int_t)r->cluster.gpus, "gpus_down", (json_int_t)r->down,
		"jobs", (json_int_t)r->trace.job_count, "began",
		(json_int_t)r->began, "running", (json_int_t)r->runs, "waiting",
		(json_int_t)r->waits, "unprepared_jobs",
		(json_int_t)r->unprepared, "never", (json_int_t)r->never,
		"large", (json_int_t)r->large, "lease_sec",
		w->options.lease_sec, "unprepared",
		unprepared[w->options.unprepared], "cold_start_sec",
		w->args->cold_start_sec, "checkpoint_sec",
		w->args->checkpoint_sec);
}

json_t *sfair_watch_document(const struct sfair_watch *w)
{
	bool jobs = w->args->show.style == SFAIR_JSON ||
		    w->args->table == SFAIR_WATCH_JOBS;
	json_t *all = json_object(), *tenants = watch_groups(w, false);
	json_t *users = watch_groups(w, true), *watch = watch_describe(w);
	int rc;

	rc = json_object_set_new(watch, "summary",
				 watch_summary(w, tenants, users));
	rc |= json_object_set_new(all, "watch", watch);
	rc |= json_object_set_new(all, "tenants", tenants);
	rc |= json_object_set_new(all, "users", users);
	if (jobs)
		rc |= json_object_set_new(all, "jobs", watch_jobs(w));
	if (!rc)
		return all;
	json_decref(all);
	return NULL;
}
