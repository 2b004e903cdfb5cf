/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair/page_ask.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfair/sfair.h"

#define PAGES_MAX 128 /* replies to put together */

static enum astra_report_kind kind_of(enum page_part part)
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

/* A report over time that does not fit in a reply goes on where that ends. */
static int ask_further(struct astra_query *query, bool verbose, json_t *reply,
		       struct astra_error *err)
{
	json_t *rows = json_object_get(reply, "rows");

	for (int page = 1; page < PAGES_MAX; page++) {
		int64_t from = last_time(reply);
		json_t *next;

		if (!json_is_true(json_object_get(reply, "more")) ||
		    from <= query->past.start_sec ||
		    from >= query->past.end_sec)
			break;
		query->past.start_sec = from;
		next = sfair_ask(query, verbose, err);
		if (!next)
			return -1;
		drop_from(rows, from);
		json_array_extend(rows, json_object_get(next, "rows"));
		json_object_set(reply, "more", json_object_get(next, "more"));
		json_decref(next);
	}
	return 0;
}

static int ask_part(const struct astra_query *all, enum page_part part,
		    bool verbose, json_t **reply, struct astra_error *err)
{
	struct astra_query query = *all;
	const struct astra_report_row *row = astra_report_row(kind_of(part));

	query.past.report = kind_of(part);
	if (part == PAGE_USERS)
		query.past.top = PAGE_ROWS_MAX;
	if (!row->accounts) {
		query.accounts = (struct astra_names){0};
		query.users = (struct astra_names){0};
	}
	*reply = sfair_ask(&query, verbose, err);
	if (!*reply)
		return -1;
	return ask_further(&query, verbose, *reply, err);
}

int page_ask(const struct astra_query *query, bool verbose,
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

int page_read(const char *path, json_t *replies[PAGE_PARTS],
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
