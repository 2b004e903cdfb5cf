/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfair/top.h"

#define VALUE_BYTES 1024

/* The letter of a tenant stands before the first column of a job or a
 * tenant. */
#define MARGIN 2
#define LEGEND 25 /* columns */

/* GPUs, drawn as letters of their tenants, and as bars. */

#define NAME_MOST 12
#define GAP 2

/* ---- A node's GPUs. ---- */

static size_t put_many(struct top_sheet *sheet, size_t at, size_t end,
		       char letter, uint32_t count)
{
	const char text[] = {letter, '\0'};

	for (uint32_t i = 0; i < count && at < end; i++)
		at = top_put(sheet, at, 1, top_letter_style(letter), text);
	return at;
}

/* Appends the GPUs of a node to the last line, with a letter for each. */
static size_t top_put_gpus(struct top_sheet *sheet, size_t at, size_t width,
			   const struct top_node *node)
{
	bool up =
		!strcmp(node->state, "up") || !strcmp(node->state, "cleaning");
	size_t end = at + width;
	double rest = node->gpus - node->held;

	if (end > sheet->columns)
		end = sheet->columns;
	for (size_t i = 0; i < node->holder_count; i++)
		at = put_many(sheet, at, end, node->holders[i].letter,
			      (uint32_t)node->holders[i].gpus);
	/* GPUs neither held by leases nor free are used by other jobs. */
	if (up && rest > node->free) {
		at = put_many(sheet, at, end, '?',
			      (uint32_t)(rest - node->free));
		rest = node->free;
	}
	return put_many(sheet, at, end, up ? '.' : '-',
			(uint32_t)fmax(rest, 0));
}

/* ---- All nodes, several per line. ---- */

struct grid {
	size_t name, gpus, columns;
};

static struct grid top_draw_make_grid(const struct top_model *model,
				      size_t columns)
{
	struct grid grid = {.name = 1, .gpus = 1};

	for (size_t i = 0; i < model->node_count; i++) {
		const struct top_node *n = &model->nodes[i];
		size_t name = strlen(n->name);

		if (name > grid.name)
			grid.name = name < NAME_MOST ? name : NAME_MOST;
		if (n->gpus > (double)grid.gpus)
			grid.gpus = n->gpus < 64 ? (size_t)n->gpus : 64;
	}
	grid.columns = (columns + GAP) / (grid.name + 1 + grid.gpus + GAP);
	if (!grid.columns)
		grid.columns = 1;
	return grid;
}

static size_t top_map_rows(const struct top_model *model, size_t columns)
{
	struct grid grid = top_draw_make_grid(model, columns);

	return (model->node_count + grid.columns - 1) / grid.columns;
}

static void top_draw_map(struct top_sheet *sheet, const struct top_model *model,
			 size_t rows)
{
	struct grid grid = top_draw_make_grid(model, sheet->columns);
	const struct top_list *list = &model->lists[TOP_NODES];

	for (size_t i = 0; i < list->count && i / grid.columns < rows; i++) {
		const struct top_node *node = list->rows[i];
		size_t at =
			i % grid.columns * (grid.name + 1 + grid.gpus + GAP);

		if (i % grid.columns == 0 && !top_sheet_line(sheet))
			return;
		top_put(sheet, at, grid.name, TOP_PLAIN, node->name);
		top_put_gpus(sheet, at + grid.name + 1, grid.gpus, node);
	}
}

/* ---- Bars. ---- */

static size_t cells_of(double gpus, double scale, size_t width)
{
	double cells = isnan(gpus) ? 0 : round(gpus / scale * (double)width);

	return (size_t)fmin(fmax(cells, 0), (double)width);
}

/* Draws a tenant's bar, as wide as there is room: GPUs held, then GPUs asked
 * for, and a mark at the quota. scale: GPUs that the whole width stands for. */
static void top_put_bar(struct top_sheet *sheet, size_t at,
			const struct top_tenant *tenant, double scale)
{
	size_t width = at < sheet->columns ? sheet->columns - at : 0;
	size_t held, wanted, quota;
	enum top_style style = top_letter_style(tenant->letter);

	if (width < 4 || scale <= 0)
		return;
	held = cells_of(tenant->alloc, scale, width);
	wanted = cells_of(tenant->demand, scale, width);
	quota = cells_of(tenant->quota, scale, width);
	for (size_t i = 0; i < width; i++) {
		if (i < held)
			top_put(sheet, at + i, 1, style,
				sheet->utf8 ? "\u2588" : "#");
		else if (i < wanted)
			top_put(sheet, at + i, 1, style,
				sheet->utf8 ? "\u2591" : "-");
	}
	if (quota)
		top_put(sheet, at + quota - 1, 1, TOP_BOLD, "|");
}

static bool shown(const struct top_column *column, const struct top_sheet *s)
{
	return s->columns >= column->from;
}

static size_t put_column(struct top_sheet *sheet, size_t at,
			 const struct top_column *column, enum top_style style,
			 const char *text)
{
	size_t width = column->width ? column->width : sheet->columns;

	if (column->kind == TOP_TEXT)
		top_put(sheet, at, width, style, text);
	else
		top_put_right(sheet, at, width, style, text);
	return at + width + 1;
}

static void top_draw_list_title_of(const struct top_column *column, bool sorted,
				   bool reverse, char *text, size_t size)
{
	size_t i;

	for (i = 0; column->name[i] && i + 1 < size; i++)
		text[i] = (char)toupper((unsigned char)column->name[i]);
	if (sorted && i + 1 < size && (!column->width || i < column->width))
		text[i++] = reverse ? '>' : '<';
	text[i] = '\0';
}

/* Draws the legend of bars. If there is no room for all of it, draws a short
 * one. */
static void put_legend(struct top_sheet *sheet, size_t at)
{
	const char *text = sheet->utf8 ? "HELD \u2588  WANTED \u2591  QUOTA |"
				       : "HELD #  WANTED -  QUOTA |";

	if (at + LEGEND > sheet->columns)
		text = "HELD";
	top_put(sheet, at, sheet->columns, TOP_HEADER, text);
}

/* Draws the headings, with a mark on the column that sorts the list. */
static void top_draw_titles(struct top_sheet *sheet,
			    const struct top_state *state, enum top_view view)
{
	const struct top_column *columns = top_columns(view);
	size_t at = MARGIN;
	char text[32];

	if (!top_sheet_line(sheet))
		return;
	top_style_line(sheet, TOP_HEADER);
	for (size_t i = 0; columns[i].name; i++) {
		if (!shown(&columns[i], sheet))
			continue;
		top_draw_list_title_of(
			&columns[i], state->sort[view].column == i,
			state->sort[view].reverse, text, sizeof(text));
		at = put_column(sheet, at, &columns[i], TOP_HEADER, text);
	}
	if (view == TOP_OVERVIEW)
		put_legend(sheet, at);
	if (view == TOP_NODES)
		top_put(sheet, at, sheet->columns, TOP_HEADER, "WHOSE");
}

/* Returns how many GPUs the whole width of a bar stands for. */
static double bar_scale(const struct top_model *model)
{
	double most = 1;

	for (size_t i = 0; i < model->tenant_count; i++)
		most = fmax(most, fmax(model->tenants[i].alloc,
				       model->tenants[i].quota));
	return most;
}

/* Writes a node's GPUs as letters, and behind them the jobs that hold them. */
static void put_holders(struct top_sheet *sheet, size_t at,
			const struct top_node *node)
{
	at = top_put_gpus(sheet, at, 64, node) + 1;
	for (size_t i = 0; i < node->holder_count; i++) {
		const struct top_holder *h = &node->holders[i];

		if (at + 4 >= sheet->columns)
			return;
		at = 1 + top_putf(sheet, at, TOP_PLAIN, "%s:%.0f",
				  *h->id_text ? h->id_text : "?", h->gpus);
	}
}

static char letter_of(enum top_view view, const void *row)
{
	if (view == TOP_OVERVIEW)
		return ((const struct top_tenant *)row)->letter;
	if (view == TOP_LEASES || view == TOP_QUEUE)
		return ((const struct top_job *)row)->letter;
	return ' ';
}

static void top_draw_list_put_row(struct top_sheet *sheet,
				  const struct top_model *model,
				  enum top_view view, const void *row,
				  double now_sec)
{
	const struct top_column *columns = top_columns(view);
	const char letter[] = {letter_of(view, row), '\0'};
	size_t at = MARGIN;
	char text[VALUE_BYTES];

	top_put(sheet, 0, 1, top_letter_style(*letter), letter);
	for (size_t i = 0; columns[i].name; i++) {
		if (!shown(&columns[i], sheet))
			continue;
		top_value(&columns[i], row, now_sec, text, sizeof(text));
		at = put_column(sheet, at, &columns[i], TOP_PLAIN, text);
	}
	if (view == TOP_OVERVIEW)
		top_put_bar(sheet, at, row, bar_scale(model));
	else if (view == TOP_NODES)
		put_holders(sheet, at, row);
}

void top_draw_list(struct top_sheet *sheet, const struct top_model *model,
		   const struct top_state *state, enum top_view view,
		   double now_sec, size_t first, size_t rows)
{
	const struct top_list *list = &model->lists[view];
	bool jobs = view == TOP_LEASES || view == TOP_QUEUE;

	top_draw_titles(sheet, state, view);
	for (size_t i = first; i < list->count && i - first < rows; i++) {
		if (!top_sheet_line(sheet))
			return;
		top_draw_list_put_row(sheet, model, view, list->rows[i],
				      now_sec);
		if (jobs && state->view == view && i == state->cursor[view])
			top_style_line(sheet, TOP_SELECTED);
	}
}

/* A screen with a part of each of the lists. */

#define ROOMY 14 /* from this many lines on, there is room for all parts */

/* How many lines each part has, without its titles. */
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
