/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/tiers/record.h"

#include <stdlib.h>

#include "src/common/grow.h"
#include "src/policies/themis/policy.h"

static const struct astra_auction *auction_of(const struct tiers_tenant *row)
{
	return astra_themis.auction(row->self);
}

/* Sum up the auctions of a round, if there were any. */
static void sum_up(struct astra_auction *sum, struct tiers_tenants *tenants)
{
	struct astra_auction round = {.number = sum->number + 1, .exact = true};

	for (size_t i = 0; i < tenants->count; i++) {
		struct tiers_tenant *row = &tenants->rows[i];
		const struct astra_auction *a = auction_of(row);

		if (a->number == row->auctions)
			continue;
		row->auctions = a->number;
		row->last_auction = round.number;
		round.time_sec = a->time_sec;
		round.gpus += a->gpus;
		round.bidders += a->bidders;
		round.exact &= a->exact;
	}
	if (round.bidders)
		*sum = round;
}

/* An app's auction by its tenant's count is another one by that of all. */
static uint64_t record_number_of(const struct tiers_tenant *row,
				 uint64_t auction)
{
	uint64_t ago = row->auctions - auction;

	if (!auction)
		return 0;
	return ago < row->last_auction ? row->last_auction - ago : 1;
}

static int compare_apps(const void *a, const void *b)
{
	const struct astra_auction_app *x = a, *y = b;

	if (x->app != y->app)
		return x->app < y->app ? -1 : 1;
	return x->tenant < y->tenant ? -1 : x->tenant > y->tenant;
}

int astra_tiers_record(struct tiers_record *r, struct tiers_tenants *tenants)
{
	size_t count = 0;

	sum_up(&r->auction, tenants);
	r->auction.app_count = 0;
	for (size_t i = 0; i < tenants->count; i++)
		count += auction_of(&tenants->rows[i])->app_count;
	if (astra_grow(&r->apps, &r->app_room, count + 1, sizeof(*r->apps)) < 0)
		return -1;
	count = 0;
	for (size_t i = 0; i < tenants->count; i++) {
		const struct tiers_tenant *row = &tenants->rows[i];
		const struct astra_auction *a = auction_of(row);

		for (size_t k = 0; k < a->app_count; k++) {
			r->apps[count] = a->apps[k];
			r->apps[count].auction =
				record_number_of(row, a->apps[k].auction);
			count++;
		}
	}
	if (count)
		qsort(r->apps, count, sizeof(*r->apps), compare_apps);
	r->auction.apps = r->apps;
	r->auction.app_count = count;
	return 0;
}

void astra_tiers_record_clear(struct tiers_record *r)
{
	free(r->apps);
	*r = (struct tiers_record){0};
}
