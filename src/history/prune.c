/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deletes rows that are too old, a few rows at a time. */
#include <stdio.h>

#include "src/history/writer_priv.h"

#define JOBS_MAX 500
#define STEPS 40 /* one deletion covers this many minutes, hours or days */

static const char *const tables[] = {"pool_time", "tenant_time", "owner_time",
				     "start_time", "slot_time"};
#define TABLES (sizeof(tables) / sizeof(*tables))
static const double length_sec[] = {60, 3600, 86400};

static int64_t prune_number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *s = NULL;
	int64_t n = -1;

	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK &&
	    sqlite3_step(s) == SQLITE_ROW &&
	    sqlite3_column_type(s, 0) != SQLITE_NULL)
		n = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return n;
}

/* Returns 1 if rows were deleted, 0 if there were no old rows, or -1 on
 * error. */
static int prune_level(struct astra_writer *w, const char *table,
		       unsigned level, double before)
{
	char sql[256];
	int64_t oldest, until;

	snprintf(sql, sizeof(sql), "SELECT min(time) FROM %s WHERE level=%u",
		 table, level);
	oldest = prune_number(w->db, sql);
	if (oldest < 0 || (double)oldest + length_sec[level] > before)
		return 0;
	until = oldest + (int64_t)(STEPS * length_sec[level]);
	if ((double)until > before - length_sec[level])
		until = (int64_t)(before - length_sec[level]) + 1;
	snprintf(sql, sizeof(sql),
		 "DELETE FROM %s WHERE level=%u AND time<%lld", table, level,
		 (long long)until);
	return sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 1 : -1;
}

static int prune_jobs(struct astra_writer *w, double before)
{
	char sql[768];

	snprintf(sql, sizeof(sql),
		 "BEGIN IMMEDIATE;"
		 "DELETE FROM run WHERE job IN (SELECT id FROM job WHERE"
		 " end_sec<%.3f ORDER BY end_sec,id LIMIT %d);"
		 "DELETE FROM lease WHERE job IN (SELECT id FROM job WHERE"
		 " end_sec<%.3f ORDER BY end_sec,id LIMIT %d);"
		 "DELETE FROM job_ask WHERE job IN (SELECT id FROM job WHERE"
		 " end_sec<%.3f ORDER BY end_sec,id LIMIT %d);"
		 "DELETE FROM job WHERE id IN (SELECT id FROM job WHERE"
		 " end_sec<%.3f ORDER BY end_sec,id LIMIT %d);"
		 "COMMIT;",
		 before, JOBS_MAX, before, JOBS_MAX, before, JOBS_MAX, before,
		 JOBS_MAX);
	if (sqlite3_exec(w->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return -1;
	snprintf(sql, sizeof(sql),
		 "SELECT 1 FROM job WHERE end_sec<%.3f LIMIT 1", before);
	return prune_number(w->db, sql) == 1;
}

int astra_writer_prune(struct astra_writer *w, double now_sec,
		       struct astra_error *err)
{
	const double keep[] = {w->keep.minute_sec, w->keep.hour_sec,
			       w->keep.day_sec};
	int more = 0, rc = 0;

	for (size_t t = 0; t < TABLES && rc >= 0; t++)
		for (unsigned l = 0; l < 3 && rc >= 0; l++) {
			if (keep[l] <= 0)
				continue;
			rc = prune_level(w, tables[t], l, now_sec - keep[l]);
			more |= rc > 0;
		}
	if (rc >= 0 && w->keep.job_sec > 0) {
		rc = prune_jobs(w, now_sec - w->keep.job_sec);
		more |= rc > 0;
	}
	if (rc >= 0)
		return more;
	astra_error_set(err, "%s", sqlite3_errmsg(w->db));
	if (!sqlite3_get_autocommit(w->db))
		(void)sqlite3_exec(w->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}
