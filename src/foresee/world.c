/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/foresee/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"

/* So long slurmctld needs to clean up after a job; rounds are at whole seconds,
 * so the next one starts within one or two. */
#define CLEANUP_SEC 0.5

static bool holds(const struct astra_job *job)
{
	return job->state == ASTRA_JOB_RUNNING ||
	       job->state == ASTRA_JOB_REQUEUED ||
	       job->state == ASTRA_JOB_ENDING;
}

/* Setting up. */

static void begin_job(struct foreseen_world *w, size_t i)
{
	const struct astra_run_guess *guess = &w->question->guesses[i];
	struct astra_job *job = &w->jobs[i];

	w->more[i] = (struct foreseen_job){
		.total_sec = guess->total_sec,
		.left_sec = guess->left_sec,
		.ends_sec = job->suspended ? HUGE_VAL
					   : w->now_sec + guess->left_sec,
		.clear_sec = w->now_sec + CLEANUP_SEC,
		.origin = (uint32_t)i,
	};
	if (job->id >= w->next_id)
		w->next_id = job->id + 1;
	w->more[i].awaited = job->state == ASTRA_JOB_PENDING ||
			     job->state == ASTRA_JOB_REQUEUED;
	w->waiting += w->more[i].awaited;
}

static int world_compare_releases(const void *a, const void *b)
{
	double x = ((const struct astra_release *)a)->at_sec;
	double y = ((const struct astra_release *)b)->at_sec;

	return (x > y) - (x < y);
}

/* Nobody tells the engine that a job that it does not know has ended: the next
 * round sees it, and rounds are RoundInterval apart. */
static int begin_releases(struct foreseen_world *w)
{
	const struct astra_foresee *q = w->question;
	double period = q->options->round_sec;

	w->releases = calloc(q->release_count + 1, sizeof(*w->releases));
	if (!w->releases)
		return -1;
	for (; w->release_count < q->release_count; w->release_count++) {
		struct astra_release r = q->releases[w->release_count];
		double wait = fmax(r.at_sec + CLEANUP_SEC - w->now_sec, 0);

		r.at_sec = w->now_sec + period * ceil(wait / period);
		w->releases[w->release_count] = r;
	}
	qsort(w->releases, w->release_count, sizeof(*w->releases),
	      world_compare_releases);
	return 0;
}

int astra_world_begin(struct foreseen_world *w,
		      const struct astra_foresee *question, double *start_sec)
{
	const struct astra_snapshot *s = question->snapshot;

	w->question = question;
	w->now_sec = s->now_sec;
	w->start_sec = start_sec;
	w->next_id = 1;
	w->nodes = calloc(s->node_count + 1, sizeof(*w->nodes));
	if (!w->nodes || begin_releases(w) < 0 ||
	    astra_grow(&w->jobs, &w->job_room, s->job_count + 1,
		       sizeof(*w->jobs)) < 0 ||
	    astra_grow(&w->more, &w->more_room, s->job_count + 1,
		       sizeof(*w->more)) < 0)
		return -1;
	memcpy(w->nodes, s->nodes, s->node_count * sizeof(*w->nodes));
	memcpy(w->jobs, s->jobs, s->job_count * sizeof(*w->jobs));
	for (size_t i = 0; i < s->job_count; i++) {
		start_sec[i] = 0;
		begin_job(w, i);
	}
	w->job_count = s->job_count;
	return 0;
}

void astra_world_end(struct foreseen_world *w)
{
	for (size_t i = 0; i < w->job_count; i++)
		free(w->more[i].held);
	free(w->nodes);
	free(w->releases);
	free(w->jobs);
	free(w->more);
}

/* GPUs taken and given back. */

static void world_take(struct foreseen_world *w,
		       const struct astra_share *shares, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct astra_node *n = &w->nodes[shares[i].node];

		n->gpus_free -= shares[i].gpus < n->gpus_free ? shares[i].gpus
							      : n->gpus_free;
		n->gpus_scattered -= shares[i].gpus < n->gpus_scattered
					     ? shares[i].gpus
					     : n->gpus_scattered;
		n->cpus_free -= shares[i].cpus < n->cpus_free ? shares[i].cpus
							      : n->cpus_free;
		n->mem_free_mib -= shares[i].mem_mib < n->mem_free_mib
					   ? shares[i].mem_mib
					   : n->mem_free_mib;
	}
}

/* Memory that is not counted is UINT64_MAX. */
static void world_give(struct foreseen_world *w, const struct astra_share *s)
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

static void world_give_back(struct foreseen_world *w, size_t i)
{
	struct astra_job *job = &w->jobs[i];

	for (size_t k = 0; k < job->held_count; k++)
		world_give(w, &job->held[k]);
	free(w->more[i].held);
	w->more[i].held = NULL;
	job->held = NULL;
	job->held_count = 0;
	job->held_charge = 0;
}

/* Time passes. */

double astra_world_next(const struct foreseen_world *w)
{
	double next = w->released < w->release_count
			      ? w->releases[w->released].at_sec
			      : HUGE_VAL;

	for (size_t i = 0; i < w->job_count; i++) {
		const struct foreseen_job *m = &w->more[i];

		if (w->jobs[i].state == ASTRA_JOB_RUNNING)
			next = fmin(next,
				    m->leaves_sec > 0
					    ? fmin(m->leaves_sec, m->ends_sec)
					    : m->ends_sec);
		else if (holds(&w->jobs[i]))
			next = fmin(next, m->clear_sec);
	}
	return next;
}

/* A run is over: what of the work is left counts from its last checkpoint; a
 * job that makes none begins anew. */
static void end_run(struct foreseen_world *w, size_t i, double at_sec,
		    bool requeue)
{
	struct astra_job *job = &w->jobs[i];
	struct foreseen_job *m = &w->more[i];

	m->left_sec =
		job->checkpoints ? fmax(m->ends_sec - at_sec, 1) : m->total_sec;
	m->leaves_sec = 0;
	m->clear_sec = at_sec + CLEANUP_SEC;
	job->end_sec = at_sec;
	job->state = requeue ? ASTRA_JOB_REQUEUED : ASTRA_JOB_ENDING;
	if (requeue) {
		job->restart_cnt++;
		job->submit_sec = at_sec;
	}
}

static void pass(struct foreseen_world *w, size_t i, double to_sec)
{
	struct astra_job *job = &w->jobs[i];
	struct foreseen_job *m = &w->more[i];

	if (job->state == ASTRA_JOB_RUNNING) {
		if (m->ends_sec <= to_sec &&
		    (!m->leaves_sec || m->ends_sec <= m->leaves_sec))
			end_run(w, i, m->ends_sec, false);
		else if (m->leaves_sec > 0 && m->leaves_sec <= to_sec)
			end_run(w, i, m->leaves_sec, true);
	}
	if ((job->state == ASTRA_JOB_REQUEUED ||
	     job->state == ASTRA_JOB_ENDING) &&
	    m->clear_sec <= to_sec) {
		world_give_back(w, i);
		job->state = job->state == ASTRA_JOB_REQUEUED
				     ? ASTRA_JOB_PENDING
				     : ASTRA_JOB_ENDED;
	}
}

/* Nothing starts on a node where a job is being cleaned up. */
static void settle_nodes(struct foreseen_world *w)
{
	for (size_t n = 0; n < w->question->snapshot->node_count; n++)
		w->nodes[n].settling = false;
	for (size_t i = 0; i < w->job_count; i++)
		for (size_t k = 0; w->jobs[i].state != ASTRA_JOB_RUNNING &&
				   k < w->jobs[i].held_count;
		     k++)
			w->nodes[w->jobs[i].held[k].node].settling = true;
}

void astra_world_advance(struct foreseen_world *w, double to_sec)
{
	for (size_t i = 0; i < w->job_count; i++)
		pass(w, i, to_sec);
	while (w->released < w->release_count &&
	       w->releases[w->released].at_sec <= to_sec)
		world_give(w, &w->releases[w->released++].share);
	w->now_sec = to_sec;
	settle_nodes(w);
}

void astra_world_forget(struct foreseen_world *w)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->job_count; i++) {
		if (w->jobs[i].state == ASTRA_JOB_ENDED) {
			free(w->more[i].held);
			continue;
		}
		w->jobs[kept] = w->jobs[i];
		w->more[kept++] = w->more[i];
	}
	w->job_count = kept;
}

/* A plan. */

static size_t world_find_job(const struct foreseen_world *w, uint32_t id)
{
	for (size_t i = 0; i < w->job_count; i++)
		if (w->jobs[i].id == id)
			return i;
	return SIZE_MAX;
}

/* One task of an array's waiting ones becomes a job of its own. Returns its
 * index, or SIZE_MAX when memory is out. */
static size_t world_split(struct foreseen_world *w, size_t array)
{
	size_t at = w->job_count;

	if (astra_grow(&w->jobs, &w->job_room, at + 1, sizeof(*w->jobs)) < 0 ||
	    astra_grow(&w->more, &w->more_room, at + 1, sizeof(*w->more)) < 0)
		return SIZE_MAX;
	w->jobs[array].copies--;
	w->jobs[at] = w->jobs[array];
	w->jobs[at].copies = 1;
	w->jobs[at].array_id = w->jobs[array].id;
	w->jobs[at].id = w->next_id++;
	w->more[at] = w->more[array];
	w->more[at].held = NULL;
	w->job_count++;
	return at;
}

static double world_charge_of(const struct foreseen_world *w,
			      const struct astra_share *s)
{
	const struct astra_node *n = &w->nodes[s->node];

	return n->gpus ? astra_charge(n->charge, n->gpus) * s->gpus / n->gpus
		       : 0;
}

static void note_start(struct foreseen_world *w, struct foreseen_job *m)
{
	if (!m->awaited)
		return;
	m->awaited = false;
	w->start_sec[m->origin] = w->now_sec;
	w->waiting--;
}

static int world_start(struct foreseen_world *w, size_t i,
		       const struct astra_plan *plan,
		       const struct astra_decision *d)
{
	struct astra_job *job;
	struct foreseen_job *m;

	if (w->jobs[i].state != ASTRA_JOB_PENDING)
		return 0;
	note_start(w, &w->more[i]);
	if (w->jobs[i].copies > 1) {
		i = world_split(w, i);
		if (i == SIZE_MAX)
			return -1;
	}
	job = &w->jobs[i];
	m = &w->more[i];
	m->held = malloc((d->share_count + 1) * sizeof(*m->held));
	if (!m->held)
		return -1;
	memcpy(m->held, plan->shares + d->first_share,
	       d->share_count * sizeof(*m->held));
	world_take(w, m->held, d->share_count);
	job->held = m->held;
	job->held_count = d->share_count;
	job->held_charge = 0;
	for (size_t k = 0; k < d->share_count; k++)
		job->held_charge += world_charge_of(w, &m->held[k]);
	job->state = ASTRA_JOB_RUNNING;
	job->start_sec = w->now_sec;
	job->end_sec = 0;
	m->ends_sec = w->now_sec + m->left_sec;
	return 0;
}

int astra_world_apply(struct foreseen_world *w, const struct astra_plan *plan)
{
	for (size_t k = 0; k < plan->decision_count; k++) {
		const struct astra_decision *d = &plan->decisions[k];
		size_t i = world_find_job(w, d->job);

		if (i == SIZE_MAX)
			continue;
		if (d->action == ASTRA_START) {
			if (world_start(w, i, plan, d) < 0)
				return -1;
		} else if (d->action == ASTRA_REFUSE) {
			w->jobs[i].state = ASTRA_JOB_BLOCKED;
		} else if (w->jobs[i].state != ASTRA_JOB_RUNNING) {
			continue;
		} else if (d->action == ASTRA_SIGNAL) {
			w->more[i].leaves_sec =
				w->now_sec +
				w->question->checkpoint_part *
					fmax(d->until_sec - w->now_sec, 0);
		} else {
			end_run(w, i, w->now_sec, true);
		}
	}
	settle_nodes(w);
	return 0;
}
