/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader's parts among themselves. */
#ifndef ASTRA_HISTORY_READ_PRIV_H
#define ASTRA_HISTORY_READ_PRIV_H

#include <sqlite3.h>

#include "src/history/read.h"
#include "src/history/window.h"
#include "src/proto/answer.h"

#define ASTRA_HISTORY_ROWS_MAX 10000

/* One report being read: from what, for whom, into what. */
struct astra_reading {
	sqlite3 *db;
	const struct astra_query *query;
	const struct astra_viewer *viewer;
	const struct astra_report *report; /* for its privacy */
	struct astra_text *out;
	struct astra_error *err;
	struct astra_history_window window;
	int64_t step_sec; /* 0: no series */
	struct astra_reading_names *names;
};

/* read.c: a copy of the path to read from, for free(); NULL: there is none. Any
 * thread. */
char *astra_history_read_path(void);

/* read.c: whether astra_history_read_cancel() was called. Any thread. */
bool astra_history_read_cancelled(void);

/* read.c: SQLite's error, as text. */
enum astra_fault astra_reading_failed(const struct astra_reading *r);

/* Prepare a statement in which %s is the window's pieces, as rows of
 * (level, from, to). Returns NULL on failure. */
sqlite3_stmt *astra_reading_prepare(const struct astra_reading *r,
				    const char *sql);

/* The same; %s is this text. */
sqlite3_stmt *astra_reading_prepare_with(const struct astra_reading *r,
					 const char *sql, const char *text);

/* read_reports.c: prepare a report of jobs, in which %s is what has the jobs
 * that are asked for (with their leases), and wanted(owner) tells whether the
 * viewer may see and asks for those of an owner. Returns NULL on failure. */
sqlite3_stmt *astra_reading_prepare_jobs(const struct astra_reading *r,
					 const char *sql);

/* read_names.c: who there is, who of them is asked for, and whom the viewer
 * may see. */

/* Returns ASTRA_FAULT_NONE, or what is wrong with err set; clear either way.
 */
enum astra_fault astra_reading_names_load(struct astra_reading *r);
void astra_reading_names_clear(struct astra_reading *r);

/* Whether every name asked for is known in the window. */
enum astra_fault astra_reading_names_check(struct astra_reading *r);

/* Whether rows of these are wanted and may be seen; of an id of their table. */
bool astra_reading_pool(const struct astra_reading *r, int64_t pool);
bool astra_reading_tenant(const struct astra_reading *r, int64_t tenant);
/* Whether the owner was asked for, leaving PrivateData aside. */
bool astra_reading_owner(const struct astra_reading *r, int64_t owner);
/* Whether the owner is the viewer, or the viewer sees all. */
bool astra_reading_own(const struct astra_reading *r, int64_t owner);

/* read_reports.c: what each report is. */
enum astra_reading_subject {
	READING_POOL,
	READING_TENANT,
	READING_OWNER,
	READING_JOB,
};

struct astra_reading_report {
	enum astra_reading_subject subject;
	bool series; /* rows of one length, over time */
	/* Its first column is the subject's id (a job's: its owner's), the
	 * others are the row's members. %s: the pieces, or the jobs. */
	const char *sql, *sql_top; /* the other order, with "top"; or NULL */
};

const struct astra_reading_report *
astra_reading_report(enum astra_report_kind kind);

/* read_rows.c: the rows as JSON, with what surrounds them. */
enum astra_fault astra_reading_rows(struct astra_reading *r);

#endif
