/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks the plugin for the reports that make up a page. */
#include <time.h>

#include "src/cmd/sfair/page.h"
#include "src/cmd/sfair/sfair.h"

#define PARTS_MAX 128 /* most replies that are put together */
#define PART_SEC INT64_C(21600)
#define DAY_SEC INT64_C(86400)

static json_t *page_ask_one(const struct page_asked *whom,
			    const struct astra_query *query,
			    struct astra_error *err)
{
	return sfair_ask_at(whom->where, query, whom->wait_sec, whom->verbose,
			    err);
}

static enum astra_report_kind page_ask_kind_of(enum page_part part)
{
	enum astra_report_kind kind = ASTRA_CLUSTER_UTILIZATION;

	astra_report_kind_find(page_part_name(part), &kind);
	return kind;
}

/* Returns the last time in a reply; the reply may have been cut there, so that
 * this time lacks rows. 0: there are no rows. */
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

/* Copies the step to each row, as replies for shorter spans have finer
 * steps. */
static void say_step(json_t *reply)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(reply, "rows"), i, row)
		copy_key(row, reply, "step_sec");
}

/* Appends the rows of the next reply, which begins where this reply was cut. */
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

/* Returns the end of the next request. The history gives its finest rows (per
 * minute, hour or day) only if a request needs at most 400 of them. */
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

/* Asks for a report over time, part by part. If a part does not fit in a reply,
 * the next request begins where the reply was cut. */
static int ask_over_time(const struct page_asked *whom,
			 const struct astra_query *all, json_t **reply,
			 struct astra_error *err)
{
	struct astra_query query = *all;

	for (int part = 0; part < PARTS_MAX; part++) {
		int64_t from = query.past.start_sec;
		json_t *next;

		query.past.end_sec = part_end(&all->past, from);
		next = page_ask_one(whom, &query, err);
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

/* The query for a part. */
static struct astra_query query_for(const struct astra_query *all,
				    enum page_part part)
{
	struct astra_query query = *all;

	query.past.report = page_ask_kind_of(part);
	if (part == PAGE_USERS)
		query.past.top = PAGE_ROWS_MAX;
	if (!astra_report_row(query.past.report)->accounts) {
		query.accounts = (struct astra_names){0};
		query.users = (struct astra_names){0};
	}
	return query;
}

int page_ask_sums(const struct page_asked *whom, const struct astra_query *all,
		  enum page_part part, json_t **reply, struct astra_error *err)
{
	const struct astra_query query = query_for(all, part);

	*reply = page_ask_one(whom, &query, err);
	return *reply ? 0 : -1;
}

int page_ask_part(const struct page_asked *whom, const struct astra_query *all,
		  enum page_part part, json_t **reply, struct astra_error *err)
{
	const struct astra_query query = query_for(all, part);

	if (part == PAGE_LOSS || part == PAGE_TIMELINE)
		return ask_over_time(whom, &query, reply, err);
	return page_ask_sums(whom, all, part, reply, err);
}
