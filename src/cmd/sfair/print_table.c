/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "src/cmd/sfair/sfair.h"

#define NARROWEST 8

struct grid {
	const struct sfair_choices *choices;
	size_t rows;
	const char **cells; /* rows * choices->count cells; they point into
			     * texts */
	struct astra_arena texts;
	size_t *widths;
};

size_t sfair_terminal_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

/* Returns how many columns a text takes on the screen. UTF-8 continuation bytes
 * take no column. */
static size_t print_table_text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

/* Returns the number of bytes that the first `width` characters of text
 * take. */
static size_t text_bytes(const char *text, size_t width)
{
	const char *at = text;

	for (; *at; at++)
		if ((*at & 0xc0) != 0x80 && width-- == 0)
			break;
	return (size_t)(at - text);
}

static void grid_free(struct grid *g)
{
	free(g->cells);
	astra_arena_free(&g->texts);
	free(g->widths);
}

/* Returns the member of this name; "a.b" is the member b of the object a. */
static const json_t *member(const json_t *row, const char *key)
{
	const char *dot = strchr(key, '.');
	char outer[32];

	if (!dot)
		return json_object_get(row, key);
	snprintf(outer, sizeof(outer), "%.*s", (int)(dot - key), key);
	return json_object_get(json_object_get(row, outer), dot + 1);
}

static int grid_fill_row(struct grid *g, size_t index, const json_t *row,
			 const struct sfair_args *args, double now_sec)
{
	const char **cells = g->cells + index * g->choices->count;

	for (size_t i = 0; i < g->choices->count; i++) {
		const struct sfair_column *c = g->choices->items[i].column;

		cells[i] =
			sfair_cell_in(&g->texts, c->kind, member(row, c->key),
				      args->unit, now_sec);
		if (!cells[i])
			return -1;
	}
	return 0;
}

/* Makes room for this many rows. Returns 0, or -1 with err set. */
static int grid_room(struct grid *g, size_t rows, struct astra_error *err)
{
	size_t columns = g->choices->count;

	g->rows = rows;
	g->cells = calloc(rows * columns + 1, sizeof(*g->cells));
	g->widths = calloc(columns + 1, sizeof(*g->widths));
	return g->cells && g->widths ? 0 : astra_error_nomem(err);
}

/* Fills row `to` of the grid with row `from` of the reply. */
static int grid_take(struct grid *g, size_t to, const struct sfair_rows *rows,
		     size_t from, const struct sfair_args *args, double now_sec,
		     struct astra_error *err)
{
	json_t *row = sfair_rows_get(rows, from);
	int rc;

	if (!row)
		return sfair_rows_fail(from, err);
	rc = grid_fill_row(g, to, row, args, now_sec);
	json_decref(row);
	return rc < 0 ? astra_error_nomem(err) : 0;
}

static void natural_widths(struct grid *g)
{
	size_t columns = g->choices->count;

	for (size_t c = 0; c < columns; c++) {
		const struct sfair_choice *choice = &g->choices->items[c];
		size_t width = strlen(choice->column->name);

		for (size_t r = 0; r < g->rows; r++) {
			size_t w = print_table_text_width(
				g->cells[r * columns + c]);

			width = w > width ? w : width;
		}
		g->widths[c] = choice->width ? choice->width : width;
	}
}

/* Narrows the widest text column until the table fits. */
static void shrink_widths(struct grid *g, size_t room)
{
	for (;;) {
		size_t sum = 0, widest = 0, at = 0;

		for (size_t c = 0; c < g->choices->count; c++) {
			const struct sfair_choice *i = &g->choices->items[c];

			sum += g->widths[c] + 1;
			if (i->width || i->column->kind != SFAIR_TEXT ||
			    g->widths[c] <= widest)
				continue;
			widest = g->widths[c];
			at = c;
		}
		if (sum <= room + 1 || widest <= NARROWEST)
			return;
		g->widths[at]--;
	}
}

static void put_blanks(size_t count)
{
	while (count--)
		putchar(' ');
}

/* Writes a cell without printf(), since a table of all jobs has hundreds of
 * thousands of cells. */
static void print_table_put_cell(const char *text, size_t width, bool left,
				 bool last)
{
	size_t have = print_table_text_width(text);
	bool cut = have > width;
	size_t pad = cut ? 0 : width - have;

	if (!left)
		put_blanks(pad);
	fwrite(text, 1, cut ? text_bytes(text, width - 1) : strlen(text),
	       stdout);
	if (cut)
		putchar('+');
	if (left && !last)
		put_blanks(pad);
	putchar(last ? '\n' : ' ');
}

static void put_header(const struct grid *g)
{
	size_t columns = g->choices->count;

	for (size_t c = 0; c < columns; c++)
		print_table_put_cell(g->choices->items[c].column->name,
				     g->widths[c], g->choices->items[c].left,
				     c + 1 == columns);
	for (size_t c = 0; c < columns; c++) {
		for (size_t i = 0; i < g->widths[c]; i++)
			putchar('-');
		putchar(c + 1 == columns ? '\n' : ' ');
	}
}

static int put_table(struct grid *g, const struct sfair_rows *rows,
		     const struct sfair_args *args, double now_sec,
		     struct astra_error *err)
{
	size_t columns = g->choices->count, room = sfair_terminal_width();

	if (grid_room(g, rows->count, err) < 0)
		return -1;
	for (size_t i = 0; i < g->rows; i++)
		if (grid_take(g, i, rows, i, args, now_sec, err) < 0)
			return -1;
	natural_widths(g);
	if (room)
		shrink_widths(g, room);
	if (!args->no_header)
		put_header(g);
	for (size_t i = 0; i < g->rows * columns; i++)
		print_table_put_cell(g->cells[i], g->widths[i % columns],
				     g->choices->items[i % columns].left,
				     (i + 1) % columns == 0);
	return 0;
}

/* Writes each row as soon as it is parsed, as no width depends on other
 * rows. */
static int put_parsable(struct grid *g, const struct sfair_rows *rows,
			const struct sfair_args *args, double now_sec,
			struct astra_error *err)
{
	size_t columns = g->choices->count;
	const char *end = args->style == SFAIR_PARSABLE ? "|\n" : "\n";

	if (grid_room(g, 1, err) < 0)
		return -1;
	for (size_t c = 0; !args->no_header && c < columns; c++)
		printf("%s%s", g->choices->items[c].column->name,
		       c + 1 == columns ? end : "|");
	for (size_t i = 0; i < rows->count; i++) {
		astra_arena_reset(&g->texts);
		if (grid_take(g, 0, rows, i, args, now_sec, err) < 0)
			return -1;
		for (size_t c = 0; c < columns; c++) {
			fputs(g->cells[c], stdout);
			fputs(c + 1 == columns ? end : "|", stdout);
		}
	}
	return 0;
}

/* Writes above the table a line for each pool: its GPUs, and for whom GPUs are
 * held. */
static void print_table_put_pools(const json_t *pools, double now_sec)
{
	json_t *pool;
	size_t i;

	json_array_foreach(pools, i, pool)
	{
		const json_t *hold = json_object_get(pool, "hold_job");
		char *name =
			sfair_cell(SFAIR_TEXT, json_object_get(pool, "name"),
				   SFAIR_HOURS, now_sec);
		double there = json_number_value(
			json_object_get(pool, "hold_start_sec"));
		char left[32];

		printf("Pool %s: %lld GPUs, %lld usable, %lld free",
		       name ? name : "",
		       json_integer_value(json_object_get(pool, "gpus")),
		       json_integer_value(json_object_get(pool, "gpus_usable")),
		       json_integer_value(json_object_get(pool, "gpus_free")));
		if (json_is_integer(hold))
			printf("; collected for job %lld",
			       json_integer_value(hold));
		if (json_is_integer(hold) && there > now_sec) {
			sfair_span(there - now_sec, left, sizeof(left));
			printf(", there in %s", left);
		}
		if (json_is_false(json_object_get(pool, "leases")))
			printf("; leases are off: jobs run until they end");
		putchar('\n');
		free(name);
	}
}

static long long integer_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void put_auction(const json_t *pool, double now_sec)
{
	double at_sec = json_number_value(json_object_get(pool, "time_sec"));
	long long bidders = integer_of(pool, "bidders");
	char *name = sfair_cell(SFAIR_TEXT, json_object_get(pool, "pool"),
				SFAIR_HOURS, now_sec);
	char ago[32];

	sfair_span(now_sec - at_sec, ago, sizeof(ago));
	printf("Pool %s: ", name ? name : "");
	if (json_is_integer(json_object_get(pool, "number")))
		printf("auction %lld, %s ago, %lld GPUs for the bids of %lld app%s%s\n",
		       integer_of(pool, "number"), ago,
		       integer_of(pool, "gpus"), bidders,
		       bidders == 1 ? "" : "s",
		       json_is_true(json_object_get(pool, "exact"))
			       ? ""
			       : " (nearly the best allocation)");
	else
		puts("no auction yet");
	free(name);
}

/* Writes a line for the last auction of each pool. */
static void put_auctions(const json_t *pools, double now_sec)
{
	json_t *pool;
	size_t i;

	if (!json_array_size(pools))
		puts("No pool holds auctions: Policy=themis does");
	json_array_foreach(pools, i, pool)
	{
		put_auction(pool, now_sec);
	}
}

static const char *unit_name(enum sfair_unit unit)
{
	static const char *const names[] = {"seconds", "minutes", "hours"};

	return names[unit];
}

static bool has_gpu_time(const struct sfair_choices *choices)
{
	for (size_t i = 0; i < choices->count; i++)
		if (choices->items[i].column->kind == SFAIR_GPU_TIME)
			return true;
	return false;
}

const char *sfair_rows_key(enum astra_query_kind kind)
{
	static const char *const keys[] = {
		[ASTRA_QUERY_TENANT] = "tenants",
		[ASTRA_QUERY_JOB] = "jobs",
		[ASTRA_QUERY_LEASE] = "leases",
		[ASTRA_QUERY_AUCTION] = "apps",
		[ASTRA_QUERY_PRICE] = "prices",
		[ASTRA_QUERY_CLASS] = "classes",
	};

	return kind < sizeof(keys) / sizeof(*keys) ? keys[kind] : NULL;
}

/* Writes that no pool has prices, if that is so. */
static void put_prices(size_t prices)
{
	if (!prices)
		puts("No pool sells GPUs now: Policy=incentive and oasis do");
}

/* Writes that no pool can have classes, if that is so. */
static void put_classes(const json_t *pools)
{
	const char *policy;
	json_t *pool;
	size_t i;

	json_array_foreach(pools, i, pool)
	{
		policy = json_string_value(json_object_get(pool, "policy"));
		if (policy && strstr(policy, "ogasched"))
			return;
	}
	puts("No pool learns shares of classes: Policy=ogasched does");
}

static void print_table_put_heading(const json_t *reply, size_t rows,
				    enum astra_query_kind kind, double now_sec)
{
	const json_t *pools = json_object_get(reply, "pools");

	if (kind == ASTRA_QUERY_AUCTION)
		put_auctions(pools, now_sec);
	else if (kind == ASTRA_QUERY_PRICE)
		put_prices(rows);
	else
		print_table_put_pools(pools, now_sec);
	if (kind == ASTRA_QUERY_CLASS)
		put_classes(pools);
}

static int print_rows(const struct sfair_table *table,
		      const struct sfair_rows *rows,
		      const struct sfair_args *args, double now_sec,
		      struct astra_error *err)
{
	struct sfair_choices choices = {0};
	struct grid g = {.choices = &choices};
	int rc = sfair_format_parse(table,
				    args->format ? args->format : table->format,
				    &choices, err);

	if (!rc && args->style != SFAIR_TABLE) {
		rc = put_parsable(&g, rows, args, now_sec, err);
	} else if (!rc) {
		if (!args->no_header && !args->no_unit &&
		    has_gpu_time(&choices))
			printf("GPU time in GPU %s\n", unit_name(args->unit));
		rc = put_table(&g, rows, args, now_sec, err);
	}
	grid_free(&g);
	free(choices.items);
	return rc;
}

int sfair_print_rows(const struct sfair_table *table, json_t *rows,
		     const struct sfair_args *args, double now_sec,
		     struct astra_error *err)
{
	const struct sfair_rows all = {.list = rows,
				       .count = json_array_size(rows)};

	return print_rows(table, &all, args, now_sec, err);
}

int sfair_check_users(size_t rows, const struct astra_names *users,
		      struct astra_error *err)
{
	for (size_t i = 0; !rows && i < users->count; i++)
		if (strspn(users->names[i], "0123456789") !=
			    strlen(users->names[i]) &&
		    !getpwnam(users->names[i]))
			return astra_error_set(err, "unknown user %.64s",
					       users->names[i]);
	return 0;
}

void sfair_tell_idle(const json_t *reply)
{
	const char *idle = json_string_value(json_object_get(reply, "idle"));

	if (idle)
		fprintf(stderr, "sfair: warning: %s\n", idle);
}

int sfair_print_table(const json_t *reply, const struct sfair_rows *rows,
		      const struct sfair_args *args, struct astra_error *err)
{
	enum astra_query_kind kind = args->query.kind;
	double now_sec = json_number_value(json_object_get(reply, "time_sec"));

	if (sfair_check_users(rows->count, &args->query.users, err) < 0)
		return -1;
	if (args->style == SFAIR_TABLE && !args->no_header)
		print_table_put_heading(reply, rows->count, kind, now_sec);
	return print_rows(sfair_table_of(kind), rows, args, now_sec, err);
}
