/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/foresee/foresee.h"

#include <math.h>

#include "src/engine/engine_image.h"
#include "src/foresee/world.h"

/* slurmctld's plugin holds a round a second at most. */
#define ROUND_SEC 1

static int hold_round(struct foreseen_world *w, struct astra_engine *engine,
		      struct astra_plan *plan, struct astra_error *err)
{
	struct astra_snapshot snapshot = *w->question->snapshot;

	snapshot.now_sec = w->now_sec;
	snapshot.nodes = w->nodes;
	snapshot.jobs = w->jobs;
	snapshot.job_count = w->job_count;
	if (astra_engine_round(engine, &snapshot, plan, err) < 0)
		return -1;
	astra_world_forget(w);
	return astra_world_apply(w, plan) < 0 ? astra_error_nomem(err) : 0;
}

static int foresee_look(struct foreseen_world *w, struct astra_engine *engine,
			struct astra_plan *plan, struct astra_error *err)
{
	const struct astra_foresee *q = w->question;
	double end = w->now_sec + q->horizon_sec;

	while (w->waiting && (!q->go_on || q->go_on(q->arg))) {
		double next;

		if (hold_round(w, engine, plan, err) < 0)
			return -1;
		next = fmin(astra_world_next(w), plan->due_sec);
		next = ceil(fmax(next, w->now_sec + ROUND_SEC));
		if (next > end) {
			w->now_sec = end;
			return 0;
		}
		astra_world_advance(w, next);
	}
	return 0;
}

int astra_foresee(const struct astra_foresee *question, double *start_sec,
		  double *until_sec, struct astra_error *err)
{
	struct foreseen_world world = {0};
	struct astra_plan plan;
	struct astra_engine *engine = astra_engine_of_image(
		question->options, question->image, question->image_size, err);
	int rc;

	if (!engine)
		return -1;
	astra_plan_init(&plan);
	plan.terse = true;
	rc = astra_world_begin(&world, question, start_sec);
	if (rc < 0)
		astra_error_nomem(err);
	else
		rc = foresee_look(&world, engine, &plan, err);
	*until_sec = world.now_sec;
	astra_world_end(&world);
	astra_plan_destroy(&plan);
	astra_engine_destroy(engine);
	return rc;
}
