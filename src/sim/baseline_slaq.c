/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SLAQ: each epoch the GPUs go, one by one, to the job whose normalised loss
 * they are predicted to lower most during the epoch.
 *
 * A trace knows no losses. Here each job's falls as 1 / (1 + 99 x) where x is
 * the part of its work that is done: SLAQ's sublinear curve, 1 at the begin and
 * 1 % at the end, as if its prediction were without an error. Every job is
 * given the fewest GPUs that it can run on first, the one with the largest gain
 * by GPU before others, and a rigid job those or none.
 */
#include <math.h>

#include "src/sim/baseline.h"

#define LOSS_FALL 99.0

static double baseline_slaq_loss(double x)
{
	return 1 / (1 + LOSS_FALL * fmin(1, x));
}

/* By how much the loss falls in an epoch on so many GPUs. */
static double baseline_slaq_gain(const struct astra_baseline_run *run,
				 const struct astra_portion *p, uint32_t gpus)
{
	const struct astra_oracle *o = &run->oracle[p->job];
	double x = o->done_sec / o->job->duration_sec;
	double step = run->lease_sec / o->job->duration_sec * gpus / p->most;

	return baseline_slaq_loss(x) - baseline_slaq_loss(x + step);
}

/* What the next GPUs are good for, each of them. */
static void set_score(const struct astra_baseline_run *run,
		      struct astra_portion *p)
{
	p->score = p->gpus ? baseline_slaq_gain(run, p, p->gpus + 1) -
				     baseline_slaq_gain(run, p, p->gpus)
			   : baseline_slaq_gain(run, p, p->least) / p->least;
}

/* The larger score first, then the earlier submission. */
static bool baseline_slaq_before(const struct astra_portion *portions,
				 uint32_t a, uint32_t b)
{
	double x = portions[a].score, y = portions[b].score;

	return x > y || (!(x < y) && a < b);
}

static void baseline_slaq_sift_down(const struct astra_portion *portions,
				    uint32_t *heap, size_t count, size_t at)
{
	for (;;) {
		size_t first = at;
		uint32_t moved = heap[at];

		for (size_t child = 2 * at + 1;
		     child <= 2 * at + 2 && child < count; child++)
			if (baseline_slaq_before(portions, heap[child],
						 heap[first]))
				first = child;
		if (first == at)
			return;
		heap[at] = heap[first];
		heap[first] = moved;
		at = first;
	}
}

static void form_heap(const struct astra_portion *portions, uint32_t *heap,
		      size_t count)
{
	for (size_t i = count / 2; i--;)
		baseline_slaq_sift_down(portions, heap, count, i);
}

static void drop_first(const struct astra_portion *portions, uint32_t *heap,
		       size_t *count)
{
	heap[0] = heap[--*count];
	if (*count)
		baseline_slaq_sift_down(portions, heap, *count, 0);
}

/* The fewest that each can run on. Returns the GPUs that are left. */
static uint64_t give_least(struct astra_baseline_run *run,
			   struct astra_portion *portions, size_t count,
			   uint64_t gpus)
{
	for (size_t i = 0; i < count; i++) {
		set_score(run, &portions[i]);
		run->heap[i] = (uint32_t)i;
	}
	form_heap(portions, run->heap, count);
	while (count && gpus) {
		struct astra_portion *p = &portions[run->heap[0]];

		drop_first(portions, run->heap, &count);
		if (p->least > gpus)
			continue;
		p->gpus = p->least;
		gpus -= p->least;
	}
	return gpus;
}

static void by_gain(struct astra_baseline_run *run,
		    struct astra_portion *portions, size_t count, uint64_t gpus)
{
	size_t growing = 0;

	gpus = give_least(run, portions, count, gpus);
	for (size_t i = 0; i < count; i++) {
		if (!portions[i].gpus || portions[i].gpus == portions[i].most)
			continue;
		set_score(run, &portions[i]);
		run->heap[growing++] = (uint32_t)i;
	}
	form_heap(portions, run->heap, growing);
	for (; growing && gpus; gpus--) {
		struct astra_portion *p = &portions[run->heap[0]];

		if (++p->gpus == p->most) {
			drop_first(portions, run->heap, &growing);
			continue;
		}
		set_score(run, p);
		baseline_slaq_sift_down(portions, run->heap, growing, 0);
	}
}

const struct astra_baseline astra_baseline_slaq = {
	.scheduler =
		{
			.name = "slaq",
			.summary =
				"GPU by GPU to the job whose loss it lowers most, "
				"each LeaseTerm; elastic, knows durations",
			.source =
				"SLAQ (Zhang et al., SoCC'17), section 4; losses "
				"are made up",
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_QUANTUM,
	.divide = by_gain,
};
