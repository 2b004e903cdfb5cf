/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/world/world.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/number.h"

static bool before(const struct astra_event *a, const struct astra_event *b)
{
	if (a->at_sec != b->at_sec)
		return a->at_sec < b->at_sec;
	return a->order < b->order;
}

int astra_queue_add(struct astra_queue *q, struct astra_event event)
{
	size_t at = q->count;

	if (astra_grow(&q->heap, &q->room, at + 1, sizeof(*q->heap)) < 0)
		return -1;
	event.order = q->added++;
	q->count++;
	for (; at && before(&event, &q->heap[(at - 1) / 2]); at = (at - 1) / 2)
		q->heap[at] = q->heap[(at - 1) / 2];
	q->heap[at] = event;
	return 0;
}

/* Removes and returns the first event; the queue must not be empty. */
static struct astra_event queue_take(struct astra_queue *q)
{
	struct astra_event first = q->heap[0], last = q->heap[--q->count];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < q->count; at = child) {
		if (child + 1 < q->count &&
		    before(&q->heap[child + 1], &q->heap[child]))
			child++;
		if (!before(&q->heap[child], &last))
			break;
		q->heap[at] = q->heap[child];
	}
	q->heap[at] = last;
	return first;
}

static void queue_clear(struct astra_queue *q)
{
	free(q->heap);
	*q = (struct astra_queue){0};
}

void astra_world_clear(struct astra_world *w)
{
	for (size_t i = 0; i < w->job_count; i++)
		free(w->jobs[i].held);
	free(w->jobs);
	free(w->limits);
	free(w->shown);
	free(w->cleaning);
	astra_idmap_clear(&w->numbers);
	free(w->ended.items);
	free(w->changed.items);
	free(w->changed_nodes.items);
	queue_clear(&w->queue);
}

/* The changes. */

static int world_list_add(struct astra_world_list *l, uint32_t number)
{
	if (astra_grow(&l->items, &l->room, l->count + 1, sizeof(*l->items)) <
	    0)
		return -1;
	l->items[l->count++] = number;
	return 0;
}

/* Notes that a job and the nodes that it holds have changed. */
static int world_note(struct astra_world *w, uint32_t number)
{
	const struct astra_job *job = w->jobs[number].job;
	int rc = 0;

	if (!w->noting)
		return 0;
	for (size_t i = 0; !rc && i < job->held_count; i++)
		rc = world_list_add(&w->changed_nodes, job->held[i].node);
	return rc ? rc
		  : world_list_add(&w->changed, (uint32_t)(job - w->shown));
}

/* Empties a list. Leaves its items in the array, sorted and without duplicates.
 * Returns their count. */
static size_t world_take_list(struct astra_world_list *l)
{
	size_t kept = 0;

	if (l->count)
		qsort(l->items, l->count, sizeof(*l->items), astra_compare_u32);
	for (size_t i = 0; i < l->count; i++)
		if (!kept || l->items[kept - 1] != l->items[i])
			l->items[kept++] = l->items[i];
	l->count = 0;
	return kept;
}

struct astra_changes astra_world_changes(struct astra_world *w)
{
	return (struct astra_changes){
		.jobs = w->changed.items,
		.job_count = world_take_list(&w->changed),
		.nodes = w->changed_nodes.items,
		.node_count = world_take_list(&w->changed_nodes),
	};
}

/* Jobs come. */

int astra_world_add(struct astra_world *w, struct astra_job *job)
{
	if (astra_grow(&w->jobs, &w->job_room, w->job_count + 1,
		       sizeof(*w->jobs)) < 0 ||
	    astra_idmap_put(&w->numbers, job->id, (uint32_t)w->job_count) < 0)
		return -1;
	w->jobs[w->job_count++] = (struct astra_world_job){.job = job};
	return 0;
}

static struct astra_world_job *world_shown(struct astra_world *w, size_t at)
{
	return &w->jobs[astra_idmap_get(&w->numbers, w->shown[at].id)];
}

int astra_world_show(struct astra_world *w, const struct astra_job *job)
{
	const struct astra_job *old = w->shown;
	size_t at = w->shown_count;

	if (astra_grow(&w->shown, &w->shown_room, at + 1, sizeof(*w->shown)) <
	    0)
		return -1;
	for (size_t i = 0; w->shown != old && i < at; i++)
		world_shown(w, i)->job = &w->shown[i];
	w->shown[at] = *job;
	if (astra_world_add(w, &w->shown[at]) < 0)
		return -1;
	w->shown_count++;
	if (job->state == ASTRA_JOB_ENDED &&
	    world_list_add(&w->ended, (uint32_t)w->job_count - 1) < 0)
		return -1;
	return world_note(w, (uint32_t)w->job_count - 1);
}

/* Jobs leave. */

/* Memory that is not counted is UINT64_MAX, and stays at that value. */
void astra_world_give(struct astra_world *w, const struct astra_share *s)
{
	struct astra_node *n = &w->nodes[s->node];

	n->gpus_free += s->gpus;
	if (n->gpus_free > n->gpus)
		n->gpus_free = n->gpus;
	n->cpus_free += s->cpus;
	if (n->cpus_free > n->cpus)
		n->cpus_free = n->cpus;
	n->mem_free_mib += s->mem_mib < UINT64_MAX - n->mem_free_mib
				   ? s->mem_mib
				   : UINT64_MAX - n->mem_free_mib;
}

int astra_world_limit(struct astra_world *w, const struct astra_limit *limits,
		      size_t count)
{
	w->limits = calloc(count + 1, sizeof(*w->limits));
	if (!w->limits)
		return -1;
	for (size_t i = 0; i < count; i++)
		w->limits[i] = limits[i];
	w->limit_count = count;
	return 0;
}

/* Adds a job's use to the limits when its run begins, and subtracts it when the
 * run ends. */
static void world_use(struct astra_world *w, const struct astra_job *job,
		      bool begins)
{
	for (size_t i = 0; i < job->use_count; i++) {
		struct astra_limit *l = &w->limits[job->uses[i].limit];

		if (begins)
			l->used += job->uses[i].amount;
		else
			l->used -= job->uses[i].amount;
	}
}

/* Frees what the job held. A requeued job then waits again; any other job has
 * ended. */
static int world_clean(struct astra_world *w, uint32_t number)
{
	struct astra_job *job = w->jobs[number].job;
	int rc = world_note(w, number);

	for (size_t i = 0; i < job->held_count; i++) {
		astra_world_give(w, &job->held[i]);
		if (w->cleanup_sec > 0)
			w->cleaning[job->held[i].node]--;
	}
	job->held = NULL;
	job->held_count = 0;
	job->run_charge = job->held_charge;
	job->held_charge = 0;
	if (job->state == ASTRA_JOB_REQUEUED) {
		job->state = ASTRA_JOB_PENDING;
		return rc;
	}
	job->state = ASTRA_JOB_ENDED;
	return rc ? rc : world_list_add(&w->ended, number);
}

int astra_world_expect(struct astra_world *w, uint32_t number,
		       enum astra_event_kind kind, double at_sec)
{
	const struct astra_world_job *m = &w->jobs[number];
	const struct astra_event e = {
		.at_sec = at_sec,
		.job = number,
		.run = m->run,
		.kind = kind,
	};

	if (kind == ASTRA_EVENT_CLEAN) {
		if (astra_grow(&w->cleaning, &w->cleaning_room, w->node_count,
			       sizeof(*w->cleaning)) < 0)
			return -1;
		for (size_t i = 0; i < m->job->held_count; i++)
			w->cleaning[m->job->held[i].node]++;
	}
	return astra_queue_add(&w->queue, e);
}

int astra_world_leave(struct astra_world *w, uint32_t number, double at_sec,
		      bool requeue)
{
	struct astra_world_job *m = &w->jobs[number];

	if ((w->host->left &&
	     w->host->left(w->arg, number, at_sec, requeue) < 0) ||
	    world_note(w, number) < 0)
		return -1;
	m->run++;
	m->leaving = false;
	world_use(w, m->job, false);
	m->job->end_sec = w->begin_sec + at_sec;
	m->job->restart_cnt += requeue;
	m->job->state = requeue ? ASTRA_JOB_REQUEUED : ASTRA_JOB_ENDING;
	if (w->cleanup_sec > 0)
		return astra_world_expect(w, number, ASTRA_EVENT_CLEAN,
					  at_sec + w->cleanup_sec);
	return world_clean(w, number);
}

/* Time passes. */

static bool world_void(const struct astra_world *w, const struct astra_event *e)
{
	return e->kind != ASTRA_EVENT_GIVEN && e->run != w->jobs[e->job].run;
}

double astra_world_next(struct astra_world *w)
{
	while (w->queue.count && world_void(w, &w->queue.heap[0]))
		queue_take(&w->queue);
	return w->queue.count ? w->queue.heap[0].at_sec : HUGE_VAL;
}

static int world_happen(struct astra_world *w, const struct astra_event *e)
{
	if (world_void(w, e))
		return 0;
	w->happened++;
	switch (e->kind) {
	case ASTRA_EVENT_GIVEN:
		astra_world_give(w, &w->releases[e->job].share);
		return w->noting
			       ? world_list_add(&w->changed_nodes,
						w->releases[e->job].share.node)
			       : 0;
	case ASTRA_EVENT_CLEAN:
		return world_clean(w, e->job);
	case ASTRA_EVENT_END:
	case ASTRA_EVENT_LEFT:
		break;
	}
	return astra_world_leave(w, e->job, e->at_sec,
				 e->kind == ASTRA_EVENT_LEFT);
}

/* Marks the nodes whose jobs are in cleanup as settling, so that nothing starts
 * on them. */
static int world_settle(struct astra_world *w)
{
	for (uint32_t i = 0; w->cleanup_sec > 0 && i < w->node_count; i++) {
		bool settling = i < w->cleaning_room && w->cleaning[i];

		if (w->nodes[i].settling == settling)
			continue;
		w->nodes[i].settling = settling;
		if (w->noting && world_list_add(&w->changed_nodes, i) < 0)
			return -1;
	}
	return 0;
}

int astra_world_advance(struct astra_world *w, double to_sec)
{
	while (w->queue.count && w->queue.heap[0].at_sec <= to_sec) {
		const struct astra_event e = queue_take(&w->queue);

		if (world_happen(w, &e) < 0)
			return -1;
	}
	w->now_sec = to_sec;
	return world_settle(w);
}

/* Moves a job to another index in `shown`. */
static int world_put(struct astra_world *w, size_t to, size_t from)
{
	if (to == from)
		return 0;
	world_shown(w, from)->job = &w->shown[to];
	w->shown[to] = w->shown[from];
	return w->noting ? world_list_add(&w->changed, (uint32_t)to) : 0;
}

/* Closes the gaps that ended jobs left in `shown`, and keeps the order. */
static int world_close_up(struct astra_world *w)
{
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < w->shown_count; i++)
		if (w->shown[i].state != ASTRA_JOB_ENDED)
			rc = world_put(w, kept++, i);
	w->shown_count = kept;
	return rc;
}

int astra_world_forget(struct astra_world *w)
{
	bool ended = w->ended.count > 0;

	for (size_t i = 0; i < w->ended.count; i++) {
		struct astra_world_job *m = &w->jobs[w->ended.items[i]];

		if (!w->host->keeps_order &&
		    world_put(w, (size_t)(m->job - w->shown),
			      --w->shown_count) < 0)
			return -1;
		m->job = NULL;
		free(m->held);
		m->held = NULL;
	}
	w->ended.count = 0;
	return ended && w->host->keeps_order ? world_close_up(w) : 0;
}

/* Plans. */

static int world_wrong(const struct astra_world *w,
		       const struct astra_decision *d, const char *why,
		       struct astra_error *err)
{
	return w->host->lenient
		       ? 0
		       : astra_error_set(err,
					 "the scheduler's plan for job %u: %s",
					 d->job, why);
}

static uint32_t world_less(uint32_t from, uint32_t what)
{
	return what < from ? from - what : 0;
}

/* Takes a share of a node for a job. Returns the share's charge. */
static double world_take(struct astra_world *w, const struct astra_share *s)
{
	struct astra_node *n = &w->nodes[s->node];
	bool empty = n->gpus_free == n->gpus && n->cpus_free == n->cpus;

	n->owner = empty || n->owner == s->owner ? s->owner : 0;
	n->alone = s->alone || (n->alone && !empty);
	n->gpus_free = world_less(n->gpus_free, s->gpus);
	n->gpus_scattered = world_less(n->gpus_scattered, s->gpus);
	n->cpus_free = world_less(n->cpus_free, s->cpus);
	n->mem_free_mib -=
		s->mem_mib < n->mem_free_mib ? s->mem_mib : n->mem_free_mib;
	return n->gpus ? astra_charge(n->charge, n->gpus) * s->gpus / n->gpus
		       : 0;
}

static bool world_free(const struct astra_world *w, const struct astra_share *s)
{
	const struct astra_node *n = &w->nodes[s->node];

	return s->node < w->node_count && n->usable && !n->settling &&
	       s->gpus <= n->gpus_free && s->cpus <= n->cpus_free &&
	       s->mem_mib <= n->mem_free_mib;
}

/* Takes the shares of a job. Returns what is wrong with the shares, or NULL. */
static const char *world_hold(struct astra_world *w, struct astra_job *job,
			      const struct astra_share *shares, size_t count)
{
	job->held = shares;
	job->held_count = count;
	job->held_charge = 0;
	world_use(w, job, true);
	for (size_t i = 0; i < count; i++) {
		if (!w->host->lenient && !world_free(w, &shares[i]))
			return "what is not free";
		job->held_charge += world_take(w, &shares[i]);
	}
	return w->host->lenient || astra_request_suits(
					   &job->request,
					   astra_shares_gpus(shares, count))
		       ? NULL
		       : "not the GPUs that it asks for";
}

static int world_start(struct astra_world *w, uint32_t number,
		       const struct astra_plan *plan,
		       const struct astra_decision *d, struct astra_error *err)
{
	size_t size = d->share_count * sizeof(struct astra_share);
	struct astra_world_job *m = &w->jobs[number];
	double end_sec = HUGE_VAL;
	struct astra_share *held;
	const char *why;

	if (m->job->copies > 1) {
		number = w->host->split(w->arg, number);
		if (number == ASTRA_NONE)
			return astra_error_nomem(err);
		m = &w->jobs[number];
	}
	held = realloc(m->held, size + 1);
	if (!held)
		return astra_error_nomem(err);
	m->held = held;
	memcpy(held, plan->shares + d->first_share, size);
	why = world_hold(w, m->job, held, d->share_count);
	if (why)
		return world_wrong(w, d, why, err);
	m->job->run_charge = 0;
	m->job->state = ASTRA_JOB_RUNNING;
	m->job->start_sec = w->begin_sec + w->now_sec;
	m->job->end_sec = 0;
	if (world_note(w, number) < 0 ||
	    (w->host->started &&
	     w->host->started(w->arg, number, &end_sec) < 0) ||
	    (isfinite(end_sec) &&
	     astra_world_expect(w, number, ASTRA_EVENT_END, end_sec) < 0))
		return astra_error_nomem(err);
	return 0;
}

static int world_drop(struct astra_world *w, uint32_t number)
{
	w->jobs[number].job->state = w->host->dropped_state;
	if (world_note(w, number) < 0 ||
	    (w->host->dropped && w->host->dropped(w->arg, number) < 0))
		return -1;
	return w->host->dropped_state == ASTRA_JOB_ENDED
		       ? world_list_add(&w->ended, number)
		       : 0;
}

/* Carries out SIGNAL or REQUEUE. */
static int world_dismiss(struct astra_world *w, uint32_t number,
			 const struct astra_decision *d)
{
	double at_sec = w->host->leaves(w->arg, number, d);

	if (at_sec <= w->now_sec)
		return astra_world_leave(w, number, w->now_sec, true);
	if (!isfinite(at_sec))
		return 0;
	w->jobs[number].leaving = true;
	return astra_world_expect(w, number, ASTRA_EVENT_LEFT, at_sec);
}

static int world_decide(struct astra_world *w, const struct astra_plan *plan,
			const struct astra_decision *d, struct astra_error *err)
{
	bool waits = d->action == ASTRA_START || d->action == ASTRA_REFUSE;
	uint32_t number = astra_idmap_get(&w->numbers, d->job);
	int rc;

	if (w->host->refuses && w->host->refuses(w->arg, d))
		return 0;
	if (number == ASTRA_IDMAP_NONE || !w->jobs[number].job)
		return world_wrong(w, d, "there is none", err);
	if (w->jobs[number].job->state !=
	    (waits ? ASTRA_JOB_PENDING : ASTRA_JOB_RUNNING))
		return world_wrong(
			w, d, waits ? "it does not wait" : "it does not run",
			err);
	if (d->action == ASTRA_START)
		return world_start(w, number, plan, d, err);
	rc = waits ? world_drop(w, number) : world_dismiss(w, number, d);
	return rc < 0 ? astra_error_nomem(err) : 0;
}

int astra_world_apply(struct astra_world *w, const struct astra_plan *plan,
		      struct astra_error *err)
{
	for (size_t i = 0; i < plan->decision_count; i++)
		if (world_decide(w, plan, &plan->decisions[i], err) < 0)
			return -1;
	return world_settle(w) < 0 ? astra_error_nomem(err) : 0;
}
