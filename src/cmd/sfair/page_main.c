/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair report: a page about past time, for whoever answers for the cluster.
 * Parse, ask, draw; each in files of its own. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/cmd/sfair/page.h"
#include "src/cmd/sfair/sfair.h"
#include "src/common/text.h"
#include "src/proto/query.h"
#include "src/sim/outfile.h"

#define PARTS_MAX 128 /* replies to put together */
#define PART_SEC INT64_C(21600)
#define DAY_SEC INT64_C(86400)

static enum astra_report_kind page_ask_kind_of(enum page_part part)
{
	enum astra_report_kind kind = ASTRA_CLUSTER_UTILIZATION;

	astra_report_kind_find(page_part_name(part), &kind);
	return kind;
}

/* Where a reply was cut: its last time, which may lack rows. 0: it has none. */
static int64_t last_time(const json_t *reply)
{
	const json_t *rows = json_object_get(reply, "rows");
	size_t count = json_array_size(rows);
	const json_t *row = count ? json_array_get(rows, count - 1) : NULL;

	return json_integer_value(json_object_get(row, "time_sec"));
}

static void drop_from(json_t *rows, int64_t time_sec)
{
	size_t count = json_array_size(rows);

	for (; count; count--) {
		const json_t *row = json_array_get(rows, count - 1);

		if (json_integer_value(json_object_get(row, "time_sec")) <
		    time_sec)
			break;
		json_array_remove(rows, count - 1);
	}
}

static void copy_key(json_t *to, const json_t *from, const char *key)
{
	json_object_set(to, key, json_object_get(from, key));
}

/* Each row has its own step, as shorter spans have finer ones. */
static void say_step(json_t *reply)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(reply, "rows"), i, row)
		copy_key(row, reply, "step_sec");
}

/* Put what goes on where a reply ends behind its rows. */
static void page_ask_append(json_t *reply, const json_t *next, int64_t from_sec)
{
	json_t *rows = json_object_get(reply, "rows");

	drop_from(rows, from_sec);
	json_array_extend(rows, json_object_get(next, "rows"));
	if (json_number_value(json_object_get(next, "step_sec")) >
	    json_number_value(json_object_get(reply, "step_sec")))
		copy_key(reply, next, "step_sec");
	copy_key(reply, next, "end_sec");
	copy_key(reply, next, "more");
}

/* Until when to ask at a time, so that the history answers as finely as it can:
 * it has a row for each minute, hour or day, and at most 400 of them. */
static int64_t part_end(const struct astra_query_past *all, int64_t from_sec)
{
	int64_t span = all->end_sec - all->start_sec, end = all->end_sec;
	time_t when = (time_t)from_sec;
	struct tm tm;

	if (span <= 2 * DAY_SEC) {
		end = (from_sec / PART_SEC + 1) * PART_SEC;
	} else if (span <= 45 * DAY_SEC && localtime_r(&when, &tm)) {
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		tm.tm_mday += 15;
		tm.tm_isdst = -1;
		end = (int64_t)mktime(&tm);
	}
	return end > from_sec && end < all->end_sec ? end : all->end_sec;
}

/* A report over time, part by part; one that does not fit in a reply goes on
 * where that ends. */
static int ask_over_time(const struct astra_query *all, bool verbose,
			 json_t **reply, struct astra_error *err)
{
	struct astra_query query = *all;

	for (int part = 0; part < PARTS_MAX; part++) {
		int64_t from = query.past.start_sec;
		json_t *next;

		query.past.end_sec = part_end(&all->past, from);
		next = sfair_ask(&query, verbose, err);
		if (!next)
			return -1;
		say_step(next);
		query.past.start_sec = query.past.end_sec;
		if (json_is_true(json_object_get(next, "more")) &&
		    last_time(next) > from)
			query.past.start_sec = last_time(next);
		if (*reply)
			page_ask_append(*reply, next, from);
		else
			*reply = json_incref(next);
		json_decref(next);
		if (query.past.start_sec >= all->past.end_sec)
			break;
	}
	return 0;
}

static int ask_part(const struct astra_query *all, enum page_part part,
		    bool verbose, json_t **reply, struct astra_error *err)
{
	struct astra_query query = *all;
	const struct astra_report_row *row =
		astra_report_row(page_ask_kind_of(part));

	query.past.report = page_ask_kind_of(part);
	if (part == PAGE_USERS)
		query.past.top = PAGE_ROWS_MAX;
	if (!row->accounts) {
		query.accounts = (struct astra_names){0};
		query.users = (struct astra_names){0};
	}
	if (part == PAGE_LOSS || part == PAGE_TIMELINE)
		return ask_over_time(&query, verbose, reply, err);
	*reply = sfair_ask(&query, verbose, err);
	return *reply ? 0 : -1;
}

/* Ask the plugin for all that a page is made of.
 * query: kind, window and filters; the rest is put into a copy.
 * replies: all NULL; to be released in any case.
 * Returns 0, or -1 with err set. */
static int page_ask(const struct astra_query *query, bool verbose,
		    json_t *replies[PAGE_PARTS], struct astra_error *err)
{
	for (int i = 0; i < PAGE_PARTS; i++)
		if (ask_part(query, i, verbose, &replies[i], err) < 0)
			return -1;
	return 0;
}

static void sort_in(json_t *reply, json_t *replies[PAGE_PARTS])
{
	const char *name = json_string_value(json_object_get(reply, "report"));

	for (int i = 0; name && i < PAGE_PARTS; i++)
		if (!strcmp(name, page_part_name(i)) && !replies[i])
			replies[i] = json_incref(reply);
}

/* The same from a file that has an array of replies; "-": standard input. */
static int page_read(const char *path, json_t *replies[PAGE_PARTS],
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
		any |= replies[i] != NULL;
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

/* KEY=VALUE, as sreport has it, is in the table. */
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

/* The page, all and whole or not at all. */
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

static int page_main_print_json(json_t *const replies[PAGE_PARTS],
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

static int page_main_report(const struct options *o, const char *command,
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
		rc = page_main_print_json(replies, err);
	if (rc || o->json) {
		for (int i = 0; i < PAGE_PARTS; i++)
			json_decref(replies[i]);
		return rc;
	}
	rc = page_data_load(&data, replies, err);
	if (!rc && *data.wrong.text)
		rc = astra_error_set(err, "%s", data.wrong.text);
	if (!rc)
		rc = page_main_draw(&data, command, o->html, err);
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
	rc = page_main_parse(argc, argv, &options, err);
	if (!rc && command.failed)
		rc = astra_error_nomem(err);
	else if (!rc)
		rc = page_main_report(&options, command.bytes, err);
	astra_query_destroy(&options.query);
	astra_text_clear(&command);
	return rc;
}
