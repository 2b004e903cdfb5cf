/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/virtual.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/random.h"
#include "src/model/speed.h"
#include "src/placement/placement.h"

/* What a job's run achieved. */

/* Returns the seconds of work done in the present run. */
static double virtual_progress(const struct astra_virtual_job *j,
			       double now_sec)
{
	return fmax(0, now_sec - j->progress_from_sec) / j->stretch;
}

static int virtual_keep_run(struct astra_virtual *v, uint32_t job,
			    double now_sec)
{
	struct astra_sim_result *r = v->result;
	const struct astra_virtual_job *j = &v->jobs[job];

	if (!v->options->runs)
		return 0;
	if (astra_grow(&r->runs, &v->run_room, r->run_count + 1,
		       sizeof(*r->runs)) < 0)
		return -1;
	r->runs[r->run_count++] = (struct astra_sim_run){
		.job = job,
		.start_sec = j->start_sec,
		.end_sec = now_sec,
		.gpus = j->held_gpus,
		.nodes = (uint32_t)v->world.jobs[job].job->held_count,
	};
	return 0;
}

/* Records a run that ends: its line of the schedule, and its GPU time without
 * progress. signal_sec: when progress ended. Returns 0, or -1 if out of
 * memory. */
static int virtual_count_run(struct astra_virtual *v, uint32_t job,
			     double signal_sec, double now_sec)
{
	const struct astra_virtual_job *j = &v->jobs[job];
	struct astra_sim_job *out = &v->result->jobs[job];
	double gpus = j->held_gpus;
	double cold = fmin(signal_sec, j->progress_from_sec) - j->start_sec;
	double work = virtual_progress(j, signal_sec);

	out->cold_gpu_sec += gpus * cold;
	out->checkpoint_gpu_sec += gpus * (now_sec - signal_sec);
	out->slow_gpu_sec +=
		v->trace->jobs[job].gpus * work * (j->slowdown - 1);
	out->leases += (uint32_t)fmax(
		1, ceil((now_sec - j->start_sec) / v->lease_sec - 1e-9));
	return virtual_keep_run(v, job, now_sec);
}

/* Called by the world. */

/* Returns the slowdown by level: the job's own, or the default. */
static const double *slowdown_of(const struct astra_virtual *v, uint32_t job)
{
	uint32_t profile = v->trace->jobs[job].profile;

	return profile ? v->trace->profiles[profile - 1].slowdown
		       : v->options->slowdown;
}

/* Sets the job's forecast as policies see it. Each job has random errors of its
 * own, from -error to error. (Mahajan et al., Themis, NSDI'20, the experiment
 * of Figure 17) */
static void virtual_tell(const struct astra_virtual *v, uint32_t job,
			 struct astra_forecast *out)
{
	const double *slowdown = slowdown_of(v, job);
	struct astra_random random =
		astra_random_seed(v->options->seed + ((uint64_t)job << 32));
	double error = v->options->error;

	out->work_sec = v->trace->jobs[job].duration_sec;
	memcpy(out->slowdown, slowdown, sizeof(out->slowdown));
	if (!(error > 0))
		return;
	out->work_sec *= 1 + error * (2 * astra_random_uniform(&random) - 1);
	for (int l = ASTRA_LEVEL_RACK; l < ASTRA_LEVEL_COUNT; l++)
		out->slowdown[l] = fmax(
			out->slowdown[l - 1],
			slowdown[l] * (1 + error * (2 * astra_random_uniform(
								&random) -
						    1)));
}

/* Returns by which factor the job's place lengthens its work. */
static double virtual_slowdown(const struct astra_virtual *v, uint32_t job,
			       const struct astra_share *shares, size_t count)
{
	return slowdown_of(v,
			   job)[astra_level_of(v->world.nodes, shares, count)];
}

static int virtual_started(void *arg, uint32_t job, double *end_sec)
{
	struct astra_virtual *v = arg;
	const struct astra_job *a = v->world.jobs[job].job;
	struct astra_virtual_job *j = &v->jobs[job];
	double now_sec = v->world.now_sec;
	double left_sec = v->trace->jobs[job].duration_sec - j->done_sec;

	j->held_gpus = astra_held_gpus(a);
	j->slowdown = virtual_slowdown(v, job, a->held, a->held_count);
	j->stretch = j->slowdown * ((double)a->request.gpus / j->held_gpus);
	j->start_sec = now_sec;
	j->progress_from_sec = now_sec;
	if (v->result->jobs[job].starts || !v->options->warm)
		j->progress_from_sec += v->options->cold_start_sec;
	if (!v->result->jobs[job].starts++)
		v->result->jobs[job].start_sec = now_sec;
	*end_sec = j->progress_from_sec + fmax(0, left_sec) * j->stretch;
	return astra_watch_start(&v->watch, job, j->held_gpus, now_sec);
}

/* Returns how long the job's checkpoint takes. */
static double virtual_checkpoint(const struct astra_virtual *v, uint32_t job)
{
	return v->trace->jobs[job].unprepared ? 0 : v->options->checkpoint_sec;
}

/* Ends a job's progress now; the job leaves when its checkpoint is written.
 * Called again at the end of the job's grace. Returns when the job leaves;
 * infinite if it is already leaving. */
static double virtual_leaves(void *arg, uint32_t job,
			     const struct astra_decision *d)
{
	struct astra_virtual *v = arg;
	struct astra_world_job *m = &v->world.jobs[job];

	(void)d;
	if (m->leaving)
		return HUGE_VAL;
	m->run++; /* makes the event of the run's end void */
	v->jobs[job].signal_sec = v->world.now_sec;
	return v->world.now_sec + virtual_checkpoint(v, job);
}

static int virtual_end(struct astra_virtual *v, uint32_t job, double now_sec)
{
	v->jobs[job].done_sec = v->trace->jobs[job].duration_sec;
	v->result->jobs[job].end_sec = now_sec;
	v->result->end_sec = now_sec;
	v->done_count++;
	return astra_watch_done(&v->watch, job, now_sec);
}

/* Requeues a job. Its next run goes on from the progress at signal_sec or, if
 * the job is unprepared, starts from the beginning. */
static int virtual_requeue(struct astra_virtual *v, uint32_t job,
			   double signal_sec, double now_sec)
{
	struct astra_virtual_job *j = &v->jobs[job];

	if (v->trace->jobs[job].unprepared)
		v->result->jobs[job].checkpoint_gpu_sec +=
			v->trace->jobs[job].gpus *
			virtual_progress(j, signal_sec);
	else
		j->done_sec += virtual_progress(j, signal_sec);
	v->result->jobs[job].preemptions++;
	v->result->preemptions++;
	return astra_watch_stop(&v->watch, job, now_sec);
}

static int virtual_left(void *arg, uint32_t job, double at_sec, bool requeued)
{
	struct astra_virtual *v = arg;
	const struct astra_world_job *m = &v->world.jobs[job];
	struct astra_virtual_job *j = &v->jobs[job];
	double signal_sec =
		m->leaving ? at_sec - virtual_checkpoint(v, job) : at_sec;

	v->released++;
	if (virtual_count_run(v, job, signal_sec, at_sec) < 0 ||
	    (requeued ? virtual_requeue(v, job, signal_sec, at_sec)
		      : virtual_end(v, job, at_sec)) < 0)
		return -1;
	m->job->forecast.done_sec = j->done_sec;
	return 0;
}

/* Counts a job as done that will never run, since it was refused. */
static int virtual_dropped(void *arg, uint32_t job)
{
	struct astra_virtual *v = arg;

	v->done_count++;
	return astra_watch_drop(&v->watch, job, v->world.now_sec);
}

static const struct astra_world_host virtual_host = {
	.started = virtual_started,
	.leaves = virtual_leaves,
	.left = virtual_left,
	.dropped = virtual_dropped,
	.dropped_state = ASTRA_JOB_ENDED,
};

/* Setting up. */

static double virtual_user_weight(const struct astra_sim_options *o,
				  const char *tenant, const char *user)
{
	if (o->begin)
		return o->begin->user_weight(o->begin->user_weight_arg, tenant,
					     user);
	return o->user_weight ? o->user_weight(o->user_weight_arg, tenant, user)
			      : 1;
}

/* Returns the index of a user within a tenant, a new one if needed. heads and
 * next chain the indices by the trace's users. */
static uint32_t virtual_user(struct astra_virtual *v,
			     const struct astra_trace_job *job, uint32_t *heads,
			     uint32_t *next)
{
	const char *name = v->trace->users[job->user];
	uint32_t at = heads[job->user];

	while (at != ASTRA_NONE && v->users[at].tenant != job->tenant)
		at = next[at];
	if (at != ASTRA_NONE)
		return at;
	at = (uint32_t)v->user_count++;
	v->users[at] = (struct astra_user){
		.name = name,
		.tenant = job->tenant,
		.weight = virtual_user_weight(
			v->options, v->tenants[job->tenant].name, name),
	};
	next[at] = heads[job->user];
	heads[job->user] = at;
	return at;
}

/* Adds a row for each pair of tenant and user that has jobs. Returns 0, or -1
 * if out of memory. */
static int virtual_users(struct astra_virtual *v)
{
	const struct astra_trace *t = v->trace;
	uint32_t *heads = calloc(t->user_count + 1, sizeof(*heads));
	uint32_t *next = calloc(t->job_count + 1, sizeof(*next));
	int rc = heads && next ? 0 : -1;

	v->users = calloc(t->job_count + 1, sizeof(*v->users));
	for (size_t i = 0; heads && i < t->user_count; i++)
		heads[i] = ASTRA_NONE;
	for (size_t i = 0; !rc && v->users && i < t->job_count; i++)
		v->jobs[i].user =
			t->jobs[i].user < t->user_count
				? virtual_user(v, &t->jobs[i], heads, next)
				: ASTRA_NONE;
	free(heads);
	free(next);
	return v->users ? rc : -1;
}

/* Sets the cluster to that of the snapshot; nodes that were cleaning up are
 * ready at once. Returns 0, or -1 if out of memory. */
static int virtual_begin(struct astra_virtual *v)
{
	const struct astra_snapshot *s = v->options->begin->snapshot;

	v->world.begin_sec = s->now_sec;
	for (size_t i = 0; i < s->node_count; i++) {
		v->world.nodes[i] = s->nodes[i];
		v->world.nodes[i].settling = false;
	}
	for (size_t i = 0; i < s->job_count; i++) {
		const struct astra_job *job = &s->jobs[i];

		if (job->id >= v->next_id)
			v->next_id = job->id + 1;
		if (job->forecast.app > v->last_app)
			v->last_app = job->forecast.app;
		if (job->state == ASTRA_JOB_RUNNING)
			continue;
		for (size_t k = 0; k < job->held_count; k++)
			astra_world_give(&v->world, &job->held[k]);
	}
	return astra_world_limit(&v->world, s->limits, s->limit_count);
}

static double virtual_gpu_charge(const struct astra_cluster *c)
{
	double charge = 0, gpus = 0;

	for (size_t i = 0; i < c->node_count; i++) {
		const struct astra_node *n = &c->nodes[i];

		if (!n->gpus)
			continue;
		charge += astra_charge(n->charge, n->gpus);
		gpus += n->gpus;
	}
	return gpus > 0 ? charge / gpus : 1;
}

int astra_virtual_init(struct astra_virtual *v, bool quota_entitlement)
{
	const struct astra_trace *t = v->trace;
	size_t nodes = v->cluster->node_count;

	v->world.host = &virtual_host;
	v->world.arg = v;
	v->world.begin_sec = ASTRA_VIRTUAL_BEGIN;
	v->world.noting = true;
	v->world.node_count = nodes;
	v->gpu_charge = virtual_gpu_charge(v->cluster);
	v->world.nodes = calloc(nodes + 1, sizeof(*v->world.nodes));
	v->tenants = calloc(t->tenant_count + 1, sizeof(*v->tenants));
	v->jobs = calloc(t->job_count + 1, sizeof(*v->jobs));
	v->result->jobs = calloc(t->job_count + 1, sizeof(*v->result->jobs));
	v->result->tenants =
		calloc(t->tenant_count + 1, sizeof(*v->result->tenants));
	if (!v->world.nodes || !v->tenants || !v->jobs || !v->result->jobs ||
	    !v->result->tenants)
		return -1;
	memcpy(v->world.nodes, v->cluster->nodes,
	       nodes * sizeof(*v->world.nodes));
	for (size_t i = 0; i < t->tenant_count; i++)
		v->tenants[i] = (struct astra_tenant){
			.name = t->tenants[i].name,
			.weight = t->tenants[i].weight,
		};
	for (size_t i = 0; i < t->job_count; i++) {
		v->result->jobs[i].start_sec = -1;
		v->result->jobs[i].end_sec = -1;
	}
	if (virtual_users(v) < 0)
		return -1;
	v->next_id = 1;
	if (v->options->begin && virtual_begin(v) < 0)
		return -1;
	return astra_watch_init(&v->watch, t, v->cluster->gpus,
				quota_entitlement, v->options->interval_sec,
				v->result);
}

void astra_virtual_clear(struct astra_virtual *v)
{
	free(v->world.nodes);
	free(v->tenants);
	free(v->users);
	free(v->jobs);
	astra_world_clear(&v->world);
	astra_watch_clear(&v->watch);
}

/* Returns a job of the snapshot as a scheduler sees it. The first task of an
 * array keeps the id. */
static struct astra_job virtual_present(const struct astra_virtual *v,
					uint32_t job)
{
	const struct astra_sim_begin *b = v->options->begin;
	struct astra_job seen = b->snapshot->jobs[b->jobs[job]];

	if (seen.copies > 1)
		seen.array_id = seen.id;
	if (job && b->jobs[job] == b->jobs[job - 1])
		seen.id = v->next_id + job;
	if (seen.state != ASTRA_JOB_RUNNING) {
		seen.state = ASTRA_JOB_PENDING;
		seen.held = NULL;
		seen.held_count = 0;
		seen.held_charge = 0;
	}
	seen.copies = 1;
	seen.user = v->jobs[job].user;
	seen.booting = seen.uncharged = seen.unheard = seen.suspended = false;
	seen.forecast.work_sec = v->trace->jobs[job].duration_sec;
	seen.forecast.done_sec = 0;
	seen.forecast.measured = true;
	return seen;
}

/* Continues a job that was running at the start. Returns 0, or -1 if out of
 * memory. */
static int virtual_go_on(struct astra_virtual *v, uint32_t job)
{
	double end_sec;

	if (virtual_started(v, job, &end_sec) < 0)
		return -1;
	v->jobs[job].progress_from_sec = v->world.now_sec;
	return astra_world_expect(&v->world, job, ASTRA_EVENT_END,
				  end_sec - v->options->cold_start_sec);
}

int astra_virtual_submit(struct astra_virtual *v, uint32_t job)
{
	const struct astra_trace_job *t = &v->trace->jobs[job];
	const struct astra_sim_begin *b = v->options->begin;
	const struct astra_job seen = b && job < b->job_count
					      ? virtual_present(v, job)
					      : astra_virtual_job(v, job);

	if (astra_world_show(&v->world, &seen) < 0 ||
	    astra_watch_submit(&v->watch, job, t->submit_sec) < 0)
		return -1;
	return seen.state == ASTRA_JOB_RUNNING ? virtual_go_on(v, job) : 0;
}

void astra_virtual_look(struct astra_virtual *v)
{
	double now_sec = v->world.now_sec;

	for (size_t i = 0; i < v->world.shown_count; i++) {
		struct astra_job *a = &v->world.shown[i];
		uint32_t job = astra_idmap_get(&v->world.numbers, a->id);
		const struct astra_virtual_job *j = &v->jobs[job];

		if (a->state == ASTRA_JOB_RUNNING &&
		    !v->world.jobs[job].leaving)
			a->forecast.done_sec =
				j->done_sec + virtual_progress(j, now_sec);
	}
}

double astra_virtual_done_sec(const struct astra_virtual *v, uint32_t job)
{
	const struct astra_world_job *m = &v->world.jobs[job];
	const struct astra_virtual_job *j = &v->jobs[job];
	double until_sec = m->leaving ? j->signal_sec : v->world.now_sec;

	if (v->result->jobs[job].end_sec >= 0)
		return v->trace->jobs[job].duration_sec;
	if (!m->job || m->job->state != ASTRA_JOB_RUNNING)
		return j->done_sec;
	return j->done_sec + virtual_progress(j, until_sec);
}

int astra_virtual_stop(struct astra_virtual *v, double now_sec)
{
	for (size_t i = 0; i < v->world.shown_count; i++) {
		uint32_t job = astra_idmap_get(&v->world.numbers,
					       v->world.shown[i].id);
		const struct astra_virtual_job *j = &v->jobs[job];

		if (v->world.shown[i].state == ASTRA_JOB_RUNNING &&
		    virtual_count_run(v, job,
				      v->world.jobs[job].leaving ? j->signal_sec
								 : now_sec,
				      now_sec) < 0)
			return -1;
	}
	return 0;
}

/* The scheduler's view of a job, and how its place affects its speed. */

/* Returns the fewest GPUs that the job runs on: the trace's or, if options say
 * elastic, 1; 0 if the job is not elastic. */
static uint32_t least_gpus(const struct astra_virtual *v,
			   const struct astra_trace_job *t)
{
	uint32_t least = t->gpus_min;

	if (!least && v->options->elastic)
		least = 1;
	return least < t->gpus ? least : 0;
}

static struct astra_request
virtual_job_request_of(const struct astra_virtual *v,
		       const struct astra_trace_job *t)
{
	uint32_t least = least_gpus(v, t);

	return (struct astra_request){
		.gpus = t->gpus,
		.gpus_min = least,
		.charge = t->gpus * v->gpu_charge,
		.nodes_min = least && least < t->nodes ? least : t->nodes,
		.nodes_max = t->nodes,
	};
}

struct astra_job astra_virtual_job(const struct astra_virtual *v, uint32_t job)
{
	const struct astra_trace_job *t = &v->trace->jobs[job];
	struct astra_job seen = {
		.id = v->next_id + job,
		.tenant = t->tenant,
		.user = v->jobs[job].user,
		.copies = 1,
		.weight = 1,
		.request = virtual_job_request_of(v, t),
		.state = ASTRA_JOB_PENDING,
		.submit_sec = v->world.begin_sec + t->submit_sec,
		.time_limit_sec = t->limit_sec,
		.revocable =
			!t->pinned && !(t->unprepared && v->keeps_unprepared),
		.unprepared = t->unprepared && !t->pinned,
		.checkpoints = virtual_checkpoint(v, job) > 0,
		.forecast = {.app = t->app ? v->last_app + t->app : 0,
			     .measured = true,
			     .utility = astra_trace_job_utility(
				     v->trace, job, v->options->seed)},
	};

	virtual_tell(v, job, &seen.forecast);
	return seen;
}

/* Returns the whole cluster as free space; NULL if out of memory. */
static struct astra_space *empty_space(const struct astra_cluster *c)
{
	struct astra_space *space;
	uint32_t most = 0;

	for (size_t i = 0; i < c->node_count; i++)
		most = c->nodes[i].gpus > most ? c->nodes[i].gpus : most;
	space = astra_space_create(c->node_count, most);
	for (uint32_t i = 0; space && i < c->node_count; i++) {
		const struct astra_room room = {
			.gpus = c->nodes[i].gpus,
			.cpus = UINT32_MAX,
			.mem_mib = UINT64_MAX,
			.whole = true,
		};

		astra_space_set(space, i, &room);
	}
	return space;
}

int astra_virtual_find_misfits(struct astra_virtual *v)
{
	struct astra_space *space = empty_space(v->cluster);
	struct astra_share *shares =
		calloc(v->cluster->node_count + 1, sizeof(*shares));
	int rc = space && shares ? 0 : -1;

	for (uint32_t i = 0; !rc && i < v->trace->job_count; i++) {
		struct astra_request r;

		if (v->result->jobs[i].start_sec >= 0)
			continue;
		r = virtual_job_request_of(v, &v->trace->jobs[i]);
		if (r.gpus_min)
			r.gpus = r.gpus_min;
		v->result->jobs[i].misfit =
			!astra_place(space, &r, NULL, 0, shares);
	}
	astra_space_destroy(space);
	free(shares);
	return rc;
}
