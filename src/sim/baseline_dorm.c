/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dorm: whenever a job comes or ends, the GPUs are divided anew so that as many
 * as possible are used, under two limits: on fairness loss, the sum over jobs
 * of what their share differs from the fair one, and on how many of the running
 * jobs have their number of GPUs changed. Nobody is stopped altogether.
 *
 * The fair share is max-min: DRF with one resource, each job an application of
 * its own. Dorm solves a mixed integer program; here the same is done step by
 * step. Waiting jobs get what is free, in the order of their submission. While
 * the fairness loss is above its limit, and jobs may still be changed, those
 * that hold most above their fair share give it to those that wait. What is
 * free then goes to running jobs that hold least of theirs. So both limits bind
 * as in the paper, but where they cannot both be kept that on changes is, while
 * the paper leaves all as it is.
 */
#include <math.h>
#include <stdlib.h>

#include "src/common/number.h"
#include "src/sim/baseline.h"

/* The paper's theta 1 and theta 2. */
#define LOSS_MOST .1
#define CHANGE_MOST .1

struct division {
	struct astra_portion *portions;
	size_t count;
	uint64_t gpus, left; /* all; not given to anybody */
	uint32_t changes;    /* still allowed */
};

/* Who takes part gets a goal, the fewest GPUs that it can run on: those that
 * run, then those that wait as long as there are GPUs. Returns what is left. */
static uint64_t baseline_dorm_admit(struct division *d)
{
	uint64_t left = d->gpus;

	for (int waiting = 0; waiting < 2; waiting++)
		for (size_t i = 0; i < d->count; i++) {
			struct astra_portion *p = &d->portions[i];

			if ((p->held ? 0 : 1) != waiting || p->least > left)
				continue;
			p->goal = p->least;
			left -= p->least;
		}
	return left;
}

/* Max-min: to the lowest goals first. */
static void set_goals(struct division *d)
{
	uint64_t left = baseline_dorm_admit(d);
	uint32_t level = 1;

	while (left) {
		uint32_t next = UINT32_MAX;

		for (size_t i = 0; left && i < d->count; i++) {
			struct astra_portion *p = &d->portions[i];

			if (!p->goal || p->goal == p->most)
				continue;
			if (p->goal < level) {
				p->goal++;
				left--;
			}
			if (p->goal < p->most && p->goal < next)
				next = p->goal;
		}
		if (next == UINT32_MAX)
			return;
		level = next + 1;
	}
}

/* Sum of |share - fair share| over the jobs, in GPUs. */
static uint64_t baseline_dorm_loss(const struct division *d)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < d->count; i++) {
		const struct astra_portion *p = &d->portions[i];

		sum += p->gpus > p->goal ? p->gpus - p->goal
					 : p->goal - p->gpus;
	}
	return sum;
}

static bool too_unfair(const struct division *d)
{
	return (double)baseline_dorm_loss(d) > 2 * LOSS_MOST * (double)d->gpus;
}

/* The unchanged running job that is most above its goal, or below it; NULL:
 * there is none. */
static struct astra_portion *farthest(const struct division *d, bool above)
{
	struct astra_portion *best = NULL;
	uint32_t most = 0;

	for (size_t i = 0; i < d->count; i++) {
		struct astra_portion *p = &d->portions[i];
		uint32_t off = above ? p->gpus - p->goal : p->goal - p->gpus;

		if (!p->held || p->gpus != p->held ||
		    (above ? p->gpus <= p->goal : p->gpus >= p->goal) ||
		    off <= most)
			continue;
		best = p;
		most = off;
	}
	return best;
}

/* A waiting job gets up to its goal of what is left. */
static void baseline_dorm_give(struct division *d, struct astra_portion *p)
{
	uint64_t gpus = p->gpus + d->left;

	if (gpus > p->goal)
		gpus = p->goal;
	if (gpus < p->least)
		return;
	d->left -= gpus - p->gpus;
	p->gpus = (uint32_t)gpus;
}

/* Let others give a waiting job its goal, or leave them if all that they may
 * give is not enough for it to run on. */
static void baseline_dorm_collect(struct division *d, struct astra_portion *p)
{
	double mark = (double)(p - d->portions) + 1;
	struct division tried = *d;
	struct astra_portion *giver;

	while (p->gpus + tried.left < p->goal && tried.changes &&
	       (giver = farthest(&tried, true))) {
		tried.left += giver->gpus - giver->goal;
		giver->gpus = giver->goal;
		giver->score = mark;
		tried.changes--;
	}
	if (p->gpus + tried.left >= p->least) {
		*d = tried;
		baseline_dorm_give(d, p);
		return;
	}
	for (size_t i = 0; i < d->count; i++)
		if (d->portions[i].held && d->portions[i].score == mark)
			d->portions[i].gpus = d->portions[i].held;
}

static void baseline_dorm_grow(struct division *d)
{
	while (d->left && d->changes) {
		struct astra_portion *p = farthest(d, false);
		uint64_t more;

		if (!p)
			return;
		more = p->goal - p->gpus;
		if (more > d->left)
			more = d->left;
		p->gpus += (uint32_t)more;
		d->left -= more;
		d->changes--;
	}
}

static void baseline_dorm_divide(struct astra_baseline_run *run,
				 struct astra_portion *portions, size_t count,
				 uint64_t gpus)
{
	struct division d = {portions, count, gpus, gpus, 0};
	size_t running = 0;

	(void)run;
	for (size_t i = 0; i < count; i++) {
		portions[i].gpus = portions[i].held;
		running += portions[i].held > 0;
		d.left -= portions[i].held;
	}
	d.changes = (uint32_t)astra_ceil(CHANGE_MOST * (double)running);
	set_goals(&d);
	for (size_t i = 0; d.left && i < count; i++)
		if (!portions[i].held && portions[i].goal)
			baseline_dorm_give(&d, &portions[i]);
	for (size_t i = 0; d.changes && i < count; i++)
		if (!portions[i].held && portions[i].gpus < portions[i].goal &&
		    too_unfair(&d))
			baseline_dorm_collect(&d, &portions[i]);
	baseline_dorm_grow(&d);
}

const struct astra_baseline astra_baseline_dorm = {
	.scheduler =
		{
			.name = "dorm",
			.summary =
				"as many GPUs in use as fairness and few changes "
				"allow; elastic",
			.source =
				"Dorm (Sun et al., SMARTCOMP'17), its "
				"utilisation-fairness optimiser, step by step",
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_EVENT,
	.divide = baseline_dorm_divide,
};
