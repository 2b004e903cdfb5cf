/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/top.h"

#define LINE_BYTES 512

/* Returns the size of the next line in bytes: whole words, or the part of a
 * long word that fits. */
static size_t line_size(const char *text, size_t width)
{
	size_t size = 0;

	if (width >= LINE_BYTES)
		width = LINE_BYTES - 1;
	while (text[size] && text[size] != '\n') {
		size_t word = size + strspn(text + size, " ");

		word += strcspn(text + word, " \n");
		if (word > width)
			break;
		size = word;
	}
	if (!size && *text && *text != '\n')
		size = strnlen(text, width ? width : 1);
	return size;
}

/* Draws a text in lines as wide as the sheet. */
static void top_draw_text(struct top_sheet *sheet, const char *text,
			  size_t first, size_t rows)
{
	for (size_t i = 0; *text && (i < first || i - first < rows); i++) {
		size_t size = line_size(text, sheet->columns);

		if (i >= first) {
			if (!top_sheet_line(sheet))
				return;
			top_putf(sheet, 0, TOP_PLAIN, "%.*s", (int)size, text);
		}
		text += size;
		text += strspn(text, " ");
		if (*text == '\n')
			text++;
	}
}

static const char *const help_lines[] = {
	"Views",
	"  1 2 3 4      overview, nodes, leases, queue",
	"  Tab          the next one; Shift-Tab the one before",
	"  w            why: of the job chosen, or of one that is asked for",
	"Lists",
	"  Up Down      choose a job, or scroll; also k and j",
	"  PgUp PgDn    by a screen",
	"  Home End     the first, the last; also g and G",
	"  < >          sort by the column before, after",
	"  s f F        sort by a column that is asked for",
	"  R            the other way round",
	"Which",
	"  u            users, separated by commas; none: all",
	"  A o          accounts or tenants",
	"  p            pools",
	"Others",
	"  Space Enter  refresh now",
	"  d            seconds between two refreshes",
	"  h ?          this text",
	"  q            back, or quit",
	"",
	"Letters: each GPU has its tenant's; . free, - down, ? not yours to see.",
	"Bars: what a tenant holds, then what it asks for; | is its quota.",
	"Rho: GPU time had, divided by what was fair; the lowest goes first.",
	NULL,
};

static void top_draw_help(struct top_sheet *sheet, size_t first, size_t rows)
{
	for (size_t i = first; help_lines[i] && i - first < rows; i++) {
		const char *line = help_lines[i];

		if (!top_sheet_line(sheet))
			return;
		top_put(sheet, 0, sheet->columns,
			*line && *line != ' ' && !strchr(line, ':') ? TOP_BOLD
								    : TOP_PLAIN,
			line);
	}
}

#define POOLS_MOST 4 /* most pools in the head of a screen */

static const char *const view_names[TOP_VIEWS] = {
	[TOP_OVERVIEW] = "Overview",
	[TOP_NODES] = "Nodes",
	[TOP_LEASES] = "Leases",
	[TOP_QUEUE] = "Queue",
};

/* ---- The head. ---- */

/* Draws the names of the views with their keys, at the right. If there is no
 * room for all, draws only the current view's. */
static void put_views(struct top_sheet *sheet, size_t from,
		      const struct top_state *state)
{
	size_t width = 0, at;

	for (size_t i = 0; i < TOP_VIEWS; i++)
		width += strlen(view_names[i]) + 4;
	width -= 2;
	if (from + width > sheet->columns) {
		const char *name = view_names[state->view];

		at = strlen(name);
		if (from + at <= sheet->columns)
			top_put(sheet, sheet->columns - at, at, TOP_BOLD, name);
		return;
	}
	at = sheet->columns - width;
	for (size_t i = 0; i < TOP_VIEWS; i++)
		at = top_putf(sheet, at, i == state->view ? TOP_BOLD : TOP_DIM,
			      "%zu %s", i + 1, view_names[i]) +
		     2;
}

static void top_draw_put_title(struct top_sheet *sheet,
			       const struct top_model *model,
			       const struct top_state *state, double now_sec)
{
	time_t now = (time_t)now_sec;
	char text[32] = "";
	struct tm tm;
	size_t at;

	if (!top_sheet_line(sheet))
		return;
	if (localtime_r(&now, &tm))
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
	at = top_put(sheet, 0, 9, TOP_BOLD, "sfair top");
	at = top_putf(sheet, at, TOP_PLAIN, " - %s", text);
	if (model->cluster && *model->cluster)
		at = top_put(sheet, at + 2, 20, TOP_PLAIN, model->cluster);
	put_views(sheet, at + 2, state);
}

static size_t put_filter(struct top_sheet *sheet, size_t at, const char *what,
			 const struct astra_names *names)
{
	if (!names->count)
		return at;
	at = top_putf(sheet, at + 2, TOP_BOLD, "%s", what);
	for (size_t i = 0; i < names->count; i++)
		at = top_putf(sheet, at, TOP_BOLD, "%c%s", i ? ',' : ' ',
			      names->names[i]);
	return at;
}

static void put_rounds(struct top_sheet *sheet, const struct top_model *model,
		       const struct top_state *state, double now_sec)
{
	char ago[32] = "-", queue[32] = "-";
	size_t at;

	if (!top_sheet_line(sheet))
		return;
	if (model->time_sec > 0)
		sfair_span(now_sec - model->time_sec, ago, sizeof(ago));
	if (!isnan(model->queue))
		snprintf(queue, sizeof(queue), "%.0f", model->queue);
	at = top_putf(sheet, 0, TOP_PLAIN,
		      "Rounds %.1f/min, last %s ago   Waiting %s",
		      isnan(model->rounds_per_min) ? 0 : model->rounds_per_min,
		      ago, queue);
	at = put_filter(sheet, at, "Users", &state->query.users);
	at = put_filter(sheet, at, "Accounts", &state->query.accounts);
	put_filter(sheet, at, "Pools", &state->query.pools);
}

static void put_pool(struct top_sheet *sheet, const struct top_pool *pool,
		     size_t name_width, double now_sec)
{
	static const struct top_column starts = {
		.kind = TOP_CLOCK,
		.offset = offsetof(struct top_pool, hold_start_sec),
	};
	char when[32];
	size_t at;

	if (!top_sheet_line(sheet))
		return;
	top_put(sheet, 0, 5, TOP_PLAIN, "Pool ");
	top_put(sheet, 5, name_width, TOP_BOLD, pool->name);
	at = top_putf(sheet, 5 + name_width, TOP_PLAIN,
		      " %4.0f GPUs %4.0f held %4.0f free %4.0f down",
		      pool->gpus, pool->held, pool->free, pool->down);
	if (isnan(pool->hold_job))
		return;
	top_value(&starts, pool, now_sec, when, sizeof(when));
	top_putf(sheet, at, TOP_PLAIN, "  kept for job %.0f until %s",
		 pool->hold_job, when);
}

/* Draws the head of a screen. */
static void top_draw_head(struct top_sheet *sheet,
			  const struct top_model *model,
			  const struct top_state *state, double now_sec)
{
	size_t most = sheet->most ? POOLS_MOST : model->pool_count;
	size_t width = 4;

	top_draw_put_title(sheet, model, state, now_sec);
	put_rounds(sheet, model, state, now_sec);
	for (size_t i = 0; i < model->pool_count; i++)
		if (strlen(model->pools[i].name) > width)
			width = strlen(model->pools[i].name);
	if (width > 16)
		width = 16;
	for (size_t i = 0; i < model->pool_count && i < most; i++)
		put_pool(sheet, &model->pools[i], width, now_sec);
	if (model->pool_count > most && top_sheet_line(sheet))
		top_putf(sheet, 0, TOP_DIM, "and %zu more pools: p shows one",
			 model->pool_count - most);
}

/* ---- The last line. ---- */

static void draw_foot(struct top_sheet *sheet, const struct top_state *state)
{
	size_t at;

	if (!top_sheet_line(sheet))
		return;
	if (state->prompt != TOP_NO_PROMPT) {
		at = top_putf(sheet, 0, TOP_BOLD, "%s ",
			      top_prompt_text(state->prompt));
		at = top_put(sheet, at, sheet->columns - 1, TOP_PLAIN,
			     state->typed);
		top_put(sheet, at, 1, TOP_PLAIN, "_");
	} else if (*state->message.text) {
		top_put(sheet, 0, sheet->columns, TOP_BOLD,
			state->message.text);
	} else if (*state->error.text) {
		top_style_line(sheet, TOP_ERROR);
		top_put(sheet, 0, sheet->columns, TOP_ERROR, state->error.text);
	} else if (state->why || state->help) {
		top_put(sheet, 0, sheet->columns, TOP_DIM, "q Back");
	} else {
		top_put(sheet, 0, sheet->columns, TOP_DIM,
			sheet->columns < 76
				? "q Quit  h Help  Tab View  w Why"
				: "q Quit  h Help  Tab View  < > Sort  R Reverse  u User  A Account  w Why");
	}
}

/* ---- A screen. ---- */

static void draw_small(struct top_sheet *sheet, size_t rows, size_t columns)
{
	if (top_sheet_line(sheet))
		top_putf(sheet, 0, TOP_PLAIN, "%zux%zu: too small,", columns,
			 rows);
	if (top_sheet_line(sheet))
		top_putf(sheet, 0, TOP_PLAIN, "needs %dx%d", TOP_LEAST_COLUMNS,
			 TOP_LEAST_ROWS);
}

static void draw_why(struct top_sheet *sheet, const struct top_state *state,
		     size_t rows)
{
	if (!top_sheet_line(sheet))
		return;
	top_style_line(sheet, TOP_HEADER);
	top_putf(sheet, 0, TOP_HEADER, "Why job %s", state->why_of);
	top_draw_text(sheet, state->why, state->text_scroll, rows - 1);
}

/* Draws a view that is a single list, scrolled so that its cursor is on the
 * screen. */
static void draw_list_view(struct top_sheet *sheet,
			   const struct top_model *model,
			   struct top_state *state, double now_sec, size_t rows)
{
	state->page = rows > 1 ? rows - 1 : 1;
	top_state_settle(state, model, false);
	top_draw_list(sheet, model, state, state->view, now_sec,
		      state->scroll[state->view], state->page);
}

void top_draw(struct top_sheet *sheet, const struct top_model *model,
	      struct top_state *state, double now_sec, size_t rows,
	      size_t columns)
{
	size_t left;

	state->width = columns;
	top_sheet_begin(sheet, columns ? columns : 1, rows ? rows : 1);
	if (rows < TOP_LEAST_ROWS || columns < TOP_LEAST_COLUMNS) {
		draw_small(sheet, rows, columns);
		return;
	}
	sheet->most = rows - 1;
	top_draw_head(sheet, model, state, now_sec);
	left = sheet->most - sheet->rows;
	if (state->help)
		top_draw_help(sheet, state->text_scroll, left);
	else if (state->why)
		draw_why(sheet, state, left);
	else if (state->view == TOP_OVERVIEW)
		top_draw_overview(sheet, model, state, now_sec, left);
	else
		draw_list_view(sheet, model, state, now_sec, left);
	while (sheet->rows < sheet->most && top_sheet_line(sheet))
		;
	sheet->most = rows;
	draw_foot(sheet, state);
}

void top_draw_batch(struct top_sheet *sheet, const struct top_model *model,
		    const struct top_state *state, double now_sec,
		    size_t columns)
{
	top_sheet_begin(sheet, columns, 0);
	top_draw_head(sheet, model, state, now_sec);
	for (size_t v = 0; v < TOP_VIEWS; v++) {
		if (state->view != TOP_OVERVIEW && state->view != v)
			continue;
		if (!top_sheet_line(sheet))
			return;
		top_draw_list(sheet, model, state, (enum top_view)v, now_sec, 0,
			      SIZE_MAX);
	}
}
