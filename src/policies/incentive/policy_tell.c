/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What incentive says of its window: to jobs why they wait, to tenants what
 * they paid, to all what slots cost. */
#include <math.h>

#include "src/policies/incentive/policy_priv.h"

/* What it is worth and costs, as it was offered when the window was sold. */
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

/* It was offered the window and has nothing of it: it is not worth it, or its
 * tenant could not pay. */
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

void incentive_explain(const void *self, const struct astra_demand *demand,
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
	} else if (!p->sold && p->begin) { /* in a moment */
		reason->wait = ASTRA_WAIT_BATCH;
	} else if (!p->begin ||
		   demand->submit_sec > incentive_end_of(p, p->begin)) {
		reason->wait = ASTRA_WAIT_BATCH;
		reason->start_sec = incentive_end_of(p, p->begin + p->slots);
	} else {
		tell_refusal(p, demand, reason);
	}
}

void incentive_report(const void *self, uint32_t tenant,
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

bool incentive_price(const void *self, size_t nth,
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
