/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/top.h"

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

int top_args_parse(int argc, char **argv, struct top_args *args,
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
