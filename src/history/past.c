/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/history/past.h"

#include <stdlib.h>
#include <unistd.h>

#include "src/common/clock.h"
#include "src/history/read_priv.h"
#include "src/history/schema.h"

#define LONGEST_SEC 3
#define STEPS 4000 /* virtual machine steps between two looks at the clock */

static const char jobs_sql[] =
	"SELECT t.name,o.user,j.submit_sec,j.run_sec,j.gpus,"
	"j.end_sec IS NOT NULL,j.revoked,j.lost_sec FROM job j"
	" JOIN owner o ON o.id=j.owner JOIN tenant t ON t.id=o.tenant"
	" JOIN pool p ON p.id=t.pool"
	" WHERE p.name=?1 AND j.submit_sec>=?2 AND j.run_sec>0 AND j.gpus>0"
	" ORDER BY j.submit_sec DESC,j.id DESC LIMIT ?3";

static int past_too_long(void *until_sec)
{
	return astra_history_read_cancelled() ||
	       astra_now_sec(CLOCK_MONOTONIC) > *(const double *)until_sec;
}

static const char *past_text(sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);

	return text ? text : "";
}

static int past_take(sqlite3_stmt *s, const struct astra_history_past *past)
{
	const struct astra_history_past_job job = {
		.tenant = past_text(s, 0),
		.user = past_text(s, 1),
		.submit_sec = sqlite3_column_double(s, 2),
		.ran_sec = sqlite3_column_double(s, 3),
		.gpus = (uint32_t)sqlite3_column_int64(s, 4),
		.ended = sqlite3_column_int64(s, 5),
		.revoked = (uint32_t)sqlite3_column_int64(s, 6),
		.lost_sec = sqlite3_column_double(s, 7),
	};

	return past->take(past->arg, &job);
}

static int past_read(sqlite3 *db, const struct astra_history_past *past,
		     struct astra_error *err)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, jobs_sql, -1, &s, NULL), taken = 0;

	if (rc == SQLITE_OK) {
		sqlite3_bind_text(s, 1, past->pool, -1, SQLITE_STATIC);
		sqlite3_bind_double(s, 2, past->since_sec);
		sqlite3_bind_int64(s, 3, (sqlite3_int64)past->most);
		rc = SQLITE_ROW;
	}
	while (!taken && rc == SQLITE_ROW) {
		rc = sqlite3_step(s);
		if (rc == SQLITE_ROW)
			taken = past_take(s, past);
	}
	if (taken < 0)
		astra_error_nomem(err);
	else if (rc != SQLITE_DONE)
		taken = astra_error_set(err, "the history cannot be read: %s",
					sqlite3_errmsg(db));
	sqlite3_finalize(s);
	return taken;
}

int astra_history_past(const struct astra_history_past *past,
		       struct astra_error *err)
{
	double until_sec = astra_now_sec(CLOCK_MONOTONIC) + LONGEST_SEC;
	char *path = astra_history_read_path();
	sqlite3 *db = NULL;
	int rc;

	if (!path)
		return astra_error_set(err, "no history is kept");
	if (access(path, F_OK) < 0) {
		free(path);
		return astra_error_set(err, "there is no history yet");
	}
	rc = astra_history_open_read(path, &db, err);
	free(path);
	if (rc > 0)
		return astra_error_set(err, "the history is being written to");
	if (rc < 0)
		return -1;
	sqlite3_exec(db,
		     "PRAGMA temp_store=MEMORY;PRAGMA query_only=1;"
		     "PRAGMA mmap_size=0;",
		     NULL, NULL, NULL);
	sqlite3_progress_handler(db, STEPS, past_too_long, &until_sec);
	rc = past_read(db, past, err);
	astra_history_close(db);
	return rc;
}
