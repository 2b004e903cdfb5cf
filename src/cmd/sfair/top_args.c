/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/top.h"

#define COUNT_MOST 1000000000ul
#define WIDTH_MOST 1000ul

enum { OPT_POOL = 256, OPT_VIEW };

struct choices {
	struct top_args *args;
	struct top_state *state;
	const char *sort; /* of argv: needs the view */
};

void top_help(void)
{
	fputs("Usage: sfair top [OPTION]...\n"
	      "\n"
	      "Show GPUs by tenant, nodes, leases and the queue, live. h shows the keys.\n"
	      "\n"
	      "Which ones:\n"
	      "  -A, --accounts=NAME,...  accounts or tenants\n"
	      "      --pool=NAME,...      pools\n"
	      "  -u, --users=NAME,...     users, by name or number\n"
	      "\n"
	      "How shown:\n"
	      "  -b, --batch              as text, for scripts\n"
	      "  -d, --delay=SECONDS      between two refreshes, 0.5 to 3600 [3]\n"
	      "  -n, --iterations=COUNT   with --batch: so often [for ever]\n"
	      "  -o, --sort=[-]FIELD      sort the view by a column, - the other way round\n"
	      "      --view=NAME          one of overview, nodes, leases, queue [overview]\n"
	      "  -w, --width=COLUMNS      with --batch: 40 to 1000 [the terminal's, or 100]\n"
	      "  -h, --help               this text\n"
	      "  -V, --version            the version\n"
	      "\n"
	      "Exit status: 0, or 1 with one line on standard error.\n",
	      stdout);
}

static int parse_count(const char *option, const char *text, unsigned long low,
		       unsigned long high, unsigned long *out,
		       struct astra_error *err)
{
	char *end;

	*out = strtoul(text, &end, 10);
	if (isdigit((unsigned char)*text) && !*end && *out >= low &&
	    *out <= high)
		return 0;
	return astra_error_set(err, "%s=%.32s: a whole number from %lu to %lu",
			       option, text, low, high);
}

static int parse_view(const char *text, enum top_view *out,
		      struct astra_error *err)
{
	static const char *const names[TOP_VIEWS] = {"overview", "nodes",
						     "leases", "queue"};

	for (size_t i = 0; i < TOP_VIEWS; i++)
		if (*text && !strncasecmp(names[i], text, strlen(text))) {
			*out = (enum top_view)i;
			return 0;
		}
	return astra_error_set(
		err, "--view=%.32s: one of overview, nodes, leases, queue",
		text);
}

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

static int apply_option(int option, char **argv, struct choices *c,
			struct astra_error *err)
{
	struct astra_query *query = &c->state->query;

	switch (option) {
	case 'A':
		return sfair_parse_names("--accounts", optarg, &query->accounts,
					 err);
	case 'u':
		return sfair_parse_names("--users", optarg, &query->users, err);
	case OPT_POOL:
		return sfair_parse_names("--pool", optarg, &query->pools, err);
	case 'b':
		c->args->batch = true;
		return 0;
	case 'd':
		return top_parse_delay(optarg, &c->state->delay_sec, err);
	case 'n':
		return parse_count("--iterations", optarg, 1, COUNT_MOST,
				   &c->args->count, err);
	case 'w':
		return parse_count("--width", optarg, TOP_LEAST_COLUMNS,
				   WIDTH_MOST, &c->args->width, err);
	case 'o':
		c->sort = optarg;
		return 0;
	case OPT_VIEW:
		return parse_view(optarg, &c->state->view, err);
	case 'h':
		c->args->help = true;
		return 0;
	case 'V':
		c->args->version = true;
		return 0;
	default:
		return sfair_bad_option(option, argv, err);
	}
}

static int check(const struct choices *c, struct astra_error *err)
{
	if (c->sort && parse_sort(c->sort, c->state, err) < 0)
		return -1;
	if (!c->args->batch && (c->args->count || c->args->width))
		return astra_error_set(
			err, "--iterations and --width go with --batch only");
	return 0;
}

int top_args_parse(int argc, char **argv, struct top_args *args,
		   struct top_state *state, struct astra_error *err)
{
	static const struct option known[] = {
		{"accounts", required_argument, NULL, 'A'},
		{"batch", no_argument, NULL, 'b'},
		{"delay", required_argument, NULL, 'd'},
		{"help", no_argument, NULL, 'h'},
		{"iterations", required_argument, NULL, 'n'},
		{"pool", required_argument, NULL, OPT_POOL},
		{"sort", required_argument, NULL, 'o'},
		{"tenants", required_argument, NULL, 'A'},
		{"users", required_argument, NULL, 'u'},
		{"version", no_argument, NULL, 'V'},
		{"view", required_argument, NULL, OPT_VIEW},
		{"width", required_argument, NULL, 'w'},
		{NULL, 0, NULL, 0},
	};
	struct choices c = {.args = args, .state = state};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":A:bd:hn:o:u:Vw:", known,
				     NULL)) != -1)
		if (apply_option(option, argv, &c, err) < 0)
			return -1;
	if (args->help || args->version)
		return 0;
	if (optind < argc)
		return astra_error_set(
			err, "unexpected \"%.64s\": see sfair top --help",
			argv[optind]);
	return check(&c, err);
}
