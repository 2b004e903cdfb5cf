/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair report: a page about past time, for whoever answers for the cluster.
 * Parse, ask, draw; each in files of its own. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "src/cmd/sfair/page.h"
#include "src/cmd/sfair/page_ask.h"
#include "src/cmd/sfair/sfair.h"
#include "src/common/text.h"
#include "src/sim/outfile.h"

enum { OPT_HTML = 256, OPT_FROM, OPT_JSON, OPT_POOL };

struct options {
	struct astra_query query; /* the filters and the window */
	const char *html, *from, *start, *end;
	bool json, help, verbose;
};

static void help(void)
{
	fputs("Usage: sfair report --html=FILE [start=TIME] [end=TIME] [OPTION]...\n"
	      "\n"
	      "Write a page about past time: GPUs in use, fairness, waits, leases, and tables\n"
	      "of tenants, users and jobs. It is one file that needs no network.\n"
	      "\n"
	      "      --html=FILE          the page; -: on standard output\n"
	      "      --json               what the page is made of, on standard output\n"
	      "      --from=FILE          take what --json wrote, and ask nobody\n"
	      "\n"
	      "Of what:\n"
	      "      start=TIME, end=TIME as sacct takes them [the last day]\n"
	      "      accounts=NAME,...    only these accounts or tenants (-A, --accounts)\n"
	      "      pool=NAME,...        only these pools (--pool)\n"
	      "      users=NAME,...       only these users (-u, --users)\n"
	      "\n"
	      "  -h, --help               this text\n"
	      "  -v, --verbose            say whom it asks\n"
	      "\n"
	      "Figures of the whole cluster are of its pools, whatever accounts and users.\n"
	      "Exit status: 0, or 1 with one line on standard error.\n",
	      stdout);
}

static int apply_option(int option, char **argv, struct options *o,
			struct astra_error *err)
{
	switch (option) {
	case 'A':
		return sfair_parse_names("accounts", optarg, &o->query.accounts,
					 err);
	case 'u':
		return sfair_parse_names("users", optarg, &o->query.users, err);
	case OPT_POOL:
		return sfair_parse_names("pool", optarg, &o->query.pools, err);
	case OPT_HTML:
		o->html = optarg;
		return 0;
	case OPT_FROM:
		o->from = optarg;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case 'h':
		o->help = true;
		return 0;
	case 'v':
		o->verbose = true;
		return 0;
	default:
		return sfair_bad_option(option, argv, err);
	}
}

/* KEY=VALUE, as sreport has it. */
static int parse_word(const char *word, struct options *o,
		      struct astra_error *err)
{
	const char *equals = strchr(word, '=');
	size_t size = equals ? (size_t)(equals - word) : 0;
	const char *value = equals ? equals + 1 : "";

	if (size == 5 && !strncasecmp(word, "start", size))
		o->start = value;
	else if (size == 3 && !strncasecmp(word, "end", size))
		o->end = value;
	else if (size == 8 && !strncasecmp(word, "accounts", size))
		return sfair_parse_names("accounts", value, &o->query.accounts,
					 err);
	else if (size == 5 && !strncasecmp(word, "users", size))
		return sfair_parse_names("users", value, &o->query.users, err);
	else if (size == 4 && !strncasecmp(word, "pool", size))
		return sfair_parse_names("pool", value, &o->query.pools, err);
	else
		return astra_error_set(
			err,
			"unknown word \"%.64s\": KEY=VALUE with start, end, "
			"accounts, pool or users",
			word);
	return 0;
}

static int parse_window(struct options *o, struct astra_error *err)
{
	double start, end;

	if (sfair_parse_window(o->start, o->end, &start, &end, err) < 0)
		return -1;
	o->query.past.start_sec = (int64_t)start;
	o->query.past.end_sec = (int64_t)ceil(end);
	return 0;
}

static int check(struct options *o, struct astra_error *err)
{
	if (o->help)
		return 0;
	if (!o->html == !o->json)
		return astra_error_set(
			err, "either --html=FILE or --json: see sfair report "
			     "--help");
	if (o->from &&
	    (o->json || o->start || o->end || o->query.accounts.count ||
	     o->query.pools.count || o->query.users.count))
		return astra_error_set(err,
				       "--from goes with --html alone: what to "
				       "report is in its file");
	return parse_window(o, err);
}

static int parse(int argc, char **argv, struct options *o,
		 struct astra_error *err)
{
	static const struct option known[] = {
		{"accounts", required_argument, NULL, 'A'},
		{"from", required_argument, NULL, OPT_FROM},
		{"help", no_argument, NULL, 'h'},
		{"html", required_argument, NULL, OPT_HTML},
		{"json", no_argument, NULL, OPT_JSON},
		{"pool", required_argument, NULL, OPT_POOL},
		{"users", required_argument, NULL, 'u'},
		{"verbose", no_argument, NULL, 'v'},
		{NULL, 0, NULL, 0},
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":A:hu:v", known, NULL)) != -1)
		if (apply_option(option, argv, o, err) < 0)
			return -1;
	for (; optind < argc; optind++)
		if (parse_word(argv[optind], o, err) < 0)
			return -1;
	return check(o, err);
}

/* The page, all and whole or not at all. */
static int draw(const struct page_data *data, const char *command,
		const char *path, struct astra_error *err)
{
	struct astra_outfiles files = {0};
	FILE *file = astra_outfiles_open(&files, path, err);

	if (!file)
		return -1;
	if (page_write(data, command, file) < 0) {
		astra_outfiles_clear(&files);
		return astra_error_nomem(err);
	}
	return astra_outfiles_commit(&files, err);
}

static int print_json(json_t *const replies[PAGE_PARTS],
		      struct astra_error *err)
{
	json_t *all = json_array();

	for (int i = 0; i < PAGE_PARTS; i++)
		json_array_append(all, replies[i]);
	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	putchar('\n');
	json_decref(all);
	if (fflush(stdout) || ferror(stdout))
		return astra_error_set(err, "writing the output failed");
	return 0;
}

static int report(const struct options *o, const char *command,
		  struct astra_error *err)
{
	json_t *replies[PAGE_PARTS] = {0};
	struct page_data data = {0};
	int rc = 0;

	if (o->html)
		rc = astra_outfile_check(o->html, err);
	if (!rc && o->from)
		rc = page_read(o->from, replies, err);
	else if (!rc)
		rc = page_ask(&o->query, o->verbose, replies, err);
	if (!rc && o->json)
		rc = print_json(replies, err);
	if (rc || o->json) {
		for (int i = 0; i < PAGE_PARTS; i++)
			json_decref(replies[i]);
		return rc;
	}
	rc = page_data_load(&data, replies, err);
	if (!rc)
		rc = draw(&data, command, o->html, err);
	page_data_clear(&data);
	return rc;
}

int sfair_page(int argc, char **argv, struct astra_error *err)
{
	struct options options = {.query = {.kind = ASTRA_QUERY_REPORT}};
	struct astra_text command = {0};
	int rc;

	astra_text_printf(&command, "sfair");
	for (int i = 0; i < argc; i++)
		astra_text_printf(&command, " %s", argv[i]);
	rc = parse(argc, argv, &options, err);
	if (!rc && options.help)
		help();
	else if (!rc && command.failed)
		rc = astra_error_nomem(err);
	else if (!rc)
		rc = report(&options, command.bytes, err);
	astra_query_destroy(&options.query);
	astra_text_clear(&command);
	return rc;
}
