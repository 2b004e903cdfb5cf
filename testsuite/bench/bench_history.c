/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports over a year of 100 tenants, against SQLite's own sum of the year's
 * hourly rows: a plain scan of them. Medians; nothing is asserted. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/history/read.h"
#include "src/history/window.h"
#include "src/proto/answer.h"
#include "testsuite/bench/bench.h"

#define TENANTS 100
#define DAYS 365
#define BEGIN 1700006400LL /* 2023-11-15T00:00:00Z */
#define END (BEGIN + DAYS * 86400LL)
#define JOBS_A_DAY 17000
#define JOB_DAYS 30
#define REPEATS 5

static char path[] = "/tmp/astraea-bench.XXXXXX";

static int run(sqlite3 *db, const char *sql)
{
	char *error = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &error) == SQLITE_OK)
		return 0;
	fprintf(stderr, "%s: %s\n", sql, error);
	return -1;
}

#define SERIES                                                      \
	"WITH RECURSIVE s(value) AS (SELECT %lld UNION ALL SELECT " \
	"value+%d FROM s WHERE value+%d<%lld) "

/* All rows of a level from begin on. */
static int fill_level(sqlite3 *db, int level, int sec, long long begin)
{
	char sql[4096];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO pool_time " SERIES
		 "SELECT %d,value,1,%d,%d*800.0,%d*700.0,0,%d*100.0,0,0,%d,900,"
		 "300,1,2,3,0,0 FROM s;"
		 "INSERT INTO tenant_time " SERIES
		 "SELECT %d,value,id,%d,%d*7.0,%d*8.0,%d,%d*9.0,0.5,1.5,1,1 "
		 "FROM s, tenant;"
		 "INSERT INTO owner_time " SERIES
		 "SELECT %d,value,id,%d*7.0,%d,%d*7.0,%d*8.0,1,1,1 "
		 "FROM s, owner;",
		 begin, sec, sec, END, level, sec, sec, sec, sec, sec, begin,
		 sec, sec, END, level, sec, sec, sec, sec, sec, begin, sec, sec,
		 END, level, sec, sec, sec, sec);
	return run(db, sql);
}

/* Jobs of 30 days, one after the other, each with a run of two leases. */
static int fill_jobs(sqlite3 *db)
{
	char sql[2048];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO job WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
		 "SELECT i+1 FROM n WHERE i<%d) SELECT i,i,''||i,t,1+i%%100,"
		 "'train',1+i%%8,1,t+i%%500,t+i%%500+600,600,600*(1+i%%8),"
		 "500*(1+i%%8),2,1,10,'COMPLETED' FROM (SELECT i, %lld+i*%f AS "
		 "t FROM n);"
		 "INSERT INTO lease SELECT id,start_sec,start_sec+300,1,gpus,"
		 "'n'||id%%64,'revoked' FROM job;"
		 "INSERT INTO lease SELECT id,start_sec+300,end_sec,2,gpus,"
		 "'n'||id%%64,'ended' FROM job;",
		 JOBS_A_DAY * JOB_DAYS, END - (JOB_DAYS + 1) * 86400LL,
		 86400.0 / JOBS_A_DAY);
	return run(db, sql);
}

static int make_history(void)
{
	struct astra_error note, err = {""};
	sqlite3 *db = NULL;
	int rc;

	if (astra_history_open(path, "bench", &db, &note, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	rc = run(db, "BEGIN;INSERT INTO pool VALUES(1,'gpu');"
		     "INSERT INTO tenant WITH RECURSIVE n(i) AS (SELECT 1 "
		     "UNION ALL SELECT i+1 FROM n WHERE i<100) "
		     "SELECT i,1,'t'||i,NULL,1 FROM n;"
		     "INSERT INTO owner SELECT id,id,name,'u'||id,1000+id "
		     "FROM tenant;");
	if (!rc)
		rc = fill_level(db, ASTRA_HISTORY_MINUTE, 60,
				END - 2 * 86400LL);
	if (!rc)
		rc = fill_level(db, ASTRA_HISTORY_HOUR, 3600, BEGIN);
	if (!rc)
		rc = fill_level(db, ASTRA_HISTORY_DAY, 86400, BEGIN);
	if (!rc)
		rc = fill_jobs(db);
	if (!rc)
		rc = run(db, "COMMIT");
	astra_history_close(db);
	return rc;
}

/* Milliseconds of one report; its bytes. */
static double report(const struct astra_query_past *past, size_t *bytes)
{
	const struct astra_query query = {.kind = ASTRA_QUERY_REPORT,
					  .past = *past};
	const struct astra_viewer viewer = {.all = true};
	const struct astra_report live = {0};
	struct astra_text out = {0};
	struct astra_error err = {""};
	double begin = bench_now_ms(), taken;

	if (astra_history_report(&query, &viewer, &live, &out, &err))
		fprintf(stderr, "%s\n", err.text);
	taken = bench_now_ms() - begin;
	*bytes = out.size;
	astra_text_clear(&out);
	return taken;
}

static double scan(sqlite3 *db)
{
	double begin = bench_now_ms();

	run(db, "SELECT sum(alloc_gpu_sec), sum(fair_gpu_sec), "
		"sum(lack_gpu_sec), sum(demand_gpu_sec) FROM tenant_time "
		"WHERE level=1");
	return bench_now_ms() - begin;
}

static void measure(sqlite3 *db)
{
	static const struct {
		const char *name;
		struct astra_query_past past;
	} cases[] = {
		{"tenant fairness, the year",
		 {ASTRA_TENANT_FAIRNESS, BEGIN, END, 0}},
		{"... from 13:07 to 11:53",
		 {ASTRA_TENANT_FAIRNESS, BEGIN + 47220, END - 420, 0}},
		{"tenant usage, the year", {ASTRA_TENANT_USAGE, BEGIN, END, 0}},
		{"user top, the year", {ASTRA_USER_TOP, BEGIN, END, 0}},
		{"cluster utilization",
		 {ASTRA_CLUSTER_UTILIZATION, BEGIN, END, 0}},
		{"cluster fairness, daily",
		 {ASTRA_CLUSTER_FAIRNESS, BEGIN, END, 0}},
		{"tenant timeline, 100 days",
		 {ASTRA_TENANT_TIMELINE, END - 100 * 86400LL, END, 0}},
		{"tenant timeline, 4 days",
		 {ASTRA_TENANT_TIMELINE, END - 4 * 86400LL, END, 0}},
		{"job fairness, a day",
		 {ASTRA_JOB_FAIRNESS, END - 5 * 86400LL, END - 4 * 86400LL, 0}},
		{"job slowdown, 30 days' ten",
		 {ASTRA_JOB_SLOWDOWN, END - 31 * 86400LL, END, 10}},
		{"job leases, 30 days",
		 {ASTRA_JOB_LEASES, END - 31 * 86400LL, END, 0}},
	};

	double plain[REPEATS], b;

	for (int k = 0; k < REPEATS; k++)
		plain[k] = scan(db);
	b = bench_median(plain, REPEATS);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double ours[REPEATS], a;
		size_t bytes = 0;

		for (int k = 0; k < REPEATS; k++) {
			ours[k] = report(&cases[i].past, &bytes);
		}
		a = bench_median(ours, REPEATS);
		printf("%-27s %7.2f ms %8zu bytes   hours scanned %7.1f ms   %6.3f\n",
		       cases[i].name, a, bytes, b, a / b);
	}
}

int main(void)
{
	struct astra_error err = {""};
	sqlite3 *db = NULL;
	int fd = mkstemp(path), rc;

	setvbuf(stdout, NULL, _IOLBF, 0);
	setenv("TZ", "UTC", 1);
	tzset();
	if (fd < 0)
		return 1;
	close(fd);
	rc = make_history();
	astra_history_read_from(path);
	if (!rc)
		rc = astra_history_open_read(path, &db, &err);
	if (!rc)
		measure(db);
	astra_history_close(db);
	astra_history_read_stop();
	unlink(path);
	return rc ? 1 : 0;
}
