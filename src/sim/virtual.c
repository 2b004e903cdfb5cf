/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/virtual.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/number.h"

/* A trace's user within a tenant, or a new one; chained by the trace's users.
 */
static uint32_t virtual_user(struct astra_virtual *v,
			     const struct astra_trace_job *job, uint32_t *heads,
			     uint32_t *next)
{
	uint32_t at = heads[job->user];

	while (at != ASTRA_NONE && v->users[at].tenant != job->tenant)
		at = next[at];
	if (at != ASTRA_NONE)
		return at;
	at = (uint32_t)v->user_count++;
	v->users[at] = (struct astra_user){
		.name = v->trace->users[job->user],
		.tenant = job->tenant,
		.weight = 1,
	};
	next[at] = heads[job->user];
	heads[job->user] = at;
	return at;
}

/* Each user within each tenant of whom it has jobs. */
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

int astra_virtual_init(struct astra_virtual *v, bool quota_entitlement)
{
	const struct astra_trace *t = v->trace;
	size_t nodes = v->cluster->node_count;

	v->nodes = calloc(nodes + 1, sizeof(*v->nodes));
	v->tenants = calloc(t->tenant_count + 1, sizeof(*v->tenants));
	v->jobs = calloc(t->job_count + 1, sizeof(*v->jobs));
	v->result->jobs = calloc(t->job_count + 1, sizeof(*v->result->jobs));
	v->result->tenants =
		calloc(t->tenant_count + 1, sizeof(*v->result->tenants));
	if (!v->nodes || !v->tenants || !v->jobs || !v->result->jobs ||
	    !v->result->tenants)
		return -1;
	memcpy(v->nodes, v->cluster->nodes, nodes * sizeof(*v->nodes));
	for (size_t i = 0; i < t->tenant_count; i++)
		v->tenants[i] = (struct astra_tenant){
			.name = t->tenants[i].name,
			.weight = t->tenants[i].weight,
		};
	for (size_t i = 0; i < t->job_count; i++) {
		v->jobs[i].active = ASTRA_NONE;
		v->result->jobs[i].start_sec = -1;
		v->result->jobs[i].end_sec = -1;
	}
	if (virtual_users(v) < 0)
		return -1;
	return astra_watch_init(&v->watch, t, v->cluster->gpus,
				quota_entitlement, v->options->interval_sec,
				v->result);
}

void astra_virtual_clear(struct astra_virtual *v)
{
	for (size_t i = 0; v->jobs && i < v->trace->job_count; i++)
		free(v->jobs[i].held);
	free(v->nodes);
	free(v->tenants);
	free(v->users);
	free(v->jobs);
	free(v->active);
	free(v->oracle);
	free(v->ended);
	free(v->changed);
	free(v->changed_nodes);
	astra_queue_clear(&v->queue);
	astra_watch_clear(&v->watch);
}

/* What changes. */

static int virtual_note(uint32_t **list, size_t *count, size_t *room,
			uint32_t number)
{
	if (astra_grow(list, room, *count + 1, sizeof(**list)) < 0)
		return -1;
	(*list)[(*count)++] = number;
	return 0;
}

static int note_job(struct astra_virtual *v, uint32_t active)
{
	return virtual_note(&v->changed, &v->changed_count, &v->changed_room,
			    active);
}

static int note_nodes(struct astra_virtual *v,
		      const struct astra_virtual_job *j)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < j->held_count; i++)
		rc = virtual_note(&v->changed_nodes, &v->changed_node_count,
				  &v->changed_node_room, j->held[i].node);
	return rc;
}

/* Each once, the least first. Returns how many are left. */
static size_t sort_numbers(uint32_t *list, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(list, count, sizeof(*list), astra_compare_u32);
	for (size_t i = 0; i < count; i++)
		if (!kept || list[kept - 1] != list[i])
			list[kept++] = list[i];
	return kept;
}

struct astra_changes astra_virtual_changes(struct astra_virtual *v)
{
	struct astra_changes changes = {
		.jobs = v->changed,
		.job_count = sort_numbers(v->changed, v->changed_count),
		.nodes = v->changed_nodes,
		.node_count =
			sort_numbers(v->changed_nodes, v->changed_node_count),
	};

	v->changed_count = v->changed_node_count = 0;
	return changes;
}

static void virtual_hold(struct astra_virtual *v,
			 const struct astra_virtual_job *j, bool take)
{
	for (size_t i = 0; i < j->held_count; i++) {
		struct astra_node *n = &v->nodes[j->held[i].node];

		n->gpus_free = take ? n->gpus_free - j->held[i].gpus
				    : n->gpus_free + j->held[i].gpus;
	}
}

int astra_virtual_submit(struct astra_virtual *v, uint32_t job)
{
	const struct astra_trace_job *t = &v->trace->jobs[job];
	size_t at = v->active_count, room = v->active_room;

	if (astra_grow(&v->oracle, &room, at + 1, sizeof(*v->oracle)) < 0 ||
	    astra_grow(&v->active, &v->active_room, at + 1,
		       sizeof(*v->active)) < 0)
		return -1;
	v->active[at] = astra_virtual_job(v, job);
	v->oracle[at] = (struct astra_oracle){
		.job = t,
		.left_sec = t->duration_sec,
		.cold_sec = v->options->cold_start_sec,
		.slowdown = 1,
	};
	v->jobs[job].active = (uint32_t)at;
	v->active_count++;
	if (note_job(v, (uint32_t)at) < 0)
		return -1;
	return astra_watch_submit(&v->watch, job, t->submit_sec);
}

/* How a run ends. */

/* The job leaves its GPUs. */
static int virtual_release(struct astra_virtual *v, uint32_t job,
			   double signal_sec, double now_sec)
{
	struct astra_virtual_job *j = &v->jobs[job];
	struct astra_job *a = &v->active[j->active];
	struct astra_oracle *o = &v->oracle[j->active];

	if (astra_virtual_count_run(v, job, signal_sec, now_sec) < 0 ||
	    note_job(v, j->active) < 0 || note_nodes(v, j) < 0)
		return -1;
	o->attained_gpu_sec += j->held_gpus * (now_sec - j->start_sec);
	virtual_hold(v, j, false);
	j->held_count = 0;
	j->run++;
	j->leaving = false;
	a->held = NULL;
	a->held_count = 0;
	a->end_sec = ASTRA_VIRTUAL_BEGIN + now_sec;
	v->released++;
	return 0;
}

static int end_job(struct astra_virtual *v, uint32_t job, double now_sec)
{
	struct astra_virtual_job *j = &v->jobs[job];

	if (virtual_release(v, job, now_sec, now_sec) < 0 ||
	    astra_grow(&v->ended, &v->ended_room, v->ended_count + 1,
		       sizeof(*v->ended)) < 0)
		return -1;
	j->done_sec = v->trace->jobs[job].duration_sec;
	v->oracle[j->active].done_sec = j->done_sec;
	v->oracle[j->active].left_sec = 0;
	v->active[j->active].forecast.done_sec = j->done_sec;
	v->active[j->active].state = ASTRA_JOB_ENDED;
	v->ended[v->ended_count++] = job;
	v->result->jobs[job].end_sec = now_sec;
	v->result->end_sec = now_sec;
	v->done_count++;
	return astra_watch_done(&v->watch, job, now_sec);
}

/* It goes on later from what it had at signal_sec. */
static int virtual_requeue(struct astra_virtual *v, uint32_t job,
			   double signal_sec, double now_sec)
{
	struct astra_virtual_job *j = &v->jobs[job];
	struct astra_job *a = &v->active[j->active];
	struct astra_oracle *o = &v->oracle[j->active];

	j->done_sec += astra_virtual_progress(j, signal_sec);
	if (virtual_release(v, job, signal_sec, now_sec) < 0)
		return -1;
	o->done_sec = j->done_sec;
	o->left_sec = fmax(0, o->job->duration_sec - j->done_sec);
	o->cold_sec = v->options->cold_start_sec;
	o->slowdown = 1;
	a->forecast.done_sec = j->done_sec;
	a->state = ASTRA_JOB_PENDING;
	a->restart_cnt++;
	v->result->jobs[job].preemptions++;
	v->result->preemptions++;
	return astra_watch_stop(&v->watch, job, now_sec);
}

int astra_virtual_event(struct astra_virtual *v, const struct astra_event *e)
{
	if (e->run != v->jobs[e->job].run)
		return 0;
	v->result->events++;
	if (e->kind == ASTRA_EVENT_END)
		return end_job(v, e->job, e->at_sec);
	return virtual_requeue(
		v, e->job, e->at_sec - v->options->checkpoint_sec, e->at_sec);
}

/* What a plan says. */

static int virtual_refuse(const struct astra_decision *d, const char *why,
			  struct astra_error *err)
{
	return astra_error_set(err, "the scheduler's plan for job %u: %s",
			       d->job, why);
}

/* Returns 0 with the GPUs of all shares, or -1 with err set. */
static int check_shares(const struct astra_virtual *v,
			const struct astra_decision *d,
			const struct astra_share *shares, uint32_t *gpus,
			struct astra_error *err)
{
	const struct astra_request *r =
		&v->active[v->jobs[d->job - 1].active].request;

	*gpus = 0;
	for (size_t i = 0; i < d->share_count; i++) {
		if (shares[i].node >= v->cluster->node_count ||
		    (i && shares[i].node <= shares[i - 1].node) ||
		    shares[i].gpus > v->nodes[shares[i].node].gpus_free)
			return virtual_refuse(d, "GPUs that are not free", err);
		*gpus += shares[i].gpus;
	}
	if (!*gpus || *gpus > r->gpus ||
	    *gpus < (r->gpus_min ? r->gpus_min : r->gpus))
		return virtual_refuse(d, "not the GPUs that it asks for", err);
	return 0;
}

static int take_shares(struct astra_virtual *v, struct astra_virtual_job *j,
		       const struct astra_share *shares, size_t count)
{
	struct astra_share *held = realloc(j->held, count * sizeof(*held));

	if (!held)
		return -1;
	memcpy(held, shares, count * sizeof(*held));
	j->held = held;
	j->held_count = count;
	virtual_hold(v, j, true);
	return 0;
}

static int virtual_start(struct astra_virtual *v,
			 const struct astra_decision *d,
			 const struct astra_share *shares, double now_sec,
			 struct astra_error *err)
{
	uint32_t job = d->job - 1;
	struct astra_virtual_job *j = &v->jobs[job];
	struct astra_job *a = &v->active[j->active];
	struct astra_oracle *o = &v->oracle[j->active];
	struct astra_event end = {.job = job, .kind = ASTRA_EVENT_END};
	uint32_t gpus;

	if (a->state != ASTRA_JOB_PENDING)
		return virtual_refuse(d, "it does not wait", err);
	if (check_shares(v, d, shares, &gpus, err) < 0)
		return -1;
	if (take_shares(v, j, shares, d->share_count) < 0 ||
	    note_job(v, j->active) < 0 || note_nodes(v, j) < 0)
		return astra_error_nomem(err);
	j->held_gpus = gpus;
	j->slowdown = astra_virtual_slowdown(v, job, shares, d->share_count);
	j->stretch = j->slowdown * ((double)a->request.gpus / gpus);
	j->start_sec = now_sec;
	j->progress_from_sec = now_sec + v->options->cold_start_sec;
	o->slowdown = j->stretch;
	a->state = ASTRA_JOB_RUNNING;
	a->start_sec = ASTRA_VIRTUAL_BEGIN + now_sec;
	a->end_sec = 0;
	a->held = j->held;
	a->held_count = j->held_count;
	a->held_charge = gpus;
	if (!v->result->jobs[job].starts++)
		v->result->jobs[job].start_sec = now_sec;
	end.run = j->run;
	end.at_sec = j->progress_from_sec + o->left_sec * j->stretch;
	if (astra_queue_add(&v->queue, end) < 0 ||
	    astra_watch_start(&v->watch, job, gpus, now_sec) < 0)
		return astra_error_nomem(err);
	return 0;
}

/* It stops working now and leaves when its checkpoint is written. */
static int virtual_leave(struct astra_virtual *v,
			 const struct astra_decision *d, double now_sec,
			 struct astra_error *err)
{
	uint32_t job = d->job - 1;
	struct astra_virtual_job *j = &v->jobs[job];
	struct astra_event left = {
		.at_sec = now_sec + v->options->checkpoint_sec,
		.job = job,
		.kind = ASTRA_EVENT_LEFT,
	};

	if (j->leaving) /* it is asked again at its grace's end */
		return 0;
	if (v->options->checkpoint_sec <= 0)
		return virtual_requeue(v, job, now_sec, now_sec) < 0
			       ? astra_error_nomem(err)
			       : 0;
	j->leaving = true;
	j->signal_sec = now_sec;
	left.run = ++j->run; /* its end is void */
	return astra_queue_add(&v->queue, left) < 0 ? astra_error_nomem(err)
						    : 0;
}

/* It will never run. */
static int virtual_drop(struct astra_virtual *v, const struct astra_decision *d,
			double now_sec, struct astra_error *err)
{
	uint32_t job = d->job - 1;
	struct astra_job *a = &v->active[v->jobs[job].active];

	if (a->state != ASTRA_JOB_PENDING)
		return virtual_refuse(d, "it does not wait", err);
	if (astra_grow(&v->ended, &v->ended_room, v->ended_count + 1,
		       sizeof(*v->ended)) < 0 ||
	    note_job(v, v->jobs[job].active) < 0 ||
	    astra_watch_drop(&v->watch, job, now_sec) < 0)
		return astra_error_nomem(err);
	a->state = ASTRA_JOB_ENDED;
	v->ended[v->ended_count++] = job;
	v->done_count++;
	return 0;
}

int astra_virtual_apply(struct astra_virtual *v, const struct astra_plan *plan,
			double now_sec, struct astra_error *err)
{
	for (size_t i = 0; i < plan->decision_count; i++) {
		const struct astra_decision *d = &plan->decisions[i];
		int rc;

		if (!d->job || d->job > v->trace->job_count ||
		    v->jobs[d->job - 1].active == ASTRA_NONE)
			return virtual_refuse(d, "there is none", err);
		if (d->action == ASTRA_START)
			rc = virtual_start(v, d, plan->shares + d->first_share,
					   now_sec, err);
		else if (d->action == ASTRA_REFUSE)
			rc = virtual_drop(v, d, now_sec, err);
		else if (v->active[v->jobs[d->job - 1].active].state !=
			 ASTRA_JOB_RUNNING)
			rc = virtual_refuse(d, "it does not run", err);
		else
			rc = virtual_leave(v, d, now_sec, err);
		if (rc < 0)
			return -1;
	}
	return 0;
}

void astra_virtual_look(struct astra_virtual *v, double now_sec)
{
	for (size_t i = 0; i < v->active_count; i++) {
		struct astra_job *a = &v->active[i];
		const struct astra_virtual_job *j = &v->jobs[a->id - 1];
		struct astra_oracle *o = &v->oracle[i];

		if (a->state != ASTRA_JOB_RUNNING || j->leaving)
			continue;
		o->done_sec = j->done_sec + astra_virtual_progress(j, now_sec);
		o->left_sec = fmax(0, o->job->duration_sec - o->done_sec);
		o->cold_sec = fmax(0, j->progress_from_sec - now_sec);
		a->forecast.done_sec = o->done_sec;
	}
}

int astra_virtual_forget(struct astra_virtual *v)
{
	for (size_t i = 0; i < v->ended_count; i++) {
		struct astra_virtual_job *j = &v->jobs[v->ended[i]];
		size_t last = --v->active_count;

		if (note_job(v, j->active) < 0)
			return -1;
		v->active[j->active] = v->active[last];
		v->oracle[j->active] = v->oracle[last];
		v->jobs[v->active[last].id - 1].active = j->active;
		j->active = ASTRA_NONE;
		free(j->held);
		j->held = NULL;
	}
	v->ended_count = 0;
	return 0;
}
