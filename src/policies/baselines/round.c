/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One decision of a baseline: what is free goes, in its order, to those that
 * fit. */
#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/common/number.h"
#include "src/policies/baselines/baseline.h"
#include "src/policies/offer.h"

void *baseline_create(const struct baseline *rule, struct astra_error *err)
{
	struct baseline_run *run = calloc(1, sizeof(*run));

	if (!run || astra_lines_init(&run->lines, 1) < 0) {
		free(run);
		astra_error_nomem(err);
		return NULL;
	}
	run->rule = rule;
	return run;
}

void baseline_destroy(void *self)
{
	struct baseline_run *run = self;

	if (!run)
		return;
	astra_lines_destroy(&run->lines);
	free(run->tenants);
	free(run->shares);
	free(run);
}

/* GPUs that a job has or was promised, as charged. */
static double round_charge(const struct astra_demand *d)
{
	uint64_t gpus = 0;

	for (size_t i = 0; i < d->held_count; i++)
		gpus += d->held[i].gpus;
	if (d->job->state == ASTRA_JOB_RUNNING && d->job->held_charge > 0)
		return gpus ? d->job->held_charge : 0;
	return d->candidate.charge * (double)gpus / d->candidate.gpus;
}

/* Equal scores stay equal when they were computed in different ways: of the 53
 * bits 31 are kept (Veltkamp's splitting). */
static double round_coarse(double x)
{
	double high = x * ((1 << 22) + 1);

	return isfinite(high) ? high - (high - x) : x;
}

static int round_add(struct baseline_run *run, uint32_t demand)
{
	const struct astra_demand *d = &run->offer->demands[demand];
	struct astra_entry e = {
		.submit_sec = d->submit_sec,
		.id = d->job->id,
		.index = demand,
		.line = run->rule->tenant_key ? d->tenant : 0,
		.gpus = d->job->request.gpus,
	};

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

/* Those that run keep what they hold, also where their lease is over, as that
 * of one that was there before the policy. */
static int round_gather(struct baseline_run *run)
{
	const struct astra_offer *offer = run->offer;

	for (uint32_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];
		uint32_t gpus = d->job->request.gpus;

		run->tenants[d->tenant].planned += round_charge(d);
		if (!d->open)
			continue;
		if (d->job->state == ASTRA_JOB_RUNNING) {
			astra_demand_take(offer, run->space, d);
			continue;
		}
		if (gpus < run->least)
			run->least = gpus;
		if (round_add(run, i) < 0)
			return -1;
	}
	return astra_lines_form(&run->lines);
}

static int round_begin(struct baseline_run *run)
{
	const struct astra_offer *offer = run->offer;
	size_t lines = run->rule->tenant_key ? offer->tenant_count : 1;

	run->least = UINT32_MAX;
	run->whole = NULL;
	run->space = astra_offer_space(offer);
	if (!run->space ||
	    astra_grow(&run->tenants, &run->tenant_room,
		       offer->tenant_count + 1, sizeof(*run->tenants)) < 0 ||
	    astra_grow(&run->shares, &run->share_room, offer->node_count + 1,
		       sizeof(*run->shares)) < 0)
		return -1;
	for (size_t i = 0; i < offer->tenant_count; i++)
		run->tenants[i].planned = 0;
	if (run->lines.line_count != lines) {
		astra_lines_destroy(&run->lines);
		if (astra_lines_init(&run->lines, lines) < 0)
			return -1;
	}
	astra_lines_clear(&run->lines);
	return round_gather(run);
}

static void round_end(struct baseline_run *run)
{
	astra_space_destroy(run->space);
	astra_space_destroy(run->whole);
	run->space = run->whole = NULL;
	run->offer = NULL;
	run->out = NULL;
}

/* The line whose turn it is; run->lines.line_count: all are empty. */
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

/* Returns 1 when the job starts, 0 when not, -1 when memory is out. */
static int round_try(struct baseline_run *run, uint32_t demand)
{
	const struct astra_demand *d = &run->offer->demands[demand];
	uint32_t gpus = d->job->request.gpus;
	size_t count;

	if (gpus > astra_space_gpus(run->space) ||
	    (run->rule->allowed && !run->rule->allowed(run, d)))
		return 0;
	count = astra_demand_place(run->space, d, gpus, run->shares);
	if (!count)
		return 0;
	astra_demand_settle(run->space, d, run->shares, count);
	run->tenants[d->tenant].planned += d->candidate.charge;
	return astra_allocation_add(run->out, demand, HUGE_VAL, run->shares,
				    count) < 0
		       ? -1
		       : 1;
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

/* Whether a job could run if nobody else did. Returns 1, 0, or -1 when memory
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

static int round_fill(struct baseline_run *run)
{
	struct astra_entry e;

	while (astra_space_gpus(run->space) >= run->least &&
	       round_next(run, &e)) {
		int rc = round_try(run, e.index);

		if (!rc && run->rule->unfit == BASELINE_BLOCK) {
			rc = round_possible(run, e.index);
			if (rc > 0)
				run->lines.lines[e.line].count = 0;
		}
		if (rc < 0)
			return -1;
	}
	return 0;
}

int baseline_allocate(void *self, const struct astra_offer *offer,
		      struct astra_allocation *out, struct astra_error *err)
{
	struct baseline_run *run = self;
	int rc = 0;

	run->offer = offer;
	run->out = out;
	out->spare_until_sec = HUGE_VAL;
	if (round_begin(run) < 0 || round_fill(run) < 0)
		rc = astra_error_nomem(err);
	round_end(run);
	return rc;
}
