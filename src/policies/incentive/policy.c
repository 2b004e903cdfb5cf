/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Incentive as a policy: jobs are collected in batches. At the begin of a
 * window all its slots are sold at once, first each tenant's own share to its
 * own jobs. Between two windows nothing is decided; the sales are carried out.
 * (Wang et al., Online Scheduling of Distributed Machine Learning Jobs for
 * Incentivizing Sharing in Multi-Tenant Systems)
 *
 * tau begins anew with each epoch, a week: the two slots before the epoch count
 * as its first, so its first window, (2, 4], is sold at once. A job that is too
 * late to be worth a thousandth of its GPU hours gets what its tenant's share
 * has left. What a job holds beyond what it was sold is overtime. With LendIdle
 * overtime is free. Without LendIdle the tenant pays the slot's posted price
 * for GPUs for which its own share has no room; board.h splits the payment. If
 * the tenant's credits are not enough, the job has to leave.
 *
 * With OwnPrice=share a tenant with one job in a batch, no larger than its
 * share, gains nothing by a false declaration. A job that could use more than
 * its tenant's share may claim too much work, to be sold the idle cluster
 * instead (test_incentive_prices.c). */
#include "src/policies/incentive/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policies/incentive/policy_priv.h"
#include "src/policies/options.h"

/* What incentive tells about its window: why jobs wait, what tenants paid, and
 * what slots cost. */

/* Say what the job is worth and what it costs, by its quote when the window was
 * sold. */
static void tell_quote(const struct incentive *p, uint32_t job, bool sold,
		       struct astra_reason *reason)
{
	const struct astra_quote *q = astra_board_find(&p->board, job);

	if (!q || q->sold != sold)
		return;
	reason->worth = q->worth;
	reason->price = q->start ? q->price : HUGE_VAL;
	reason->value = q->worth - q->price;
	if (q->start)
		reason->priced_sec = incentive_end_of(p, q->start - 1);
}

/* Say why the job was sold nothing in the window: it is not worth the price, or
 * its tenant could not pay. */
static void tell_refusal(const struct incentive *p,
			 const struct astra_demand *demand,
			 struct astra_reason *reason)
{
	double credits = astra_purses_of(&p->purses, demand->tenant);

	reason->wait = ASTRA_WAIT_PRICE;
	reason->retry_sec = incentive_end_of(p, p->begin + p->slots);
	tell_quote(p, demand->job->id, false, reason);
	reason->poor = credits >= 0 && reason->priced_sec > 0 &&
		       reason->worth > reason->price;
	if (reason->poor)
		reason->credits = credits;
}

/* See struct astra_policy. */
static void incentive_explain(const void *self,
			      const struct astra_demand *demand,
			      struct astra_reason *reason)
{
	const struct incentive *p = self;
	const struct astra_calendar_entry *e;
	size_t count;

	e = astra_calendar_find(&p->calendar, demand->job->id, &count);
	while (count && (e->rank < incentive_carried_out(e, demand) ||
			 e->last < p->present)) {
		e++;
		count--;
	}
	if (count) {
		reason->wait = ASTRA_WAIT_PLANNED;
		reason->start_sec = incentive_end_of(p, e->first - 1);
		tell_quote(p, demand->job->id, true, reason);
	} else if (!p->sold && p->begin) { /* the window is sold in a moment */
		reason->wait = ASTRA_WAIT_BATCH;
	} else if (!p->begin ||
		   demand->submit_sec > incentive_end_of(p, p->begin)) {
		reason->wait = ASTRA_WAIT_BATCH;
		reason->start_sec = incentive_end_of(p, p->begin + p->slots);
	} else {
		tell_refusal(p, demand, reason);
	}
}

static void incentive_report(const void *self, uint32_t tenant,
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

static bool incentive_price(const void *self, size_t nth,
			    struct astra_policy_price *out)
{
	const struct incentive *p = self;
	uint32_t slot = p->present + (uint32_t)nth;

	if (!p->present || nth > p->board.slots ||
	    !astra_board_has(&p->board, slot))
		return false;
	*out = (struct astra_policy_price){
		.start_sec = incentive_end_of(p, slot - 1),
		.end_sec = incentive_end_of(p, slot),
		.price = astra_board_price(&p->board, slot) / p->board.unit,
		.used = p->board.used[slot - p->board.begin - 1],
		.gpus = p->board.gpus,
		.cpu = NAN,
		.gib = NAN,
	};
	return true;
}

static int incentive_save(const void *self, struct astra_bytes *out)
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
	astra_board_save(&p->board, out);
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

/* Restore a state. If SlotLength has changed since, the calendar begins
 * anew. */
static int incentive_restore(void *self, struct astra_reader *in)
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
	    astra_board_restore(&p->board, in) < 0 ||
	    !isfinite(p->origin_sec) || (p->begun && !p->slots) ||
	    p->begin > UINT32_MAX / 2 || p->slots > ASTRA_BATCH_SLOTS_MAX)
		return -1;
	if (slot_sec < p->slot_sec || slot_sec > p->slot_sec) {
		p->begun = false;
		astra_calendar_reset(&p->calendar);
		astra_board_clear(&p->board);
	}
	return 0;
}

#define HOUR_SEC 3600

static void *incentive_create(const struct astra_options *options,
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
	p->epoch_sec = fmax(options->epoch_sec, options->slot_sec);
	p->own_share = options->own_share;
	p->lends = options->lend_idle;
	p->purses.budget = options->budget;
	p->purses.daily = options->budget_refill;
	p->board.theta = p->theta;
	p->board.unit = p->slot_sec / HOUR_SEC;
	return p;
}

static void incentive_destroy(void *self)
{
	struct incentive *p = self;

	if (!p)
		return;
	astra_calendar_free(&p->calendar);
	free(p->accounts);
	astra_purses_free(&p->purses);
	astra_board_clear(&p->board);
	free(p->incomes);
	free(p);
}

/* Return how many slots are over. A host may wake the engine slightly early, so
 * a small error is allowed. */
static uint32_t slots_over(const struct incentive *p, double now_sec)
{
	double slots = floor((now_sec - p->origin_sec) / p->slot_sec + 1e-6);

	return (uint32_t)fmin(fmax(slots, 0), UINT32_MAX / 2);
}

/* Return after how many slots the first window, (2, 4], begins. */
static uint32_t first_slots(const struct incentive *p)
{
	return p->batch_max < 2 ? p->batch_max : 2;
}

/* Pass on to the window of the present time. With lambda = 1, a window is as
 * long as all windows before it in its epoch, at most BatchMax. Nothing is
 * carried out for windows that are over. */
static void pass_windows(struct incentive *p, uint32_t over)
{
	uint32_t longest = p->batch_max;

	while (p->begin + p->slots <= over) {
		p->begin += p->slots;
		p->slots = p->begin < longest ? p->begin : longest;
		if (p->slots == longest) /* skipped windows have no effect */
			p->begin += (over - p->begin) / longest * longest;
		p->sold = false;
	}
}

/* Begin a new epoch if the present one has lasted a week and a window ends.
 * The slots of the new epoch are counted so that its first two, l = 1 (r <= 2),
 * are the last two of the present epoch. So no job waits for them, and tau_1 =
 * 2 is sold next. Returns whether an epoch began. */
static bool begin_epoch(struct incentive *p)
{
	uint32_t first = first_slots(p);

	if (p->begin <= first || p->sold ||
	    (p->begin - first) * p->slot_sec < p->epoch_sec * (1 - 1e-9))
		return false;
	p->origin_sec = incentive_end_of(p, p->begin - first);
	p->begin = p->slots = first;
	astra_calendar_reset(&p->calendar);
	return true;
}

/* Pass on to the window of the present time. tau_l = 2^l up to BatchMax. The
 * first two slots only collect jobs. begin_sec: begin of slot 1, if no slot has
 * begun yet. */
static void incentive_advance(struct incentive *p, double now_sec,
			      double begin_sec)
{
	if (!p->begun) {
		p->begun = true;
		p->origin_sec = begin_sec;
		p->begin = 0;
		p->slots = first_slots(p);
		p->sold = true;
	}
	do {
		pass_windows(p, slots_over(p, now_sec));
	} while (begin_epoch(p));
}

/* Sell the rest of the window to the jobs that came before it. */
static int incentive_sell(struct incentive *p, const struct astra_offer *offer,
			  struct astra_error *err)
{
	uint32_t end = p->begin + p->slots;
	struct astra_batch batch = {
		.slot_sec = p->slot_sec,
		.spare_sec = p->spare_sec,
		.theta = p->theta,
		.board = &p->board,
		.own_share = p->own_share,
		.origin_sec = p->origin_sec,
		.begin = slots_over(p, offer->now_sec),
		.until_sec = incentive_end_of(p, p->begin),
	};

	if (astra_purses_fill(&p->purses, p->tenant_count, offer->now_sec) < 0)
		return astra_error_nomem(err);
	if (p->purses.count)
		batch.credits = p->purses.credits;
	batch.slots = end - batch.begin;
	p->sold = true;
	return astra_batch_sell(&batch, offer, &p->calendar, p->accounts, err);
}

/* Whether to wait before selling. After a start the host may still learn that a
 * job whose lease is over has ended. In a window that is sold before that, the
 * job's GPUs would be lost. */
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

uint32_t incentive_carried_out(const struct astra_calendar_entry *entry,
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

/* Whether a job whose lease is over may go on, if no other job was awarded its
 * GPUs. With LendIdle, unplanned GPUs are lent for nothing. Without LendIdle,
 * the tenant's own share must have room, or the tenant must be able to pay. */
static bool can_go_on(const struct incentive *p, const struct astra_demand *d)
{
	double credits = astra_purses_of(&p->purses, d->tenant);
	uint32_t gpus = astra_shares_gpus(d->held, d->held_count);

	if (p->lends || d->job->unheard || isnan(credits) ||
	    !astra_board_has(&p->board, p->present))
		return true;
	if (astra_board_is_own(&p->board, d->tenant, p->present, gpus))
		return true;
	return credits > 0 && astra_board_overtime(&p->board, d->tenant,
						   p->present, gpus) <= credits;
}

/* Charge overtime at the posted price. If several jobs of a tenant go on, the
 * last ones pay what the tenant has left, since no tenant may have debts.
 * Returns whether anything was charged. */
static bool charge_overtime(void *self, const struct astra_demand *d,
			    uint32_t gpus, double until_sec)
{
	struct incentive *p = self;
	double credits = astra_purses_of(&p->purses, d->tenant);
	double price, part;

	(void)until_sec; /* the end of the present slot */
	if (p->lends || d->tenant >= p->tenant_count ||
	    !astra_board_has(&p->board, p->present))
		return false;
	memset(p->incomes, 0, p->tenant_count * sizeof(*p->incomes));
	price = astra_board_use(&p->board, d->tenant, p->present, gpus,
				p->incomes);
	part = price > credits ? fmax(credits, 0) / price : 1;
	p->accounts[d->tenant].paid += price * part;
	if (d->tenant < p->purses.count)
		p->purses.credits[d->tenant] -= price * part;
	for (size_t u = 0; u < p->tenant_count; u++) {
		p->accounts[u].income += p->incomes[u] * part;
		if (u < p->purses.count)
			p->purses.credits[u] += p->incomes[u] * part;
	}
	return true;
}

/* Return when the next entry of the calendar begins, or the next window is
 * sold. */
static double next_sec(const struct incentive *p,
		       const struct astra_offer *offer, uint32_t over)
{
	double next = HUGE_VAL;

	for (size_t i = 0; i < p->calendar.count; i++)
		if (p->calendar.entries[i].first > over + 1)
			next = fmin(
				next,
				incentive_end_of(
					p, p->calendar.entries[i].first - 1));
	for (size_t i = 0; i < offer->demand_count; i++)
		if (offer->demands[i].open)
			return fmin(next,
				    incentive_end_of(p, p->begin + p->slots));
	return next;
}

/* Let jobs leave that were awarded nothing and whose tenant cannot pay for
 * overtime. */
static int send_away(const struct incentive *p, const struct astra_offer *offer,
		     struct astra_allocation *out)
{
	bool *awarded = calloc(offer->demand_count + 1, sizeof(*awarded));
	int rc = awarded ? 0 : -1;

	for (size_t i = 0; awarded && i < out->award_count; i++)
		awarded[out->awards[i].demand] = true;
	for (uint32_t i = 0; !rc && i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];

		if (!awarded[i] && d->open && d->held_count && !can_go_on(p, d))
			rc = astra_allocation_leave(out, i);
	}
	free(awarded);
	return rc;
}

static int incentive_allocate(void *self, const struct astra_offer *offer,
			      struct astra_allocation *out,
			      struct astra_error *err)
{
	struct incentive *p = self;
	uint32_t over;

	if (astra_grow(&p->accounts, &p->tenant_room, offer->tenant_count,
		       sizeof(*p->accounts)) < 0 ||
	    astra_grow(&p->incomes, &p->income_room, offer->tenant_count,
		       sizeof(*p->incomes)) < 0)
		return astra_error_nomem(err);
	if (offer->tenant_count > p->tenant_count)
		p->tenant_count = offer->tenant_count;
	incentive_advance(p, offer->now_sec,
			  offer->part ? floor(offer->now_sec / p->slot_sec) *
						p->slot_sec
				      : offer->now_sec);
	out->changed = !p->sold && !awaits_news(offer);
	if (out->changed && incentive_sell(p, offer, err) < 0)
		return -1;
	over = slots_over(p, offer->now_sec);
	p->present = over + 1;
	if (incentive_carry_out(p, offer, over, out) < 0 ||
	    send_away(p, offer, out) < 0)
		return astra_error_nomem(err);
	out->spare_until_sec = incentive_end_of(p, over + 1);
	out->lend_until_sec = out->spare_until_sec;
	out->wake_sec = next_sec(p, offer, over);
	return 0;
}

static void incentive_renumber(void *self, const struct astra_renumbering *by)
{
	struct incentive *p = self;

	astra_calendar_renumber(&p->calendar, by);
}

static void incentive_shift(void *self, double by_sec)
{
	struct incentive *p = self;

	p->origin_sec += by_sec;
	p->purses.filled_sec += by_sec;
}

const struct astra_policy astra_incentive = {
	.name = "incentive",
	.summary = "batches of slots at posted prices, own shares first",
	.slots = true,
	.create = incentive_create,
	.destroy = incentive_destroy,
	.allocate = incentive_allocate,
	.explain = incentive_explain,
	.save = incentive_save,
	.restore = incentive_restore,
	.spared = charge_overtime,
	.report = incentive_report,
	.price = incentive_price,
	.renumber = incentive_renumber,
	.shift = incentive_shift,
};
