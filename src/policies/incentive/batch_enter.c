/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "src/policies/incentive/batch_priv.h"

static int batch_enter_enter(struct sale *s,
			     const struct astra_market_deal *deal,
			     struct astra_share *shares,
			     struct astra_calendar *calendar)
{
	const struct astra_demand *d =
		&s->offer->demands[s->wares[deal->job].demand];
	const struct astra_calendar_entry entry = {
		.job = d->job->id,
		.copies = d->job->copies,
		.first = deal->start,
		.last = deal->end,
	};
	const struct astra_quote quote = {
		.job = d->job->id,
		.start = deal->start,
		.sold = true,
		.worth = deal->value,
		.price = deal->pay_w + deal->pay_p,
	};

	for (size_t k = 0; k < deal->part_count; k++) {
		const struct astra_market_part *part =
			&s->book.parts[deal->first_part + k];

		shares[k] = (struct astra_share){.node = part->server,
						 .gpus = part->workers};
	}
	if (astra_board_quote(s->batch->board, &quote) < 0)
		return -1;
	return astra_calendar_add(calendar, &entry, shares, deal->part_count);
}

static int enter_deals(struct sale *s, struct astra_calendar *calendar)
{
	struct astra_share *shares =
		calloc(s->offer->node_count + 1, sizeof(*shares));
	int rc = shares ? 0 : -1;

	for (size_t i = 0; !rc && i < s->book.count; i++)
		rc = batch_enter_enter(s, &s->book.deals[i], shares, calendar);
	free(shares);
	astra_calendar_sort(calendar);
	return rc;
}

static void settle_accounts(struct sale *s,
			    struct astra_market_account *accounts)
{
	for (uint32_t u = 0; u < s->offer->tenant_count; u++) {
		const struct astra_market_account *a =
			astra_market_account(s->market, u);

		accounts[u].utility += a->utility;
		accounts[u].paid += a->paid;
		accounts[u].income += a->income;
		if (s->batch->credits)
			s->batch->credits[u] += a->income - a->paid;
	}
}

/* What was sold in each slot. */
static int post_slots(struct sale *s)
{
	struct astra_board *b = s->batch->board;
	uint32_t tenants = (uint32_t)s->offer->tenant_count;
	uint32_t slots = s->batch->slots;

	if (astra_board_open(b, s->batch->begin, slots, tenants) < 0)
		return -1;
	for (uint32_t u = 0; u < tenants; u++) {
		b->quota[u] = s->quotas[u].workers;
		b->gpus += b->quota[u];
		for (uint32_t i = 0; i < slots; i++)
			b->own[(size_t)u * slots + i] =
				astra_market_own(s->market, u, i);
	}
	for (uint32_t i = 0; i < slots; i++)
		b->used[i] = (uint32_t)astra_market_used(s->market, i);
	return 0;
}

/* The largest part of it for which there is room. */
static int quote_job(struct sale *s, uint32_t index)
{
	struct astra_quote quote = {
		.job = s->offer->demands[s->wares[index].demand].job->id};
	struct astra_market_quote found;

	for (double slots = s->batch->slots; slots > 0 && !quote.start;
	     slots = astra_sale_next_part(s, slots)) {
		if (!astra_sale_cut(s, index, slots) ||
		    !astra_market_quote(s->market, &s->jobs[index], &found))
			continue;
		quote.start = found.start;
		quote.worth = found.value;
		quote.price = found.cost;
	}
	return astra_board_quote(s->batch->board, &quote);
}

/* What those would pay that were sold nothing, the first ones; of an array one
 * task. */
static int quote_unsold(struct sale *s)
{
	uint32_t last = ASTRA_NONE;
	size_t quotes = 0;

	for (size_t i = 0; i < s->book.count; i++)
		s->wares[s->book.deals[i].job].sold = true;
	for (uint32_t i = 0; i < s->count && quotes < ASTRA_QUOTES_MAX; i++) {
		if (s->wares[i].sold || s->wares[i].demand == last)
			continue;
		last = s->wares[i].demand;
		quotes++;
		if (quote_job(s, i) < 0)
			return -1;
	}
	return 0;
}

int astra_sale_enter(struct sale *s, struct astra_calendar *calendar,
		     struct astra_market_account *accounts)
{
	int rc = post_slots(s) < 0 || enter_deals(s, calendar) < 0 ? -1 : 0;

	if (!rc && !s->offer->terse)
		rc = quote_unsold(s);
	astra_board_sort(s->batch->board);
	settle_accounts(s, accounts);
	return rc;
}
