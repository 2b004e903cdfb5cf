/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules with which OGASched is compared. They divide each slot between the
 * present jobs (Zhao et al., section 4; SPEC section 5). A slot is a LeaseTerm,
 * and each job a port, in the order of submission. In the paper a port may take
 * its demand on each node; here a job takes its GPUs once. */
#include <stdlib.h>

#include "src/policies/baselines/baseline.h"

/* fairness: each job gets min(a, c a / sum of a) in whole GPUs. What is left
 * goes by submission, first to jobs that cannot run on their part, such as
 * rigid jobs. The rest is given one GPU at a time. */

static uint64_t oga_give_parts(struct baseline_run *run, uint64_t gpus)
{
	uint64_t asked = 0, left = gpus;

	for (size_t i = 0; i < run->portion_count; i++)
		asked += run->portions[i].most;
	for (size_t i = 0; i < run->portion_count; i++) {
		struct baseline_portion *p = &run->portions[i];
		uint64_t part = asked > gpus ? gpus * p->most / asked : p->most;

		p->gpus = part < p->least ? 0 : (uint32_t)part;
		left -= p->gpus;
	}
	return left;
}

static uint64_t oga_give_least(struct baseline_run *run, uint64_t left)
{
	for (size_t i = 0; i < run->portion_count; i++) {
		struct baseline_portion *p = &run->portions[i];

		if (p->gpus || p->least > left)
			continue;
		p->gpus = p->least;
		left -= p->least;
	}
	return left;
}

static void oga_by_demand(struct baseline_run *run, uint64_t gpus)
{
	uint64_t left = oga_give_least(run, oga_give_parts(run, gpus));
	bool more = true;

	while (left && more) {
		more = false;
		for (size_t i = 0; left && i < run->portion_count; i++) {
			struct baseline_portion *p = &run->portions[i];

			if (!p->gpus || p->gpus >= p->most)
				continue;
			p->gpus++;
			left--;
			more = true;
		}
	}
}

/* drf: in the order of the dominant share, each job takes min(a, what is left).
 * With one resource the dominant share is the demand. */

static int oga_compare(const void *a, const void *b, void *arg)
{
	const struct baseline_portion *portions = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (portions[x].most != portions[y].most)
		return portions[x].most < portions[y].most ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void oga_smallest_first(struct baseline_run *run, uint64_t gpus)
{
	size_t count = run->portion_count;

	for (size_t i = 0; i < count; i++)
		run->order[i] = (uint32_t)i;
	if (count)
		qsort_r(run->order, count, sizeof(*run->order), oga_compare,
			run->portions);
	for (size_t i = 0; gpus && i < count; i++) {
		struct baseline_portion *p = &run->portions[run->order[i]];
		uint64_t part = p->most < gpus ? p->most : gpus;

		if (part < p->least)
			continue;
		p->gpus = (uint32_t)part;
		gpus -= part;
	}
}

/* binpacking and spreading: the jobs take turns. In its turn a job takes what
 * it still wants from the fullest, or emptiest, node. A job that cannot run on
 * less takes from as many nodes at once as it needs. */

static uint32_t oga_take(struct baseline_run *run, uint32_t want)
{
	uint32_t *left = &run->node_gpus[baseline_spot(run, run->node_gpus)];
	uint32_t gpus = *left < want ? *left : want;

	*left -= gpus;
	return gpus;
}

static void oga_in_turns(struct baseline_run *run, uint64_t gpus)
{
	bool more = true;

	while (gpus && more) {
		more = false;
		for (size_t i = 0; gpus && i < run->portion_count; i++) {
			struct baseline_portion *p = &run->portions[i];

			if (p->gpus >= p->most || (!p->gpus && p->least > gpus))
				continue;
			do {
				uint32_t got = oga_take(run, p->most - p->gpus);

				p->gpus += got;
				gpus -= got;
			} while (p->gpus < p->least);
			more = true;
		}
	}
}

#define OGA_SOURCE                                                            \
	"OGASched's evaluation (Zhao et al., section 4), with one resource; " \
	"slots of a LeaseTerm"

/* Define the policy astra_NAME with this rule. */
#define OGA_POLICY(id, text, about, ...)                              \
	static const struct baseline id = {.stops = BASELINE_QUANTUM, \
					   __VA_ARGS__};              \
	BASELINE_CREATE(id, id)                                       \
	const struct astra_policy astra_##id = {                      \
		.name = text,                                         \
		.summary = about,                                     \
		.source = OGA_SOURCE,                                 \
		.create = id##_create,                                \
		BASELINE_CALLS,                                       \
	}

OGA_POLICY(oga_drf, "oga-drf", "each LeaseTerm smallest demand first; elastic",
	   .divide = oga_smallest_first);

OGA_POLICY(oga_fairness, "oga-fairness",
	   "each LeaseTerm in proportion to demands; elastic",
	   .divide = oga_by_demand);

OGA_POLICY(oga_binpacking, "oga-binpacking",
	   "each LeaseTerm in turns from the fullest node; elastic",
	   .divide = oga_in_turns, .place = BASELINE_FULLEST);

OGA_POLICY(oga_spreading, "oga-spreading",
	   "each LeaseTerm in turns from the emptiest node; elastic",
	   .divide = oga_in_turns, .place = BASELINE_EMPTIEST);
