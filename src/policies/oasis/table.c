/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dynamic programme of problem (28): the least cost of an amount of work by
 * the end of each slot. It only looks at what could be part of an optimum. By
 * duality (bound.c) an option cannot be if it is further above its slot's
 * minimum than the best known schedule is above the bound. The remaining
 * options are followed back from the states that the endings need, and few
 * other states are reached. */
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policies/oasis/oasis_priv.h"

enum { BLOCK = 8 }; /* number of states computed at a time */

static bool is_open(const struct oasis_ending *e, double floor)
{
	return e->possible && !e->exact && e->utility - e->bound >= floor;
}

/* Set how far above the minima an ending's choices may be so that it can still
 * reach floor. */
static void table_set_budget(const struct oasis_search *search, uint32_t last,
			     double floor)
{
	struct oasis_ending *e = &search->endings[last];
	double dual = e->lambda * (double)search->total, most, noise = dual;

	for (uint32_t t = 0; t <= last; t++) {
		double least = oasis_least(search, t, e->lambda);

		dual += least;
		noise -= least;
	}
	most = fmin(e->utility - floor, e->cost);
	e->budget = most - dual + OASIS_NOISE * (noise + fabs(most));
}

/* Mark the options that the optimum of an ending may have. */
static void mark_for(const struct oasis_search *search, uint32_t slot,
		     const struct oasis_ending *e)
{
	const double *costs = oasis_costs(search, slot);
	double limit = e->budget + oasis_least(search, slot, e->lambda);

	for (uint32_t k = 0; k < search->feasible[slot]; k++)
		if (oasis_reduced(search, costs, k, e->lambda) <= limit)
			search->marks[k] = true;
}

static int list_allowed(struct oasis_search *search, uint32_t slot,
			uint32_t last, double floor)
{
	struct oasis_row *row = &search->rows[slot + 1];

	memset(search->marks, 0, search->option_count);
	for (uint32_t t = slot; t <= last; t++)
		if (is_open(&search->endings[t], floor))
			mark_for(search, slot, &search->endings[t]);
	if (astra_grow(&search->allowed, &search->allowed_room,
		       search->allowed_count + search->option_count,
		       sizeof(*search->allowed)) < 0)
		return -1;
	row->allowed = search->allowed_count;
	for (uint32_t k = 0; k < search->feasible[slot]; k++)
		if (search->marks[k])
			search->allowed[search->allowed_count++] = k;
	row->allowed_count = search->allowed_count - row->allowed;
	return 0;
}

static uint64_t allowed_size(const struct oasis_search *search,
			     const struct oasis_row *row, size_t index)
{
	return search->options[search->allowed[row->allowed + index]].size;
}

/* Find which states each row needs, going back from the last row. An option's
 * size is never below that of the option before. Returns whether the table is
 * small enough. */
static bool set_bands(struct oasis_search *search, uint32_t last, double floor)
{
	int64_t total = (int64_t)search->total;
	int64_t low = INT64_MAX, high = INT64_MIN;

	search->table_count = 0;
	for (uint32_t i = last + 2; i-- > 0;) {
		struct oasis_row *row = &search->rows[i];

		if (i && is_open(&search->endings[i - 1], floor)) {
			low = low < total ? low : total;
			high = high > total ? high : total;
		}
		row->low = low;
		row->high = high;
		row->values = search->table_count;
		if (high - low >= ASTRA_OASIS_TABLE_MAX)
			return false;
		search->table_count += (size_t)(high - low + 1);
		if (search->table_count > ASTRA_OASIS_TABLE_MAX)
			return false;
		if (!i)
			break;
		low = low > 1 ? low : 1;
		high = high > 1 ? high : 1;
		if (!row->allowed_count)
			continue;
		low -= (int64_t)allowed_size(search, row,
					     row->allowed_count - 1);
		high -= (int64_t)allowed_size(search, row, 0);
	}
	return true;
}

/* Return the index in the table of a state in the row's band. */
static size_t table_place(const struct oasis_search *search, uint32_t row,
			  int64_t v)
{
	const struct oasis_row *r = &search->rows[row];

	return r->values + (size_t)(v - r->low);
}

static double *table_value(const struct oasis_search *search, uint32_t row,
			   int64_t v)
{
	return &search->table[table_place(search, row, v)];
}

/* For BLOCK states at once, compute the minimum over options of the earlier
 * state's value plus the option's cost. The compiler keeps the minima in
 * registers. */
static void relax_block(const struct oasis_search *search, uint32_t slot,
			int64_t v, double *restrict out)
{
	const struct oasis_row *row = &search->rows[slot + 1];
	const uint32_t *allowed = &search->allowed[row->allowed];
	const double *costs = oasis_costs(search, slot);
	size_t at = table_place(search, slot, v);
	double least[BLOCK];

	for (int j = 0; j < BLOCK; j++)
		least[j] = HUGE_VAL;
	for (size_t i = 0; i < row->allowed_count; i++) {
		const double *before =
			&search->table[at - search->options[allowed[i]].size];
		double cost = costs[allowed[i]];

		for (int j = 0; j < BLOCK; j++) {
			double sum = before[j] + cost;

			least[j] = sum < least[j] ? sum : least[j];
		}
	}
	memcpy(out, least, sizeof(least));
}

static double relax(const struct oasis_search *search, uint32_t slot, int64_t v)
{
	const struct oasis_row *row = &search->rows[slot + 1];
	const uint32_t *allowed = &search->allowed[row->allowed];
	const double *costs = oasis_costs(search, slot);
	double least = HUGE_VAL;

	for (size_t i = 0; i < row->allowed_count; i++) {
		int64_t size = (int64_t)search->options[allowed[i]].size;

		least = fmin(least, *table_value(search, slot, v - size) +
					    costs[allowed[i]]);
	}
	return least;
}

static void fill_row(struct oasis_search *search, uint32_t index)
{
	const struct oasis_row *row = &search->rows[index];
	int64_t v = row->low;

	for (; v <= 0 && v <= row->high; v++)
		*table_value(search, index, v) = 0;
	for (; !index && v <= row->high; v++)
		*table_value(search, index, v) = HUGE_VAL;
	for (; v + BLOCK - 1 <= row->high; v += BLOCK)
		relax_block(search, index - 1, v,
			    table_value(search, index, v));
	for (; v <= row->high; v++)
		*table_value(search, index, v) = relax(search, index - 1, v);
}

static int table_make_rows(struct oasis_search *search, uint32_t last,
			   double floor)
{
	if (astra_grow(&search->rows, &search->row_room, (size_t)last + 2,
		       sizeof(*search->rows)) < 0 ||
	    astra_grow(&search->marks, &search->mark_room, search->option_count,
		       sizeof(*search->marks)) < 0)
		return -1;
	search->allowed_count = 0;
	search->rows[0] = (struct oasis_row){0};
	for (uint32_t t = 0; t <= last; t++)
		if (list_allowed(search, t, last, floor) < 0)
			return -1;
	if (!set_bands(search, last, floor))
		return 1;
	return astra_grow(&search->table, &search->table_room,
			  search->table_count, sizeof(*search->table));
}

int oasis_settle(struct oasis_search *search, double floor)
{
	uint32_t last = 0;
	bool any = false;
	int rc;

	for (uint32_t t = 0; t < search->slots; t++)
		if (is_open(&search->endings[t], floor)) {
			table_set_budget(search, t, floor);
			last = t;
			any = true;
		}
	if (!any)
		return 0;
	rc = table_make_rows(search, last, floor);
	if (rc)
		return rc;
	for (uint32_t i = 0; i <= last + 1; i++) {
		struct oasis_ending *e;

		fill_row(search, i);
		if (!i)
			continue;
		e = &search->endings[i - 1];
		if (!is_open(e, floor))
			continue;
		e->cost = *table_value(search, i, (int64_t)search->total);
		e->tabled = true;
	}
	return 0;
}

void oasis_trace(struct oasis_search *search, uint32_t last)
{
	int64_t v = (int64_t)search->total;

	for (uint32_t t = last + 1; t-- > 0;) {
		const struct oasis_row *row = &search->rows[t + 1];
		const double *costs = oasis_costs(search, t);
		double least = v > 0 ? *table_value(search, t + 1, v) : 0;

		search->choice[t] = 0;
		for (size_t i = 0; v > 0 && i < row->allowed_count; i++) {
			uint32_t k = search->allowed[row->allowed + i];
			int64_t rest = v - (int64_t)search->options[k].size;

			if (*table_value(search, t, rest) + costs[k] >
			    least + OASIS_NOISE * least)
				continue;
			search->choice[t] = k;
			v = rest;
			break;
		}
	}
}
