/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the jobs of a decision get their GPUs. */
#include <math.h>
#include <stdlib.h>

#include "src/sim/baseline.h"

static void baseline_place_set_room(struct astra_space *space, size_t node,
				    uint32_t gpus)
{
	const struct astra_room room = {
		.gpus = gpus,
		.cpus = UINT32_MAX,
		.mem_mib = UINT64_MAX,
	};

	if (astra_space_get(space, (uint32_t)node)->gpus != gpus ||
	    !astra_space_get(space, (uint32_t)node)->cpus)
		astra_space_set(space, (uint32_t)node, &room);
}

void astra_baseline_set_spaces(struct astra_baseline_run *run)
{
	const struct astra_snapshot *s = run->snapshot;

	for (size_t i = 0; i < s->node_count; i++) {
		const struct astra_node *n = &s->nodes[i];

		baseline_place_set_room(run->now, i,
					n->usable && !n->settling ? n->gpus_free
								  : 0);
		baseline_place_set_room(run->later, i, run->later_gpus[i]);
	}
}

static int baseline_place_start(struct astra_baseline_run *run, uint32_t index,
				size_t count)
{
	const struct astra_job *job = &run->snapshot->jobs[index];
	struct astra_decision d = {
		.action = ASTRA_START,
		.job = job->id,
		.restart_cnt = job->restart_cnt,
		.until_sec = HUGE_VAL,
	};

	for (size_t i = 0; i < count; i++) {
		astra_space_take(run->now, &run->shares[i]);
		astra_space_take(run->later, &run->shares[i]);
	}
	astra_baseline_memory(run, index)->started = job->restart_cnt + 1;
	run->started++;
	return astra_plan_add(run->plan, &d, run->shares, count);
}

/* Nobody else gets what was found in run->later. */
static void baseline_place_hold(struct astra_baseline_run *run, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t node = run->shares[i].node, gpus;

		astra_space_take(run->later, &run->shares[i]);
		gpus = astra_space_get(run->later, node)->gpus;
		if (astra_space_get(run->now, node)->gpus > gpus)
			baseline_place_set_room(run->now, node, gpus);
	}
}

/* How much of a node is used, with so many GPUs left there. */
static double used_share(const struct astra_baseline_run *run, size_t node,
			 uint32_t left)
{
	uint32_t gpus = run->snapshot->nodes[node].gpus;

	return rint(1e12 * (gpus - left) / gpus) / 1e12;
}

uint32_t astra_baseline_spot(const struct astra_baseline_run *run,
			     const uint32_t *left)
{
	bool fullest = run->baseline->spot == ASTRA_SPOT_FULLEST;
	uint32_t best = ASTRA_NONE;
	double best_used = 0;

	for (uint32_t i = 0; i < run->snapshot->node_count; i++) {
		double used;

		if (!left[i])
			continue;
		used = used_share(run, i, left[i]);
		if (best != ASTRA_NONE &&
		    (fullest ? used <= best_used : used >= best_used))
			continue;
		best = i;
		best_used = used;
	}
	return best;
}

static int by_node(const void *a, const void *b)
{
	const struct astra_share *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

/* Node by node, as the baseline likes them. Returns the number of shares in
 * run->shares; 0: there are not enough GPUs. */
static size_t find_spots(struct astra_baseline_run *run,
			 const struct astra_space *space,
			 const struct astra_request *r)
{
	uint32_t *left = run->node_gpus_left, need = r->gpus;
	size_t count = 0;

	if (astra_space_gpus(space) < need)
		return 0;
	for (uint32_t i = 0; i < run->snapshot->node_count; i++)
		left[i] = astra_space_get(space, i)->gpus;
	while (need) {
		uint32_t node = astra_baseline_spot(run, left);
		uint32_t gpus = left[node] < need ? left[node] : need;

		run->shares[count++] = astra_request_share(r, node, gpus);
		left[node] = 0; /* each node once */
		need -= gpus;
	}
	qsort(run->shares, count, sizeof(*run->shares), by_node);
	return count;
}

static size_t baseline_place_find(struct astra_baseline_run *run,
				  const struct astra_space *space,
				  const struct astra_request *r)
{
	if (run->baseline->spot == ASTRA_SPOT_FEWEST || r->nodes_max)
		return astra_place(space, r, NULL, 0, run->shares);
	return find_spots(run, space, r);
}

int astra_baseline_place(struct astra_baseline_run *run, uint32_t index,
			 uint32_t gpus, unsigned when)
{
	struct astra_request r = run->snapshot->jobs[index].request;
	size_t count = 0;

	r.gpus = gpus;
	if (when & ASTRA_PLACE_NOW)
		count = baseline_place_find(run, run->now, &r);
	if (count)
		return baseline_place_start(run, index, count) < 0
			       ? -1
			       : ASTRA_PLACED_NOW;
	if (when & ASTRA_PLACE_LATER)
		count = baseline_place_find(run, run->later, &r);
	baseline_place_hold(run, count);
	return count ? ASTRA_PLACED_LATER : ASTRA_PLACED_NOT;
}

void astra_baseline_free_later(struct astra_baseline_run *run, uint32_t index)
{
	const struct astra_job *job = &run->snapshot->jobs[index];

	for (size_t i = 0; i < job->held_count; i++)
		if (run->snapshot->nodes[job->held[i].node].usable)
			run->later_gpus[job->held[i].node] += job->held[i].gpus;
}

bool astra_baseline_keep(struct astra_baseline_run *run, uint32_t index)
{
	const struct astra_job *job = &run->snapshot->jobs[index];

	for (size_t i = 0; i < job->held_count; i++)
		if (astra_space_get(run->later, job->held[i].node)->gpus <
		    job->held[i].gpus)
			return false;
	for (size_t i = 0; i < job->held_count; i++)
		astra_space_take(run->later, &job->held[i]);
	return true;
}

int astra_baseline_stop(struct astra_baseline_run *run, uint32_t index)
{
	const struct astra_job *job = &run->snapshot->jobs[index];
	struct astra_decision d = {
		.action = job->checkpoints ? ASTRA_SIGNAL : ASTRA_REQUEUE,
		.job = job->id,
		.restart_cnt = job->restart_cnt,
		.until_sec = run->now_sec + run->grace_sec,
	};

	astra_baseline_memory(run, index)->leaving = job->restart_cnt + 1;
	return astra_plan_add(run->plan, &d, NULL, 0);
}
