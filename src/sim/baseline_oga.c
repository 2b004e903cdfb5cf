/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What OGASched is compared with: rules by which each slot is divided between
 * the jobs that are there (Zhao et al., section 4; SPEC section 5). A slot is a
 * LeaseTerm and each job a port, in the order of submission. There a port may
 * take its demand on each of the nodes; a job takes its GPUs once.
 */
#include <stdlib.h>

#include "src/sim/baseline.h"

/* fairness: min(a, c a / sum of a), whole GPUs, and what is left by that in the
 * order of submission: first to those that could not run on their part, as
 * rigid ones, then one by one. */

static uint64_t give_parts(struct astra_portion *portions, size_t count,
			   uint64_t gpus)
{
	uint64_t asked = 0, left = gpus;

	for (size_t i = 0; i < count; i++)
		asked += portions[i].most;
	for (size_t i = 0; i < count; i++) {
		struct astra_portion *p = &portions[i];
		uint64_t part = asked > gpus ? gpus * p->most / asked : p->most;

		p->gpus = part < p->least ? 0 : (uint32_t)part;
		left -= p->gpus;
	}
	return left;
}

static void by_demand(struct astra_baseline_run *run,
		      struct astra_portion *portions, size_t count,
		      uint64_t gpus)
{
	uint64_t left = give_parts(portions, count, gpus);
	bool more = true;

	(void)run;
	for (size_t i = 0; i < count; i++) {
		if (portions[i].gpus || portions[i].least > left)
			continue;
		portions[i].gpus = portions[i].least;
		left -= portions[i].least;
	}
	while (left && more) {
		more = false;
		for (size_t i = 0; left && i < count; i++) {
			struct astra_portion *p = &portions[i];

			if (!p->gpus || p->gpus == p->most)
				continue;
			p->gpus++;
			left--;
			more = true;
		}
	}
}

/* drf: by increasing dominant share, which of one resource is the demand; each
 * takes min(a, what is left). */

static int by_most(const void *a, const void *b, void *arg)
{
	const struct astra_portion *portions = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (portions[x].most != portions[y].most)
		return portions[x].most < portions[y].most ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void smallest_first(struct astra_baseline_run *run,
			   struct astra_portion *portions, size_t count,
			   uint64_t gpus)
{
	for (size_t i = 0; i < count; i++)
		run->heap[i] = (uint32_t)i;
	if (count)
		qsort_r(run->heap, count, sizeof(*run->heap), by_most,
			portions);
	for (size_t i = 0; gpus && i < count; i++) {
		struct astra_portion *p = &portions[run->heap[i]];
		uint64_t part = p->most < gpus ? p->most : gpus;

		if (part < p->least)
			continue;
		p->gpus = (uint32_t)part;
		gpus -= part;
	}
}

/* binpacking and spreading: in turns each takes what it still wants of the node
 * that is used most, or least; one that runs on no less, at once from as many
 * as it takes. */

static uint32_t baseline_oga_take(struct astra_baseline_run *run, uint32_t want)
{
	uint32_t node = astra_baseline_spot(run, run->node_gpus_left);
	uint32_t *left = &run->node_gpus_left[node];
	uint32_t gpus = *left < want ? *left : want;

	*left -= gpus;
	return gpus;
}

static void in_turns(struct astra_baseline_run *run,
		     struct astra_portion *portions, size_t count,
		     uint64_t gpus)
{
	bool more = true;

	while (gpus && more) {
		more = false;
		for (size_t i = 0; gpus && i < count; i++) {
			struct astra_portion *p = &portions[i];

			if (p->gpus == p->most || (!p->gpus && p->least > gpus))
				continue;
			do {
				uint32_t got = baseline_oga_take(
					run, p->most - p->gpus);

				p->gpus += got;
				gpus -= got;
			} while (p->gpus < p->least);
			more = true;
		}
	}
}

#define SOURCE                                                                \
	"OGASched's evaluation (Zhao et al., section 4), with one resource; " \
	"slots of a LeaseTerm"

const struct astra_baseline astra_baseline_oga_drf = {
	.scheduler =
		{
			.name = "oga-drf",
			.summary =
				"each LeaseTerm smallest demand first; elastic",
			.source = SOURCE,
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_QUANTUM,
	.divide = smallest_first,
};

const struct astra_baseline astra_baseline_oga_fairness = {
	.scheduler =
		{
			.name = "oga-fairness",
			.summary = "each LeaseTerm in proportion to demands; "
				   "elastic",
			.source = SOURCE,
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_QUANTUM,
	.divide = by_demand,
};

const struct astra_baseline astra_baseline_oga_binpacking = {
	.scheduler =
		{
			.name = "oga-binpacking",
			.summary =
				"each LeaseTerm in turns from the fullest node; "
				"elastic",
			.source = SOURCE,
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_QUANTUM,
	.divide = in_turns,
	.spot = ASTRA_SPOT_FULLEST,
};

const struct astra_baseline astra_baseline_oga_spreading = {
	.scheduler =
		{
			.name = "oga-spreading",
			.summary =
				"each LeaseTerm in turns from the emptiest node; "
				"elastic",
			.source = SOURCE,
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_QUANTUM,
	.divide = in_turns,
	.spot = ASTRA_SPOT_EMPTIEST,
};
