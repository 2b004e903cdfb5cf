/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One decision of a baseline: what is free goes, in its order, to those that
 * fit.
 */
#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
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
		.gpus = job->request.gpus,
	};

	if (!b->rank)
		return e;
	e.rank = b->rank(run, index);
	e.rank.major = coarse(e.rank.major);
	e.rank.minor = coarse(e.rank.minor);
	return e;
}

/* Those who wait and can start. */
static int baseline_round_gather(struct astra_baseline_run *run, uint64_t most)
{
	const struct astra_snapshot *s = run->snapshot;

	run->picked.count = 0;
	astra_lines_clear(&run->lines);
	for (size_t i = 0; i < s->node_count; i++)
		run->later_gpus[i] =
			s->nodes[i].usable ? s->nodes[i].gpus_free : 0;
	for (uint32_t i = 0; i < s->job_count; i++) {
		const struct astra_job *job = &s->jobs[i];
		struct astra_entry e;

		if (job->state != ASTRA_JOB_PENDING || !job->request.gpus ||
		    job->request.gpus > most)
			continue;
		e = baseline_round_entry_of(run, i);
		if (astra_lines_add(&run->lines, &e) < 0)
			return -1;
	}
	return astra_lines_form(&run->lines);
}

static bool allowed(const struct astra_baseline_run *run, uint32_t index)
{
	return !run->baseline->allowed || run->baseline->allowed(run, index);
}

/* Returns 1 when the job starts, 0 when not, -1 when memory is out. */
static int try_to_start(struct astra_baseline_run *run, uint32_t index)
{
	const struct astra_job *job = &run->snapshot->jobs[index];
	int placed;

	if (job->request.gpus > astra_space_gpus(run->now) ||
	    !allowed(run, index))
		return 0;
	placed = astra_baseline_place(run, index, job->request.gpus,
				      ASTRA_PLACE_NOW);
	if (placed != ASTRA_PLACED_NOW)
		return placed;
	return push(&run->picked, index) < 0 ? -1 : 1;
}

/* What is free goes to those that fit. */
static int baseline_round_fill(struct astra_baseline_run *run)
{
	struct astra_entry e;

	while (astra_space_gpus(run->now) >= run->least &&
	       astra_lines_take(&run->lines, 0, &e)) {
		if (try_to_start(run, e.index) < 0)
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
	if (gpus < run->least)
		return 0;
	if (baseline_round_gather(run, gpus) < 0)
		return -1;
	astra_baseline_set_spaces(run);
	return baseline_round_fill(run);
}
