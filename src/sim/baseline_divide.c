/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One decision of a baseline that divides the GPUs between elastic jobs: first
 * how many each one gets, then where. Whose number stays the same goes on
 * running. Others are stopped, and their GPUs kept for those that have been
 * given them, until all are free. What is left is divided between those that
 * still wait.
 */
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/sim/baseline.h"

static int add_portion(struct astra_baseline_run *run, uint32_t index,
		       uint32_t held)
{
	const struct astra_request *r = &run->snapshot->jobs[index].request;

	if (astra_grow(&run->portions, &run->portions_room,
		       run->portion_count + 1, sizeof(*run->portions)) < 0 ||
	    astra_grow(&run->heap, &run->heap_room, run->portion_count + 1,
		       sizeof(*run->heap)) < 0)
		return -1;
	run->portions[run->portion_count++] = (struct astra_portion){
		.job = index,
		.least = r->gpus_min ? r->gpus_min : r->gpus,
		.most = r->gpus,
		.held = held,
	};
	return 0;
}

static int by_submission(const void *a, const void *b, void *arg)
{
	const struct astra_snapshot *const *s = arg;
	const struct astra_portion *p = a, *q = b;
	const struct astra_job *x = &(*s)->jobs[p->job];
	const struct astra_job *y = &(*s)->jobs[q->job];

	if (x->submit_sec < y->submit_sec || x->submit_sec > y->submit_sec)
		return x->submit_sec < y->submit_sec ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void baseline_divide_sort(struct astra_baseline_run *run)
{
	if (run->portion_count)
		qsort_r(run->portions, run->portion_count,
			sizeof(*run->portions), by_submission, &run->snapshot);
}

static bool baseline_divide_waits(const struct astra_job *job)
{
	return job->state == ASTRA_JOB_PENDING && job->request.gpus;
}

/* Whether it takes part when all compete. */
static bool baseline_divide_competes(const struct astra_job *job)
{
	if (job->state == ASTRA_JOB_RUNNING)
		return job->revocable && !job->unheard;
	return baseline_divide_waits(job) || job->state == ASTRA_JOB_REQUEUED;
}

/* Divide run->node_gpus_left. */
static void baseline_divide_divide(struct astra_baseline_run *run)
{
	uint64_t gpus = 0;

	baseline_divide_sort(run);
	for (size_t i = 0; i < run->snapshot->node_count; i++)
		gpus += run->node_gpus_left[i];
	run->baseline->divide(run, run->portions, run->portion_count, gpus);
}

/* All who compete, and all GPUs that they hold or could have. */
static int gather_all(struct astra_baseline_run *run)
{
	const struct astra_snapshot *s = run->snapshot;

	run->portion_count = 0;
	for (size_t i = 0; i < s->node_count; i++)
		run->node_gpus_left[i] = run->later_gpus[i];
	for (uint32_t i = 0; i < s->job_count; i++) {
		const struct astra_job *job = &s->jobs[i];
		bool runs = job->state == ASTRA_JOB_RUNNING &&
			    !astra_baseline_leaving(run, i);

		if (!baseline_divide_competes(job))
			continue;
		if (add_portion(run, i, runs ? astra_held_gpus(job) : 0) < 0)
			return -1;
		for (size_t k = 0; runs && k < job->held_count; k++)
			run->node_gpus_left[job->held[k].node] +=
				job->held[k].gpus;
	}
	return 0;
}

static int divide_all(struct astra_baseline_run *run)
{
	if (gather_all(run) < 0)
		return -1;
	baseline_divide_divide(run);
	for (size_t i = 0; i < run->portion_count; i++) {
		const struct astra_portion *p = &run->portions[i];

		astra_baseline_memory(run, p->job)->wanted = p->gpus;
		if (p->held && p->held != p->gpus)
			astra_baseline_free_later(run, p->job);
	}
	return 0;
}

/* Those that were given GPUs before and have not started on them yet. */
static int gather_given(struct astra_baseline_run *run)
{
	const struct astra_snapshot *s = run->snapshot;

	run->portion_count = 0;
	for (uint32_t i = 0; i < s->job_count; i++) {
		const struct astra_job *job = &s->jobs[i];

		if (!astra_baseline_memory(run, i)->wanted ||
		    !baseline_divide_competes(job) ||
		    (job->state == ASTRA_JOB_RUNNING &&
		     !astra_baseline_leaving(run, i)))
			continue;
		if (add_portion(run, i, 0) < 0)
			return -1;
	}
	baseline_divide_sort(run);
	return 0;
}

/* Start those that can, and keep GPUs for the others. */
static int place_given(struct astra_baseline_run *run)
{
	for (size_t i = 0; i < run->portion_count; i++) {
		const struct astra_portion *p = &run->portions[i];
		struct astra_baseline_job *m =
			astra_baseline_memory(run, p->job);
		unsigned when = ASTRA_PLACE_LATER;
		int placed;

		if (!m->wanted || (p->held && p->held == m->wanted))
			continue;
		if (run->snapshot->jobs[p->job].state == ASTRA_JOB_PENDING)
			when |= ASTRA_PLACE_NOW;
		placed = astra_baseline_place(run, p->job, m->wanted, when);
		if (placed < 0)
			return -1;
		if (placed != ASTRA_PLACED_LATER)
			m->wanted = 0;
	}
	return 0;
}

static int stop_changed(struct astra_baseline_run *run)
{
	for (size_t i = 0; i < run->portion_count; i++) {
		const struct astra_portion *p = &run->portions[i];

		if (!p->held || p->held == p->gpus ||
		    (!p->gpus && astra_baseline_keep(run, p->job)))
			continue;
		if (astra_baseline_stop(run, p->job) < 0)
			return -1;
	}
	return 0;
}

/* Whether it waits and was given nothing, nor has just been started. */
static bool left_out(const struct astra_baseline_run *run, uint32_t index)
{
	const struct astra_job *job = &run->snapshot->jobs[index];
	const struct astra_baseline_job *m = astra_baseline_memory(run, index);

	return baseline_divide_waits(job) && !m->wanted &&
	       m->started != job->restart_cnt + 1;
}

/* What is free is divided between them. */
static int baseline_divide_fill(struct astra_baseline_run *run)
{
	const struct astra_snapshot *s = run->snapshot;

	run->portion_count = 0;
	if (!astra_space_gpus(run->now))
		return 0;
	for (uint32_t i = 0; i < s->job_count; i++)
		if (left_out(run, i) && add_portion(run, i, 0) < 0)
			return -1;
	if (!run->portion_count)
		return 0;
	for (uint32_t i = 0; i < s->node_count; i++)
		run->node_gpus_left[i] = astra_space_get(run->now, i)->gpus;
	baseline_divide_divide(run);
	for (size_t i = 0; i < run->portion_count; i++) {
		const struct astra_portion *p = &run->portions[i];

		if (p->gpus && astra_baseline_place(run, p->job, p->gpus,
						    ASTRA_PLACE_NOW) < 0)
			return -1;
	}
	return 0;
}

int astra_baseline_divide(struct astra_baseline_run *run)
{
	const struct astra_snapshot *s = run->snapshot;

	for (size_t i = 0; i < s->node_count; i++)
		run->later_gpus[i] =
			s->nodes[i].usable ? s->nodes[i].gpus_free : 0;
	for (uint32_t i = 0; i < s->job_count; i++)
		if (astra_baseline_leaving(run, i))
			astra_baseline_free_later(run, i);
	if ((run->full ? divide_all(run) : gather_given(run)) < 0)
		return -1;
	astra_baseline_set_spaces(run);
	if (place_given(run) < 0 || (run->full && stop_changed(run) < 0))
		return -1;
	return baseline_divide_fill(run);
}
