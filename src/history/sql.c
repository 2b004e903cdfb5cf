/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>

#include "src/history/writer_priv.h"

#define JOB_ROW                                                   \
	"SELECT id,start_sec,end_sec,alloc_gpu_sec,fair_gpu_sec," \
	"leases,revoked,lost_sec,job,submit_sec,owner,state "     \
	"FROM job WHERE "

static const char *const texts[SQL_COUNT] = {
	[SQL_POOL_ADD] = "INSERT OR IGNORE INTO pool(name) VALUES(?1)",
	[SQL_POOL_ID] = "SELECT id FROM pool WHERE name=?1",
	[SQL_TENANT_ADD] =
		"INSERT OR IGNORE INTO tenant(pool,name) VALUES(?1,?2)",
	[SQL_TENANT_ID] = "SELECT id FROM tenant WHERE pool=?1 AND name=?2",
	[SQL_TENANT_SET] = "UPDATE tenant SET weight=?2,"
			   " uid=nullif(?3,4294967295) WHERE id=?1",
	[SQL_OWNER_ADD] = "INSERT OR IGNORE INTO"
			  " owner(tenant,account,user,uid)"
			  " VALUES(?1,?2,?3,?4)",
	[SQL_OWNER_ID] = "SELECT id FROM owner"
			 " WHERE tenant=?1 AND account=?2 AND uid=?3",
	[SQL_COUNTER_GET] =
		"SELECT a,b,c,d,e FROM counter WHERE kind=?1 AND id=?2",
	[SQL_COUNTER_SET] =
		"INSERT OR REPLACE INTO counter VALUES(?1,?2,?3,?4,?5,?6,?7)",
	[SQL_META_SET] = "INSERT OR REPLACE INTO meta VALUES(?1,?2)",
	[SQL_JOB_ADD] = "INSERT INTO job(job,id_text,submit_sec,owner,name,"
			"gpus,weight,run_sec,alloc_gpu_sec,fair_gpu_sec,leases,"
			"revoked,lost_sec,state)"
			" VALUES(?1,?2,?3,?4,?5,?6,?7,0,0,0,0,0,0,?8)",
	[SQL_JOB_GET] = JOB_ROW "job=?1 AND submit_sec=?2",
	[SQL_JOB_OF_RUN] =
		JOB_ROW "job=?1 AND id IN (SELECT r.job "
			"FROM job j JOIN run r ON r.job=j.id WHERE j.job=?1 "
			"AND abs(r.start_sec-?2)<0.5) LIMIT 1",
	[SQL_JOB_LAST] =
		JOB_ROW "id=(SELECT id FROM job WHERE job=?1"
			" AND submit_sec<?2 ORDER BY submit_sec DESC LIMIT 1)"
			" AND (end_sec IS NULL OR state='" STATE_GONE "')"
			" AND owner IN (SELECT id FROM owner WHERE uid=?3)",
	[SQL_JOB_SET] =
		"UPDATE job SET id_text=coalesce(?2,id_text),"
		"name=coalesce(?3,name),gpus=coalesce(?4,gpus),"
		"weight=coalesce(?5,weight),start_sec=?6,end_sec=?7,"
		"run_sec=?8,alloc_gpu_sec=?9,fair_gpu_sec=?10,leases=?11,"
		"revoked=?12,lost_sec=?13,state=?14,owner=?15 WHERE id=?1",
	[SQL_ASK_SET] =
		"INSERT INTO job_ask VALUES(?1,?2,?3,?4,?5,?6)"
		" ON CONFLICT(job) DO UPDATE SET"
		" ready_sec=max(ready_sec,excluded.ready_sec),"
		"limit_sec=excluded.limit_sec,nodes=excluded.nodes,"
		"unprepared=excluded.unprepared,leasable=excluded.leasable",
	[SQL_WATCH_ADD] = "INSERT OR IGNORE INTO watch VALUES(?1,?2)",
	[SQL_WATCH_DEL] = "DELETE FROM watch WHERE pool=?1",
	[SQL_JOB_OPEN] = JOB_ROW "end_sec IS NULL",
	[SQL_RUN_LAST] = "SELECT start_sec,end_sec,counted_sec,gpus FROM run"
			 " WHERE job=?1 ORDER BY start_sec DESC LIMIT 1",
	[SQL_RUN_CLOSED] = "SELECT total(end_sec-start_sec) FROM run"
			   " WHERE job=?1 AND end_sec IS NOT NULL",
	[SQL_RUN_ADD] = "INSERT OR REPLACE INTO run VALUES(?1,?2,?3,?4,?5,?6)",
	[SQL_RUN_END] = "UPDATE run SET end_sec=?3,counted_sec=?3"
			" WHERE job=?1 AND start_sec=?2",
	[SQL_RUN_COUNTED] = "UPDATE run SET counted_sec=?3,gpus=?4"
			    " WHERE job=?1 AND start_sec=?2",
	[SQL_LEASE_LAST] = "SELECT start_sec FROM lease WHERE job=?1 AND"
			   " end_sec IS NULL ORDER BY start_sec DESC LIMIT 1",
	[SQL_LEASE_ADD] =
		"INSERT OR REPLACE INTO lease VALUES(?1,?2,NULL,?3,?4,?5,'')",
	[SQL_LEASE_END] = "UPDATE lease SET end_sec=?3,how=?4"
			  " WHERE job=?1 AND start_sec=?2",
};

static void bind_one(sqlite3_stmt *s, int at, char letter, va_list *args)
{
	const char *text;
	double value;

	switch (letter) {
	case 'i':
		sqlite3_bind_int64(s, at, va_arg(*args, int64_t));
		break;
	case 's':
		text = va_arg(*args, const char *);
		sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT);
		break;
	default:
		value = va_arg(*args, double);
		if (letter == 't' && value == 0)
			sqlite3_bind_null(s, at);
		else
			sqlite3_bind_double(s, at, value);
		break;
	}
}

int astra_sql(struct astra_writer *w, enum sql which, const char *letters, ...)
{
	sqlite3_stmt *s = w->sql[which];
	va_list args;
	int rc;

	if (!s) {
		rc = sqlite3_prepare_v3(w->db, texts[which], -1,
					SQLITE_PREPARE_PERSISTENT, &s, NULL);
		if (rc != SQLITE_OK)
			return rc;
		w->sql[which] = s;
	}
	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
	va_start(args, letters);
	for (int i = 0; letters[i]; i++)
		if (letters[i] != '-')
			bind_one(s, i + 1, letters[i], &args);
	va_end(args);
	rc = sqlite3_step(s);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return rc;
	if (!sqlite3_stmt_readonly(s))
		w->rows++;
	if (rc == SQLITE_DONE)
		sqlite3_reset(s);
	return rc;
}

double astra_sql_double(struct astra_writer *w, enum sql which, int column)
{
	return sqlite3_column_double(w->sql[which], column);
}

int64_t astra_sql_int(struct astra_writer *w, enum sql which, int column)
{
	return sqlite3_column_int64(w->sql[which], column);
}

void astra_sql_free(struct astra_writer *w)
{
	for (size_t i = 0; i < SQL_COUNT; i++) {
		sqlite3_finalize(w->sql[i]);
		w->sql[i] = NULL;
	}
}
