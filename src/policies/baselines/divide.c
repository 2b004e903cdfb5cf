/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One decision of a baseline that divides the GPUs between elastic jobs. If
 * running jobs compete, the first step is to decide how many GPUs each job
 * gets. The second step decides which GPUs these are. Jobs whose number stays
 * the same go on. The others leave, and their GPUs are reserved for the jobs
 * that were given them. What is then free is divided between the jobs that
 * still wait. */
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/policies/baselines/baseline.h"
#include "src/policies/offer.h"

#define DIVIDE_PASSES 16

static uint32_t divide_held(const struct astra_demand *d)
{
	if (!d->open || d->job->state != ASTRA_JOB_RUNNING)
		return 0;
	return astra_held_gpus(d->job);
}

static int divide_add(struct baseline_run *run, uint32_t demand)
{
	const struct astra_demand *d = &run->offer->demands[demand];
	const struct astra_request *q = &d->job->request;
	struct baseline_portion p = {
		.demand = demand,
		.least = astra_request_least(q),
		.most = q->gpus,
		.held = divide_held(d),
	};
	size_t count = run->portion_count + (d->open ? d->copies : 1);

	if (p.held && d->job->keeps_size)
		p.most = p.held;
	if (astra_grow(&run->portions, &run->portion_room, count,
		       sizeof(*run->portions)) < 0 ||
	    astra_grow(&run->order, &run->order_room, count,
		       sizeof(*run->order)) < 0)
		return -1;
	while (run->portion_count < count)
		run->portions[run->portion_count++] = p;
	return 0;
}

static int divide_compare(const void *a, const void *b, void *arg)
{
	const struct baseline_run *run = arg;
	const struct baseline_portion *p = a, *q = b;
	const struct astra_demand *x = &run->offer->demands[p->demand];
	const struct astra_demand *y = &run->offer->demands[q->demand];

	if (x->submit_sec < y->submit_sec || x->submit_sec > y->submit_sec)
		return x->submit_sec < y->submit_sec ? -1 : 1;
	return x->job->id < y->job->id ? -1 : x->job->id > y->job->id;
}

/* Collect the jobs that take part. Returns whether any of them runs, or -1 when
 * memory is out. grows: set if a running job could use more GPUs. */
static int divide_gather(struct baseline_run *run, bool *grows)
{
	const struct astra_offer *offer = run->offer;
	int runs = 0;

	run->portion_count = 0;
	for (uint32_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];
		const struct baseline_portion *p;

		if (!d->open && !baseline_returns(run, d))
			continue;
		if (divide_add(run, i) < 0)
			return -1;
		p = &run->portions[run->portion_count - 1];
		runs |= p->held > 0;
		*grows |= p->held && p->held < p->most;
	}
	return runs;
}

/* Divide the GPUs of a space between the jobs, rounding down to sizes that they
 * can run on. */
static int divide_space(struct baseline_run *run,
			const struct astra_space *space)
{
	size_t nodes = run->offer->node_count;
	uint64_t gpus = 0;

	if (astra_grow(&run->node_gpus, &run->node_room, nodes + 1,
		       sizeof(*run->node_gpus)) < 0)
		return -1;
	for (uint32_t n = 0; n < nodes; n++) {
		run->node_gpus[n] = astra_space_get(space, n)->gpus;
		gpus += run->node_gpus[n];
	}
	run->rule->divide(run, gpus);
	for (size_t i = 0; i < run->portion_count; i++) {
		struct baseline_portion *p = &run->portions[i];

		p->gpus = astra_request_size(
			&run->offer->demands[p->demand].job->request, p->gpus);
	}
	return 0;
}

uint32_t baseline_spot(const struct baseline_run *run, const uint32_t *left)
{
	bool fullest = run->rule->place == BASELINE_FULLEST;
	uint32_t best = ASTRA_NONE;
	uint64_t best_used = 0, best_gpus = 1;

	for (uint32_t n = 0; n < run->offer->node_count; n++) {
		uint64_t gpus = run->offer->nodes[n].gpus, used;

		if (!left[n])
			continue;
		used = gpus - (left[n] < gpus ? left[n] : gpus);
		if (best != ASTRA_NONE &&
		    (fullest ? used * best_gpus <= best_used * gpus
			     : used * best_gpus >= best_used * gpus))
			continue;
		best = n;
		best_used = used;
		best_gpus = gpus;
	}
	return best;
}

static int divide_by_node(const void *a, const void *b)
{
	const struct astra_share *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

static bool divide_barred(const struct astra_demand *d, uint32_t node)
{
	return !astra_node_allowed(&d->job->request, node) ||
	       (d->banned && d->banned[node / 64] >> (node % 64) & 1);
}

/* Place a job node by node, in the baseline's order, using each node once.
 * Returns the number of shares in run->shares, or 0. */
static size_t divide_spots(struct baseline_run *run,
			   const struct astra_space *space,
			   const struct astra_demand *d, uint32_t need)
{
	struct astra_request q = astra_request_sized(&d->job->request, need);
	size_t count = 0;

	for (uint32_t n = 0; n < run->offer->node_count; n++) {
		const struct astra_room *room = astra_space_get(space, n);

		run->node_gpus[n] =
			!divide_barred(d, n) && astra_room_fits(room, &q)
				? room->gpus
				: 0;
	}
	while (need) {
		uint32_t node = baseline_spot(run, run->node_gpus), gpus;

		if (node == ASTRA_NONE)
			return 0;
		gpus = astra_room_fits(astra_space_get(space, node), &q);
		gpus = gpus < need ? gpus : need;
		run->shares[count++] =
			(struct astra_share){.node = node, .gpus = gpus};
		run->node_gpus[node] = 0;
		need -= gpus;
	}
	qsort(run->shares, count, sizeof(*run->shares), divide_by_node);
	return count;
}

/* Find a place for `gpus` GPUs. A job with wishes about its nodes is always
 * placed consolidated. */
static size_t divide_find(struct baseline_run *run,
			  const struct astra_space *space,
			  const struct astra_demand *d, uint32_t gpus)
{
	const struct astra_request *q = &d->job->request;

	if (run->rule->place == BASELINE_FEWEST || q->nodes_max ||
	    q->nodes_min > 1 || q->gpus_per_node || q->gpus_quantum ||
	    q->required || q->whole_node)
		return astra_demand_place(space, d, gpus, run->shares);
	return divide_spots(run, space, d, gpus);
}

/* Let the jobs that keep their size continue, and find what is free now. */
static int divide_stay(struct baseline_run *run)
{
	for (size_t i = 0; i < run->portion_count; i++) {
		struct baseline_portion *p = &run->portions[i];

		if (!p->held)
			continue;
		astra_demand_take(run->offer, run->space,
				  &run->offer->demands[p->demand]);
		p->settled = p->held == p->gpus;
		if (p->settled && baseline_keep(run, p->demand) < 0)
			return -1;
	}
	return 0;
}

/* Start a job now, or reserve GPUs for it that will be free later. In the
 * latter case it has no award if each round decides anew. */
static int divide_place(struct baseline_run *run, struct baseline_portion *p)
{
	const struct astra_demand *d = &run->offer->demands[p->demand];
	size_t count = 0;
	bool now;

	if (d->open && !p->held)
		count = divide_find(run, run->space, d, p->gpus);
	now = count > 0;
	if (now)
		astra_demand_settle(run->space, d, run->shares, count);
	else
		count = divide_find(run, run->later, d, p->gpus);
	if (!count)
		return 0;
	p->settled = true;
	astra_demand_settle(run->later, d, run->shares, count);
	if (!now)
		baseline_hold(run, run->shares, count);
	if (now || run->rule->stops == BASELINE_QUANTUM)
		return baseline_award(run, p->demand, run->shares, count);
	return p->held ? astra_allocation_leave(run->out, p->demand) : 0;
}

/* Whether a job could have a place in a space. If so, cap p->most at the number
 * of GPUs that it could have there: more would be wasted on it. */
static bool divide_cap(struct baseline_run *run,
		       const struct astra_space *space,
		       struct baseline_portion *p)
{
	const struct astra_demand *d = &run->offer->demands[p->demand];
	uint32_t size =
		astra_request_size(&d->job->request, astra_space_gpus(space));
	uint32_t most;
	size_t count;

	if (!d->open || !size ||
	    astra_demand_place(space, d, size, run->shares))
		return true;
	count = astra_demand_place_most(space, d, size, run->shares);
	most = astra_shares_gpus(run->shares, count);
	if (most < p->held)
		most = p->held;
	if (most < p->most)
		p->most = most;
	return most > 0;
}

/* Choose the jobs between which the GPUs of a space are divided. waiting: only
 * jobs that wait and were given nothing yet. */
static void divide_narrow(struct baseline_run *run,
			  const struct astra_space *space, bool waiting)
{
	size_t left = 0;

	for (size_t i = 0; i < run->portion_count; i++) {
		struct baseline_portion p = run->portions[i];

		if ((waiting && (p.settled || p.held ||
				 !run->offer->demands[p.demand].open)) ||
		    !divide_cap(run, space, &p))
			continue;
		p.gpus = p.goal = 0;
		p.score = 0;
		run->portions[left++] = p;
	}
	run->portion_count = left;
}

/* Decide a round in which running jobs compete. */
static int divide_contest(struct baseline_run *run)
{
	if (baseline_set_later(run) < 0)
		return -1;
	divide_narrow(run, run->later, false);
	if (divide_space(run, run->later) < 0 || divide_stay(run) < 0)
		return -1;
	for (size_t i = 0; i < run->portion_count; i++) {
		struct baseline_portion *p = &run->portions[i];

		if (p->gpus && !p->settled && divide_place(run, p) < 0)
			return -1;
	}
	for (size_t i = 0; i < run->portion_count; i++) {
		const struct baseline_portion *p = &run->portions[i];

		if (p->held && !p->settled && baseline_drop(run, p->demand) < 0)
			return -1;
	}
	return 0;
}

/* Start the jobs that were given GPUs. If CPUs or memory are short, a job
 * starts on as many GPUs as have a place. Returns whether some job got fewer,
 * or -1 when memory is out. */
static int divide_start(struct baseline_run *run)
{
	int fewer = 0;

	for (size_t i = 0; i < run->portion_count; i++) {
		struct baseline_portion *p = &run->portions[i];
		const struct astra_demand *d = &run->offer->demands[p->demand];
		size_t count;

		if (!p->gpus)
			continue;
		p->settled = true;
		count = divide_find(run, run->space, d, p->gpus);
		if (!count) {
			fewer = 1;
			count = astra_demand_place_most(run->space, d, p->gpus,
							run->shares);
		}
		astra_demand_settle(run->space, d, run->shares, count);
		if (count &&
		    baseline_award(run, p->demand, run->shares, count) < 0)
			return -1;
	}
	return fewer;
}

/* Divide the free GPUs between the jobs that still wait. GPUs that a job could
 * not use are divided again between the others. */
static int divide_fill(struct baseline_run *run)
{
	int fewer = 1;

	for (int pass = 0; fewer > 0 && pass < DIVIDE_PASSES; pass++) {
		divide_narrow(run, run->space, true);
		if (!run->portion_count || !astra_space_gpus(run->space))
			return 0;
		if (divide_space(run, run->space) < 0)
			return -1;
		fewer = divide_start(run);
	}
	return fewer < 0 ? -1 : 0;
}

int baseline_divide(struct baseline_run *run)
{
	bool grows = false, contest;
	int runs = divide_gather(run, &grows);

	if (runs < 0)
		return -1;
	contest = runs || run->rule->stops == BASELINE_ANYTIME;
	if ((!run->waiting && !grows) ||
	    (!contest && !astra_space_gpus(run->space)))
		return 0;
	if (run->portion_count)
		qsort_r(run->portions, run->portion_count,
			sizeof(*run->portions), divide_compare, run);
	run->out->moves = run->rule->stops == BASELINE_QUANTUM;
	if (contest && divide_contest(run) < 0)
		return -1;
	return divide_fill(run);
}
