/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One decision of a baseline. Where running jobs compete, first by number: in
 * the order of the baseline, waiting and running jobs alike, as long as there
 * are GPUs. Then by place: those that wait get theirs, now or as soon as
 * others have left; whose GPUs none of them needs is not stopped. What is
 * free then goes to those that fit.
 */
#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/common/number.h"
#include "src/sim/baseline.h"

static int push(struct astra_list *list, uint32_t item)
{
	if (astra_grow(&list->items, &list->room, list->count + 1,
		       sizeof(*list->items)) < 0)
		return -1;
	list->items[list->count++] = item;
	return 0;
}

/* Equal scores stay equal when they were computed in different ways: of the 53
 * bits 31 are kept (Veltkamp's splitting). */
static double coarse(double x)
{
	double high = x * ((1 << 22) + 1);

	return isfinite(high) ? high - (high - x) : x;
}

static struct astra_entry
baseline_round_entry_of(const struct astra_baseline_run *run, uint32_t index)
{
	const struct astra_baseline *b = run->baseline;
	const struct astra_job *job = &run->snapshot->jobs[index];
	struct astra_entry e = {
		.submit_sec = job->submit_sec,
		.id = job->id,
		.index = index,
		.line = b->tenant_key ? job->tenant : 0,
		.gpus = job->request.gpus,
		.running = job->state == ASTRA_JOB_RUNNING,
	};

	if (!b->rank)
		return e;
	e.rank = b->rank(run, index);
	e.rank.major = coarse(e.rank.major);
	e.rank.minor = coarse(e.rank.minor);
	return e;
}

/* Sort a job in: who leaves, who competes, who just goes on. */
static int gather_job(struct astra_baseline_run *run, uint32_t index)
{
	const struct astra_job *job = &run->snapshot->jobs[index];
	struct astra_baseline_tenant *t = &run->tenants[job->tenant];
	struct astra_baseline_job *m = astra_baseline_memory(run, index);
	bool running = job->state == ASTRA_JOB_RUNNING;
	struct astra_entry e;

	if (astra_baseline_leaving(run, index)) {
		astra_baseline_free_later(run, index);
		return 0;
	}
	if (running && (!run->full || !job->revocable || job->unheard)) {
		t->planned += job->request.gpus;
		return 0;
	}
	if ((!running && job->state != ASTRA_JOB_PENDING) || !job->request.gpus)
		return 0;
	if (!run->full && m->granted && m->granted == run->decision) {
		t->planned += job->request.gpus;
		return push(&run->picked, index);
	}
	if (job->request.gpus > run->most) /* it can't start */
		return 0;
	if (running)
		run->budget += job->request.gpus;
	if (job->request.gpus < run->smallest)
		run->smallest = job->request.gpus;
	e = baseline_round_entry_of(run, index);
	return astra_lines_add(&run->lines, &e);
}

static int baseline_round_gather(struct astra_baseline_run *run)
{
	const struct astra_snapshot *s = run->snapshot;

	run->picked.count = run->dropped.count = run->passed.count = 0;
	run->budget = 0;
	run->smallest = UINT32_MAX;
	run->reserved = false;
	astra_lines_clear(&run->lines);
	for (size_t i = 0; i < run->trace->tenant_count; i++)
		run->tenants[i].planned = 0;
	for (size_t i = 0; i < s->node_count; i++)
		run->later_gpus[i] =
			s->nodes[i].usable ? s->nodes[i].gpus_free : 0;
	for (size_t i = 0; i < s->job_count; i++)
		if (gather_job(run, (uint32_t)i) < 0)
			return -1;
	for (size_t i = 0; i < s->node_count; i++)
		run->budget += run->later_gpus[i];
	return astra_lines_form(&run->lines);
}

/* The line whose turn it is; run->lines.line_count: all are empty. */
static uint32_t next_line(const struct astra_baseline_run *run)
{
	size_t best = run->lines.line_count;
	double best_key = 0;

	if (!run->baseline->tenant_key)
		return 0;
	for (size_t i = 0; i < run->lines.line_count; i++) {
		double key;

		if (!run->lines.lines[i].count)
			continue;
		key = run->baseline->tenant_key(run, (uint32_t)i);
		if (best == run->lines.line_count ||
		    astra_compare(key, best_key) < 0) {
			best = i;
			best_key = key;
		}
	}
	return (uint32_t)best;
}

static bool baseline_round_next(struct astra_baseline_run *run,
				struct astra_entry *out)
{
	uint32_t line = next_line(run);

	return line < run->lines.line_count &&
	       astra_lines_take(&run->lines, line, out);
}

static bool allowed(const struct astra_baseline_run *run, uint32_t index)
{
	return !run->baseline->allowed || run->baseline->allowed(run, index);
}

/* By number: who may have GPUs. */
static int baseline_round_choose(struct astra_baseline_run *run)
{
	uint64_t left = run->budget;
	struct astra_entry e;

	run->decision++;
	while (left >= run->smallest && baseline_round_next(run, &e)) {
		struct astra_list *list =
			e.running ? &run->dropped : &run->passed;

		if (e.gpus <= left && allowed(run, e.index)) {
			uint32_t tenant = run->snapshot->jobs[e.index].tenant;

			left -= e.gpus;
			run->tenants[tenant].planned += e.gpus;
			list = e.running ? NULL : &run->picked;
		}
		if (list && push(list, e.index) < 0)
			return -1;
	}
	for (size_t i = 0; i < run->lines.line_count; i++)
		for (size_t k = 0; k < run->lines.lines[i].count; k++) {
			const struct astra_entry *rest =
				&run->lines
					 .sorted[run->lines.lines[i].begin + k];

			if (rest->running &&
			    push(&run->dropped, rest->index) < 0)
				return -1;
		}
	for (size_t i = 0; i < run->dropped.count; i++)
		astra_baseline_free_later(run, run->dropped.items[i]);
	return 0;
}

/* By place: those that were granted GPUs. */
static int baseline_round_settle(struct astra_baseline_run *run)
{
	for (size_t i = 0; i < run->picked.count; i++) {
		uint32_t index = run->picked.items[i];
		const struct astra_job *job = &run->snapshot->jobs[index];
		struct astra_baseline_job *m =
			astra_baseline_memory(run, index);
		int placed = astra_baseline_place(run, index, job->request.gpus,
						  ASTRA_PLACE_NOW |
							  ASTRA_PLACE_LATER);

		if (placed < 0)
			return -1;
		m->granted = placed == ASTRA_PLACED_LATER ? run->decision : 0;
		if (placed == ASTRA_PLACED_NOT)
			run->tenants[job->tenant].planned -= job->request.gpus;
	}
	run->picked.count = 0;
	return 0;
}

/* Stop those whose GPUs were given to others. */
static int baseline_round_stop(struct astra_baseline_run *run)
{
	for (size_t i = 0; i < run->dropped.count; i++) {
		uint32_t index = run->dropped.items[i];

		if (!astra_baseline_keep(run, index) &&
		    astra_baseline_stop(run, index) < 0)
			return -1;
	}
	return 0;
}

/* The next that waits: who was passed over, then the rest of the lines. */
static bool next_waiting(struct astra_baseline_run *run, size_t *at,
			 uint32_t *index)
{
	struct astra_entry e;

	if (*at < run->passed.count) {
		*index = run->passed.items[(*at)++];
		return true;
	}
	do
		if (!baseline_round_next(run, &e))
			return false;
	while (e.running);
	*index = e.index;
	return true;
}

/* Returns 1 when the job starts, 0 when not, -1 when memory is out. */
static int try_to_start(struct astra_baseline_run *run, uint32_t index)
{
	const struct astra_job *job = &run->snapshot->jobs[index];
	int placed;

	if (job->request.gpus > astra_space_gpus(run->now) ||
	    !allowed(run, index) ||
	    (run->reserved && astra_baseline_delays(run, index)))
		return 0;
	placed = astra_baseline_place(run, index, job->request.gpus,
				      ASTRA_PLACE_NOW);
	if (placed != ASTRA_PLACED_NOW)
		return placed;
	run->tenants[job->tenant].planned += job->request.gpus;
	if (run->reserved)
		astra_baseline_backfill(run, index);
	return push(&run->picked, index) < 0 ? -1 : 1;
}

/* What is free goes to those that fit. */
static int baseline_round_fill(struct astra_baseline_run *run)
{
	uint32_t index;
	size_t at = 0;

	while (astra_space_gpus(run->now) >= run->least &&
	       next_waiting(run, &at, &index)) {
		int rc = try_to_start(run, index);

		if (rc < 0)
			return -1;
		if (!rc && run->baseline->backfills && !run->reserved &&
		    astra_baseline_reserve(run, index) < 0)
			return -1;
	}
	return 0;
}

static uint64_t count_free(const struct astra_snapshot *s)
{
	uint64_t gpus = 0;

	for (size_t i = 0; i < s->node_count; i++)
		if (s->nodes[i].usable)
			gpus += s->nodes[i].gpus_free;
	return gpus;
}

int astra_baseline_decide(struct astra_baseline_run *run)
{
	uint64_t gpus;

	if (run->baseline->divide)
		return astra_baseline_divide(run);
	gpus = count_free(run->snapshot);
	if (!run->full && gpus < run->least)
		return 0;
	run->most = UINT64_MAX;
	if (!run->full && !run->baseline->backfills)
		run->most = gpus;
	if ((run->baseline->prepare && run->baseline->prepare(run) < 0) ||
	    baseline_round_gather(run) < 0 ||
	    (run->full && baseline_round_choose(run) < 0))
		return -1;
	astra_baseline_set_spaces(run);
	if (baseline_round_settle(run) < 0 || baseline_round_stop(run) < 0)
		return -1;
	return baseline_round_fill(run);
}
