/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the reader's files share. */
#ifndef ASTRA_HISTORY_READ_PRIV_H
#define ASTRA_HISTORY_READ_PRIV_H

#include <sqlite3.h>

#include "src/history/read.h"
#include "src/history/window.h"
#include "src/proto/answer.h"

#define ASTRA_HISTORY_ROWS_MAX 10000

/* A report that is being read: its source, its viewer and its output. */
struct astra_reading {
	sqlite3 *db;
	const struct astra_query *query;
	const struct astra_viewer *viewer;
	const struct astra_report *report; /* for its privacy settings */
	struct astra_text *out;
	struct astra_error *err;
	struct astra_history_window window;
	int64_t step_sec; /* 0: not a series */
	struct astra_reading_names *names;
};

/* read.c: returns a copy of the path of the history's file; free it with
 * free(). NULL if there is no history, or out of memory. Any thread. */
char *astra_history_read_path(void);

/* read.c: whether astra_history_read_cancel() was called. Any thread. */
bool astra_history_read_cancelled(void);

/* read.c: sets err to SQLite's last error, and returns the fault for it. */
enum astra_fault astra_reading_failed(const struct astra_reading *r);

/* Prepares a statement. %s in it stands for the window's pieces, as rows of
 * (level, from, to). Returns NULL on failure. */
sqlite3_stmt *astra_reading_prepare(const struct astra_reading *r,
				    const char *sql);

/* Prepares a statement. %s in it stands for text. Returns NULL on failure. */
sqlite3_stmt *astra_reading_prepare_with(const struct astra_reading *r,
					 const char *sql, const char *text);

/* read_reports.c: prepares a report of jobs. %s in sql stands for the jobs that
 * were asked for (and their leases). The SQL function wanted(owner) tells
 * whether an owner's jobs were asked for and may be seen. Returns NULL on
 * failure. */
sqlite3_stmt *astra_reading_prepare_jobs(const struct astra_reading *r,
					 const char *sql);

/* read_names.c: the known names, with marks: asked for, and visible to the
 * viewer. */

/* Reads and marks the names. Call astra_reading_names_clear() in either case.
 * Returns ASTRA_FAULT_NONE, or a fault with err set. */
enum astra_fault astra_reading_names_load(struct astra_reading *r);
void astra_reading_names_clear(struct astra_reading *r);

/* Checks that each pool asked for is in the file, and that each account and
 * each user asked for has rows in the window. Returns ASTRA_FAULT_NONE, or a
 * fault with err set. */
enum astra_fault astra_reading_names_check(struct astra_reading *r);

/* Whether the pool or tenant of this id was asked for; a tenant must also be
 * visible to the viewer. */
bool astra_reading_pool(const struct astra_reading *r, int64_t pool);
bool astra_reading_tenant(const struct astra_reading *r, int64_t tenant);
/* Whether the owner was asked for, regardless of PrivateData. */
bool astra_reading_owner(const struct astra_reading *r, int64_t owner);
/* Whether the viewer is the owner, coordinates the owner's account, or may see
 * everything. */
bool astra_reading_own(const struct astra_reading *r, int64_t owner);

/* read_reports.c: what each report is about, and its SQL. */
enum astra_reading_subject {
	READING_POOL,
	READING_TENANT,
	READING_OWNER,
	READING_JOB,
};

struct astra_reading_report {
	enum astra_reading_subject subject;
	bool series; /* rows of equal length, over time */
	/* The first column is the id of the subject; for a job, of its owner.
	 * The other columns are members of the reply's row. %s stands for the
	 * pieces, or for the jobs. */
	const char *sql, *sql_top; /* sql_top: sorted for "top"; NULL: sql is
				    * used */
};

const struct astra_reading_report *
astra_reading_report(enum astra_report_kind kind);

/* read_rows.c: writes the rows as JSON, with the members before and after
 * them. */
enum astra_fault astra_reading_rows(struct astra_reading *r);

#endif
