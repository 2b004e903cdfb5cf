/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/scheduler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/engine/engine_image.h"
#include "src/policies/options.h"
#include "src/policies/period.h"
#include "src/policies/policy.h"
#include "src/sim/overbid.h"
#include "src/sim/simulate.h"
#include "src/sim/virtual.h"

/* Makes the engine, with one of its policies, a scheduler of the simulator. */

#define POLICIES_MAX 64

struct host {
	struct astra_engine *engine;
	const struct astra_trace *trace;
	struct astra_overbid liar;
	double period_begin_sec, period_end_sec; /* set if it goes on from a
						  * live cluster; else 0 */
};

static void destroy_host(void *self)
{
	struct host *h = self;

	if (h) {
		astra_engine_destroy(h->engine);
		astra_overbid_clear(&h->liar);
	}
	free(h);
}

/* Returns a copy of the live cluster's engine, reconfigured with the options;
 * NULL with err set on failure. */
static struct astra_engine *host_go_on(const struct astra_engine *engine,
				       const struct astra_options *options,
				       struct astra_error *err)
{
	struct astra_bytes image = {0};
	struct astra_engine *copy = NULL;

	if (astra_engine_image(engine, &image) < 0)
		astra_error_nomem(err);
	else
		copy = astra_engine_of_image(astra_engine_options(engine),
					     image.data, image.size, err);
	astra_bytes_clear(&image);
	if (copy && astra_engine_configure(copy, options, err) < 0) {
		astra_engine_destroy(copy);
		copy = NULL;
	}
	return copy;
}

static void *create_host(const struct astra_scheduler_setup *setup,
			 struct astra_error *err)
{
	struct host *h = calloc(1, sizeof(*h));

	if (!h) {
		astra_error_nomem(err);
		return NULL;
	}
	h->trace = setup->trace;
	h->liar.lies = setup->lies;
	if (astra_options_check(setup->options, err) == 0)
		h->engine = setup->begin ? host_go_on(setup->begin->engine,
						      setup->options, err)
					 : astra_engine_create(setup->options,
							       setup->begin_sec,
							       err);
	if (setup->begin) {
		h->period_begin_sec = setup->begin->snapshot->period_begin_sec;
		h->period_end_sec = setup->begin->snapshot->period_end_sec;
	}
	if (h->engine)
		return h;
	free(h);
	return NULL;
}

/* Sets the present period of caps. The day 0 of a trace is January 1st; for
 * weekly caps it is a Monday, 1970-01-05. A simulation that goes on from a live
 * cluster keeps the cluster's calendar. */
static void host_period(const struct host *h, struct astra_snapshot *told)
{
	const struct astra_options *o = astra_engine_options(h->engine);
	double monday_sec = o->cap_period == ASTRA_PERIOD_WEEK ? 4 * 86400 : 0;
	double offset = ASTRA_VIRTUAL_BEGIN - monday_sec;

	if (!astra_capped(o))
		return;
	told->period_begin_sec = h->period_begin_sec;
	told->period_end_sec = h->period_end_sec;
	if (told->now_sec < h->period_end_sec)
		return;
	if (h->period_end_sec > 0)
		offset = astra_period_offset(h->period_end_sec);
	astra_period_at((enum astra_period)o->cap_period, told->now_sec, offset,
			&told->period_begin_sec, &told->period_end_sec);
}

/* Runs a round. The plugin runs one every RoundInterval, since anything may
 * have happened in slurmctld. In a simulation the next round is when something
 * is due. */
static int host_round(void *self, const struct astra_snapshot *snapshot,
		      struct astra_plan *plan, struct astra_error *err)
{
	struct host *h = self;
	struct astra_snapshot told = *snapshot;
	int bids = astra_overbid_make(&h->liar, snapshot,
				      astra_engine_auction(h->engine),
				      astra_engine_time(h->engine));

	if (bids < 0)
		return astra_error_nomem(err);
	host_period(h, &told);
	told.bids = &h->liar.bid;
	told.bid_count = (size_t)bids;
	if (h->liar.lies.app) /* the lying agent reads what the policy shows */
		plan->terse = false;
	if (astra_engine_round(h->engine, &told, plan, err) < 0)
		return -1;
	if (!(astra_engine_options(h->engine)->urgency_sec > 0))
		plan->wake_sec = plan->due_sec;
	return 0;
}

static int host_configure(void *self, const struct astra_options *options,
			  struct astra_error *err)
{
	struct host *h = self;

	return astra_engine_configure(h->engine, options, err);
}

static void host_report(void *self, struct astra_scheduler_report *out)
{
	const struct host *h = self;
	struct astra_policy_report sums;

	out->late = (double)astra_engine_counters(h->engine).over_bound;
	if (!astra_engine_policy_report(h->engine, NULL, &sums))
		return;
	out->revenue = sums.paid;
	out->reward = sums.reward;
	for (size_t i = 0; i < h->trace->tenant_count; i++)
		if (astra_engine_policy_report(
			    h->engine, h->trace->tenants[i].name, &sums)) {
			out->income[i] = sums.income;
			out->net[i] = sums.income - sums.paid;
		}
}

const struct astra_scheduler *const *astra_scheduler_all(void)
{
	static struct astra_scheduler hosts[POLICIES_MAX];
	static const struct astra_scheduler *list[POLICIES_MAX + 1];
	const struct astra_policy *const *p = astra_policy_all();

	for (size_t i = 0; p[i] && i < POLICIES_MAX; i++) {
		hosts[i] = (struct astra_scheduler){
			.name = p[i]->name,
			.summary = p[i]->summary,
			.source = p[i]->source,
			.blind = !p[i]->allocate,
			.create = create_host,
			.destroy = destroy_host,
			.round = host_round,
			.configure = host_configure,
			.report = host_report,
		};
		list[i] = &hosts[i];
	}
	return list;
}

static void no_scheduler(const char *name, struct astra_error *err)
{
	const struct astra_scheduler *const *s = astra_scheduler_all();

	astra_error_set(err, "there is no policy %.64s; there are %s", name,
			(*s)->name);
	for (s++; *s; s++) {
		size_t used = strlen(err->text);

		snprintf(err->text + used, sizeof(err->text) - used, ", %s",
			 (*s)->name);
	}
}

const struct astra_scheduler *astra_scheduler_find(const char *name,
						   struct astra_error *err)
{
	const struct astra_scheduler *const *s = astra_scheduler_all();

	for (; *s; s++)
		if (!strcmp((*s)->name, name))
			return *s;
	if (err)
		no_scheduler(name, err);
	return NULL;
}
