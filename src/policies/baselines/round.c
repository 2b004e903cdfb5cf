/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One decision of a baseline. If running jobs compete, the first step gives
 * GPUs by number: in the order of the baseline, to waiting and running jobs
 * alike, as long as there are GPUs. The second step gives places: waiting jobs
 * get their GPUs, now or as soon as other jobs have left. A running job whose
 * GPUs no waiting job needs is not stopped. What is then free goes to jobs that
 * fit. */
#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/common/number.h"
#include "src/placement/space_priv.h"
#include "src/policies/baselines/baseline.h"
#include "src/policies/forecast.h"
#include "src/policies/offer.h"
#include "src/policies/options.h"

void *baseline_create(const struct baseline *rule,
		      const struct astra_options *options,
		      struct astra_error *err)
{
	struct baseline_run *run = calloc(1, sizeof(*run));

	if (!run || astra_lines_init(&run->lines, 1) < 0) {
		free(run);
		astra_error_nomem(err);
		return NULL;
	}
	run->rule = rule;
	run->half_life_sec = options->half_life_sec;
	return run;
}

void baseline_destroy(void *self)
{
	struct baseline_run *run = self;

	if (!run)
		return;
	astra_lines_destroy(&run->lines);
	astra_lines_destroy(&run->cells);
	for (size_t i = 0; i < 4; i++)
		free(run->lists[i / 2][i % 2].items);
	baseline_books_clear(&run->books);
	free(run->tenants);
	free(run->scores);
	free(run->outlooks);
	free(run->shares);
	free(run->ends);
	free(run->portions);
	free(run->order);
	free(run->node_gpus);
	free(run);
}

double baseline_charge(const struct astra_demand *d)
{
	uint32_t gpus = astra_shares_gpus(d->held, d->held_count);

	if (d->job->state == ASTRA_JOB_RUNNING && d->job->held_charge > 0)
		return gpus ? d->job->held_charge : 0;
	return d->candidate.charge * gpus / d->candidate.gpus;
}

double baseline_done_sec(const struct astra_demand *d)
{
	const struct astra_forecast *f = &d->job->forecast;

	return f->measured ? f->done_sec : d->ran_sec;
}

double baseline_left_sec(const struct astra_demand *d)
{
	return fmax(0, astra_work_sec(d->job) - baseline_done_sec(d));
}

/* Round a score to 31 of its 53 bits (Veltkamp's splitting), so that equal
 * scores computed in different ways stay equal. */
static double round_coarse(double x)
{
	double high = x * ((1 << 22) + 1);

	return isfinite(high) ? high - (high - x) : x;
}

/* Return the charge of a job if it runs. */
static double round_cost(const struct astra_demand *d)
{
	return d->job->state == ASTRA_JOB_RUNNING ? baseline_charge(d)
						  : d->candidate.charge;
}

static int round_add(struct baseline_run *run, uint32_t demand)
{
	const struct astra_demand *d = &run->offer->demands[demand];
	struct astra_entry e = {
		.submit_sec = d->submit_sec,
		.id = d->job->id,
		.index = demand,
		.line = run->rule->tenant_key ? d->tenant : 0,
		.gpus = d->candidate.gpus,
		.running = d->job->state == ASTRA_JOB_RUNNING,
	};

	e.behind = run->rule->stops == BASELINE_ANYTIME && !e.running;
	if (run->rule->rank) {
		e.rank = run->rule->rank(run, d);
		e.rank.major = round_coarse(e.rank.major);
		e.rank.minor = round_coarse(e.rank.minor);
	}
	for (uint32_t i = 0; i < d->copies; i++)
		if (astra_lines_add(&run->lines, &e) < 0)
			return -1;
	return 0;
}

/* Count what the jobs hold and want. If the policy stops no job, running jobs
 * keep what they hold even when their lease is over. Such leases are from a
 * time before the policy. */
static void round_look(struct baseline_run *run)
{
	const struct astra_offer *offer = run->offer;

	for (size_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];
		bool running = d->job->state == ASTRA_JOB_RUNNING;

		if (!running || !d->open || !run->rule->stops)
			run->tenants[d->tenant].planned += baseline_charge(d);
		if (!d->open)
			continue;
		if (running && !run->rule->stops)
			astra_demand_take(offer, run->space, d);
		if (running)
			continue;
		run->waiting += d->copies;
		if (d->candidate.gpus < run->least)
			run->least = d->candidate.gpus;
	}
}

/* Collect the jobs that compete in this round. If the policy stops no job,
 * these are only waiting jobs: those that fit into the free GPUs and, unless
 * the policy skips jobs that do not fit, also those that do not fit, since they
 * block others. */
static int round_gather(struct baseline_run *run)
{
	const struct astra_offer *offer = run->offer;
	uint64_t free = astra_space_gpus(run->space), most = UINT64_MAX;

	if (!run->rule->stops && free < run->least)
		return 0;
	if (!run->rule->stops && run->rule->unfit == BASELINE_SKIP)
		most = free;
	for (uint32_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];

		if (d->open && d->candidate.gpus <= most &&
		    (run->rule->stops || d->job->state != ASTRA_JOB_RUNNING) &&
		    round_add(run, i) < 0)
			return -1;
	}
	return astra_lines_form(&run->lines);
}

static int round_make_room(struct baseline_run *run)
{
	const struct astra_offer *offer = run->offer;
	size_t lines = run->rule->tenant_key ? offer->tenant_count : 1;

	if (astra_grow(&run->tenants, &run->tenant_room,
		       offer->tenant_count + 1, sizeof(*run->tenants)) < 0 ||
	    astra_grow(&run->scores, &run->score_room, offer->demand_count + 1,
		       sizeof(*run->scores)) < 0 ||
	    astra_grow(&run->shares, &run->share_room, offer->node_count + 1,
		       sizeof(*run->shares)) < 0)
		return -1;
	if (run->lines.line_count == lines)
		return 0;
	astra_lines_destroy(&run->lines);
	return astra_lines_init(&run->lines, lines);
}

static int round_begin(struct baseline_run *run)
{
	const struct astra_offer *offer = run->offer;

	run->least = UINT32_MAX;
	run->waiting = run->passed = 0;
	run->reserved = false;
	run->books.passed_sec = fmax(0, offer->now_sec - run->books.last_sec);
	run->books.last_sec = offer->now_sec;
	for (size_t i = 0; i < 4; i++)
		run->lists[i / 2][i % 2].count = 0;
	run->space = astra_offer_space(offer);
	if (!run->space || round_make_room(run) < 0)
		return -1;
	for (size_t i = 0; i < offer->tenant_count; i++)
		run->tenants[i] = (struct baseline_tenant){0};
	astra_lines_clear(&run->lines);
	if (run->rule->account && run->rule->account(run) < 0)
		return -1;
	round_look(run);
	if (!run->waiting || run->rule->divide)
		return 0;
	if (run->rule->prepare && run->rule->prepare(run) < 0)
		return -1;
	return round_gather(run);
}

static void round_end(struct baseline_run *run)
{
	astra_space_destroy(run->space);
	astra_space_destroy(run->later);
	astra_space_destroy(run->whole);
	run->space = run->later = run->whole = NULL;
	run->offer = NULL;
	run->out = NULL;
}

/* Return the line whose turn it is. If all lines are empty, return
 * run->lines.line_count. */
static uint32_t round_line(const struct baseline_run *run)
{
	size_t best = run->lines.line_count;
	double best_key = 0;

	if (!run->rule->tenant_key)
		return 0;
	for (size_t i = 0; i < run->lines.line_count; i++) {
		double key;

		if (!run->lines.lines[i].count)
			continue;
		key = run->rule->tenant_key(run, (uint32_t)i);
		if (best == run->lines.line_count ||
		    astra_compare(key, best_key) < 0) {
			best = i;
			best_key = key;
		}
	}
	return (uint32_t)best;
}

static bool round_next(struct baseline_run *run, struct astra_entry *out)
{
	uint32_t line = round_line(run);

	return line < run->lines.line_count &&
	       astra_lines_take(&run->lines, line, out);
}

static bool round_allowed(const struct baseline_run *run,
			  const struct astra_demand *d)
{
	return !run->rule->allowed || run->rule->allowed(run, d);
}

static int round_push(struct baseline_list *list, uint32_t demand)
{
	if (astra_grow(&list->items, &list->room, list->count + 1,
		       sizeof(*list->items)) < 0)
		return -1;
	list->items[list->count++] = demand;
	return 0;
}

/* Choose by number which jobs may have GPUs. Running jobs that are not reached
 * because no GPU is left are not chosen. */
static int round_choose(struct baseline_run *run)
{
	uint64_t left = astra_space_gpus(run->later);
	struct astra_entry e;

	while (left && round_next(run, &e)) {
		const struct astra_demand *d = &run->offer->demands[e.index];
		bool chosen = e.gpus <= left && round_allowed(run, d);

		if (chosen) {
			left -= e.gpus;
			run->tenants[d->tenant].planned += round_cost(d);
		}
		if (round_push(&run->lists[e.running][chosen], e.index) < 0)
			return -1;
	}
	for (size_t i = 0; i < run->lines.line_count; i++)
		for (size_t k = 0; k < run->lines.lines[i].count; k++) {
			e = run->lines.sorted[run->lines.lines[i].begin + k];
			if (e.running &&
			    round_push(&run->lists[1][0], e.index) < 0)
				return -1;
		}
	return 0;
}

int baseline_award(struct baseline_run *run, uint32_t demand,
		   const struct astra_share *shares, size_t count)
{
	if (run->offer->demands[demand].job->state != ASTRA_JOB_RUNNING)
		run->waiting--;
	return astra_allocation_add(run->out, demand, run->until_sec, shares,
				    count);
}

int baseline_keep(struct baseline_run *run, uint32_t demand)
{
	const struct astra_demand *d = &run->offer->demands[demand];

	astra_demand_take(run->offer, run->later, d);
	return baseline_award(run, demand, d->job->held, d->job->held_count);
}

int baseline_set_later(struct baseline_run *run)
{
	const struct astra_offer *offer = run->offer;

	run->later = astra_space_copy(run->space);
	if (!run->later)
		return -1;
	for (uint32_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];

		if (baseline_returns(run, d))
			astra_demand_give(offer, run->later, d);
	}
	return 0;
}

/* Set run->space to what is free now, without what competing jobs hold. Let the
 * chosen running jobs continue. */
static int round_set_spaces(struct baseline_run *run)
{
	const struct baseline_list *stay = &run->lists[1][1];
	const struct baseline_list *drop = &run->lists[1][0];

	for (size_t i = 0; i < drop->count; i++)
		astra_demand_take(run->offer, run->space,
				  &run->offer->demands[drop->items[i]]);
	for (size_t i = 0; i < stay->count; i++) {
		astra_demand_take(run->offer, run->space,
				  &run->offer->demands[stay->items[i]]);
		if (baseline_keep(run, stay->items[i]) < 0)
			return -1;
	}
	return 0;
}

void baseline_hold(struct baseline_run *run, const struct astra_share *shares,
		   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t node = shares[i].node;
		struct astra_room now = *astra_space_get(run->space, node);
		const struct astra_room *later =
			astra_space_get(run->later, node);

		now.gpus = astra_min32(now.gpus, later->gpus);
		now.cpus = astra_min32(now.cpus, later->cpus);
		if (later->mem_mib < now.mem_mib)
			now.mem_mib = later->mem_mib;
		now.whole &= later->whole;
		astra_space_set(run->space, node, &now);
	}
}

/* Place a job that was granted GPUs. If it has to wait for them and each round
 * decides anew, it gets no award, but the jobs that hold its GPUs leave. */
static int round_settle(struct baseline_run *run, uint32_t demand)
{
	const struct astra_demand *d = &run->offer->demands[demand];
	uint32_t gpus = d->candidate.gpus;
	size_t count = astra_demand_place(run->space, d, gpus, run->shares);
	bool now = count > 0;

	if (now)
		astra_demand_settle(run->space, d, run->shares, count);
	else
		count = astra_demand_place(run->later, d, gpus, run->shares);
	if (!count) {
		run->tenants[d->tenant].planned -= round_cost(d);
		return 0;
	}
	astra_demand_settle(run->later, d, run->shares, count);
	if (!now)
		baseline_hold(run, run->shares, count);
	return now || run->rule->stops == BASELINE_QUANTUM
		       ? baseline_award(run, demand, run->shares, count)
		       : 0;
}

int baseline_drop(struct baseline_run *run, uint32_t demand)
{
	const struct astra_demand *d = &run->offer->demands[demand];

	if (!astra_demand_is_in(run->offer, run->later, d))
		return astra_allocation_leave(run->out, demand);
	run->tenants[d->tenant].planned += round_cost(d);
	if (baseline_keep(run, demand) < 0)
		return -1;
	baseline_hold(run, d->job->held, d->job->held_count);
	return 0;
}

/* Decide a round in which running jobs compete. */
static int round_contest(struct baseline_run *run)
{
	const struct baseline_list *pick = &run->lists[0][1];
	const struct baseline_list *drop = &run->lists[1][0];

	if (baseline_set_later(run) < 0 || round_choose(run) < 0 ||
	    round_set_spaces(run) < 0)
		return -1;
	for (size_t i = 0; i < pick->count; i++)
		if (round_settle(run, pick->items[i]) < 0)
			return -1;
	for (size_t i = 0; i < drop->count; i++)
		if (baseline_drop(run, drop->items[i]) < 0)
			return -1;
	return 0;
}

/* Start a job if it fits. Returns 1 if it starts, 0 if not, -1 when memory is
 * out. */
static int round_try(struct baseline_run *run, uint32_t demand)
{
	const struct astra_demand *d = &run->offer->demands[demand];
	uint32_t gpus = d->candidate.gpus;
	size_t count;

	if (gpus > astra_space_gpus(run->space) || !round_allowed(run, d) ||
	    (run->reserved && baseline_delays(run, d)))
		return 0;
	count = astra_demand_place(run->space, d, gpus, run->shares);
	if (!count)
		return 0;
	astra_demand_settle(run->space, d, run->shares, count);
	run->tenants[d->tenant].planned += d->candidate.charge;
	if (run->reserved)
		baseline_backfill(run, d);
	if (round_push(&run->lists[0][1], demand) < 0)
		return -1;
	return baseline_award(run, demand, run->shares, count) < 0 ? -1 : 1;
}

static struct astra_space *round_whole(const struct astra_offer *offer)
{
	struct astra_space *space = astra_offer_empty(offer);

	for (uint32_t n = 0; space && n < offer->node_count; n++) {
		const struct astra_node *node = &offer->nodes[n];

		if (node->usable)
			astra_space_set(
				space, n,
				&(struct astra_room){
					.gpus = node->gpus,
					.cpus = node->cpus,
					.mem_mib = node->mem_mib ? node->mem_mib
								 : UINT64_MAX,
					.whole = true,
				});
	}
	return space;
}

/* Whether a job could run if no other job ran. Returns 1, 0, or -1 when memory
 * is out. */
static int round_possible(struct baseline_run *run, uint32_t demand)
{
	const struct astra_demand *d = &run->offer->demands[demand];

	if (!run->whole)
		run->whole = round_whole(run->offer);
	if (!run->whole)
		return -1;
	return astra_demand_place(run->whole, d, d->job->request.gpus,
				  run->shares) > 0;
}

/* Take the next waiting job: first the jobs that were passed over, then the
 * rest of the lines. Returns false if there is none. */
static bool round_next_waiting(struct baseline_run *run,
			       struct astra_entry *out)
{
	const struct baseline_list *passed = &run->lists[0][0];

	if (run->passed < passed->count) {
		out->index = passed->items[run->passed++];
		out->line = run->rule->tenant_key
				    ? run->offer->demands[out->index].tenant
				    : 0;
		return true;
	}
	do
		if (!round_next(run, out))
			return false;
	while (out->running);
	return true;
}

/* Decide what a job that does not fit means for the jobs behind it. Returns 0,
 * or -1 when memory is out. */
static int round_mind(struct baseline_run *run, const struct astra_entry *e)
{
	int rc;

	if (run->rule->unfit == BASELINE_SKIP || run->reserved)
		return 0;
	rc = round_possible(run, e->index);
	if (rc <= 0)
		return rc;
	if (run->rule->unfit == BASELINE_BACKFILL)
		return baseline_reserve(run, &run->offer->demands[e->index]);
	run->lines.lines[e->line].count = 0;
	return 0;
}

static int round_fill(struct baseline_run *run)
{
	struct astra_entry e;

	while (astra_space_gpus(run->space) >= run->least &&
	       round_next_waiting(run, &e)) {
		int rc = round_try(run, e.index);

		if (rc < 0 || (!rc && round_mind(run, &e) < 0))
			return -1;
	}
	return 0;
}

/* Set when leases end, and when the next decision is due. */
static void round_set_end(struct baseline_run *run)
{
	double now = run->offer->now_sec, quantum = run->rule->quantum_sec;

	if (!(quantum > 0))
		quantum = run->offer->lease_sec;
	run->until_sec = HUGE_VAL;
	if (run->rule->stops != BASELINE_QUANTUM)
		return;
	run->until_sec =
		(floor((now + BASELINE_EPSILON_SEC) / quantum) + 1) * quantum;
	run->out->wake_sec = run->until_sec;
}

static int round_decide(struct baseline_run *run)
{
	if (run->rule->divide)
		return baseline_divide(run);
	if (run->waiting && run->rule->stops && round_contest(run) < 0)
		return -1;
	return run->waiting ? round_fill(run) : 0;
}

int baseline_allocate(void *self, const struct astra_offer *offer,
		      struct astra_allocation *out, struct astra_error *err)
{
	struct baseline_run *run = self;
	int rc = 0;

	run->offer = offer;
	run->out = out;
	round_set_end(run);
	out->spare_until_sec = run->until_sec;
	if (round_begin(run) < 0 || round_decide(run) < 0)
		rc = astra_error_nomem(err);
	else if (run->rule->wake && run->waiting)
		out->wake_sec = run->rule->wake(run);
	round_end(run);
	return rc;
}
