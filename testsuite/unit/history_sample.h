/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A made-up history: two days in the pool gpu, tenants physics (alice 1001 and
 * carol 1003) and bio (bob 1002), as the writer would have written it: each
 * minute's numbers in all three levels. 4 GPUs; alice has 2 and bob 1 of them
 * all the time, carol 1 in the first ten minutes of each hour. */
#ifndef HISTORY_SAMPLE_H
#define HISTORY_SAMPLE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/history/window.h"
#include "testsuite/unit/unit.h"

#define SAMPLE_DAY INT64_C(1699920000) /* 2023-11-14T00:00:00Z */

static void sample_run(sqlite3 *db, const char *sql)
{
	char *error = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
		fail_msg("%s: %s", sql, error);
}

static void sample_minute(sqlite3 *db, int64_t minute)
{
	bool carol = minute % 3600 < 600;
	char sql[2048];

	for (int level = 0; level < ASTRA_HISTORY_LEVELS; level++) {
		long long time = (long long)astra_history_bucket(
			(enum astra_history_level)level, minute);

		snprintf(
			sql, sizeof(sql),
			"INSERT INTO pool_time VALUES(%d,%lld,1,60,240,%d,0,%d,%d,0,6,600,200,1,2,0,0,0)"
			" ON CONFLICT DO UPDATE SET span_sec=span_sec+60,"
			"total_gpu_sec=total_gpu_sec+240,used_gpu_sec=used_gpu_sec+excluded.used_gpu_sec,"
			"idle_gpu_sec=idle_gpu_sec+excluded.idle_gpu_sec,"
			"wanted_gpu_sec=wanted_gpu_sec+excluded.wanted_gpu_sec,"
			"rounds=rounds+6,round_usec=round_usec+600,granted=granted+1,renewed=renewed+2;"
			"INSERT INTO tenant_time VALUES(%d,%lld,1,60,%d,120,0,180,1,1.5,3,NULL)"
			",(%d,%lld,2,60,60,120,60,120,0.5,0.5,NULL,2)"
			" ON CONFLICT DO UPDATE SET span_sec=span_sec+60,"
			"alloc_gpu_sec=alloc_gpu_sec+excluded.alloc_gpu_sec,"
			"fair_gpu_sec=fair_gpu_sec+120,lack_gpu_sec=lack_gpu_sec+excluded.lack_gpu_sec,"
			"demand_gpu_sec=demand_gpu_sec+excluded.demand_gpu_sec,"
			"paid=paid+excluded.paid,income=income+excluded.income;"
			"INSERT INTO owner_time VALUES(%d,%lld,1,120,0,120,60,0,0,0)"
			",(%d,%lld,2,60,60,60,120,0,0,0),(%d,%lld,3,%d,0,%d,60,%d,0,0)"
			" ON CONFLICT DO UPDATE SET used_gpu_sec=used_gpu_sec+excluded.used_gpu_sec,"
			"wait_gpu_sec=wait_gpu_sec+excluded.wait_gpu_sec,"
			"alloc_gpu_sec=alloc_gpu_sec+excluded.alloc_gpu_sec,"
			"fair_gpu_sec=fair_gpu_sec+excluded.fair_gpu_sec,started=started+excluded.started;",
			level, time, carol ? 240 : 180, carol ? 0 : 60,
			carol ? 0 : 60, level, time, carol ? 180 : 120, level,
			time, level, time, level, time, level, time,
			carol ? 60 : 0, carol ? 60 : 0, minute % 3600 == 0);
		sample_run(db, sql);
	}
}

/* minutes: how many, from SAMPLE_DAY on. */
static void sample_history(const char *path, int minutes)
{
	struct astra_error note, err = {""};
	char journal[4096];
	sqlite3 *db = NULL;

	if (astra_history_open(path, "test", &db, &note, &err) < 0)
		fail_msg("%s", err.text);
	sample_run(
		db,
		"BEGIN;INSERT INTO pool VALUES(1,'gpu');"
		"INSERT INTO tenant VALUES(1,1,'physics',NULL,2),(2,1,'bio',NULL,1);"
		"INSERT INTO owner VALUES(1,1,'physics','alice',1001),(2,2,'bio','bob',1002),"
		"(3,1,'optics','carol',1003);"
		"INSERT INTO start_time VALUES(0,1699920000,1,3,1);");
	for (int i = 0; i < minutes; i++)
		sample_minute(db, SAMPLE_DAY + i * 60);
	/* Alice's job runs, bob's array task ended, carol's waits. */
	sample_run(
		db,
		"INSERT INTO job VALUES(1,10,'10',1699920000,1,'train',2,1,1699920060,NULL,3600,7200,3600,2,1,5,'RUNNING'),"
		"(2,21,'20_3',1699920000,2,'eval',1,1,1699920300,1699923900,1800,1800,3600,3,2,30,'COMPLETED'),"
		"(3,30,'30',1699930000,3,'wait',4,1,NULL,NULL,0,0,100,0,0,0,'PENDING');"
		"INSERT INTO job_ask VALUES(1,0,3600,2,1,1),(3,1699930500,0,0,0,0);"
		"INSERT INTO watch VALUES(1,1699920030);"
		"INSERT INTO run VALUES(1,1699920060,NULL,1699923660,2,'n1'),(2,1699920300,1699922100,1699922100,1,'n2');"
		"INSERT INTO lease VALUES(1,1699920060,1699920960,1,2,'n1','renewed'),"
		"(1,1699920960,NULL,2,2,'n1',''),(2,1699920300,1699921200,1,1,'n2','revoked');"
		"COMMIT;");
	astra_history_close(db);
	/* The plugin keeps it; here nobody would take it away. */
	(void)snprintf(journal, sizeof(journal), "%s-journal", path);
	(void)unlink(journal);
}

#endif
