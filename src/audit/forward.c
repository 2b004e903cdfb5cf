/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/audit/forward.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/audit/durations.h"
#include "src/common/grow.h"
#include "src/common/idmap.h"

#define FORWARD_JOBS_MAX 200000

/* The pool as it is. */

struct forward_maker {
	const struct astra_snapshot *snapshot;
	const struct astra_record *record;
	const struct astra_window *window;
	struct astra_forward *out;
	struct astra_durations runs;
	struct astra_idmap views; /* index by job id of the engine's view of the
				   * job */
};

static int forward_nodes(struct forward_maker *m)
{
	const struct astra_snapshot *s = m->snapshot;
	struct astra_cluster *c = &m->out->cluster;
	uint64_t held = 0, taken = 0;

	c->nodes = calloc(s->node_count + 1, sizeof(*c->nodes));
	c->node_count = s->node_count;
	if (!c->nodes)
		return -1;
	for (size_t i = 0; i < s->node_count; i++) {
		c->nodes[i] = s->nodes[i];
		taken += s->nodes[i].gpus - s->nodes[i].gpus_free;
		if (!s->nodes[i].usable)
			c->nodes[i].gpus = 0;
		c->nodes[i].gpus_free = c->nodes[i].gpus;
		c->gpus += c->nodes[i].gpus;
	}
	for (size_t i = 0; i < s->job_count; i++)
		held += astra_held_gpus(&s->jobs[i]);
	m->out->foreign_gpus = taken > held ? (uint32_t)(taken - held) : 0;
	return 0;
}

static int forward_tenants(struct forward_maker *m, struct astra_error *err)
{
	struct astra_trace *t = &m->out->trace;

	for (size_t i = 0; i < m->snapshot->tenant_count; i++) {
		const struct astra_tenant *tenant = &m->snapshot->tenants[i];
		uint32_t at = astra_trace_tenant(t, tenant->name);

		if (at == ASTRA_NONE)
			return astra_error_nomem(err);
		if (at != i)
			return astra_error_set(err,
					       "the round has two tenants %s",
					       tenant->name);
		t->tenants[at].weight = tenant->weight;
	}
	return 0;
}

/* Returns how long a job has run, over all its runs, computed from its charged
 * GPU time. */
static double forward_ran_sec(const struct forward_maker *m,
			      const struct astra_engine *engine,
			      const struct astra_job *job, double run_sec)
{
	double now_sec = m->snapshot->now_sec;
	uint32_t at = astra_idmap_get(&m->views, job->id);
	struct astra_job_view view;

	if (at == ASTRA_IDMAP_NONE)
		return run_sec;
	astra_engine_job_view(engine, at, now_sec, &view);
	return fmax(run_sec,
		    view.usage.alloc / astra_charge(job->request.charge,
						    job->request.gpus));
}

static double forward_duration(const struct forward_maker *m,
			       const struct astra_engine *engine,
			       const struct astra_job *job, uint32_t user)
{
	double run_sec =
		job->state == ASTRA_JOB_RUNNING
			? fmax(m->snapshot->now_sec - job->start_sec, 0)
			: 0;
	double ran_sec = forward_ran_sec(m, engine, job, run_sec);
	const struct astra_forecast *f = &job->forecast;

	if (f->work_sec > 0)
		return fmax(f->work_sec - (f->measured ? f->done_sec : ran_sec),
			    1);
	return astra_durations_left_sec(&m->runs, user, job->time_limit_sec,
					ran_sec, run_sec);
}

/* Adds one job, or one task of an array's record. */
static int forward_add_present(struct forward_maker *m, uint32_t at,
			       const struct astra_trace_job *job)
{
	struct astra_forward *out = m->out;
	char name[16];

	if (astra_grow(&out->jobs, &out->job_room, out->begin.job_count + 1,
		       sizeof(*out->jobs)) < 0)
		return -1;
	out->jobs[out->begin.job_count++] = at;
	snprintf(name, sizeof(name), "%u", m->snapshot->jobs[at].id);
	return astra_trace_add(&out->trace, job, name);
}

/* Whether the job counts as running or waiting. A running job without GPUs has
 * already ended, but its end is not known yet. */
static bool forward_is_there(const struct astra_job *job)
{
	return astra_job_active(job->state) &&
	       (job->state != ASTRA_JOB_RUNNING || astra_held_gpus(job));
}

static int forward_present(struct forward_maker *m,
			   const struct astra_engine *engine, uint32_t at)
{
	const struct astra_snapshot *s = m->snapshot;
	const struct astra_job *j = &s->jobs[at];
	bool running = j->state == ASTRA_JOB_RUNNING;
	struct astra_trace_job job = {
		.tenant = j->tenant,
		.user = astra_trace_user(
			&m->out->trace,
			j->user < s->user_count ? s->users[j->user].name : ""),
		.gpus = j->request.gpus,
		.gpus_min = j->request.gpus_min,
		.nodes = j->request.nodes_max,
		.limit_sec = j->time_limit_sec,
		.start_sec = -1,
	};
	int rc = job.user == ASTRA_NONE ? -1 : 0;

	if (j->state == ASTRA_JOB_BLOCKED)
		m->out->blocked += j->copies;
	if (!forward_is_there(j))
		return 0;
	*(running ? &m->out->running : &m->out->waiting) += j->copies;
	if (!rc)
		job.duration_sec = forward_duration(m, engine, j, job.user);
	for (uint32_t i = 0; !rc && i < j->copies; i++)
		rc = forward_add_present(m, at, &job);
	return rc;
}

/* The jobs that come. */

struct forward_arrival {
	double submit_sec;
	const struct astra_record_job *job;
};

/* Sorts by submission; jobs of the same second stay in the order of the
 * record. */
static int forward_by_arrival(const void *a, const void *b)
{
	const struct forward_arrival *x = a, *y = b;

	if (x->submit_sec != y->submit_sec)
		return x->submit_sec < y->submit_sec ? -1 : 1;
	return x->job < y->job ? -1 : x->job > y->job;
}

/* Returns how long a job that has not ended has run up to the window's end,
 * over all its runs. run_sec: set to its time in the present run. */
static double forward_run_by_now(const struct forward_maker *m,
				 const struct astra_record_job *job,
				 const double *open_sec, double *run_sec)
{
	double begun_sec = open_sec[job - m->record->jobs];

	*run_sec = begun_sec < m->window->end_sec
			   ? m->window->end_sec - begun_sec
			   : 0;
	return job->ran_sec + *run_sec;
}

static int forward_come(struct forward_maker *m,
			const struct astra_record_job *j,
			const double *open_sec)
{
	struct astra_forward *out = m->out;
	struct astra_trace_job job = {
		.tenant = astra_trace_tenant(
			&out->trace, *j->tenant ? j->tenant : "unknown"),
		.user = astra_trace_user(&out->trace, j->user),
		.app = *j->app ? astra_trace_app(&out->trace, j->app) : 0,
		.gpus = j->gpus,
		.gpus_min = j->gpus_min,
		.nodes = j->nodes,
		.limit_sec = j->limit_sec,
		.submit_sec = j->submit_sec - m->window->start_sec,
		.duration_sec = j->ran_sec,
		.start_sec = -1,
	};

	if (job.tenant == ASTRA_NONE || job.user == ASTRA_NONE ||
	    job.app == ASTRA_NONE)
		return -1;
	if (!isfinite(j->end_sec)) {
		double run_sec, ran_sec;

		ran_sec = forward_run_by_now(m, j, open_sec, &run_sec);
		job.duration_sec =
			ran_sec + astra_durations_left_sec(&m->runs, job.user,
							   j->limit_sec,
							   ran_sec, run_sec);
		out->unended++;
	}
	out->come++;
	return astra_trace_add(&out->trace, &job, j->name);
}

static bool forward_comes(struct forward_maker *m,
			  const struct astra_record_job *j)
{
	if (j->submit_sec < m->window->start_sec ||
	    j->submit_sec >= m->window->end_sec)
		return false;
	if (isfinite(j->end_sec) && !(j->ran_sec > 0)) {
		m->out->never++;
		return false;
	}
	if (j->gpus > m->out->cluster.gpus ||
	    j->nodes > m->out->cluster.node_count) {
		m->out->large++;
		return false;
	}
	return true;
}

/* Returns, for each job, the start of its open run, or HUGE_VAL if it has none;
 * for free(). NULL when out of memory. */
static double *forward_open(const struct astra_record *r)
{
	double *open_sec = malloc((r->job_count + 1) * sizeof(*open_sec));

	for (size_t i = 0; open_sec && i < r->job_count; i++)
		open_sec[i] = HUGE_VAL;
	for (size_t i = 0; open_sec && i < r->run_count; i++)
		if (!isfinite(r->runs[i].end_sec))
			open_sec[r->runs[i].job] = r->runs[i].start_sec;
	return open_sec;
}

static int forward_arrivals(struct forward_maker *m)
{
	const struct astra_record *r = m->record;
	struct forward_arrival *list = calloc(r->job_count + 1, sizeof(*list));
	double *open_sec = forward_open(r);
	size_t count = 0;
	int rc = list && open_sec ? 0 : -1;

	for (size_t i = 0; !rc && i < r->job_count; i++)
		if (forward_comes(m, &r->jobs[i]))
			list[count++] = (struct forward_arrival){
				r->jobs[i].submit_sec, &r->jobs[i]};
	if (!rc)
		qsort(list, count, sizeof(*list), forward_by_arrival);
	for (size_t i = 0; !rc && i < count; i++)
		rc = forward_come(m, list[i].job, open_sec);
	free(list);
	free(open_sec);
	return rc;
}

/* Checks that there are not too many jobs: those that come later get ids above
 * the ids of present jobs. */
static int forward_check(const struct forward_maker *m, struct astra_error *err)
{
	const struct astra_snapshot *s = m->snapshot;
	uint64_t jobs = m->record->job_count, last = 0;

	for (size_t i = 0; i < s->job_count; i++) {
		jobs += s->jobs[i].copies;
		last = s->jobs[i].id > last ? s->jobs[i].id : last;
	}
	if (jobs <= FORWARD_JOBS_MAX && last + jobs < UINT32_MAX)
		return 0;
	return astra_error_set(err,
			       "%llu jobs and tasks of arrays are too many: at "
			       "most %d, so take fewer days",
			       (unsigned long long)jobs, FORWARD_JOBS_MAX);
}

static int forward_make(struct forward_maker *m,
			const struct astra_engine *engine,
			struct astra_error *err)
{
	struct astra_job_view view;
	double now_sec = m->snapshot->now_sec;
	int rc;

	if (forward_check(m, err) < 0)
		return -1;
	rc = forward_nodes(m);
	if (!rc && forward_tenants(m, err) < 0)
		return -1;
	if (!rc)
		rc = astra_durations_make(&m->runs, m->record, &m->out->trace);
	for (uint32_t i = 0; !rc && i < astra_engine_job_count(engine); i++) {
		astra_engine_job_view(engine, i, now_sec, &view);
		if (view.id) /* 0: the view of a job that is gone */
			rc = astra_idmap_put(&m->views, view.id, i);
	}
	for (uint32_t i = 0; !rc && i < m->snapshot->job_count; i++)
		rc = forward_present(m, engine, i);
	if (!rc)
		rc = forward_arrivals(m);
	return rc ? astra_error_nomem(err) : 0;
}

int astra_forward(const struct astra_snapshot *snapshot,
		  const struct astra_engine *engine,
		  const struct astra_record *record,
		  const struct astra_window *window, struct astra_forward *out,
		  struct astra_error *err)
{
	struct forward_maker m = {
		.snapshot = snapshot,
		.record = record,
		.window = window,
		.out = out,
	};
	int rc;

	*out = (struct astra_forward){0};
	astra_trace_init(&out->trace);
	out->trace.source = record->source;
	out->trace.begin_unix_sec = snapshot->now_sec;
	rc = forward_make(&m, engine, err);
	out->begin.snapshot = snapshot;
	out->begin.engine = engine;
	out->begin.jobs = out->jobs;
	astra_durations_clear(&m.runs);
	astra_idmap_clear(&m.views);
	return rc;
}

void astra_forward_clear(struct astra_forward *forward)
{
	astra_trace_clear(&forward->trace);
	astra_cluster_clear(&forward->cluster);
	free(forward->jobs);
	*forward = (struct astra_forward){0};
}
