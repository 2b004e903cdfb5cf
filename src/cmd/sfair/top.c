/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair top: a live view of nodes, GPUs by tenant, leases and the queue. */
#include "src/cmd/sfair/top.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "src/cmd/sfair/sfair.h"

/* The same as text, repeatedly. */

#define WIDTH 100 /* if there is no terminal */

static void print_line(const struct top_cell *cells, size_t columns)
{
	mbstate_t shift = {0};
	char bytes[MB_LEN_MAX];

	while (columns && cells[columns - 1].ch == L' ')
		columns--;
	for (size_t i = 0; i < columns; i++) {
		size_t size = 0;

		if (cells[i].ch)
			size = wcrtomb(bytes, cells[i].ch, &shift);
		if (size != (size_t)-1)
			fwrite(bytes, 1, size, stdout);
	}
	putchar('\n');
}

static int top_batch_print_once(struct top_args *args,
				struct top_letters *letters,
				struct top_sheet *sheet,
				struct astra_error *err)
{
	struct top_state *state = &args->state;
	json_t *reply = sfair_ask(&state->query, false, err);
	size_t width = args->width ? args->width : sfair_terminal_width();
	struct top_model model;

	if (!reply)
		return -1;
	if (sfair_check_users(json_array_size(json_object_get(reply, "jobs")),
			      &state->query.users, err) < 0) {
		json_decref(reply);
		return -1;
	}
	sfair_tell_idle(reply);
	if (top_model_load(reply, letters, &model) < 0)
		return astra_error_nomem(err);
	for (size_t v = 0; v < TOP_VIEWS; v++)
		top_sort(&model, (enum top_view)v, &state->sort[v]);
	top_draw_batch(sheet, &model, state, (double)time(NULL),
		       width ? width : WIDTH);
	for (size_t i = 0; i < sheet->rows; i++)
		print_line(sheet->cells + i * sheet->columns, sheet->columns);
	top_model_destroy(&model);
	if (fflush(stdout) || ferror(stdout))
		return astra_error_set(err, "writing the output failed");
	return 0;
}

static void pause_for(double sec)
{
	struct timespec wait = {.tv_sec = (time_t)sec};

	wait.tv_nsec = (long)((sec - floor(sec)) * 1e9);
	nanosleep(&wait, NULL);
}

static int top_batch(struct top_args *args, struct astra_error *err)
{
	struct top_letters letters = {0};
	struct top_sheet sheet = {.utf8 = top_is_utf8()};
	int rc = 0;

	for (uint64_t i = 0; !rc && (!args->count || i < args->count); i++) {
		if (i) {
			pause_for(args->state.delay_sec);
			putchar('\n');
		}
		rc = top_batch_print_once(args, &letters, &sheet, err);
	}
	top_letters_clear(&letters);
	top_sheet_free(&sheet);
	return rc;
}

#define COUNT_MOST 1000000000u
#define WIDTH_MOST 1000u

#define IN(member) ASTRA_CLI_IN(struct top_args, member)

static int set_delay(const struct astra_cli_option *row, void *at,
		     const char *value, struct astra_error *err)
{
	(void)row;
	return top_parse_delay(value, at, err);
}

static int set_view(const struct astra_cli_option *row, void *at,
		    const char *value, struct astra_error *err)
{
	static const char *const names[TOP_VIEWS] = {"overview", "nodes",
						     "leases", "queue"};
	enum top_view *out = at;

	(void)row;
	for (size_t i = 0; i < TOP_VIEWS; i++)
		if (*value && !strncasecmp(names[i], value, strlen(value))) {
			*out = (enum top_view)i;
			return 0;
		}
	return astra_error_set(err, "one of overview, nodes, leases, queue");
}

static const struct astra_cli_option options[] = {
	ASTRA_CLI_HEADING("Which ones"),
	{.rows = sfair_which_options,
	 .offset = offsetof(struct top_args, state.query)},
	ASTRA_CLI_HEADING("How shown"),
	{"batch", 'b', NULL, "as text, for scripts", IN(batch)},
	{"delay", 'd', "SECONDS", "between two refreshes, 0.5 to 3600 [3]",
	 ASTRA_CLI_BY(set_delay, struct top_args, state.delay_sec)},
	{"iterations", 'n', "COUNT", "with --batch: so often [for ever]",
	 IN(count), .least = 1, .most = COUNT_MOST},
	{"sort", 'o', "[-]FIELD",
	 "sort the view by a column, - the other way round", IN(sort)},
	{"view", 0, "NAME", "one of overview, nodes, leases, queue [overview]",
	 ASTRA_CLI_BY(set_view, struct top_args, state.view)},
	{"width", 'w', "COLUMNS",
	 "with --batch: 40 to 1000 [the terminal's, or 100]", IN(width),
	 .least = TOP_LEAST_COLUMNS, .most = WIDTH_MOST},
	ASTRA_CLI_HELP,
	ASTRA_CLI_VERSION,
	ASTRA_CLI_END,
};

static int parse_sort(const char *text, struct top_state *state,
		      struct astra_error *err)
{
	const struct top_column *columns = top_columns(state->view);
	bool reverse = *text == '-';
	int column = top_column_find(state->view, text + reverse);

	if (column >= 0) {
		state->sort[state->view] =
			(struct top_sort){(size_t)column, reverse};
		return 0;
	}
	astra_error_set(err, "--sort=%.32s: one of", text);
	for (size_t i = 0; columns[i].name; i++) {
		size_t used = strlen(err->text);

		snprintf(err->text + used, sizeof(err->text) - used, "%s %s",
			 i ? "," : "", columns[i].name);
	}
	return -1;
}

/* Parses the command line. Returns as astra_cli_parse() does. */
static int top_args_parse(int argc, char **argv, struct top_args *args,
			  struct astra_error *err)
{
	static const struct astra_cli cli = {
		.name = "sfair top",
		.usage = "sfair top [OPTION]...",
		.summary =
			"Show GPUs by tenant, nodes, leases and the queue, live. h shows the keys.",
		.options = options,
		.end = SFAIR_EXIT_STATUS,
	};
	int rc = astra_cli_parse(&cli, argc, argv, args, err);

	if (rc)
		return rc;
	if (args->sort && parse_sort(args->sort, &args->state, err) < 0)
		return -1;
	if (!args->batch && (args->count || args->width))
		return astra_error_set(
			err, "--iterations and --width go with --batch only");
	return 0;
}

bool top_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static int copy_names(const struct astra_names *from, struct astra_names *to)
{
	for (size_t i = 0; i < from->count; i++)
		if (astra_names_add(to, from->names[i],
				    strlen(from->names[i])) < 0)
			return -1;
	return 0;
}

int top_copy_query(const struct astra_query *from, struct astra_query *to)
{
	*to = (struct astra_query){.kind = from->kind};
	if (!copy_names(&from->users, &to->users) &&
	    !copy_names(&from->accounts, &to->accounts) &&
	    !copy_names(&from->pools, &to->pools))
		return 0;
	astra_query_destroy(to);
	return -1;
}

int sfair_top(int argc, char **argv, struct astra_error *err)
{
	struct top_args args = {0};
	int rc;

	setlocale(LC_CTYPE, "");
	top_state_init(&args.state);
	rc = top_args_parse(argc, argv, &args, err);
	if (!rc)
		rc = args.batch ? top_batch(&args, err)
				: top_live(&args.state, err);
	top_state_destroy(&args.state);
	return rc;
}
