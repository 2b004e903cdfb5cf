/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair report: a page about past time, for reports to a cluster's owners.
 * Parsing, requests and drawing are in files of their own. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/cmd/sfair/accounts.h"
#include "src/cmd/sfair/page.h"
#include "src/cmd/sfair/sfair.h"
#include "src/common/text.h"
#include "src/proto/query.h"
#include "src/sim/outfile.h"

/* The replies for a page; NULL: there is none. */
struct replies {
	json_t *now[PAGE_PARTS];
	json_t *before[PAGE_PARTS]; /* replies for the time before the window */
	json_t *accounts;	    /* rows of ACCOUNTS */
};

/* The name of sacctmgr's tree among the replies. The tree is an object with
 * rows of an account and its parent. */
#define ACCOUNTS "accounts"

/* How long sacctmgr may take, in seconds. The page can do without its reply. */
#define ACCOUNTS_SEC 10

static void replies_clear(struct replies *replies)
{
	for (int i = 0; i < PAGE_PARTS; i++) {
		json_decref(replies->now[i]);
		json_decref(replies->before[i]);
	}
	json_decref(replies->accounts);
	*replies = (struct replies){0};
}

/* Asks for the sums of the time before the window of `all`. Leaves out a part
 * that gets no answer: an account that is asked for may have been unknown at
 * that time. */
static void ask_before(const struct page_asked *whom,
		       const struct astra_query *all,
		       json_t *replies[PAGE_PARTS])
{
	struct astra_query before = *all;
	struct astra_error ignored;

	before.past.end_sec = all->past.start_sec;
	before.past.start_sec = (int64_t)page_before_start(
		(double)all->past.start_sec, (double)all->past.end_sec);
	for (int i = 0; i < PAGE_PARTS && before.past.start_sec > 0; i++)
		if (page_before_needs(i))
			(void)page_ask_sums(whom, &before, i, &replies[i],
					    &ignored);
}

/* Returns the parents of a tree's accounts, or NULL when out of memory. */
static json_t *rows_of(const struct astra_account_tree *tree)
{
	json_t *list = json_array();

	for (size_t i = 0; i < tree->count; i++) {
		const struct astra_tree_account *a = &tree->list[i];

		if (a->parent != ASTRA_NONE)
			json_array_append_new(
				list, json_pack("{s:s,s:s}", "account", a->name,
						"parent",
						tree->list[a->parent].name));
	}
	return list;
}

/* Asks sacctmgr for the tree of accounts. Without its answer the page has no
 * table of accounts. */
static void ask_accounts(struct replies *replies)
{
	const char *cluster = json_string_value(
		json_object_get(replies->now[PAGE_UTILIZATION], "cluster"));
	struct sfair_accounts accounts = {0};
	struct astra_error ignored;

	if (cluster && *cluster &&
	    !sfair_accounts_ask(&accounts, cluster, ACCOUNTS_SEC, &ignored))
		replies->accounts = rows_of(&accounts.tree);
	sfair_accounts_clear(&accounts);
}

/* Asks the plugin for all that the page needs. query: its kind, window and
 * filters are used, in a copy. replies: empty; to be cleared in any case.
 * Returns 0, or -1 with err set. */
static int page_ask(const struct astra_query *query, bool verbose,
		    struct replies *replies, struct astra_error *err)
{
	struct sfair_where where;
	const struct page_asked whom = {&where, ASTRA_REPLY_SEC, verbose};
	int rc = sfair_find(&where, err);

	for (int i = 0; i < PAGE_PARTS && !rc; i++)
		rc = page_ask_part(&whom, query, i, &replies->now[i], err);
	if (!rc) {
		ask_before(&whom, query, replies->before);
		ask_accounts(replies);
	}
	sfair_where_clear(&where);
	return rc;
}

/* Puts a reply in its place. The second reply of a name is for the time before
 * the window. */
static void sort_in(json_t *reply, struct replies *replies)
{
	const char *name = json_string_value(json_object_get(reply, "report"));

	for (int i = 0; name && i < PAGE_PARTS; i++) {
		json_t **slot = !replies->now[i] ? &replies->now[i]
						 : &replies->before[i];

		if (!strcmp(name, page_part_name(i)) && !*slot)
			*slot = json_incref(reply);
	}
	if (name && !strcmp(name, ACCOUNTS) && !replies->accounts)
		replies->accounts = json_incref(json_object_get(reply, "rows"));
}

/* Reads the replies from a file with an array of replies; "-": standard
 * input. */
static int page_read(const char *path, struct replies *replies,
		     struct astra_error *err)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	json_error_t why;
	json_t *all, *reply;
	bool any = false;
	size_t i;

	if (!file)
		return astra_error_set(err, "%s: %s", path, strerror(errno));
	all = json_loadf(file, 0, &why);
	if (file != stdin)
		fclose(file);
	if (!all)
		return astra_error_set(err, "%s: line %d: %s", path, why.line,
				       why.text);
	json_array_foreach(all, i, reply) sort_in(reply, replies);
	json_decref(all);
	for (i = 0; i < PAGE_PARTS; i++)
		any |= replies->now[i] != NULL;
	return any ? 0
		   : astra_error_set(err,
				     "%s: is not what sfair report --json "
				     "writes",
				     path);
}

struct options {
	struct astra_query query; /* the filters and the window */
	const char *html, *from, *start, *end;
	bool json;
	bool verbose;
};

#define IN(member) ASTRA_CLI_IN(struct options, member)

static const struct astra_cli_option rows[] = {
	{"html", 0, "FILE", "the page; -: on standard output", IN(html)},
	{"json", 0, NULL, "what the page is made of, on standard output",
	 IN(json)},
	{"from", 0, "FILE", "take what --json wrote, and ask nobody", IN(from)},
	ASTRA_CLI_HEADING("Of what"),
	{"start", 0, "TIME", "as sacct takes it [the last day]", IN(start),
	 .spelling = ASTRA_CLI_WORD},
	{"end", 0, "TIME", "the same", IN(end), .spelling = ASTRA_CLI_WORD},
	{.rows = sfair_which_options,
	 .offset = offsetof(struct options, query),
	 .spelling = ASTRA_CLI_BOTH},
	ASTRA_CLI_HEADING("Others"),
	ASTRA_CLI_HELP,
	{"verbose", 'v', NULL, "say whom it asks", IN(verbose)},
	ASTRA_CLI_END,
};

static int parse_window(struct options *o, struct astra_error *err)
{
	double start, end;

	if (sfair_parse_window(o->start, o->end, &start, &end, err) < 0)
		return -1;
	o->query.past.start_sec = (int64_t)start;
	o->query.past.end_sec = (int64_t)ceil(end);
	return 0;
}

static int page_main_check(struct options *o, struct astra_error *err)
{
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

/* Refuses a word that the table of options lacks. The table has KEY=VALUE as in
 * sreport. */
static int refuse_word(void *args, const char *word, struct astra_error *err)
{
	(void)args;
	return astra_error_set(err,
			       "unknown word \"%.64s\": KEY=VALUE with start, "
			       "end, accounts, pool or users",
			       word);
}

static int page_main_parse(int argc, char **argv, struct options *o,
			   struct astra_error *err)
{
	static const struct astra_cli cli = {
		.name = "sfair report",
		.usage =
			"sfair report --html=FILE [start=TIME] [end=TIME] [OPTION]...",
		.summary =
			"Write a page about past time: GPUs in use, fairness, waits, leases, and tables\n"
			"of tenants, users and jobs. It is one file that needs no network.",
		.options = rows,
		.end = "Figures of the whole cluster are of its pools, whatever accounts and users.\n" SFAIR_EXIT_STATUS,
		.word = refuse_word,
	};
	int rc = astra_cli_parse(&cli, argc, argv, o, err);

	return rc ? rc : page_main_check(o, err);
}

/* Writes the page: completely, or not at all. */
static int page_main_draw(const struct page_data *data, const char *command,
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

static int page_main_print_json(const struct replies *replies,
				struct astra_error *err)
{
	json_t *all = json_array();

	for (int i = 0; i < PAGE_PARTS; i++)
		json_array_append(all, replies->now[i]);
	for (int i = 0; i < PAGE_PARTS; i++)
		if (replies->before[i])
			json_array_append(all, replies->before[i]);
	if (replies->accounts)
		json_array_append_new(all,
				      json_pack("{s:s,s:O}", "report", ACCOUNTS,
						"rows", replies->accounts));
	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	putchar('\n');
	json_decref(all);
	if (fflush(stdout) || ferror(stdout))
		return astra_error_set(err, "writing the output failed");
	return 0;
}

/* Makes the page from the replies. replies: cleared by the caller
 * afterwards. */
static int page_main_write(struct replies *replies, const char *command,
			   const char *path, struct astra_error *err)
{
	struct page_data data = {0};
	int rc = page_data_load(&data, replies->now, err);

	memset(replies->now, 0, sizeof(replies->now)); /* data has them */
	data.accounts = replies->accounts;
	if (!rc)
		rc = page_before_load(&data, replies->before, err);
	if (!rc && *data.wrong.text)
		rc = astra_error_set(err, "%s", data.wrong.text);
	if (!rc)
		rc = page_main_draw(&data, command, path, err);
	page_data_clear(&data);
	return rc;
}

static int page_main_report(const struct options *o, const char *command,
			    struct astra_error *err)
{
	struct replies replies = {0};
	int rc = 0;

	if (o->html)
		rc = astra_outfile_check(o->html, err);
	if (!rc && o->from)
		rc = page_read(o->from, &replies, err);
	else if (!rc)
		rc = page_ask(&o->query, o->verbose, &replies, err);
	if (!rc)
		rc = o->json ? page_main_print_json(&replies, err)
			     : page_main_write(&replies, command, o->html, err);
	replies_clear(&replies);
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
	rc = page_main_parse(argc, argv, &options, err);
	if (!rc && command.failed)
		rc = astra_error_nomem(err);
	else if (!rc)
		rc = page_main_report(&options, command.bytes, err);
	astra_query_destroy(&options.query);
	astra_text_clear(&command);
	return rc;
}
