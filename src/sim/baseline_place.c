/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the jobs of a decision get their GPUs. */
#include <math.h>

#include "src/sim/baseline.h"

static void set_room(struct astra_space *space, size_t node, uint32_t gpus)
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

		set_room(run->now, i,
			 n->usable && !n->settling ? n->gpus_free : 0);
		set_room(run->later, i, run->later_gpus[i]);
	}
}

static int start(struct astra_baseline_run *run, uint32_t index, size_t count)
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
	run->started++;
	return astra_plan_add(run->plan, &d, run->shares, count);
}

/* Nobody else gets what was found in run->later. */
static void hold(struct astra_baseline_run *run, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t node = run->shares[i].node, gpus;

		astra_space_take(run->later, &run->shares[i]);
		gpus = astra_space_get(run->later, node)->gpus;
		if (astra_space_get(run->now, node)->gpus > gpus)
			set_room(run->now, node, gpus);
	}
}

int astra_baseline_place(struct astra_baseline_run *run, uint32_t index,
			 bool may_wait)
{
	const struct astra_request *r = &run->snapshot->jobs[index].request;
	size_t count = astra_place(run->now, r, NULL, 0, run->shares);

	if (count)
		return start(run, index, count) < 0 ? -1 : ASTRA_PLACED_NOW;
	if (may_wait)
		count = astra_place(run->later, r, NULL, 0, run->shares);
	hold(run, count);
	return count ? ASTRA_PLACED_LATER : ASTRA_PLACED_NOT;
}
