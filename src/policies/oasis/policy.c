/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OASiS in the engine. A job is offered a schedule when it comes. It is offered
 * one again in each slot as long as none is worth its price, or when it has
 * used up its schedule. (The paper refuses jobs for good; in a cluster they
 * wait.) In its slots the job has its GPUs until the slot's end. If it holds as
 * many as it has booked for the next slot, it keeps them without interruption.
 * GPUs that are not booked stay with their holders. With LendIdle idle GPUs go
 * to waiting jobs until the slot's end. */
#include "src/policies/oasis/policy.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/number.h"
#include "src/policies/oasis/book.h"
#include "src/policies/options.h"

#define HOUR_SEC 3600
#define MIB_PER_GIB 1024

static void *oasis_create(const struct astra_options *options,
			  struct astra_error *err)
{
	struct oasis_book *book = calloc(1, sizeof(*book));

	if (!book) {
		astra_error_nomem(err);
		return NULL;
	}
	book->slot_sec = options->slot_sec;
	book->slots = astra_horizon_slots(options);
	book->lend = options->lend_idle;
	book->refuse = options->refuse_unworthy;
	oasis_recent_init(&book->recent);
	return book;
}

static void oasis_destroy(void *self)
{
	if (self)
		oasis_book_clear(self);
	free(self);
}

static int oasis_allocate(void *self, const struct astra_offer *offer,
			  struct astra_allocation *out, struct astra_error *err)
{
	return oasis_slot_round(self, offer, out) < 0 ? astra_error_nomem(err)
						      : 0;
}

/* Explain that the job is worth less than it costs, or that there is no room
 * for it. */
static void explain_price(const struct oasis_book *book,
			  const struct oasis_booking *b,
			  struct astra_reason *reason)
{
	reason->wait = b->denied ? ASTRA_WAIT_DENIED : ASTRA_WAIT_PRICE;
	if (!b->denied)
		reason->retry_sec = oasis_slot_start(book, book->now + 1);
	if (isinf(b->payoff)) {
		reason->price = HUGE_VAL;
		return;
	}
	reason->value = b->payoff;
	reason->worth = b->payoff + b->cost;
	reason->price = b->cost;
}

static void oasis_explain(const void *self, const struct astra_demand *demand,
			  struct astra_reason *reason)
{
	const struct oasis_book *book = self;
	const struct oasis_booking *b = oasis_book_find(book, demand->job->id);
	int64_t next = b ? oasis_next_booked(b, book->now) : -1;

	if (next >= 0) {
		reason->wait = ASTRA_WAIT_PLANNED;
		reason->start_sec = oasis_slot_start(book, next);
	} else if (b && b->offered != INT64_MIN && b->payoff <= ASTRA_TIE) {
		explain_price(book, b, reason);
	}
}

static int oasis_save(const void *self, struct astra_bytes *out)
{
	return oasis_book_save(self, out);
}

static int oasis_restore(void *self, struct astra_reader *in)
{
	return oasis_book_restore(self, in);
}

static void oasis_report(const void *self, uint32_t tenant,
			 struct astra_policy_report *out)
{
	const struct oasis_book *book = self;

	out->utility = 0;
	for (size_t i = 0; i < book->tenant_count; i++)
		if (tenant == ASTRA_NONE || tenant == i)
			out->utility += book->utility[i];
}

/* Return the price of a unit (amounts.h) in a slot, per hour; NaN: the resource
 * is not counted. */
static double oasis_price_of(const struct oasis_book *book, int64_t slot,
			     enum oasis_resource resource)
{
	double unit = book->amounts.unit[resource];

	if (!(unit > 0))
		return NAN;
	return astra_oasis_market_price(book->market, false, slot, 0,
					resource) *
	       HOUR_SEC / book->slot_sec / unit;
}

/* Get the price of a slot, of the one server that the pool is. Returns false if
 * there is no such slot. */
static bool oasis_slot_price(const void *self, size_t nth,
			     struct astra_policy_price *out)
{
	const struct oasis_book *book = self;
	int64_t slot = book->now + (int64_t)nth;

	if (!book->market || nth >= book->slots ||
	    astra_oasis_market_first(book->market) != book->now)
		return false;
	*out = (struct astra_policy_price){
		.start_sec = oasis_slot_start(book, slot),
		.end_sec = oasis_slot_start(book, slot + 1),
		.price = oasis_price_of(book, slot, OASIS_GPUS),
		.used = (uint64_t)astra_oasis_market_used(book->market, false,
							  slot, 0, OASIS_GPUS),
		.gpus = book->gpus,
		.cpu = oasis_price_of(book, slot, OASIS_CPUS),
		.gib = MIB_PER_GIB * oasis_price_of(book, slot, OASIS_MEMORY),
	};
	return true;
}

static void oasis_shift(void *self, double by_sec)
{
	struct oasis_book *book = self;

	book->origin_sec += by_sec;
}

const struct astra_policy astra_oasis = {
	.name = "oasis",
	.summary =
		"utility of jobs, admitted at prices that rise with the load",
	.slots = true,
	.create = oasis_create,
	.destroy = oasis_destroy,
	.allocate = oasis_allocate,
	.explain = oasis_explain,
	.save = oasis_save,
	.restore = oasis_restore,
	.report = oasis_report,
	.price = oasis_slot_price,
	.shift = oasis_shift,
};
