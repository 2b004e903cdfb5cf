/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The market: what is used of each server in each slot, and its price. */
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policies/oasis/oasis_priv.h"

static size_t market_cell(const struct astra_oasis_market *market,
			  const struct oasis_side *side, size_t row,
			  size_t resource, size_t server)
{
	return (row * market->resources + resource) * side->count + server;
}

/* Return the price P = L (U/L)^(g/c). A server without capacity counts as full.
 * A server that lost capacity may be more than full. */
static double market_price_of(const struct oasis_side *side, size_t resource,
			      double used, double capacity)
{
	double upper = side->upper[resource];

	if (capacity <= 0)
		return upper;
	return side->lower * pow(upper / side->lower, fmin(used / capacity, 1));
}

static void price_cell(struct astra_oasis_market *market,
		       struct oasis_side *side, size_t row, size_t resource,
		       size_t server)
{
	size_t at = market_cell(market, side, row, resource, server);

	side->price[at] = market_price_of(
		side, resource, side->used[at],
		side->capacity[resource * side->count + server]);
}

static void price_row(struct astra_oasis_market *market,
		      struct oasis_side *side, size_t row)
{
	for (size_t r = 0; r < market->resources; r++)
		for (size_t h = 0; h < side->count; h++)
			price_cell(market, side, row, r, h);
}

static int side_create(struct oasis_side *side, size_t resources, size_t slots,
		       const struct astra_oasis_servers *servers)
{
	size_t cells = resources * servers->count;

	side->count = servers->count;
	side->capacity = calloc(cells + 1, sizeof(double));
	side->used = calloc(cells * slots + 1, sizeof(double));
	side->price = calloc(cells * slots + 1, sizeof(double));
	if (!side->capacity || !side->used || !side->price)
		return -1;
	for (size_t h = 0; h < servers->count; h++)
		for (size_t r = 0; r < resources; r++)
			side->capacity[r * servers->count + h] =
				servers->capacity[h * resources + r];
	return 0;
}

struct astra_oasis_market *
astra_oasis_market_create(const struct astra_oasis_setup *setup,
			  struct astra_error *err)
{
	struct astra_oasis_market *market = calloc(1, sizeof(*market));

	if (!market ||
	    side_create(&market->workers, setup->resources, setup->slots,
			&setup->workers) < 0 ||
	    side_create(&market->ps, setup->resources, setup->slots,
			&setup->ps) < 0) {
		astra_oasis_market_destroy(market);
		astra_error_nomem(err);
		return NULL;
	}
	market->resources = setup->resources;
	market->slots = setup->slots;
	market->first = setup->first;
	market->whole_chunks = setup->whole_chunks;
	astra_oasis_market_set_range(market, &setup->range);
	return market;
}

static void search_free(struct oasis_search *search)
{
	free(search->options);
	free(search->costs);
	free(search->feasible);
	free(search->sums);
	free(search->stalls);
	free(search->edges);
	free(search->hull);
	free(search->endings);
	free(search->tied);
	free(search->choice);
	free(search->rows);
	free(search->allowed);
	free(search->marks);
	free(search->table);
}

static void side_free(struct oasis_side *side)
{
	free(side->capacity);
	free(side->used);
	free(side->price);
}

void astra_oasis_market_destroy(struct astra_oasis_market *market)
{
	if (!market)
		return;
	side_free(&market->workers);
	side_free(&market->ps);
	free(market->runs.list);
	search_free(&market->search);
	free(market);
}

static bool is_range(const struct astra_oasis_market *market,
		     const struct astra_oasis_range *range)
{
	size_t size = market->resources * sizeof(double);

	return market->workers.upper && market->range.l1 == range->l1 &&
	       market->range.l2 == range->l2 &&
	       !memcmp(market->range.u1, range->u1, size) &&
	       !memcmp(market->range.u2, range->u2, size);
}

void astra_oasis_market_set_range(struct astra_oasis_market *market,
				  const struct astra_oasis_range *range)
{
	if (is_range(market, range))
		return;
	market->range = *range;
	market->workers.upper = market->range.u1;
	market->workers.lower = range->l1;
	market->ps.upper = market->range.u2;
	market->ps.lower = range->l2;
	for (size_t row = 0; row < market->slots; row++) {
		price_row(market, &market->workers, row);
		price_row(market, &market->ps, row);
	}
}

void astra_oasis_market_set_capacity(struct astra_oasis_market *market,
				     uint32_t server, const double *capacity)
{
	struct oasis_side *side = &market->workers;

	for (size_t r = 0; r < market->resources; r++) {
		side->capacity[r * side->count + server] = capacity[r];
		for (size_t row = 0; row < market->slots; row++)
			price_cell(market, side, row, r, server);
	}
}

static void forget_row(struct astra_oasis_market *market,
		       struct oasis_side *side, size_t row)
{
	size_t cells = market->resources * side->count;

	memset(&side->used[row * cells], 0, cells * sizeof(*side->used));
	price_row(market, side, row);
}

void astra_oasis_market_advance(struct astra_oasis_market *market,
				int64_t first)
{
	int64_t gone = first - market->first;

	if (gone > market->slots)
		gone = market->slots;
	for (int64_t i = 0; i < gone; i++) {
		size_t row = oasis_row_of(market, market->first + i);

		forget_row(market, &market->workers, row);
		forget_row(market, &market->ps, row);
	}
	if (gone <= 0)
		return;
	market->first = first;
	market->runs.known = false;
}

int64_t astra_oasis_market_first(const struct astra_oasis_market *market)
{
	return market->first;
}

static bool is_alike(const struct astra_oasis_market *market, size_t a,
		     size_t b)
{
	size_t size = market->resources;

	return !memcmp(&market->workers.used[a * size],
		       &market->workers.used[b * size], size * sizeof(double));
}

int oasis_list_runs(struct astra_oasis_market *market)
{
	struct oasis_runs *runs = &market->runs;

	if (runs->known)
		return 0;
	runs->count = 0;
	for (uint32_t i = 0; i < market->slots; i++) {
		size_t row = oasis_row_of(market, market->first + i);

		if (i &&
		    is_alike(market, runs->list[runs->count - 1].row, row)) {
			runs->list[runs->count - 1].slots++;
			continue;
		}
		if (astra_grow(&runs->list, &runs->room, runs->count + 1,
			       sizeof(*runs->list)) < 0)
			return -1;
		runs->list[runs->count++] =
			(struct oasis_run){.row = row, .slots = 1};
	}
	runs->known = true;
	return 0;
}

/* Whether the slot is in the market's window. After a damaged state was read,
 * both may have any value. */
static bool oasis_has_slot(const struct astra_oasis_market *market,
			   int64_t slot)
{
	return slot >= market->first &&
	       (uint64_t)slot - (uint64_t)market->first <
		       (uint64_t)market->slots;
}

static void market_use(struct astra_oasis_market *market,
		       struct oasis_side *side,
		       const struct astra_oasis_places *places,
		       const double *demand, bool give_back)
{
	for (size_t i = 0; i < places->count; i++) {
		const struct astra_oasis_place *p = &places->list[i];
		double times = give_back ? -(double)p->count : p->count;
		size_t row = oasis_row_of(market, p->slot);

		if (!oasis_has_slot(market, p->slot) ||
		    p->server >= side->count)
			continue;
		for (size_t r = 0; r < market->resources; r++) {
			size_t at =
				market_cell(market, side, row, r, p->server);

			if (demand[r] <= 0)
				continue;
			side->used[at] =
				fmax(0, side->used[at] + times * demand[r]);
			price_cell(market, side, row, r, p->server);
		}
	}
}

void astra_oasis_market_commit(struct astra_oasis_market *market,
			       const struct astra_oasis_job *job,
			       const struct astra_oasis_places *y,
			       const struct astra_oasis_places *z,
			       bool give_back)
{
	market->runs.known = false;
	market_use(market, &market->workers, y, job->worker, give_back);
	market_use(market, &market->ps, z, job->ps, give_back);
}

double astra_oasis_market_price(const struct astra_oasis_market *market,
				bool ps, int64_t slot, size_t server,
				size_t resource)
{
	const struct oasis_side *side = ps ? &market->ps : &market->workers;

	return side->price[market_cell(market, side, oasis_row_of(market, slot),
				       resource, server)];
}

double astra_oasis_market_used(const struct astra_oasis_market *market, bool ps,
			       int64_t slot, size_t server, size_t resource)
{
	const struct oasis_side *side = ps ? &market->ps : &market->workers;

	return side->used[market_cell(market, side, oasis_row_of(market, slot),
				      resource, server)];
}
