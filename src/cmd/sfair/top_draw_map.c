/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GPUs: whose they are, a letter each; and how many, as a bar. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfair/top.h"

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

size_t top_put_gpus(struct top_sheet *sheet, size_t at, size_t width,
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
	/* Neither held by leases nor free: other jobs have them. */
	if (up && rest > node->free) {
		at = put_many(sheet, at, end, '?',
			      (uint32_t)(rest - node->free));
		rest = node->free;
	}
	return put_many(sheet, at, end, up ? '.' : '-',
			(uint32_t)fmax(rest, 0));
}

/* ---- All nodes, several a line. ---- */

struct grid {
	size_t name, gpus, columns;
};

static struct grid top_draw_map_make_grid(const struct top_model *model,
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

size_t top_map_rows(const struct top_model *model, size_t columns)
{
	struct grid grid = top_draw_map_make_grid(model, columns);

	return (model->node_count + grid.columns - 1) / grid.columns;
}

void top_draw_map(struct top_sheet *sheet, const struct top_model *model,
		  size_t rows)
{
	struct grid grid = top_draw_map_make_grid(model, sheet->columns);
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

/* What it holds, then what it asks for; its quota is a bar across. */
void top_put_bar(struct top_sheet *sheet, size_t at,
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
