/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/foresee/foresee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/engine/engine_image.h"
#include "src/policies/options.h"
#include "src/policies/period.h"

/* Least time between rounds in slurmctld. */
#define ROUND_SEC 1

/* How long slurmctld takes to clean up after a job. Rounds are held at whole
 * seconds, so the next round comes one or two seconds later. */
#define CLEANUP_SEC 0.5

/* The forecast for one job. */
struct foreseen_job {
	double total_sec, left_sec;
	double end_sec;	 /* if it runs: its expected end */
	bool awaited;	 /* its start has to be found and is not known yet */
	uint32_t origin; /* index into the snapshot's jobs */
};

struct foreseen_world {
	struct astra_world world;
	const struct astra_foresee *question;
	struct foreseen_job *jobs; /* by index in world.jobs */
	size_t room;
	uint32_t next_id;  /* id of the next task that is split off an array */
	bool seen;	   /* the engine has held a round: from now on it is
			    * told only the changes */
	double *start_sec; /* the answer, by index in the snapshot's jobs */
	size_t waiting;	   /* jobs with a start still to be found */
};

/* Adds a job at the next index. */
static int foreseen_add(struct foreseen_world *w, const struct astra_job *job,
			const struct foreseen_job *expected)
{
	size_t number = w->world.job_count;

	if (astra_grow(&w->jobs, &w->room, number + 1, sizeof(*w->jobs)) < 0)
		return -1;
	w->jobs[number] = *expected;
	return astra_world_show(&w->world, job);
}

/* The callbacks of the world. */

/* Splits a task off an array. Returns the task's index, or ASTRA_NONE. The
 * start of an array is that of its first task. */
static uint32_t foreseen_split(void *arg, uint32_t array)
{
	struct foreseen_world *w = arg;
	struct astra_job task = *w->world.jobs[array].job;
	struct foreseen_job expected = w->jobs[array];

	w->world.jobs[array].job->copies--;
	w->jobs[array].awaited = false;
	task.copies = 1;
	task.array_id = task.id;
	task.id = w->next_id++;
	return foreseen_add(w, &task, &expected) < 0
		       ? ASTRA_NONE
		       : (uint32_t)w->world.job_count - 1;
}

static int foreseen_started(void *arg, uint32_t number, double *end_sec)
{
	struct foreseen_world *w = arg;
	struct foreseen_job *m = &w->jobs[number];

	m->end_sec = *end_sec = w->world.now_sec + m->left_sec;
	if (!m->awaited)
		return 0;
	m->awaited = false;
	w->start_sec[m->origin] = w->world.now_sec;
	w->waiting--;
	return 0;
}

static double foreseen_leaves(void *arg, uint32_t number,
			      const struct astra_decision *d)
{
	const struct foreseen_world *w = arg;

	(void)number;
	return d->action == ASTRA_SIGNAL
		       ? w->world.now_sec +
				 w->question->checkpoint_part *
					 fmax(d->until_sec - w->world.now_sec,
					      0)
		       : w->world.now_sec;
}

/* Ends a job's run. Work since its last checkpoint is lost; a job without
 * checkpoints starts over. */
static int foreseen_left(void *arg, uint32_t number, double at_sec,
			 bool requeued)
{
	struct foreseen_world *w = arg;
	struct foreseen_job *m = &w->jobs[number];
	struct astra_job *job = w->world.jobs[number].job;

	m->left_sec =
		job->checkpoints ? fmax(m->end_sec - at_sec, 1) : m->total_sec;
	if (requeued)
		job->submit_sec = at_sec;
	return 0;
}

static const struct astra_world_host foreseen_host = {
	.split = foreseen_split,
	.started = foreseen_started,
	.leaves = foreseen_leaves,
	.left = foreseen_left,
	.keeps_order = true,
	.dropped_state = ASTRA_JOB_BLOCKED,
	.lenient = true,
};

/* Setting up. */

static int begin_job(struct foreseen_world *w, uint32_t i)
{
	const struct astra_run_guess *guess = &w->question->guesses[i];
	const struct astra_job *job = &w->question->snapshot->jobs[i];
	struct foreseen_job expected = {
		.total_sec = guess->total_sec,
		.left_sec = guess->left_sec,
		.end_sec = job->suspended ? HUGE_VAL
					  : w->world.now_sec + guess->left_sec,
		.awaited = job->state == ASTRA_JOB_PENDING ||
			   job->state == ASTRA_JOB_REQUEUED,
		.origin = i,
	};

	if (job->id >= w->next_id)
		w->next_id = job->id + 1;
	w->start_sec[i] = 0;
	w->waiting += expected.awaited;
	if (foreseen_add(w, job, &expected) < 0)
		return -1;
	if (job->state == ASTRA_JOB_RUNNING && !job->suspended)
		return astra_world_expect(&w->world, i, ASTRA_EVENT_END,
					  expected.end_sec);
	if (job->state == ASTRA_JOB_REQUEUED || job->state == ASTRA_JOB_ENDING)
		return astra_world_expect(&w->world, i, ASTRA_EVENT_CLEAN,
					  w->world.now_sec + CLEANUP_SEC);
	return 0;
}

/* Plans the release of GPUs of a job that the engine does not know. The engine
 * is not told when such a job ends: the next round sees it. Rounds are
 * RoundInterval apart. */
static int begin_release(struct foreseen_world *w, uint32_t i)
{
	double period = w->question->options->round_sec;
	double wait = fmax(w->world.releases[i].at_sec + CLEANUP_SEC -
				   w->world.now_sec,
			   0);

	return astra_queue_add(&w->world.queue,
			       (struct astra_event){
				       .at_sec = w->world.now_sec +
						 period * ceil(wait / period),
				       .job = i,
				       .kind = ASTRA_EVENT_GIVEN,
			       });
}

/* Builds the world from the snapshot. Returns 0, or -1 when out of memory. */
static int foreseen_begin(struct foreseen_world *w,
			  const struct astra_foresee *question,
			  double *start_sec)
{
	const struct astra_snapshot *s = question->snapshot;

	w->question = question;
	w->start_sec = start_sec;
	w->next_id = 1;
	w->world = (struct astra_world){
		.host = &foreseen_host,
		.arg = w,
		.now_sec = s->now_sec,
		.cleanup_sec = CLEANUP_SEC,
		.noting = true,
		.nodes = calloc(s->node_count + 1, sizeof(*s->nodes)),
		.node_count = s->node_count,
		.releases = question->releases,
	};
	if (!w->world.nodes ||
	    astra_world_limit(&w->world, s->limits, s->limit_count) < 0)
		return -1;
	memcpy(w->world.nodes, s->nodes, s->node_count * sizeof(*s->nodes));
	for (uint32_t i = 0; i < s->job_count; i++)
		if (begin_job(w, i) < 0)
			return -1;
	for (uint32_t i = 0; i < question->release_count; i++)
		if (begin_release(w, i) < 0)
			return -1;
	return 0;
}

static void foreseen_end(struct foreseen_world *w)
{
	free(w->world.nodes);
	free(w->jobs);
	astra_world_clear(&w->world);
}

/* Looking ahead. */

static int hold_round(struct foreseen_world *w, struct astra_engine *engine,
		      struct astra_plan *plan, struct astra_error *err)
{
	struct astra_snapshot snapshot = *w->question->snapshot;
	struct astra_changes changes = astra_world_changes(&w->world);

	snapshot.now_sec = w->world.now_sec;
	for (double end = snapshot.period_end_sec;
	     end > 0 && end <= snapshot.now_sec;
	     end = snapshot.period_end_sec) {
		snapshot.period_begin_sec = end;
		snapshot.period_end_sec = astra_period_next(
			(enum astra_period)astra_engine_options(engine)
				->cap_period,
			end);
	}
	snapshot.nodes = w->world.nodes;
	snapshot.limits = w->world.limits;
	snapshot.jobs = w->world.shown;
	snapshot.job_count = w->world.shown_count;
	snapshot.changes = w->seen ? &changes : NULL;
	w->seen = true;
	if (astra_engine_round(engine, &snapshot, plan, err) < 0)
		return -1;
	if (astra_world_forget(&w->world) < 0)
		return astra_error_nomem(err);
	return astra_world_apply(&w->world, plan, err);
}

static int foresee_look(struct foreseen_world *w, struct astra_engine *engine,
			struct astra_plan *plan, struct astra_error *err)
{
	const struct astra_foresee *q = w->question;
	struct astra_world *world = &w->world;
	double end = world->now_sec + q->horizon_sec;

	while (w->waiting && (!q->go_on || q->go_on(q->arg))) {
		double next;

		if (hold_round(w, engine, plan, err) < 0)
			return -1;
		next = fmin(astra_world_next(world), plan->due_sec);
		next = ceil(fmax(next, world->now_sec + ROUND_SEC));
		if (next > end) {
			world->now_sec = end;
			return 0;
		}
		if (astra_world_advance(world, next) < 0)
			return astra_error_nomem(err);
	}
	return 0;
}

int astra_foresee(const struct astra_foresee *question, double *start_sec,
		  double *until_sec, struct astra_error *err)
{
	struct foreseen_world w = {0};
	struct astra_plan plan;
	struct astra_engine *engine = astra_engine_of_image(
		question->options, question->image, question->image_size, err);
	int rc;

	if (!engine)
		return -1;
	astra_plan_init(&plan);
	plan.terse = true;
	rc = foreseen_begin(&w, question, start_sec);
	if (rc < 0)
		astra_error_nomem(err);
	else
		rc = foresee_look(&w, engine, &plan, err);
	*until_sec = w.world.now_sec;
	foreseen_end(&w);
	astra_plan_destroy(&plan);
	astra_engine_destroy(engine);
	return rc;
}
