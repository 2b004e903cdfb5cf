/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dorm: whenever a job comes or ends, the GPUs are divided anew so that as many
 * as possible are used. Two limits apply. One is on fairness loss: the sum over
 * jobs of the difference between their share and their fair share. The other is
 * on how many of the running jobs change their number of GPUs. No job is
 * stopped altogether.
 *
 * The fair share is max-min: DRF with one resource, where each job is an
 * application of its own. Dorm solves a mixed integer program; here the
 * solution is built step by step. Waiting jobs get what is free, in the order
 * of submission. While the fairness loss is above its limit and jobs may still
 * be changed, the jobs farthest above their fair share give the difference to
 * waiting jobs. What is then free goes to running jobs that hold least of their
 * share. So both limits hold as in the paper. If both cannot be kept, the limit
 * on changes is kept, while the paper leaves everything unchanged. */
#include <math.h>

#include "src/common/number.h"
#include "src/placement/placement.h"
#include "src/policies/baselines/baseline.h"

/* The paper's theta 1 and theta 2. */
#define DORM_LOSS_MOST .1
#define DORM_CHANGE_MOST .1

struct dorm_division {
	struct baseline_portion *portions;
	size_t count;
	uint64_t gpus, left; /* GPUs in all; GPUs not yet given to a job */
	uint32_t changes;    /* number of jobs that may still be changed */
};

/* Give each job that takes part the fewest GPUs that it can run on as its goal.
 * Running jobs come first, then waiting jobs as long as GPUs are left. Returns
 * the GPUs that are left. */
static uint64_t dorm_admit(struct dorm_division *d)
{
	uint64_t left = d->gpus;

	for (int waiting = 0; waiting < 2; waiting++)
		for (size_t i = 0; i < d->count; i++) {
			struct baseline_portion *p = &d->portions[i];

			if ((p->held ? 0 : 1) != waiting || p->least > left)
				continue;
			p->goal = p->least;
			left -= p->least;
		}
	return left;
}

/* Set max-min goals: GPUs go to the lowest goals first. */
static void dorm_set_goals(struct dorm_division *d)
{
	uint64_t left = dorm_admit(d);
	uint32_t level = 1;

	while (left) {
		uint32_t next = UINT32_MAX;

		for (size_t i = 0; left && i < d->count; i++) {
			struct baseline_portion *p = &d->portions[i];

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

/* Return the sum of |share - fair share| over the jobs, in GPUs. */
static uint64_t dorm_loss(const struct dorm_division *d)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < d->count; i++) {
		const struct baseline_portion *p = &d->portions[i];

		sum += p->gpus > p->goal ? p->gpus - p->goal
					 : p->goal - p->gpus;
	}
	return sum;
}

static bool dorm_unfair(const struct dorm_division *d)
{
	return (double)dorm_loss(d) > 2 * DORM_LOSS_MOST * (double)d->gpus;
}

/* Return the running job, unchanged so far, that is farthest above its goal, or
 * with above = false farthest below it. NULL: there is none. */
static struct baseline_portion *dorm_farthest(const struct dorm_division *d,
					      bool above)
{
	struct baseline_portion *best = NULL;
	uint32_t most = 0;

	for (size_t i = 0; i < d->count; i++) {
		struct baseline_portion *p = &d->portions[i];
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

/* Give a waiting job GPUs from what is left, up to its goal. */
static void dorm_give(struct dorm_division *d, struct baseline_portion *p)
{
	uint64_t gpus = p->gpus + d->left;

	if (gpus > p->goal)
		gpus = p->goal;
	if (gpus < p->least)
		return;
	d->left -= gpus - p->gpus;
	p->gpus = (uint32_t)gpus;
}

/* Let other jobs give a waiting job the GPUs up to its goal. If all that they
 * may give is too little for the job to run on, nothing is taken. */
static void dorm_collect(struct dorm_division *d, struct baseline_portion *p)
{
	double mark = (double)(p - d->portions) + 1;
	struct dorm_division tried = *d;
	struct baseline_portion *giver;

	while (p->gpus + tried.left < p->goal && tried.changes &&
	       (giver = dorm_farthest(&tried, true))) {
		tried.left += giver->gpus - giver->goal;
		giver->gpus = giver->goal;
		giver->score = mark;
		tried.changes--;
	}
	if (p->gpus + tried.left >= p->least) {
		*d = tried;
		dorm_give(d, p);
		return;
	}
	for (size_t i = 0; i < d->count; i++)
		if (d->portions[i].held && d->portions[i].score == mark)
			d->portions[i].gpus = d->portions[i].held;
}

static void dorm_grow(struct dorm_division *d)
{
	while (d->left && d->changes) {
		struct baseline_portion *p = dorm_farthest(d, false);
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

/* Return how many jobs may change: a tenth of the running jobs if something
 * happened, else none. There are also rounds in which nothing happened. */
static uint32_t dorm_changes(const struct baseline_run *run)
{
	size_t running = 0;

	for (size_t i = 0; i < run->portion_count; i++)
		running += run->portions[i].held > 0;
	return run->happened ? (uint32_t)astra_ceil(DORM_CHANGE_MOST *
						    (double)running)
			     : 0;
}

static void dorm_divide(struct baseline_run *run, uint64_t gpus)
{
	struct dorm_division d = {
		.portions = run->portions,
		.count = run->portion_count,
		.gpus = gpus,
		.left = gpus,
		.changes = dorm_changes(run),
	};

	for (size_t i = 0; i < d.count; i++) {
		struct baseline_portion *p = &d.portions[i];

		p->gpus = p->held;
		d.left -= p->held < d.left ? p->held : d.left;
	}
	dorm_set_goals(&d);
	for (size_t i = 0; d.left && i < d.count; i++)
		if (!d.portions[i].held && d.portions[i].goal)
			dorm_give(&d, &d.portions[i]);
	for (size_t i = 0; d.changes && i < d.count; i++)
		if (!d.portions[i].held &&
		    d.portions[i].gpus < d.portions[i].goal && dorm_unfair(&d))
			dorm_collect(&d, &d.portions[i]);
	dorm_grow(&d);
}

/* Return the GPUs that are free, or held by jobs that compete or are
 * leaving. */
static uint32_t dorm_gpus(const struct baseline_run *run)
{
	uint64_t gpus = astra_space_gpus(run->space);

	for (size_t i = 0; i < run->offer->demand_count; i++) {
		const struct astra_demand *d = &run->offer->demands[i];

		if (baseline_returns(run, d))
			gpus += astra_held_gpus(d->job);
	}
	return (uint32_t)gpus;
}

/* Note whether a job came, ended or left its GPUs since the last round. GPUs
 * that are still being cleaned up are counted once they are free. */
static int dorm_account(struct baseline_run *run)
{
	struct baseline_books *b = &run->books;
	size_t before = b->job_count;
	uint32_t gpus = dorm_gpus(run);

	if (baseline_meet_jobs(run) < 0)
		return -1;
	run->happened = b->job_count != before || b->active != gpus;
	b->active = gpus;
	for (size_t i = 0; i < run->offer->demand_count; i++) {
		const struct astra_demand *d = &run->offer->demands[i];
		struct baseline_job_book *book = baseline_job_book(run, d);

		if (fabs(book->value - d->job->restart_cnt) < .5)
			continue;
		book->value = d->job->restart_cnt;
		run->happened = true;
	}
	run->out->changed |= run->happened;
	return 0;
}

static const struct baseline dorm = {
	.stops = BASELINE_ANYTIME,
	.account = dorm_account,
	.divide = dorm_divide,
};

BASELINE_CREATE(dorm, dorm)

const struct astra_policy astra_dorm = {
	.name = "dorm",
	.summary = "as many GPUs in use as fairness and few changes allow; "
		   "elastic",
	.source = "Dorm (Sun et al., SMARTCOMP'17), its utilisation-fairness "
		  "optimiser, step by step",
	.create = dorm_create,
	.endless = true,
	.preempts = true,
	BASELINE_KEEPS_BOOKS,
	BASELINE_CALLS,
};
