/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a pool's jobs from the plugin's history. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfair/watch.h"

#define DAY_SEC 86400
#define DAYS 7

static double rows_real(const json_t *row, const char *key, double none)
{
	const json_t *value = json_object_get(row, key);

	return json_is_number(value) ? json_number_value(value) : none;
}

static const char *rows_text(const json_t *row, const char *key)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text ? text : "";
}

/* Asks for the rows of jobs that existed between two times. Returns NULL with
 * err set on failure. */
static json_t *rows_ask(const struct sfair_watch *w, double start_sec,
			double end_sec, struct astra_error *err)
{
	struct astra_query query = {
		.kind = ASTRA_QUERY_REPORT,
		.past = {.report = ASTRA_JOB_REQUESTS,
			 .start_sec = (int64_t)start_sec,
			 .end_sec = (int64_t)end_sec},
	};
	json_t *reply = NULL;

	if (!sfair_parse_names(w->round->head.pool, &query.pools, err))
		reply = sfair_ask(&query, w->args->show.verbose, err);
	astra_query_destroy(&query);
	return reply;
}

/* Finds since when the pool is watched; any recent row has this time. */
static int rows_find_since(struct sfair_watch *w, struct astra_error *err)
{
	static const double spans[] = {1, DAY_SEC, 30 * DAY_SEC, 366 * DAY_SEC};
	double now_sec = w->window.end_sec;

	for (size_t i = 0;
	     !(w->since_sec > 0) && i < sizeof(spans) / sizeof(*spans); i++) {
		json_t *reply = rows_ask(w, now_sec - spans[i], now_sec, err);
		const json_t *rows = json_object_get(reply, "rows");

		if (!reply)
			return -1;
		w->since_sec =
			rows_real(json_array_get(rows, 0), "watch_sec", 0);
		json_decref(reply);
	}
	return 0;
}

/* Adds a job as a single run. It begins with the job's first run, and is as
 * long as all its runs together. */
static int rows_add(struct sfair_watch *w, const json_t *row)
{
	double start_sec = rows_real(row, "start_sec", HUGE_VAL);
	double end_sec = rows_real(row, "end_sec", HUGE_VAL);
	const struct astra_record_job job = {
		.name = rows_text(row, "id_text"),
		.account = rows_text(row, "account"),
		.user = rows_text(row, "user"),
		.tenant = rows_text(row, "tenant"),
		.gpus = (uint32_t)fmax(rows_real(row, "gpus", 1), 1),
		.nodes = (uint32_t)rows_real(row, "nodes_asked", 0),
		.limit_sec = rows_real(row, "limit_sec", 0),
		.pinned = rows_real(row, "leasable", 1) == 0,
		.unprepared = rows_real(row, "unprepared", 0) != 0,
		.submit_sec = fmin(rows_real(row, "ready_sec", 0), start_sec),
		.start_sec = start_sec,
		.end_sec = end_sec,
		.ran_sec = isfinite(end_sec) ? rows_real(row, "run_sec", 0) : 0,
	};

	return astra_record_add(&w->record, &job);
}

/* Adds those rows of a page that are new. Returns their count, or -1 with err
 * set. */
static int rows_take(struct sfair_watch *w, const json_t *rows,
		     double *last_sec, struct astra_error *err)
{
	const json_t *row;
	int taken = 0;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		double submit_sec = rows_real(row, "submit_sec", 0);
		size_t known = w->record.ids.count;
		char key[64];

		snprintf(key, sizeof(key), "%.0f@%.3f",
			 rows_real(row, "job", 0), submit_sec);
		*last_sec = fmax(*last_sec, submit_sec);
		if (astra_intern_put(&w->record.ids, key) == ASTRA_INTERN_NONE)
			return astra_error_nomem(err);
		if (w->record.ids.count == known)
			continue;
		if (rows_add(w, row) < 0)
			return astra_error_nomem(err);
		taken++;
	}
	return taken;
}

/* Reads all rows, page by page, by submission. A page also has the jobs that
 * were there at its beginning, so pages overlap. */
static int rows_read(struct sfair_watch *w, struct astra_error *err)
{
	double at_sec = w->window.start_sec;
	bool more;

	do {
		json_t *reply = rows_ask(w, at_sec, w->window.end_sec, err);
		int taken;

		if (!reply)
			return -1;
		more = json_is_true(json_object_get(reply, "more"));
		taken = rows_take(w, json_object_get(reply, "rows"), &at_sec,
				  err);
		json_decref(reply);
		if (taken < 0)
			return -1;
		at_sec = floor(at_sec);
		if (more && !taken)
			return astra_error_set(
				err, "more jobs than the plugin tells of at "
				     "once were there at one time: take a "
				     "shorter time with since=");
	} while (more);
	return 0;
}

int sfair_watch_rows(struct sfair_watch *w, struct astra_error *err)
{
	double from_sec = w->window.end_sec - DAYS * DAY_SEC;

	if (w->args->since &&
	    sfair_parse_time("since", w->args->since, &from_sec, err) < 0)
		return -1;
	if (rows_find_since(w, err) < 0)
		return -1;
	if (!(w->since_sec > 0))
		return astra_error_set(
			err,
			"nothing is recorded of pool %.64s yet: no job asked "
			"for its GPUs since it has Leases=watch. Let its users "
			"work, and ask again in a day",
			w->round->head.pool);
	w->window.start_sec = fmax(w->since_sec, from_sec);
	if (w->window.start_sec + 1 > w->window.end_sec)
		return astra_error_set(err, "since=%.64s is not over yet",
				       w->args->since ? w->args->since : "now");
	w->record.source = "history";
	return rows_read(w, err);
}
