/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of each list on one screen. */
#include <stdio.h>

#include "src/cmd/sfair/top.h"

#define ROOMY 14 /* lines from which on there is room for all parts */

/* Lines of each part, without the titles. */
struct parts {
	size_t tenants, map, leases, queue;
	bool roomy;
};

static size_t top_draw_overview_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t most(size_t a, size_t b)
{
	return a > b ? a : b;
}

static struct parts share(const struct top_model *model, size_t rows,
			  size_t columns)
{
	const struct top_list *lists = model->lists;
	struct parts p = {.roomy = rows >= ROOMY};
	size_t titles = p.roomy ? 6 : 3;
	size_t body = rows > titles ? rows - titles : 0;
	size_t map = p.roomy ? top_map_rows(model, columns) : 0, rest;

	p.tenants = top_draw_overview_least(lists[TOP_OVERVIEW].count,
					    most(2, body / 3));
	p.tenants = top_draw_overview_least(p.tenants, body);
	p.map = top_draw_overview_least(map, most(1, body / 5));
	p.map = top_draw_overview_least(p.map, body - p.tenants);
	rest = body - p.tenants - p.map;
	p.leases = top_draw_overview_least(lists[TOP_LEASES].count, rest / 2);
	p.queue = top_draw_overview_least(lists[TOP_QUEUE].count,
					  rest - p.leases);
	p.leases = top_draw_overview_least(lists[TOP_LEASES].count,
					   rest - p.queue);
	rest -= p.leases + p.queue;
	rest += p.tenants;
	p.tenants = top_draw_overview_least(lists[TOP_OVERVIEW].count, rest);
	rest -= p.tenants;
	p.map = top_draw_overview_least(map, p.map + rest);
	return p;
}

static void put_section(struct top_sheet *sheet, const char *name, size_t count,
			size_t shown)
{
	size_t at;

	if (!top_sheet_line(sheet))
		return;
	at = top_putf(sheet, 0, TOP_BOLD, "%s", name);
	at = top_putf(sheet, at + 1, TOP_PLAIN, "%zu", count);
	if (shown < count)
		top_putf(sheet, at, TOP_DIM, ", %zu shown", shown);
}

void top_draw_overview(struct top_sheet *sheet, const struct top_model *model,
		       struct top_state *state, double now_sec, size_t rows)
{
	struct parts p = share(model, rows, sheet->columns);
	const struct top_list *lists = model->lists;

	state->page = most(p.tenants, 1);
	top_state_settle(state, model, false);
	top_draw_list(sheet, model, state, TOP_OVERVIEW, now_sec,
		      state->scroll[TOP_OVERVIEW], p.tenants);
	if (p.roomy) {
		size_t nodes = lists[TOP_NODES].count;
		size_t all = top_map_rows(model, sheet->columns);

		put_section(sheet, "Nodes", nodes,
			    p.map < all && all ? nodes * p.map / all : nodes);
		top_draw_map(sheet, model, p.map);
		put_section(sheet, "Leases", lists[TOP_LEASES].count, p.leases);
	}
	top_draw_list(sheet, model, state, TOP_LEASES, now_sec, 0, p.leases);
	if (p.roomy)
		put_section(sheet, "Queue", lists[TOP_QUEUE].count, p.queue);
	top_draw_list(sheet, model, state, TOP_QUEUE, now_sec, 0, p.queue);
}
