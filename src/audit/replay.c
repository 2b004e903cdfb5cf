/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/audit/replay.h"

#include <math.h>
#include <stdlib.h>

#include "src/audit/durations.h"

#define REPLAY_JOBS_MAX 100000

/* Jobs that wait at the window's start are submitted this long after the
 * running jobs. */
#define LATER_SEC 1

struct replay_arrival {
	double submit_sec; /* of the trace */
	size_t job;	   /* of the record */
};

struct replay_maker {
	const struct astra_snapshot *snapshot;
	const struct astra_record *record;
	const struct astra_window *window;
	struct astra_replay *out;
	struct astra_durations durations;
	double *ran_sec;  /* by job of the record: its run time within the
			   * window */
	double *open_sec; /* by job of the record: the start of its open run */
};

/* Sorts by submission; jobs of the same second stay in the order of the
 * record. */
static int replay_by_arrival(const void *a, const void *b)
{
	const struct replay_arrival *x = a, *y = b;

	if (x->submit_sec != y->submit_sec)
		return x->submit_sec < y->submit_sec ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

/* Returns an empty node. Its CPUs and memory are unlimited, as the record does
 * not have the jobs' requests for these. */
static struct astra_node replay_node(const struct astra_node *now)
{
	uint32_t gpus = now->usable ? now->gpus : 0;

	return (struct astra_node){
		.name = now->name,
		.usable = now->usable,
		.gpus = gpus,
		.gpus_free = gpus,
		.charge = now->charge,
		.rack = now->rack,
		.weight = now->weight,
		.slot_gpus = now->slot_gpus,
		.cpus = UINT32_MAX,
		.cpus_free = UINT32_MAX,
		.mem_free_mib = ASTRA_UNCOUNTED_MIB,
	};
}

static int replay_nodes(struct replay_maker *m)
{
	const struct astra_snapshot *s = m->snapshot;
	struct astra_cluster *c = &m->out->cluster;

	c->nodes = calloc(s->node_count + 1, sizeof(*c->nodes));
	c->node_count = s->node_count;
	if (!c->nodes)
		return -1;
	for (size_t i = 0; i < s->node_count; i++) {
		c->nodes[i] = replay_node(&s->nodes[i]);
		if (!s->nodes[i].usable)
			m->out->down += s->nodes[i].gpus;
		c->gpus += c->nodes[i].gpus;
	}
	return 0;
}

/* Adds all tenants, since those without jobs in the window have quotas, too. */
static int replay_tenants(struct replay_maker *m)
{
	struct astra_trace *t = &m->out->trace;

	for (size_t i = 0; i < m->snapshot->tenant_count; i++) {
		uint32_t at =
			astra_trace_tenant(t, m->snapshot->tenants[i].name);

		if (at == ASTRA_NONE)
			return -1;
		t->tenants[at].weight = m->snapshot->tenants[i].weight;
	}
	return 0;
}

static double replay_clip(const struct astra_window *w, double sec)
{
	return fmin(fmax(sec, w->start_sec), w->end_sec) - w->start_sec;
}

static int replay_times(struct replay_maker *m)
{
	const struct astra_record *r = m->record;

	m->ran_sec = calloc(r->job_count + 1, sizeof(*m->ran_sec));
	m->open_sec = calloc(r->job_count + 1, sizeof(*m->open_sec));
	if (!m->ran_sec || !m->open_sec)
		return -1;
	for (size_t i = 0; i < r->run_count; i++) {
		const struct astra_record_run *run = &r->runs[i];

		m->ran_sec[run->job] += replay_clip(m->window, run->end_sec) -
					replay_clip(m->window, run->start_sec);
		if (!isfinite(run->end_sec))
			m->open_sec[run->job] = run->start_sec;
	}
	return 0;
}

/* Returns how long a job runs from the window's start on, in seconds. */
static double replay_duration(struct replay_maker *m, size_t at, uint32_t user)
{
	const struct astra_record_job *j = &m->record->jobs[at];
	double run_sec = 0, ran_sec = j->ran_sec;

	if (isfinite(j->end_sec))
		return m->ran_sec[at];
	if (m->open_sec[at] > 0) {
		run_sec = fmax(m->window->end_sec - m->open_sec[at], 0);
		ran_sec += run_sec;
	}
	return m->ran_sec[at] + astra_durations_left_sec(&m->durations, user,
							 j->limit_sec, ran_sec,
							 run_sec);
}

static bool replay_began(const struct replay_maker *m,
			 const struct astra_record_job *j)
{
	return j->start_sec <= m->window->start_sec;
}

static int replay_add(struct replay_maker *m, const struct replay_arrival *a)
{
	const struct astra_record_job *j = &m->record->jobs[a->job];
	struct astra_replay *out = m->out;
	struct astra_trace_job job = {
		.line = (uint32_t)a->job + 1,
		.tenant = astra_trace_tenant(
			&out->trace, *j->tenant ? j->tenant : "unknown"),
		.user = astra_trace_user(&out->trace, j->user),
		.gpus = j->gpus,
		.nodes = j->nodes,
		.limit_sec = j->limit_sec,
		.pinned = j->pinned || replay_began(m, j),
		.unprepared = j->unprepared,
		.submit_sec = a->submit_sec,
		.start_sec = -1,
	};

	if (job.tenant == ASTRA_NONE || job.user == ASTRA_NONE)
		return -1;
	job.duration_sec = replay_duration(m, a->job, job.user);
	if (j->start_sec < m->window->end_sec)
		job.start_sec = replay_clip(m->window, j->start_sec);
	out->began += replay_began(m, j);
	out->waits += job.start_sec < 0;
	out->runs += job.start_sec >= 0 && !isfinite(j->end_sec);
	out->unprepared += job.unprepared && !job.pinned;
	return astra_trace_add(&out->trace, &job, j->name);
}

/* Whether a job waited or ran in the window, and can be simulated. Counts the
 * jobs that are left out. */
static bool replay_comes(struct replay_maker *m, size_t at)
{
	const struct astra_record_job *j = &m->record->jobs[at];

	if (!(replay_clip(m->window, j->end_sec) >
	      replay_clip(m->window, j->submit_sec)))
		return false;
	if (isfinite(j->end_sec) && !(m->ran_sec[at] > 0)) {
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

static int replay_jobs(struct replay_maker *m)
{
	const struct astra_record *r = m->record;
	struct replay_arrival *list = calloc(r->job_count + 1, sizeof(*list));
	size_t count = 0;
	int rc = list ? 0 : -1;

	for (size_t i = 0; !rc && i < r->job_count; i++) {
		const struct astra_record_job *j = &r->jobs[i];
		double at = replay_clip(m->window, j->submit_sec);

		if (!replay_comes(m, i))
			continue;
		if (!replay_began(m, j))
			at = fmax(at, LATER_SEC);
		list[count++] = (struct replay_arrival){at, i};
	}
	if (!rc)
		qsort(list, count, sizeof(*list), replay_by_arrival);
	for (size_t i = 0; !rc && i < count; i++)
		rc = replay_add(m, &list[i]);
	free(list);
	return rc;
}

int astra_replay(const struct astra_snapshot *snapshot,
		 const struct astra_record *record,
		 const struct astra_window *window, struct astra_replay *out,
		 struct astra_error *err)
{
	struct replay_maker m = {
		.snapshot = snapshot,
		.record = record,
		.window = window,
		.out = out,
	};
	int rc;

	*out = (struct astra_replay){0};
	astra_trace_init(&out->trace);
	if (record->job_count > REPLAY_JOBS_MAX)
		return astra_error_set(err,
				       "%zu jobs are too many: at most %d, so "
				       "take a shorter time",
				       record->job_count, REPLAY_JOBS_MAX);
	out->trace.source = record->source;
	out->trace.begin_unix_sec = window->start_sec;
	rc = replay_nodes(&m);
	if (!rc)
		rc = replay_tenants(&m);
	if (!rc)
		rc = astra_durations_make(&m.durations, record, &out->trace);
	if (!rc)
		rc = replay_times(&m);
	if (!rc)
		rc = replay_jobs(&m);
	astra_durations_clear(&m.durations);
	free(m.ran_sec);
	free(m.open_sec);
	return rc ? astra_error_nomem(err) : 0;
}

void astra_replay_clear(struct astra_replay *replay)
{
	astra_trace_clear(&replay->trace);
	astra_cluster_clear(&replay->cluster);
	*replay = (struct astra_replay){0};
}
