/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes rows of SQLite as JSON. Leaves out rows that were not asked for or are
 * hidden. */
#include <stdio.h>
#include <string.h>

#include "src/history/read_priv.h"

#define TOP_USERS 10 /* most rows of a report that has only the first rows */

/* The rows of the reply while they are being written. */
struct rows {
	const struct astra_reading_report *what;
	sqlite3_stmt *s;
	size_t count, most;
	bool more;
	bool found[ASTRA_QUERY_NAMES_MAX]; /* whether each of the query's jobs
					    * was found, by its index there */
};

static const char *column_text(sqlite3_stmt *s, const char *name)
{
	for (int i = 1; i < sqlite3_column_count(s); i++)
		if (!strcmp(sqlite3_column_name(s, i), name))
			return (const char *)sqlite3_column_text(s, i);
	return NULL;
}

static bool read_rows_is_job(struct astra_job_ref wanted, const char *job,
			     const char *id_text)
{
	struct astra_job_ref own = {0}, id = {0};

	if (id_text && !astra_job_ref_parse(id_text, &own) &&
	    own.id == wanted.id &&
	    (wanted.task == UINT32_MAX || own.task == wanted.task))
		return true;
	return wanted.task == UINT32_MAX && job &&
	       !astra_job_ref_parse(job, &id) && id.id == wanted.id;
}

/* Whether the row's job was asked for. Notes in rows which of the query's jobs
 * it is. */
static bool job_wanted(const struct astra_reading *r, struct rows *rows)
{
	const struct astra_job_refs *jobs = &r->query->jobs;
	const char *job, *id_text;
	bool wanted = !jobs->count;

	if (wanted)
		return true;
	job = column_text(rows->s, "job");
	id_text = column_text(rows->s, "id_text");
	for (size_t i = 0; i < jobs->count; i++) {
		if (!read_rows_is_job(jobs->refs[i], job, id_text))
			continue;
		rows->found[i] = wanted = true;
	}
	return wanted;
}

static bool row_wanted(const struct astra_reading *r, struct rows *rows)
{
	int64_t id = sqlite3_column_int64(rows->s, 0);
	const struct astra_report_privacy *hidden = &r->report->privacy;

	switch (rows->what->subject) {
	case READING_POOL:
		return astra_reading_pool(r, id);
	case READING_TENANT:
		return astra_reading_tenant(r, id);
	case READING_OWNER:
		return astra_reading_owner(r, id) &&
		       (!hidden->usage || astra_reading_own(r, id));
	case READING_JOB:
		break;
	}
	return astra_reading_owner(r, id) &&
	       (!hidden->jobs || astra_reading_own(r, id)) &&
	       job_wanted(r, rows);
}

/* Whether to hide a column of a row that is visible otherwise. */
static bool is_hidden(const struct astra_reading *r, const struct rows *rows,
		      const char *key)
{
	static const char *const usage[] = {"alloc_gpu_sec", "fair_gpu_sec",
					    "rho"};
	int64_t id = sqlite3_column_int64(rows->s, 0);

	if (!r->report->privacy.usage || r->viewer->all)
		return false;
	if (rows->what->subject == READING_POOL)
		return !strncmp(key, "rho_", 4);
	if (rows->what->subject != READING_JOB || astra_reading_own(r, id))
		return false;
	for (size_t i = 0; i < sizeof(usage) / sizeof(*usage); i++)
		if (!strcmp(key, usage[i]))
			return true;
	return false;
}

static void read_rows_put_value(struct astra_text *out, sqlite3_stmt *s,
				int column)
{
	switch (sqlite3_column_type(s, column)) {
	case SQLITE_INTEGER:
		astra_text_printf(out, "%lld",
				  (long long)sqlite3_column_int64(s, column));
		break;
	case SQLITE_FLOAT:
		astra_encode_real(out, sqlite3_column_double(s, column));
		break;
	case SQLITE_NULL:
		astra_text_add(out, "null", 4);
		break;
	default:
		astra_encode_text(out,
				  (const char *)sqlite3_column_text(s, column));
	}
}

static void read_rows_put_row(const struct astra_reading *r, struct rows *rows)
{
	for (int i = 1; i < sqlite3_column_count(rows->s); i++) {
		const char *key = sqlite3_column_name(rows->s, i);

		astra_text_printf(r->out, "%s\"%s\":",
				  i > 1		? ","
				  : rows->count ? ",{"
						: "{",
				  key);
		if (is_hidden(r, rows, key))
			astra_text_add(r->out, "null", 4);
		else
			read_rows_put_value(r->out, rows->s, i);
	}
	astra_text_add(r->out, "}", 1);
	rows->count++;
}

static enum astra_fault put_rows(struct astra_reading *r, struct rows *rows)
{
	int rc = SQLITE_ROW;

	while (!rows->more && !r->out->failed &&
	       (rc = sqlite3_step(rows->s)) == SQLITE_ROW) {
		if (!row_wanted(r, rows))
			continue;
		if (rows->count == rows->most)
			rows->more = true;
		else
			read_rows_put_row(r, rows);
	}
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? ASTRA_FAULT_NONE
						     : astra_reading_failed(r);
}

static enum astra_fault read_rows_check_jobs(const struct astra_reading *r,
					     const struct rows *rows)
{
	const struct astra_job_refs *jobs = &r->query->jobs;

	for (size_t i = 0; !rows->more && i < jobs->count; i++) {
		struct astra_job_ref ref = jobs->refs[i];
		char task[16] = "";

		if (rows->found[i])
			continue;
		if (ref.task != UINT32_MAX)
			snprintf(task, sizeof(task), "_%u", ref.task);
		astra_error_set(r->err,
				"job %u%s: the history has none of this number "
				"that was there in this time and that you may "
				"see; it keeps them for HistoryLeases",
				ref.id, task);
		return ASTRA_FAULT_NOT_FOUND;
	}
	return ASTRA_FAULT_NONE;
}

static void read_rows_put_head(struct astra_reading *r, bool jobs)
{
	const struct astra_query_past *past = &r->query->past;

	astra_text_printf(
		r->out,
		",\"report\":\"%s\",\"start_sec\":%lld,\"end_sec\":%lld,"
		"\"step_sec\":",
		astra_report_row(past->report)->name,
		(long long)(jobs ? past->start_sec : r->window.start_sec),
		(long long)(jobs ? past->end_sec : r->window.end_sec));
	if (r->step_sec)
		astra_text_printf(r->out, "%lld", (long long)r->step_sec);
	else
		astra_text_add(r->out, "null", 4);
	astra_text_printf(r->out, ",\"rows\":[");
}

static size_t most_rows(const struct astra_query_past *past)
{
	if (past->top)
		return past->top;
	return past->report == ASTRA_USER_TOP ? TOP_USERS
					      : ASTRA_HISTORY_ROWS_MAX;
}

enum astra_fault astra_reading_rows(struct astra_reading *r)
{
	const struct astra_query_past *past = &r->query->past;
	struct rows rows = {
		.what = astra_reading_report(past->report),
		.most = most_rows(past),
	};
	const char *sql = past->top && rows.what->sql_top ? rows.what->sql_top
							  : rows.what->sql;
	enum astra_fault fault;

	rows.s = rows.what->subject == READING_JOB
			 ? astra_reading_prepare_jobs(r, sql)
			 : astra_reading_prepare(r, sql);
	if (!rows.s)
		return astra_reading_failed(r);
	sqlite3_bind_double(rows.s, 1, (double)past->start_sec);
	sqlite3_bind_double(rows.s, 2, (double)past->end_sec);
	sqlite3_bind_double(rows.s, 3, r->viewer->now_sec);
	/* There is no limit if jobs were asked for by id, since other tasks of
	 * the same array may come first. */
	sqlite3_bind_int64(rows.s, 4,
			   r->query->jobs.count ? -1 : (int64_t)rows.most + 1);
	read_rows_put_head(r, rows.what->subject == READING_JOB);
	fault = put_rows(r, &rows);
	sqlite3_finalize(rows.s);
	if (!fault)
		fault = read_rows_check_jobs(r, &rows);
	/* A client that asked only for the first rows knows that there are
	 * more. */
	if (rows.most < ASTRA_HISTORY_ROWS_MAX)
		rows.more = false;
	astra_text_printf(r->out, "],\"more\":%s",
			  rows.more ? "true" : "false");
	return fault;
}
