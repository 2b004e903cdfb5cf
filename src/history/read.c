/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/history/read.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/common/clock.h"
#include "src/history/read_priv.h"

#define LONGEST_MSEC 3000 /* less than the writer waits for a lock */
#define STEPS                                                              \
	4000 /* steps of SQLite's virtual machine between two looks at the \
	      * clock */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *wanted; /* path of the file to read; protected by lock */

static atomic_bool cancelled;

/* The connection. Only the thread that makes reports uses it. */
static struct {
	sqlite3 *db;
	char *path;
	dev_t device;
	ino_t inode;
	int64_t until_msec; /* deadline of the present report */
} now;

void astra_history_read_from(const char *path)
{
	char *copy = path ? strdup(path) : NULL;

	pthread_mutex_lock(&lock);
	free(wanted);
	wanted = copy;
	pthread_mutex_unlock(&lock);
}

char *astra_history_read_path(void)
{
	char *path;

	pthread_mutex_lock(&lock);
	path = wanted ? strdup(wanted) : NULL;
	pthread_mutex_unlock(&lock);
	return path;
}

bool astra_history_read_cancelled(void)
{
	return atomic_load(&cancelled);
}

void astra_history_read_cancel(void)
{
	atomic_store(&cancelled, true);
}

static void read_close_file(void)
{
	astra_history_close(now.db);
	free(now.path);
	now.db = NULL;
	now.path = NULL;
}

void astra_history_read_stop(void)
{
	read_close_file();
	atomic_store(&cancelled, false);
}

static int too_long(void *unused)
{
	(void)unused;
	return atomic_load(&cancelled) ||
	       astra_now_msec(CLOCK_MONOTONIC) > now.until_msec;
}

static enum astra_fault busy(struct astra_error *err)
{
	astra_error_set(err, "the history is being written to: ask again");
	return ASTRA_FAULT_BUSY;
}

/* Opens the file. Takes ownership of the path. */
static enum astra_fault read_open_file(char *path, const struct stat *st,
				       struct astra_error *err)
{
	int rc;

	read_close_file();
	rc = astra_history_open_read(path, &now.db, err);
	if (rc) {
		free(path);
		return rc > 0 ? busy(err) : ASTRA_FAULT_NO_DATA;
	}
	now.path = path;
	now.device = st->st_dev;
	now.inode = st->st_ino;
	sqlite3_exec(now.db,
		     "PRAGMA temp_store=MEMORY;PRAGMA query_only=1;"
		     "PRAGMA mmap_size=0;",
		     NULL, NULL, NULL);
	sqlite3_progress_handler(now.db, STEPS, too_long, NULL);
	return ASTRA_FAULT_NONE;
}

static enum astra_fault open_wanted(struct astra_error *err)
{
	char *path = astra_history_read_path();
	struct stat st;

	if (!path)
		return astra_answer_no_history(err);
	now.until_msec = astra_now_msec(CLOCK_MONOTONIC) + LONGEST_MSEC;
	if (stat(path, &st) < 0) {
		free(path);
		astra_error_set(err, "there is no history yet: ask again in a "
				     "minute, or see History in sfair diag");
		return ASTRA_FAULT_NO_DATA;
	}
	if (now.db && !strcmp(path, now.path) && st.st_dev == now.device &&
	    st.st_ino == now.inode && !astra_history_is_wal(now.db)) {
		free(path);
		return ASTRA_FAULT_NONE;
	}
	return read_open_file(path, &st, err);
}

enum astra_fault astra_reading_failed(const struct astra_reading *r)
{
	bool of_jobs = astra_reading_report(r->query->past.report)->subject ==
		       READING_JOB;

	switch (sqlite3_errcode(r->db)) {
	case SQLITE_INTERRUPT:
		astra_error_set(r->err,
				"the report takes longer than 3 seconds: ask "
				"for a shorter time, or %s",
				of_jobs ? "for jobs by their numbers"
					: "without minutes and hours at its "
					  "ends");
		return ASTRA_FAULT_TOO_LARGE;
	case SQLITE_BUSY:
	case SQLITE_READONLY: /* there is a journal that the writer has to roll
			       * back */
		return busy(r->err);
	case SQLITE_NOMEM:
		return ASTRA_FAULT_INTERNAL;
	default:
		astra_error_set(r->err, "the history cannot be read: %s",
				sqlite3_errmsg(r->db));
		return ASTRA_FAULT_NO_DATA;
	}
}

sqlite3_stmt *astra_reading_prepare_with(const struct astra_reading *r,
					 const char *sql, const char *with)
{
	struct astra_text text = {0};
	const char *at = strstr(sql, "%s");
	sqlite3_stmt *s = NULL;

	if (at)
		astra_text_printf(&text, "%.*s%s%s", (int)(at - sql), sql, with,
				  at + 2);
	if (!text.failed)
		sqlite3_prepare_v2(r->db, at ? text.bytes : sql, -1, &s, NULL);
	astra_text_clear(&text);
	return s;
}

sqlite3_stmt *astra_reading_prepare(const struct astra_reading *r,
				    const char *sql)
{
	struct astra_text pieces = {0};
	sqlite3_stmt *s = NULL;

	for (size_t i = 0; i < r->window.count; i++)
		astra_text_printf(&pieces, "%s(%d,%lld,%lld)", i ? "," : "",
				  (int)r->window.pieces[i].level,
				  (long long)r->window.pieces[i].from,
				  (long long)r->window.pieces[i].to);
	if (!pieces.failed)
		s = astra_reading_prepare_with(
			r, sql, pieces.bytes ? pieces.bytes : "");
	astra_text_clear(&pieces);
	return s;
}

/* Sets the time of the oldest row of each level, INT64_MAX if a level has no
 * rows. Returns as astra_answer(). */
static enum astra_fault oldest_rows(const struct astra_reading *r,
				    int64_t first[ASTRA_HISTORY_LEVELS])
{
	sqlite3_stmt *s = astra_reading_prepare(
		r, "SELECT min(time) FROM pool_time WHERE level=?1");
	int rc = s ? SQLITE_ROW : SQLITE_ERROR;

	for (int i = 0; rc == SQLITE_ROW && i < ASTRA_HISTORY_LEVELS; i++) {
		sqlite3_bind_int(s, 1, i);
		rc = sqlite3_step(s);
		first[i] = INT64_MAX;
		if (rc == SQLITE_ROW &&
		    sqlite3_column_type(s, 0) == SQLITE_INTEGER)
			first[i] = sqlite3_column_int64(s, 0);
		sqlite3_reset(s);
	}
	sqlite3_finalize(s);
	return rc == SQLITE_ROW ? ASTRA_FAULT_NONE : astra_reading_failed(r);
}

static enum astra_fault read_set_window(struct astra_reading *r)
{
	const struct astra_query_past *past = &r->query->past;
	int64_t first[ASTRA_HISTORY_LEVELS];
	enum astra_fault fault = oldest_rows(r, first);

	if (fault)
		return fault;
	if (astra_reading_report(past->report)->series)
		r->step_sec = astra_history_series(
			past->start_sec, past->end_sec, first, &r->window);
	else
		astra_history_split(past->start_sec, past->end_sec, first,
				    &r->window);
	return ASTRA_FAULT_NONE;
}

static enum astra_fault read_all(struct astra_reading *r)
{
	enum astra_fault fault = read_set_window(r);

	if (!fault)
		fault = astra_reading_names_load(r);
	if (!fault)
		fault = astra_reading_names_check(r);
	if (!fault)
		fault = astra_reading_rows(r);
	astra_reading_names_clear(r);
	return fault;
}

enum astra_fault astra_history_report(const struct astra_query *query,
				      const struct astra_viewer *viewer,
				      const struct astra_report *report,
				      struct astra_text *out,
				      struct astra_error *err)
{
	enum astra_fault fault = open_wanted(err);
	struct astra_reading r = {
		.query = query,
		.viewer = viewer,
		.report = report,
		.out = out,
		.err = err,
	};

	if (fault)
		return fault;
	r.db = now.db;
	/* Reads in one transaction, so that all rows are of the same moment. */
	if (sqlite3_exec(r.db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK) {
		fault = astra_reading_failed(&r);
		read_close_file();
		return fault;
	}
	fault = read_all(&r);
	now.until_msec = INT64_MAX;
	sqlite3_exec(r.db, "ROLLBACK", NULL, NULL, NULL);
	(void)sqlite3_db_release_memory(r.db);
	if (fault == ASTRA_FAULT_INTERNAL)
		astra_error_nomem(err);
	if (fault == ASTRA_FAULT_NO_DATA)
		read_close_file(); /* the next report opens it again */
	return fault;
}
