/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SLAQ: in each epoch the GPUs are given one by one. Each GPU goes to the job
 * whose normalised loss it is predicted to lower most during the epoch.
 *
 * Losses are not reported. Here each job's loss falls as 1 / (1 + 99 x), where
 * x is the part of its work that is done. This is SLAQ's sublinear curve, 1 at
 * the begin and 1 % at the end, as if its prediction had no error. Every job is
 * first given the fewest GPUs that it can run on, jobs with the largest gain
 * per GPU first. A rigid job gets all of its GPUs or none. */
#include <math.h>

#include "src/policies/baselines/baseline.h"
#include "src/policies/forecast.h"

#define SLAQ_FALL 99.0

static double slaq_loss(double x)
{
	return 1 / (1 + SLAQ_FALL * fmin(1, x));
}

/* Return how much the job's loss falls in an epoch on `gpus` GPUs. */
static double slaq_gain(const struct baseline_run *run,
			const struct baseline_portion *p, uint32_t gpus)
{
	const struct astra_demand *d = &run->offer->demands[p->demand];
	double work = astra_work_sec(d->job);
	double x = baseline_done_sec(d) / work;
	double step =
		run->offer->lease_sec / work * gpus / d->job->request.gpus;

	return slaq_loss(x) - slaq_loss(x + step);
}

/* Set the job's score: the gain of its next GPU, or the gain per GPU of its
 * fewest. */
static void slaq_score(const struct baseline_run *run,
		       struct baseline_portion *p)
{
	p->score = p->gpus ? slaq_gain(run, p, p->gpus + 1) -
				     slaq_gain(run, p, p->gpus)
			   : slaq_gain(run, p, p->least) / p->least;
}

/* Whether a goes before b: the larger score first, then the earlier
 * submission. */
static bool slaq_before(const struct baseline_run *run, uint32_t a, uint32_t b)
{
	double x = run->portions[a].score, y = run->portions[b].score;

	return x > y || (!(x < y) && a < b);
}

static void slaq_sift(struct baseline_run *run, size_t count, size_t at)
{
	uint32_t *heap = run->order;

	for (;;) {
		size_t first = at;
		uint32_t moved = heap[at];

		for (size_t child = 2 * at + 1;
		     child <= 2 * at + 2 && child < count; child++)
			if (slaq_before(run, heap[child], heap[first]))
				first = child;
		if (first == at)
			return;
		heap[at] = heap[first];
		heap[first] = moved;
		at = first;
	}
}

static void slaq_form(struct baseline_run *run, size_t count)
{
	for (size_t i = count / 2; i--;)
		slaq_sift(run, count, i);
}

static void slaq_drop_first(struct baseline_run *run, size_t *count)
{
	run->order[0] = run->order[--*count];
	if (*count)
		slaq_sift(run, *count, 0);
}

/* Give each job the fewest GPUs that it can run on. Returns the GPUs that are
 * left. */
static uint64_t slaq_give_least(struct baseline_run *run, uint64_t gpus)
{
	size_t count = run->portion_count;

	for (size_t i = 0; i < count; i++) {
		slaq_score(run, &run->portions[i]);
		run->order[i] = (uint32_t)i;
	}
	slaq_form(run, count);
	while (count && gpus) {
		struct baseline_portion *p = &run->portions[run->order[0]];

		slaq_drop_first(run, &count);
		if (p->least > gpus)
			continue;
		p->gpus = p->least;
		gpus -= p->least;
	}
	return gpus;
}

static void slaq_divide(struct baseline_run *run, uint64_t gpus)
{
	size_t growing = 0;

	gpus = slaq_give_least(run, gpus);
	for (size_t i = 0; i < run->portion_count; i++) {
		struct baseline_portion *p = &run->portions[i];

		if (!p->gpus || p->gpus >= p->most)
			continue;
		slaq_score(run, p);
		run->order[growing++] = (uint32_t)i;
	}
	slaq_form(run, growing);
	for (; growing && gpus; gpus--) {
		struct baseline_portion *p = &run->portions[run->order[0]];

		if (++p->gpus == p->most) {
			slaq_drop_first(run, &growing);
			continue;
		}
		slaq_score(run, p);
		slaq_sift(run, growing, 0);
	}
}

static const struct baseline slaq = {
	.stops = BASELINE_QUANTUM,
	.divide = slaq_divide,
};

BASELINE_CREATE(slaq, slaq)

const struct astra_policy astra_slaq = {
	.name = "slaq",
	.summary = "GPU by GPU to the job whose loss it lowers most, each "
		   "LeaseTerm; elastic, knows durations",
	.source = "SLAQ (Zhang et al., SoCC'17), section 4; losses are made up",
	.create = slaq_create,
	BASELINE_CALLS,
};
