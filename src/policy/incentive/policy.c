/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Incentive as a policy: jobs are collected in batches, and at the begin of a
 * window all its slots are sold at once, to each tenant's jobs its own share
 * first. Between two windows nothing is decided, only carried out. (Wang et
 * al., Online Scheduling of Distributed Machine Learning Jobs for Incentivizing
 * Sharing in Multi-Tenant Systems) */
#include "src/policy/incentive/policy.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/policy/incentive/batch.h"
#include "src/policy/incentive/purse.h"

struct incentive {
	double slot_sec, spare_sec, theta, epoch_sec;
	uint32_t batch_max;
	bool own_share;
	bool begun;
	double origin_sec;     /* slot 1 begins */
	uint32_t begin, slots; /* the window: slots begin + 1 … begin + slots */
	bool sold;
	struct astra_calendar calendar;
	struct astra_market_account *accounts; /* of tenants, in GPU hours */
	size_t tenant_count, tenant_room;
	struct astra_purses purses; /* Budget */
};

static void *create(const struct astra_options *options,
		    struct astra_error *err)
{
	struct incentive *p = calloc(1, sizeof(*p));

	if (!p) {
		astra_error_nomem(err);
		return NULL;
	}
	p->slot_sec = options->slot_sec;
	p->spare_sec = options->round_sec;
	p->theta = options->price_base;
	p->batch_max = options->batch_max;
	p->epoch_sec = options->epoch_sec;
	p->own_share = options->own_share;
	p->purses.budget = options->budget;
	p->purses.daily = options->budget_refill;
	return p;
}

static void destroy(void *self)
{
	struct incentive *p = self;

	if (!p)
		return;
	astra_calendar_free(&p->calendar);
	free(p->accounts);
	astra_purses_free(&p->purses);
	free(p);
}

/* The end of a slot. */
static double end_of(const struct incentive *p, uint32_t slot)
{
	return p->origin_sec + slot * p->slot_sec;
}

/* How many slots are over; a host may wake us a little early. */
static uint32_t slots_over(const struct incentive *p, double now_sec)
{
	double slots = floor((now_sec - p->origin_sec) / p->slot_sec + 1e-6);

	return (uint32_t)fmin(fmax(slots, 0), UINT32_MAX / 2);
}

/* The window (2, 4] begins at the end of slot begin: tau_0 = 1 is over. */
static uint32_t first_slots(const struct incentive *p)
{
	return p->batch_max < 2 ? p->batch_max : 2;
}

/* To the window of this time, lambda = 1: a window is as long as all that was
 * before it in its epoch, at most BatchMax. Of windows that are over nothing is
 * left to be carried out. */
static void pass_windows(struct incentive *p, uint32_t over)
{
	uint32_t longest = p->batch_max;

	while (p->begin + p->slots <= over) {
		p->begin += p->slots;
		p->slots = p->begin < longest ? p->begin : longest;
		if (p->slots == longest) /* nothing happened in the others */
			p->begin += (over - p->begin) / longest * longest;
		p->sold = false;
	}
}

/* An epoch that has lasted BatchEpoch ends with a window. The next one's slots
 * are counted so that its first two, l = 1 (r <= 2), are the last of this one:
 * nobody waits for them, and tau_1 = 2 is sold next. */
static bool begin_epoch(struct incentive *p)
{
	uint32_t first = first_slots(p);

	if (p->begin <= first || p->sold ||
	    (p->begin - first) * p->slot_sec < p->epoch_sec * (1 - 1e-9))
		return false;
	p->origin_sec = end_of(p, p->begin - first);
	p->begin = p->slots = first;
	astra_calendar_reset(&p->calendar);
	return true;
}

/* Go on to the window of this time. tau_l = 2^l up to BatchMax. The first two
 * slots only collect jobs. */
static void advance(struct incentive *p, double now_sec)
{
	if (!p->begun) {
		p->begun = true;
		p->origin_sec = now_sec;
		p->begin = 0;
		p->slots = first_slots(p);
		p->sold = true;
	}
	do {
		pass_windows(p, slots_over(p, now_sec));
	} while (begin_epoch(p));
}

/* Sell what is left of the window to those who came before it. */
static int sell(struct incentive *p, const struct astra_offer *offer,
		struct astra_error *err)
{
	uint32_t end = p->begin + p->slots;
	struct astra_batch batch = {
		.slot_sec = p->slot_sec,
		.spare_sec = p->spare_sec,
		.theta = p->theta,
		.own_share = p->own_share,
		.origin_sec = p->origin_sec,
		.begin = slots_over(p, offer->now_sec),
		.until_sec = end_of(p, p->begin),
	};

	if (astra_purses_fill(&p->purses, p->tenant_count, offer->now_sec) < 0)
		return astra_error_nomem(err);
	if (p->purses.count)
		batch.credits = p->purses.credits;
	batch.slots = end - batch.begin;
	p->sold = true;
	return astra_batch_sell(&batch, offer, &p->calendar, p->accounts, err);
}

/* After its start the host may yet hear that a job has ended whose lease is
 * over: sold without it, the window would be lost to it. */
static bool awaits_news(const struct astra_offer *offer)
{
	for (size_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];

		if (d->job->unheard && d->held_count &&
		    d->until_sec <= offer->now_sec)
			return true;
	}
	return false;
}

/* How many of the entries of a job are carried out: tasks that have left the
 * array, or were promised GPUs. */
static uint32_t carried_out(const struct astra_calendar_entry *entry,
			    const struct astra_demand *d)
{
	uint32_t gone = entry->copies > d->job->copies
				? entry->copies - d->job->copies
				: 0;
	uint64_t promised = 0;

	if (d->job->state == ASTRA_JOB_RUNNING || !d->held_count)
		return gone;
	for (size_t k = 0; k < d->held_count; k++)
		promised += d->held[k].gpus;
	promised /= d->job->request.gpus;
	return gone + (promised ? (uint32_t)promised : 1);
}

/* Whether an entry still suits the pool: nodes and requests may change. */
static bool suits(const struct incentive *p, const struct astra_offer *offer,
		  const struct astra_calendar_entry *e,
		  const struct astra_demand *d)
{
	uint64_t gpus = 0;

	for (size_t k = 0; k < e->share_count; k++) {
		const struct astra_share *s =
			&p->calendar.shares[e->first_share + k];

		if (s->node >= offer->node_count || !s->gpus)
			return false;
		gpus += s->gpus;
	}
	return gpus >= astra_request_least(&d->job->request) &&
	       gpus <= d->job->request.gpus;
}

static int award(const struct incentive *p, const struct astra_offer *offer,
		 uint32_t demand, uint32_t over, struct astra_allocation *out)
{
	const struct astra_demand *d = &offer->demands[demand];
	const struct astra_calendar_entry *entries;
	uint32_t copies = d->copies;
	size_t count;

	entries = astra_calendar_find(&p->calendar, d->job->id, &count);
	for (size_t i = 0; d->open && copies && i < count; i++) {
		const struct astra_calendar_entry *e = &entries[i];

		if (e->first > over + 1 || e->last <= over ||
		    e->rank < carried_out(e, d) || !suits(p, offer, e, d))
			continue;
		if (astra_allocation_add(out, demand, end_of(p, e->last),
					 p->calendar.shares + e->first_share,
					 e->share_count) < 0)
			return -1;
		copies--;
	}
	return 0;
}

/* When the calendar has something to do next, or jobs are sold slots. */
static double next_sec(const struct incentive *p,
		       const struct astra_offer *offer, uint32_t over)
{
	double next = HUGE_VAL;

	for (size_t i = 0; i < p->calendar.count; i++)
		if (p->calendar.entries[i].first > over + 1)
			next = fmin(
				next,
				end_of(p, p->calendar.entries[i].first - 1));
	for (size_t i = 0; i < offer->demand_count; i++)
		if (offer->demands[i].open)
			return fmin(next, end_of(p, p->begin + p->slots));
	return next;
}

static int allocate(void *self, const struct astra_offer *offer,
		    struct astra_allocation *out, struct astra_error *err)
{
	struct incentive *p = self;
	uint32_t over;

	if (astra_grow(&p->accounts, &p->tenant_room, offer->tenant_count,
		       sizeof(*p->accounts)) < 0)
		return astra_error_nomem(err);
	if (offer->tenant_count > p->tenant_count)
		p->tenant_count = offer->tenant_count;
	advance(p, offer->now_sec);
	out->changed = !p->sold && !awaits_news(offer);
	if (out->changed && sell(p, offer, err) < 0)
		return -1;
	over = slots_over(p, offer->now_sec);
	for (uint32_t i = 0; i < offer->demand_count; i++)
		if (award(p, offer, i, over, out) < 0)
			return astra_error_nomem(err);
	out->spare_until_sec = end_of(p, over + 1);
	out->lend_until_sec = out->spare_until_sec;
	out->wake_sec = next_sec(p, offer, over);
	return 0;
}

static void explain(const void *self, const struct astra_demand *demand,
		    struct astra_reason *reason)
{
	const struct incentive *p = self;
	const struct astra_calendar_entry *e;
	size_t count;

	e = astra_calendar_find(&p->calendar, demand->job->id, &count);
	while (count && e->rank < carried_out(e, demand)) {
		e++;
		count--;
	}
	if (count) {
		reason->wait = ASTRA_WAIT_PLANNED;
		reason->start_sec = end_of(p, e->first - 1);
	} else if (!p->sold && p->begin) { /* in a moment */
		reason->wait = ASTRA_WAIT_BATCH;
	} else if (!p->begin || demand->submit_sec > end_of(p, p->begin)) {
		reason->wait = ASTRA_WAIT_BATCH;
		reason->start_sec = end_of(p, p->begin + p->slots);
	} else {
		reason->wait = ASTRA_WAIT_PRICE;
	}
}

static void report(const void *self, uint32_t tenant,
		   struct astra_policy_report *out)
{
	const struct incentive *p = self;

	out->paid = out->income = out->utility = 0;
	for (size_t u = 0; u < p->tenant_count; u++) {
		if (tenant != ASTRA_NONE && tenant != u)
			continue;
		out->paid += p->accounts[u].paid;
		out->income += p->accounts[u].income;
		out->utility += p->accounts[u].utility;
	}
	out->credits = astra_purses_of(&p->purses, tenant);
}

static int save(const void *self, struct astra_bytes *out)
{
	const struct incentive *p = self;

	astra_put_f64(out, p->slot_sec);
	astra_put_f64(out, p->origin_sec);
	astra_put_u32(out, p->begin);
	astra_put_u32(out, p->slots);
	astra_put_u32(out, (uint32_t)p->begun | (uint32_t)p->sold << 1);
	astra_put_u32(out, (uint32_t)p->tenant_count);
	for (size_t u = 0; u < p->tenant_count; u++) {
		astra_put_f64(out, p->accounts[u].utility);
		astra_put_f64(out, p->accounts[u].paid);
		astra_put_f64(out, p->accounts[u].income);
	}
	astra_calendar_save(&p->calendar, out);
	astra_purses_save(&p->purses, out);
	return out->failed ? -1 : 0;
}

static int restore_accounts(struct incentive *p, struct astra_reader *in)
{
	uint32_t count = astra_get_u32(in);

	for (uint32_t u = 0; u < count && !in->failed; u++) {
		struct astra_market_account *a;

		if (astra_grow(&p->accounts, &p->tenant_room, u + 1,
			       sizeof(*a)) < 0)
			return -1;
		a = &p->accounts[u];
		a->utility = astra_get_f64(in);
		a->paid = astra_get_f64(in);
		a->income = astra_get_f64(in);
		if (!isfinite(a->utility + a->paid + a->income))
			return -1;
		p->tenant_count = u + 1;
	}
	return in->failed ? -1 : 0;
}

/* With slots of another length the calendar begins anew. */
static int restore(void *self, struct astra_reader *in)
{
	struct incentive *p = self;
	double slot_sec = astra_get_f64(in);
	uint32_t flags;

	p->origin_sec = astra_get_f64(in);
	p->begin = astra_get_u32(in);
	p->slots = astra_get_u32(in);
	flags = astra_get_u32(in);
	p->begun = flags & 1;
	p->sold = flags >> 1 & 1;
	if (restore_accounts(p, in) < 0 ||
	    astra_calendar_restore(&p->calendar, in) < 0 ||
	    astra_purses_restore(&p->purses, in) < 0 ||
	    !isfinite(p->origin_sec) || (p->begun && !p->slots) ||
	    p->begin > UINT32_MAX / 2 || p->slots > ASTRA_BATCH_SLOTS_MAX)
		return -1;
	if (slot_sec < p->slot_sec || slot_sec > p->slot_sec) {
		p->begun = false;
		astra_calendar_reset(&p->calendar);
	}
	return 0;
}

static void renumber(void *self, const struct astra_renumbering *by)
{
	struct incentive *p = self;

	astra_calendar_renumber(&p->calendar, by);
}

static void shift(void *self, double by_sec)
{
	struct incentive *p = self;

	p->origin_sec += by_sec;
	p->purses.filled_sec += by_sec;
}

const struct astra_policy astra_incentive = {
	.name = "incentive",
	.summary = "batches of slots at posted prices, own shares first",
	.slots = true,
	.create = create,
	.destroy = destroy,
	.allocate = allocate,
	.explain = explain,
	.save = save,
	.restore = restore,
	.report = report,
	.renumber = renumber,
	.shift = shift,
};
