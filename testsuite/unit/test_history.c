/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Made-up reports become rows that say what happened: each second once. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/history/history.h"
#include "src/history/schema.h"
#include "src/proto/report_pool.h"
#include "testsuite/unit/unit.h"

#define T0 1700000000.0 /* 2023-11-14 22:13:20 UTC */
#define SUBMIT (T0 - 50)

static char folder[64], path[128];
static struct astra_writer *writer;
static struct astra_report *report;
static struct astra_history_keep keep;
static double half_life;
static uint32_t adoptions;
static bool watch;

static int set_up(void **state)
{
	(void)state;
	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	keep = (struct astra_history_keep){0};
	half_life = 0;
	adoptions = 0;
	watch = false;
	strcpy(folder, "/tmp/astraea-history-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/h.sqlite", folder);
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	astra_writer_close(writer);
	writer = NULL;
	astra_report_put(report);
	report = NULL;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static void open_writer(void)
{
	struct astra_error note, err = {""};

	astra_writer_close(writer);
	writer = astra_writer_open(path, "c1", &keep, &note, &err);
	if (!writer)
		fail_msg("%s", err.text);
}

/* A report of a pool with 8 GPUs. */
static void begin(double now_sec)
{
	struct astra_report_pool pool = {
		.name = "gpu",
		.gpus = 8,
		.gpus_usable = 8,
		.gpus_free = 3,
		.of.half_life_sec = half_life,
		.of.watch = watch,
		.adoptions = adoptions,
	};

	report = astra_report_create();
	report->time_sec = now_sec;
	(void)astra_report_add_pool(report, &pool);
}

static void tenant(const char *name, double alloc, double fair)
{
	struct astra_report_tenant t = {
		.pool = "gpu",
		.of.name = name,
		.uid = ASTRA_REPORT_NO_UID,
		.of.listed = true,
		.of.weight = 1,
		.of.demand_gpus = 2,
		.of.usage.alloc = alloc,
		.of.usage.fair = fair,
		.of.rho = fair > 0 ? alloc / fair : 1,
	};

	(void)astra_report_add_tenant(report, &t);
}

static void pays(double paid)
{
	struct astra_report_tenant t = {
		.pool = "gpu",
		.of.name = "physics",
		.uid = ASTRA_REPORT_NO_UID,
		.of.listed = true,
		.of.weight = 1,
		.of.rho = 1,
		.sums.paid = paid,
		.sums.income = paid,
	};

	(void)astra_report_add_tenant(report, &t);
}

static struct astra_report_job job_of(uint32_t id)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", id);
	return (struct astra_report_job){
		.pool = "gpu",
		.tenant = "physics",
		.of.id = id,
		.array_task = UINT32_MAX,
		.id_text = strdup(text), /* the program is a short one */
		.of.copies = 1,
		.uid = 1001,
		.user = "ann",
		.account = "physics",
		.of.gpus = 2,
		.state = "RUNNING",
		.phase = ASTRA_REPORT_LEASED,
		.of.weight = 1,
		.of.submit_sec = SUBMIT,
	};
}

static void waits(uint32_t id)
{
	struct astra_report_job j = job_of(id);

	j.of.state = ASTRA_JOB_PENDING;
	j.state = "PENDING";
	j.phase = ASTRA_REPORT_WAITING;
	(void)astra_report_add_job(report, &j);
	free((void *)(uintptr_t)j.id_text);
}

static void runs(uint32_t id, double start_sec)
{
	struct astra_report_job j = job_of(id);

	j.of.state = ASTRA_JOB_RUNNING;
	j.run_start_sec = j.of.lease_start_sec = start_sec;
	j.held_gpus = 2;
	j.nodes = "n1";
	(void)astra_report_add_job(report, &j);
	free((void *)(uintptr_t)j.id_text);
}

static void ended(uint32_t id, double start_sec, double end_sec)
{
	struct astra_report_job j = job_of(id);

	j.of.state = ASTRA_JOB_ENDED;
	j.state = "COMPLETED";
	j.run_start_sec = start_sec;
	j.run_end_sec = end_sec;
	(void)astra_report_add_ended(report, &j);
	free((void *)(uintptr_t)j.id_text);
}

static void requeued(uint32_t id, double start_sec, double end_sec)
{
	struct astra_report_job j = job_of(id);

	j.of.state = ASTRA_JOB_REQUEUED;
	j.state = "REQUEUED";
	j.phase = ASTRA_REPORT_WAITING;
	j.run_start_sec = start_sec;
	j.run_end_sec = end_sec;
	j.of.revoked = 1;
	(void)astra_report_add_job(report, &j);
	(void)astra_report_add_ended(report, &j);
	free((void *)(uintptr_t)j.id_text);
}

static void drop(void)
{
	astra_report_put(report);
	report = NULL;
}

static void put(void)
{
	struct astra_error err = {""};
	bool damaged;

	if (astra_writer_add(writer, &report, 1, &damaged, &err) < 0)
		fail_msg("%s", err.text);
	drop();
}

static double number(const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *s;
	double n;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	n = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_double(s, 0) : -1;
	sqlite3_finalize(s);
	sqlite3_close(db);
	return n;
}

/* The sum of a column at one level. */
static double sum_of(const char *table, const char *column, int level)
{
	char sql[128];

	snprintf(sql, sizeof(sql), "SELECT total(%s) FROM %s WHERE level=%d",
		 column, table, level);
	return number(sql);
}

/* What all three levels say, and the runs. unseen: of it, in no time of the
 * pool's. */
static void used_is_but(double gpu_sec, double unseen)
{
	for (int level = 0; level < 3; level++) {
		assert_close(sum_of("owner_time", "used_gpu_sec", level),
			     gpu_sec, 1e-9);
		assert_close(sum_of("pool_time", "used_gpu_sec", level),
			     gpu_sec - unseen, 1e-9);
		assert_close(sum_of("pool_time",
				    "used_gpu_sec+down_gpu_sec+idle_gpu_sec",
				    level),
			     sum_of("pool_time", "total_gpu_sec", level), 1e-9);
	}
	assert_close(number("SELECT total(gpus*((CASE WHEN end_sec IS NULL THEN"
			    " (SELECT value FROM meta WHERE key='counted_sec')"
			    " ELSE end_sec END)-start_sec)) FROM run"),
		     gpu_sec, 1e-9);
}

static void used_is(double gpu_sec)
{
	used_is_but(gpu_sec, 0);
}

/* Since when the pool was seen first. */
static double seen_sec(void)
{
	return number("SELECT value FROM meta WHERE key='counted_sec'") -
	       sum_of("pool_time", "span_sec", 0);
}

static void a_run_is_counted_from_begin_to_end(void **state)
{
	(void)state;
	open_writer();
	begin(T0), waits(7), put();
	begin(T0 + 10), runs(7, T0 + 3), put();
	used_is(2 * 7);
	begin(T0 + 20), runs(7, T0 + 3), put();
	begin(T0 + 30), ended(7, T0 + 3, T0 + 24), put();
	begin(T0 + 40), ended(7, T0 + 3, T0 + 24), put();
	used_is(2 * 21);
	assert_close(number("SELECT run_sec FROM job"), 21, 1e-9);
	assert_close(number("SELECT end_sec FROM job"), T0 + 24, 1e-15);
	assert_close(number("SELECT total(started) FROM owner_time"
			    " WHERE level=1"),
		     1, 0);
	assert_int_equal(number("SELECT how='ended' FROM lease"), 1);
}

static void a_run_of_hours_is_in_each_hour(void **state)
{
	double h = T0 - 800; /* 22:00 */

	(void)state;
	open_writer();
	for (int i = -1; i <= 12; i++) {
		begin(h + i * 600);
		if (i >= 0)
			runs(7, h - 300);
		put();
	}
	begin(h + 7200 + 60), runs(7, h - 300), put();
	assert_close(number("SELECT used_gpu_sec FROM owner_time WHERE level=1"
			    " AND time=1699999200"),
		     7200, 1e-9);
	assert_int_equal(number("SELECT count(*) FROM owner_time"
				" WHERE level=1"),
			 4);
	assert_int_equal(number("SELECT count(*) FROM owner_time"
				" WHERE level=0"),
			 126);
	used_is(2 * 7560);
}

static void a_day_begins_at_local_midnight(void **state)
{
	/* Summer time ended in Berlin on 2023-10-29: a day of 25 hours, from
	 * 22:00 UTC on. And a month begins three days later. */
	double day = 1698530400, next = day + 25 * 3600;

	(void)state;
	open_writer();
	begin(day - 7200), put();
	for (int i = 0; i <= 75 + 3 * 72; i++)
		begin(day - 3600 + i * 1200.0), runs(7, day - 3600), put();
	begin(next + 3 * 86400), runs(7, day - 3600), put();
	assert_close(number("SELECT used_gpu_sec FROM owner_time WHERE level=2"
			    " AND time=1698530400"),
		     2 * 25 * 3600, 1e-9);
	assert_int_equal(number("SELECT count(*) FROM owner_time WHERE level=2"
				" AND strftime('%d %H',time,'unixepoch')="
				"'31 23'"),
			 1);
	used_is(2 * (3600 + 25 * 3600 + 3 * 86400));
}

static void a_run_between_two_reports_is_seen(void **state)
{
	(void)state;
	open_writer();
	begin(T0), put();
	begin(T0 + 10), ended(7, T0 + 2, T0 + 5), put();
	begin(T0 + 20), ended(7, T0 + 2, T0 + 5), put();
	used_is(2 * 3);
	assert_close(number("SELECT total(wait_gpu_sec) FROM owner_time"
			    " WHERE level=0"),
		     2 * 2, 1e-9);
}

/* The job can use 2 GPUs and had 1. */
static void a_run_that_nobody_saw_has_the_size_it_had(void **state)
{
	struct astra_report_job j = job_of(7);

	(void)state;
	open_writer();
	begin(T0), put();
	j.of.state = ASTRA_JOB_ENDED;
	j.state = "COMPLETED";
	j.run_gpus = 1;
	j.run_start_sec = T0 + 2;
	j.run_end_sec = T0 + 5;
	begin(T0 + 10);
	(void)astra_report_add_ended(report, &j);
	put();
	free((void *)(uintptr_t)j.id_text);
	used_is(1 * 3);
	assert_int_equal(number("SELECT gpus FROM run"), 1);
}

static void a_requeued_job_has_two_runs(void **state)
{
	(void)state;
	open_writer();
	begin(T0), runs(7, T0 - 5), put();
	begin(T0 + 10), requeued(7, T0 - 5, T0 + 8), put();
	begin(T0 + 12), waits(7), put();
	begin(T0 + 30), runs(7, T0 + 25), put();
	begin(T0 + 50), ended(7, T0 + 25, T0 + 41), put();
	used_is_but(2 * (13 + 16), 2 * 5);
	assert_int_equal(number("SELECT count(*) FROM run"), 2);
	assert_int_equal(number("SELECT count(*) FROM lease"
				" WHERE how='revoked'"),
			 1);
	assert_close(number("SELECT run_sec FROM job"), 29, 1e-9);
	assert_close(number("SELECT start_sec FROM job"), T0 - 5, 1e-15);
}

static void a_number_used_again_is_another_job(void **state)
{
	struct astra_report_job j = job_of(7);

	(void)state;
	open_writer();
	begin(T0), runs(7, T0), put();
	begin(T0 + 10), runs(7, T0), put();
	begin(T0 + 20);
	j.of.state = ASTRA_JOB_RUNNING;
	j.of.submit_sec = T0 + 12;
	j.run_start_sec = T0 + 14;
	(void)astra_report_add_job(report, &j);
	free((void *)(uintptr_t)j.id_text);
	put();
	assert_int_equal(number("SELECT count(*) FROM job"), 2);
	used_is(2 * (10 + 6));
}

/* A report that only has job 7 in it, which waits. */
static void put_waiting(double now_sec, double submit_sec, uint32_t run,
			uint32_t uid)
{
	struct astra_report_job j = job_of(7);

	j.of.state = ASTRA_JOB_PENDING;
	j.state = "PENDING";
	j.of.submit_sec = submit_sec;
	j.run = run;
	j.uid = uid;
	begin(now_sec);
	(void)astra_report_add_job(report, &j);
	free((void *)(uintptr_t)j.id_text);
	put();
}

/* Slurm without the plugin ran and requeued it, and the engine's state is lost:
 * nobody knows any more when it was submitted first, but its row. */
static void a_job_requeued_by_stock_slurm_is_the_same(void **state)
{
	(void)state;
	for (int restart = 0; restart < 2; restart++) {
		open_writer();
		begin(T0), waits(7), put();
		if (restart)
			open_writer();
		put_waiting(T0 + 60, T0 + 40, 1, 1001);
		put_waiting(T0 + 70, T0 + 40, 1, 1001);
		assert_int_equal(number("SELECT count(*) FROM job"), 1);
		assert_close(number("SELECT submit_sec FROM job"), SUBMIT,
			     1e-15);
		assert_int_equal(number("SELECT end_sec IS NULL FROM job"), 1);
		unlink(path);
	}
}

/* The same where a report was without it meanwhile. */
static void a_job_that_was_gone_is_the_same_after_a_requeue(void **state)
{
	(void)state;
	open_writer();
	begin(T0), waits(7), put();
	begin(T0 + 10), put();
	assert_int_equal(number("SELECT state='GONE' FROM job"), 1);
	put_waiting(T0 + 60, T0 + 40, 1, 1001);
	assert_int_equal(number("SELECT count(*) FROM job"), 1);
	assert_int_equal(number("SELECT state='PENDING' FROM job"), 1);
	assert_int_equal(number("SELECT end_sec IS NULL FROM job"), 1);
}

/* After a kill slurmctld gives numbers anew that it had not written down. */
static void a_new_job_with_a_number_of_old_leaves_none_pending(void **state)
{
	static const struct {
		uint32_t run, uid;
	} others[] = {{0, 1001}, {1, 1002}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		open_writer();
		begin(T0), waits(7), put();
		put_waiting(T0 + 60, T0 + 40, others[i].run, others[i].uid);
		assert_int_equal(number("SELECT count(*) FROM job"), 2);
		assert_int_equal(number("SELECT state='GONE' FROM job"
					" ORDER BY submit_sec"),
				 1);
		unlink(path);
	}
}

/* One that has ended is another one. */
static void a_job_that_ended_is_not_requeued(void **state)
{
	(void)state;
	open_writer();
	begin(T0), waits(7), put();
	begin(T0 + 10), ended(7, T0 + 2, T0 + 5), put();
	begin(T0 + 20), put();
	put_waiting(T0 + 60, T0 + 40, 1, 1001);
	assert_int_equal(number("SELECT count(*) FROM job"), 2);
	assert_int_equal(number("SELECT state='COMPLETED' FROM job"
				" ORDER BY submit_sec"),
			 1);
}

/* What was counted before the first report is not of any minute; a counter that
 * is less than before began anew with slurmctld. */
static void late_starts_are_counted_by_the_minute(void **state)
{
	static const struct {
		double after_sec;
		uint64_t first, late;
	} reports[] = {{0, 7, 2},    {10, 9, 2},  {20, 12, 3},
		       {100, 12, 4}, {120, 1, 0}, {130, 2, 1}};

	(void)state;
	open_writer();
	for (size_t i = 0; i < ASTRA_COUNT_OF(reports); i++) {
		begin(T0 + reports[i].after_sec);
		report->pools[0].counters.first_starts = reports[i].first;
		report->pools[0].counters.over_bound = reports[i].late;
		put();
		if (i == 3)
			open_writer();
	}
	for (int level = 0; level < 3; level++) {
		assert_close(sum_of("start_time", "first_starts", level), 7, 0);
		assert_close(sum_of("start_time", "over_bound", level), 3, 0);
	}
	assert_close(number("SELECT over_bound FROM start_time WHERE level=0"
			    " ORDER BY time LIMIT 1"),
		     1, 0);
}

/* The first report is what was before, the fourth policy begins anew; a sum may
 * fall. */
static void rewards_are_kept_by_slot(void **state)
{
	static const struct {
		double after_sec, reward, slots;
	} reports[] = {{0, 50, 9},  {10, 60, 10},    {20, 58, 11}, {100, 4, 1},
		       {120, 9, 3}, {130, NAN, NAN}, {140, 10, 3}};

	(void)state;
	open_writer();
	for (size_t i = 0; i < ASTRA_COUNT_OF(reports); i++) {
		begin(T0 + reports[i].after_sec);
		report->pools[0].reward = reports[i].reward;
		report->pools[0].slots = reports[i].slots;
		put();
		if (i == 3)
			open_writer();
	}
	for (int level = 0; level < 3; level++) {
		assert_close(sum_of("slot_time", "reward", level), 17, 1e-9);
		assert_close(sum_of("slot_time", "slots", level), 5, 0);
	}
}

static void a_restart_goes_on_where_it_was(void **state)
{
	(void)state;
	open_writer();
	begin(T0), runs(7, T0), runs(8, T0), runs(9, T0), put();
	begin(T0 + 10), runs(7, T0), runs(8, T0), runs(9, T0), put();
	used_is(3 * 2 * 10);
	open_writer();
	/* 8 ended meanwhile, and of 9 nothing is known. */
	begin(T0 + 100), runs(7, T0), ended(8, T0, T0 + 55), put();
	used_is(2 * (100 + 55 + 10));
	assert_close(number("SELECT end_sec FROM job WHERE job=9"), T0 + 10,
		     1e-15);
	assert_close(number("SELECT total(total_gpu_sec) FROM pool_time"
			    " WHERE level=0"),
		     8 * 100, 1e-9);
}

/* It was cancelled while it waited, and slurmctld still knows it. */
static void an_end_outlives_a_restart(void **state)
{
	(void)state;
	open_writer();
	begin(T0), waits(7), put();
	begin(T0 + 10), ended(7, 0, T0 + 5), put();
	open_writer();
	begin(T0 + 30), ended(7, 0, T0 + 5), put();
	begin(T0 + 40), ended(7, 0, T0 + 5), put();
	assert_close(number("SELECT end_sec FROM job WHERE job=7"), T0 + 5,
		     1e-15);
	used_is(0);
}

/* slurmctld shows it for minutes, and after a start without its figures. */
static void what_is_shown_after_a_restart_is_not_new(void **state)
{
	struct astra_report_job j = job_of(7);

	(void)state;
	open_writer();
	begin(T0), runs(8, T0 - 5), put();
	begin(T0 + 10), requeued(8, T0 - 5, T0 + 8);
	j.of.state = ASTRA_JOB_RUNNING;
	j.run_start_sec = j.of.lease_start_sec = T0 + 2;
	j.of.leases = 3;
	j.of.usage.alloc = 16;
	j.of.usage.fair = 12;
	(void)astra_report_add_job(report, &j);
	put();
	j.of.state = ASTRA_JOB_ENDED;
	j.state = "COMPLETED";
	j.run_end_sec = T0 + 22;
	begin(T0 + 30), runs(8, T0 + 25);
	(void)astra_report_add_ended(report, &j);
	put();
	begin(T0 + 40), ended(8, T0 + 25, T0 + 35);
	(void)astra_report_add_ended(report, &j);
	put();
	free((void *)(uintptr_t)j.id_text);
	for (int i = 0; i < 2; i++) {
		open_writer();
		begin(T0 + 100 + i), ended(7, T0 + 2, T0 + 22);
		ended(8, T0 + 25, T0 + 35), put();
		used_is_but(2 * (20 + 13 + 10), 2 * 5);
		assert_int_equal(number("SELECT count(*) FROM job"), 2);
		assert_int_equal(number("SELECT count(*) FROM run"), 3);
		assert_int_equal(number("SELECT leases FROM job WHERE job=7"),
				 3);
		assert_int_equal(number("SELECT alloc_gpu_sec FROM job"
					" WHERE job=7"),
				 16);
		assert_int_equal(number("SELECT fair_gpu_sec FROM job"
					" WHERE job=7"),
				 12);
	}
}

/* Nor does the engine know then when one that was requeued was submitted first:
 * slurmctld says when it was requeued. */
static void a_requeued_job_is_the_same_after_a_restart(void **state)
{
	struct astra_report_job j = job_of(7);

	(void)state;
	open_writer();
	begin(T0), runs(7, T0 - 5), put();
	begin(T0 + 10), requeued(7, T0 - 5, T0 + 8), put();
	begin(T0 + 20), runs(7, T0 + 12), put();
	begin(T0 + 40), ended(7, T0 + 12, T0 + 32), put();
	for (int i = 0; i < 2; i++) {
		open_writer();
		begin(T0 + 200 + i);
		j.of.submit_sec = T0 + 8;
		j.of.state = ASTRA_JOB_ENDED;
		j.state = "COMPLETED";
		j.run_start_sec = T0 + 12;
		j.run_end_sec = T0 + 32;
		(void)astra_report_add_ended(report, &j);
		put();
		used_is_but(2 * (13 + 20), 2 * 5);
		assert_int_equal(number("SELECT count(*) FROM job"), 1);
		assert_int_equal(number("SELECT count(*) FROM run"), 2);
	}
	free((void *)(uintptr_t)j.id_text);
}

static void nothing_is_counted_twice(void **state)
{
	(void)state;
	open_writer();
	begin(T0), runs(7, T0 - 10), put();
	begin(T0 + 10), runs(7, T0 - 10), put();
	open_writer();
	begin(T0 + 10), runs(7, T0 - 10), put();
	open_writer();
	begin(T0 + 10), ended(7, T0 - 10, T0 + 9), put();
	open_writer();
	begin(T0 + 11), ended(7, T0 - 10, T0 + 9), put();
	used_is_but(2 * 19, 2 * 10);
}

static void a_job_that_comes_back_goes_on(void **state)
{
	(void)state;
	open_writer();
	begin(T0), runs(7, T0), put();
	begin(T0 + 10), runs(7, T0), put();
	begin(T0 + 20), put();
	begin(T0 + 30), runs(7, T0), put();
	used_is(2 * 30);
	assert_int_equal(number("SELECT count(*) FROM run"), 1);
}

static void a_clock_set_back_counts_once(void **state)
{
	(void)state;
	open_writer();
	begin(T0), runs(7, T0 - 100), put();
	begin(T0 + 10), runs(7, T0 - 100), put();
	begin(T0 - 50), runs(7, T0 - 100), put();
	assert_close(number("SELECT total(used_gpu_sec) FROM owner_time"
			    " WHERE level=0"),
		     2 * 110, 1e-9);
	open_writer();
	begin(T0 - 40), runs(7, T0 - 100), put();
	assert_close(number("SELECT total(used_gpu_sec) FROM owner_time"
			    " WHERE level=0"),
		     2 * 110, 1e-9);
	begin(T0 - 30), ended(7, T0 - 100, T0 - 35), put();
	/* The pool keeps what it had from T0 on: that time is lived again. */
	used_is_but(2 * 65, 2 * 65 - 2 * 10);
}

static void waits_with(uint32_t id, double fair)
{
	struct astra_report_job j = job_of(id);

	j.of.state = ASTRA_JOB_PENDING;
	j.state = "PENDING";
	j.phase = ASTRA_REPORT_WAITING;
	j.of.usage.fair = fair;
	(void)astra_report_add_job(report, &j);
	free((void *)(uintptr_t)j.id_text);
}

/* What is due to it grows while it waits: 1 GPU second a second. With 700 such
 * jobs 500 rows a report are written anew. */
static void a_row_of_a_job_that_waits_is_a_minute_old(void **state)
{
	(void)state;
	open_writer();
	for (int t = 0; t <= 90; t += 10)
		begin(T0 + t), waits_with(7, t), put();
	assert_close(number("SELECT fair_gpu_sec FROM job WHERE job=7"), 70,
		     1e-9);
	for (int t = 100; t <= 240; t += 10) {
		begin(T0 + t);
		for (uint32_t id = 1000; id < 1700; id++)
			waits_with(id, t);
		put();
	}
	assert_int_equal(number("SELECT count(*) FROM job WHERE job>=1000"
				" AND fair_gpu_sec=170"),
			 0);
	assert_int_equal(number("SELECT count(*) FROM job WHERE job>=1000"
				" AND fair_gpu_sec>=170"),
			 700);
}

static void put_many_waiting(uint32_t jobs, double t)
{
	begin(T0 + t);
	for (uint32_t id = 1000; id < 1000 + jobs; id++)
		waits_with(id, t);
	put();
}

/* 6000 jobs come at once and are not written for a while: each write has a part
 * of them, and all have their turn within ten minutes. */
static void rows_that_get_old_at_once_are_written_bit_by_bit(void **state)
{
	enum { JOBS = 6000, PART = 500 + JOBS / 24 + 1 };
	double before = 0, now;

	(void)state;
	open_writer();
	put_many_waiting(JOBS, 0);
	for (int t = 500; t < 600; t += 5) {
		put_many_waiting(JOBS, t);
		now = number("SELECT count(*) FROM job WHERE fair_gpu_sec>0");
		assert_true(now > before && now - before <= PART);
		before = now;
		if (now >= JOBS)
			break;
	}
	assert_int_equal(before, JOBS);
}

static void a_report_left_out_is_covered_by_the_next(void **state)
{
	(void)state;
	open_writer();
	begin(T0), tenant("physics", 0, 0), runs(7, T0), put();
	begin(T0 + 300), tenant("physics", 600, 1200), runs(7, T0), put();
	used_is(2 * 300);
	assert_close(number("SELECT total(fair_gpu_sec) FROM tenant_time"
			    " WHERE level=1"),
		     1200, 1e-9);
	assert_close(number("SELECT total(idle_gpu_sec) FROM pool_time"
			    " WHERE level=2"),
		     6 * 300, 1e-9);
}

static void decay_is_taken_out(void **state)
{
	double a = 0, f = 0, l = M_LN2 / 3600;

	(void)state;
	half_life = 3600;
	open_writer();
	for (int i = 0; i <= 40; i++) {
		begin(T0 + i * 300), tenant("physics", a, f), put();
		a = a * exp(-l * 300) - 3 * expm1(-l * 300) / l;
		f = f * exp(-l * 300) - 4 * expm1(-l * 300) / l;
	}
	assert_close(number("SELECT total(alloc_gpu_sec) FROM tenant_time"
			    " WHERE level=1"),
		     3 * 12000, 1e-9);
	assert_close(number("SELECT total(fair_gpu_sec) FROM tenant_time"
			    " WHERE level=0"),
		     4 * 12000, 1e-9);
	assert_close(number("SELECT total(lack_gpu_sec) FROM tenant_time"
			    " WHERE level=2"),
		     12000, 1e-9);
}

static void lack_is_by_the_minute(void **state)
{
	double m = T0 - 20; /* a minute begins */

	(void)state;
	open_writer();
	begin(m), tenant("physics", 0, 0), put();
	begin(m + 30), tenant("physics", 0, 60), put();
	begin(m + 60), tenant("physics", 90, 120), put();   /* 30 behind */
	begin(m + 120), tenant("physics", 500, 240), put(); /* none */
	begin(m + 180), tenant("physics", 500, 250), put(); /* 10 */
	for (int level = 0; level < 3; level++) {
		char sql[128];

		snprintf(sql, sizeof(sql),
			 "SELECT total(lack_gpu_sec) FROM tenant_time"
			 " WHERE level=%d",
			 level);
		assert_close(number(sql), 40, 1e-9);
	}
}

static void what_accounts_begin_with_is_no_usage(void **state)
{
	(void)state;
	open_writer();
	begin(T0), tenant("physics", 0, 0), put();
	begin(T0 + 10), tenant("physics", 5, 5), put();
	adoptions++;
	begin(T0 + 20), tenant("physics", 9000, 4000), put();
	begin(T0 + 30), tenant("physics", 9020, 4030), put();
	assert_close(number("SELECT total(alloc_gpu_sec) FROM tenant_time"
			    " WHERE level=1"),
		     25, 1e-9);
	assert_close(number("SELECT total(fair_gpu_sec) FROM tenant_time"
			    " WHERE level=1"),
		     35, 1e-9);
}

static void lost_state_is_no_usage(void **state)
{
	(void)state;
	open_writer();
	begin(T0), tenant("physics", 1000, 1000), put();
	begin(T0 + 10), tenant("physics", 0, 0), put();
	begin(T0 + 20), tenant("physics", 20, 30), put();
	assert_close(number("SELECT total(alloc_gpu_sec) FROM tenant_time"
			    " WHERE level=1"),
		     20, 1e-9);
	assert_close(number("SELECT total(fair_gpu_sec) FROM tenant_time"
			    " WHERE level=1"),
		     30, 1e-9);
}

static void a_tenant_goes_on_over_a_restart(void **state)
{
	(void)state;
	open_writer();
	begin(T0), tenant("physics", 10, 10), put();
	begin(T0 + 10), tenant("physics", 30, 30), put();
	open_writer();
	begin(T0 + 100), tenant("physics", 210, 130), put();
	assert_close(number("SELECT total(alloc_gpu_sec) FROM tenant_time"
			    " WHERE level=2"),
		     200, 1e-9);
}

/* Slurm ran alone: before, and for two days in between. Jobs that it started
 * are their users', and no time of the pool's, which nobody has seen. */
static void a_pool_has_no_more_used_than_it_has(void **state)
{
	double back = T0 + 3600 + 2 * 86400;

	(void)state;
	open_writer();
	begin(T0), runs(7, T0 - 90000), runs(8, T0 - 500), put();
	begin(T0 + 1800), runs(7, T0 - 90000), ended(8, T0 - 500, T0 + 900);
	put();
	begin(back), ended(7, T0 - 90000, back - 40000), runs(9, back - 30000);
	put();
	begin(back + 100), runs(9, back - 30000), put();
	assert_close(number("SELECT total(used_gpu_sec) FROM owner_time"
			    " WHERE level=2"),
		     2.0 * (90000 + back - 40000 - T0 + 1400 + 30100), 1e-9);
	for (int level = 0; level < 3; level++) {
		assert_close(sum_of("pool_time", "total_gpu_sec", level),
			     8 * (1800 + 100), 1e-9);
		assert_close(sum_of("pool_time", "used_gpu_sec", level),
			     2 * (1800 + 900 + 100), 1e-9);
		assert_close(sum_of("pool_time", "idle_gpu_sec", level),
			     8 * 1900 - 2 * 2800, 1e-9);
	}
}

/* Its node is down when the report is made, and had two of the GPUs that are
 * told as down until 40 s before. */
static void gpus_are_not_used_and_down_at_once(void **state)
{
	(void)state;
	open_writer();
	begin(T0), runs(7, T0), put();
	begin(T0 + 60), ended(7, T0, T0 + 20);
	report->pools[0].gpus_down = 8;
	put();
	used_is(2 * 20);
	assert_close(sum_of("pool_time", "down_gpu_sec", 1), 8 * 60 - 2 * 20,
		     1e-9);
	/* One that nobody expects: more are used than there are. */
	begin(T0 + 120), runs(8, T0 + 60), runs(9, T0 + 60);
	report->pools[0].gpus = 3;
	put();
	used_is(2 * 20 + 4 * 60);
	assert_close(sum_of("pool_time", "idle_gpu_sec", 1), 0, 1e-9);
}

/* Whoever wants two GPUs now was not there all the
 * time that nobody looked. */
static void nothing_is_made_up_for_a_gap(void **state)
{
	double back = T0 + 10 + 30 * 86400.0;

	(void)state;
	open_writer();
	begin(T0), tenant("physics", 0, 0), waits(7), runs(8, T0), put();
	begin(T0 + 10), tenant("physics", 10, 20), waits(7), runs(8, T0), put();
	begin(back), tenant("physics", 5000, 8000), waits(7), runs(8, T0);
	put();
	for (int level = 0; level < 3; level++) {
		assert_close(sum_of("tenant_time", "demand_gpu_sec", level),
			     2 * 10, 1e-9);
		assert_close(sum_of("tenant_time", "fair_gpu_sec", level), 20,
			     1e-9);
		assert_close(sum_of("tenant_time", "lack_gpu_sec", level), 10,
			     1e-9);
		assert_close(sum_of("owner_time", "wait_gpu_sec", level),
			     2 * 10, 1e-9);
		assert_close(sum_of("pool_time", "total_gpu_sec", level),
			     8 * 10, 1e-9);
	}
	assert_close(sum_of("owner_time", "used_gpu_sec", 2),
		     2 * (10 + 30 * 86400.0), 1e-9);
	/* Of its owner: 1 + 60 minutes, 1 + 168 hours, 31 days or so. */
	assert_true(astra_writer_rows(writer) < 400);
	begin(back + 10), tenant("physics", 5010, 8020), waits(7), runs(8, T0);
	put();
	assert_close(sum_of("tenant_time", "demand_gpu_sec", 0), 2 * 20, 1e-9);
	assert_close(sum_of("tenant_time", "fair_gpu_sec", 0), 40, 1e-9);
}

static void what_is_too_much_at_once_is_counted(void **state)
{
	enum { TENANTS = 1200, MINUTES = 60 };
	char name[16];

	(void)state;
	open_writer();
	for (int i = 0; i < 2; i++) {
		begin(T0 + 40 + i * MINUTES * 60.0);
		for (int k = 0; k < TENANTS; k++) {
			snprintf(name, sizeof(name), "t%d", k);
			tenant(name, 0, 0);
		}
		put();
	}
	/* Minutes are left out, hours and days are all there. */
	assert_true(astra_writer_rows_dropped(writer) > 0);
	assert_true(sum_of("tenant_time", "span_sec", 0) <
		    TENANTS * MINUTES * 60.0);
	for (int level = 1; level < 3; level++)
		assert_close(sum_of("tenant_time", "span_sec", level),
			     TENANTS * MINUTES * 60.0, 1e-9);
}

/* A record of array 20, a GPU each: what one of its tasks has. start_sec: 0
 * where they wait. */
static void of_array(uint32_t id, uint32_t copies, double start_sec,
		     double alloc, double fair)
{
	struct astra_report_job j = job_of(id);

	j.array_id = 20;
	j.of.copies = copies;
	j.of.gpus = 1;
	j.of.state = start_sec > 0 ? ASTRA_JOB_RUNNING : ASTRA_JOB_PENDING;
	j.held_gpus = start_sec > 0;
	j.run_start_sec = j.of.lease_start_sec = start_sec;
	j.of.usage.alloc = alloc;
	j.of.usage.fair = fair;
	(void)astra_report_add_job(report, &j);
	free((void *)(uintptr_t)j.id_text);
}

/* ∫ of a rate over the last sec, fading. */
static double faded(double rate, double sec)
{
	double l = half_life > 0 ? M_LN2 / half_life : 0;

	return l > 0 ? -rate * expm1(-l * sec) / l : rate * sec;
}

/* Three tasks, submitted at T0 and entitled to a GPU each from then on, by a
 * user who is the tenant; they start at T0 + 14, 24 and 28. The first two get
 * numbers of their own then, before the array's record in slurmctld's list. At
 * T0 + 30 A = 16 + 6 + 2 and F = 3 * 30. */
static void report_array(double t)
{
	double a = faded(1, fmax(t - 14, 0)), b = faded(1, fmax(t - 24, 0)),
	       c = faded(1, fmax(t - 28, 0)), f = faded(1, t);

	begin(T0 + t);
	tenant("physics", a + b + c, 3 * f);
	if (t > 14)
		of_array(21, 1, T0 + 14, a, f);
	if (t > 24)
		of_array(22, 1, T0 + 24, b, f);
	of_array(20, t > 24 ? 1 : t > 14 ? 2 : 3, t > 28 ? T0 + 28 : 0, c, f);
	put();
}

static double owner_has(const char *column)
{
	char sql[128];

	snprintf(sql, sizeof(sql),
		 "SELECT total(%s) FROM owner_time WHERE level=1", column);
	return number(sql);
}

static double tenant_has(const char *column)
{
	char sql[128];

	snprintf(sql, sizeof(sql),
		 "SELECT total(%s) FROM tenant_time WHERE level=1", column);
	return number(sql);
}

static void a_user_has_what_each_of_an_arrays_tasks_has(void **state)
{
	(void)state;
	open_writer();
	for (int t = 0; t <= 30; t += 10)
		report_array(t);
	assert_close(owner_has("alloc_gpu_sec"), 16 + 6 + 2, 1e-9);
	assert_close(owner_has("fair_gpu_sec"), 3 * 30, 1e-9);
	report_array(60);
	assert_close(owner_has("alloc_gpu_sec"), 46 + 36 + 32, 1e-9);
	assert_close(owner_has("fair_gpu_sec"), 3 * 60, 1e-9);
}

static void a_fading_array_is_its_tenants(void **state)
{
	(void)state;
	half_life = 3600;
	open_writer();
	for (int t = 0; t <= 60; t += 10)
		report_array(t);
	assert_close(tenant_has("fair_gpu_sec"), 3 * 60, 1e-9);
	assert_close(owner_has("alloc_gpu_sec"), tenant_has("alloc_gpu_sec"),
		     1e-9);
	assert_close(owner_has("fair_gpu_sec"), tenant_has("fair_gpu_sec"),
		     1e-9);
	/* And a task goes on from what its array had. */
	report_array(700);
	assert_close(number("SELECT min(fair_gpu_sec) FROM job"), 700, 1e-9);
	assert_close(number("SELECT alloc_gpu_sec FROM job WHERE job=22"),
		     700 - 24, 1e-3);
}

/* Each time, tasks were split since the last report. */
static void a_users_array_goes_on_over_a_restart(void **state)
{
	for (int i = 0; i < 2; i++) {
		half_life = i * 3600;
		open_writer();
		report_array(0);
		report_array(10);
		open_writer();
		report_array(20);
		report_array(22);
		open_writer();
		report_array(30);
		assert_close(tenant_has("fair_gpu_sec"), 3 * 30, 1e-9);
		assert_close(owner_has("alloc_gpu_sec"),
			     tenant_has("alloc_gpu_sec"), 1e-9);
		assert_close(owner_has("fair_gpu_sec"), 3 * 30, 1e-9);
		assert_int_equal(tear_down(state) || set_up(state), 0);
	}
}

/* A job that is held until T0 + 20, and can run from then on. */
static void asks(double now_sec, enum astra_job_state job_state,
		 bool unprepared)
{
	struct astra_report_job j = job_of(1);

	begin(now_sec);
	j.of.state = job_state;
	j.state = "PENDING";
	j.phase = ASTRA_REPORT_WAITING;
	j.limit_sec = 3600;
	j.nodes_asked = 2;
	j.leasable = true;
	j.unprepared = unprepared;
	(void)astra_report_add_job(report, &j);
	free((void *)(uintptr_t)j.id_text);
	put();
}

static void what_a_job_asks_for_is_kept(void **state)
{
	(void)state;
	open_writer();
	asks(T0, ASTRA_JOB_BLOCKED, true);
	asks(T0 + 20, ASTRA_JOB_BLOCKED, true);
	asks(T0 + 30, ASTRA_JOB_PENDING, true);
	assert_close(number("SELECT ready_sec FROM job_ask"), T0 + 20, 0);
	assert_close(number("SELECT limit_sec FROM job_ask"), 3600, 0);
	assert_close(number("SELECT nodes FROM job_ask"), 2, 0);
	assert_close(number("SELECT unprepared+2*leasable FROM job_ask"), 3, 0);
	asks(T0 + 40, ASTRA_JOB_PENDING, false);
	assert_close(number("SELECT unprepared+2*leasable FROM job_ask"), 2, 0);
	open_writer();
	asks(T0 + 50, ASTRA_JOB_PENDING, false);
	assert_close(number("SELECT ready_sec FROM job_ask"), T0 + 20, 0);
	assert_close(number("SELECT count(*) FROM job_ask"), 1, 0);
	/* Once it has run nothing that holds it is before its first start. */
	begin(T0 + 60);
	runs(1, T0 + 55);
	put();
	asks(T0 + 70, ASTRA_JOB_BLOCKED, false);
	asks(T0 + 80, ASTRA_JOB_PENDING, false);
	assert_close(number("SELECT ready_sec FROM job_ask"), T0 + 20, 0);
}

static void put_empty(double now_sec)
{
	begin(now_sec);
	put();
}

static void since_when_a_pool_is_watched_outlives_a_restart(void **state)
{
	(void)state;
	open_writer();
	put_empty(T0);
	assert_close(number("SELECT count(*) FROM watch"), 0, 0);
	watch = true;
	put_empty(T0 + 10);
	put_empty(T0 + 20);
	open_writer();
	put_empty(T0 + 30);
	assert_close(number("SELECT since_sec FROM watch"), T0 + 10, 0);
	watch = false;
	open_writer();
	put_empty(T0 + 40);
	assert_close(number("SELECT count(*) FROM watch"), 0, 0);
	watch = true;
	put_empty(T0 + 50);
	assert_close(number("SELECT since_sec FROM watch"), T0 + 50, 0);
}

static void what_is_old_goes(void **state)
{
	struct astra_error err = {""};
	int rc;

	(void)state;
	keep = (struct astra_history_keep){
		.minute_sec = 7200, .hour_sec = 86400, .job_sec = 86400};
	open_writer();
	begin(T0), runs(7, T0), put();
	begin(T0 + 7200), ended(7, T0, T0 + 3000), put();
	begin(T0 + 86400), put();
	while ((rc = astra_writer_prune(writer, T0 + 86400, &err)) > 0)
		continue;
	assert_int_equal(rc, 0);
	assert_int_equal(number("SELECT count(*) FROM owner_time"
				" WHERE level=0"),
			 0);
	assert_int_equal(number("SELECT count(*) FROM owner_time"
				" WHERE level=1"),
			 2);
	assert_int_equal(number("SELECT count(*) FROM job"), 1);
	while ((rc = astra_writer_prune(writer, T0 + 3 * 86400, &err)) > 0)
		continue;
	assert_int_equal(number("SELECT count(*) FROM owner_time"
				" WHERE level<2"),
			 0);
	assert_int_equal(number("SELECT count(*) FROM job"), 0);
	assert_int_equal(number("SELECT count(*) FROM run"), 0);
	assert_int_equal(number("SELECT count(*) FROM lease"), 0);
	assert_close(number("SELECT total(used_gpu_sec) FROM owner_time"
			    " WHERE level=2"),
		     6000, 1e-9);
}

/* A child writes as fast as it can until it is killed. */
static void write_for_ever(void)
{
	double counted;

	open_writer();
	counted = number("SELECT value FROM meta WHERE key='counted_sec'");
	for (double t = fmax(T0, counted);; t += 1) {
		begin(t);
		for (uint32_t i = 1; i < 40; i++)
			runs(i, T0);
		put();
	}
}

static void a_killed_writer_leaves_a_whole_file(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		struct timespec pause = {.tv_nsec = 20000000 + i * 7000000};
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid) {
			write_for_ever();
			_exit(0);
		}
		nanosleep(&pause, NULL);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		open_writer();
		if (number("SELECT count(*) FROM run") > 0)
			used_is(number("SELECT 39*2*(value-1700000000)"
				       " FROM meta WHERE key='counted_sec'"));
		assert_int_equal(number("SELECT integrity_check='ok'"
					" FROM pragma_integrity_check"),
				 1);
	}
}

/* The thread. */

static void note(double now_sec)
{
	begin(now_sec), runs(7, T0);
	astra_history_note(report);
	drop();
}

static void wait_for(const char *state)
{
	struct timespec pause = {.tv_nsec = 10000000};
	struct astra_history_stats stats;

	for (int i = 0; i < 3000; i++) {
		astra_history_stats(&stats);
		if (!strcmp(stats.figures.state, state))
			return;
		nanosleep(&pause, NULL);
	}
	fail_msg("%s, not %s: %s", stats.figures.state, state,
		 stats.error.text);
}

static int logged;

static void log_line(bool is_error, const char *text)
{
	(void)is_error;
	(void)text;
	logged++;
}

static void start_writing(double every_sec)
{
	struct astra_history_options options = {
		.file = path,
		.cluster = "c1",
		.write_sec = every_sec,
		.retry_sec = 0.02,
		.log_line = log_line,
	};
	struct astra_error err = {""};

	logged = 0;
	assert_int_equal(astra_history_start(&options, &err), 0);
}

static void start(void)
{
	start_writing(0.01);
}

static void what_came_before_the_first_write_is_written(void **state)
{
	(void)state;
	start_writing(600);
	usleep(10000); /* the thread has seen that there is nothing yet */
	note(T0);
	note(T0 + 50);
	astra_history_stop();
	used_is(2 * 50);
}

static void the_thread_writes_to_the_end(void **state)
{
	struct astra_history_stats stats;

	(void)state;
	start();
	for (int i = 0; i < 20; i++)
		note(T0 + i);
	wait_for("writing");
	note(T0 + 50);
	astra_history_stop();
	used_is_but(2 * 50, 2 * (seen_sec() - T0));
	astra_history_stats(&stats);
	assert_string_equal(stats.figures.state, "off");
	assert_int_equal(logged, 0);
}

static void a_locked_file_is_waited_for(void **state)
{
	sqlite3 *db;

	(void)state;
	open_writer();
	astra_writer_close(writer);
	writer = NULL;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL),
			 SQLITE_OK);
	start();
	note(T0);
	wait_for("paused");
	assert_true(astra_history_behind(T0 + 5) == 0); /* none is written */
	assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(db);
	note(T0 + 10);
	wait_for("writing");
	assert_true(astra_history_behind(T0 + 10) == T0 + 10);
	astra_history_stop();
	assert_int_equal(logged, 2);
	used_is_but(2 * 10, 2 * (seen_sec() - T0));
}

/* Nobody would find it again, or read what is in it. */
static void a_lost_file_is_begun_anew(void **state)
{
	struct astra_history_stats stats;

	(void)state;
	start();
	note(T0);
	wait_for("writing");
	assert_int_equal(unlink(path), 0);
	note(T0 + 5);
	wait_for("paused");
	astra_history_stats(&stats);
	assert_non_null(strstr(stats.error.text, "was removed"));
	note(T0 + 10);
	wait_for("writing");
	astra_history_stop();
	/* Of the job that runs, from its begin. */
	used_is_but(2 * 10, 2 * (seen_sec() - T0));
	assert_int_equal(logged, 2);
}

static void *read_for_a_while(void *arg)
{
	sqlite3 *db = arg;
	struct timespec pause = {.tv_nsec = 700000000};

	nanosleep(&pause, NULL);
	sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	return NULL;
}

/* It waits for as long as a report may take. */
static void a_reader_only_delays_the_writer(void **state)
{
	pthread_t thread;
	sqlite3 *db;

	(void)state;
	open_writer();
	begin(T0), runs(7, T0), put();
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN;SELECT count(*) FROM run",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(pthread_create(&thread, NULL, read_for_a_while, db),
			 0);
	begin(T0 + 10), runs(7, T0), put();
	pthread_join(thread, NULL);
	sqlite3_close(db);
	used_is(2 * 10);
}

static void a_damaged_file_is_begun_anew(void **state)
{
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/%s", folder, ASTRA_HISTORY_FILE);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("what was here is no database, and long enough to see it", f);
	fclose(f);
	start();
	note(T0);
	wait_for("writing");
	note(T0 + 5);
	astra_history_stop();
	used_is(2 * 5);
	assert_int_equal(logged, 1);
}

/* In a process of its own, for the limit holds for all its files. */
static void fill_the_disk(void)
{
	const struct rlimit little = {150000, 400000}, more = {400000, 400000};

	signal(SIGXFSZ, SIG_IGN);
	start();
	note(T0);
	wait_for("writing");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	for (uint32_t i = 1; i < 900; i++) {
		begin(T0 + 10);
		for (uint32_t k = 0; k < i; k++)
			runs(100 + k, T0);
		astra_history_note(report);
		drop();
		if (i % 100 == 0)
			usleep(20000);
	}
	wait_for("paused");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &more), 0);
	note(T0 + 20);
	wait_for("writing");
	astra_history_stop();
}

static void a_full_disk_is_waited_for(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	assert_true(pid >= 0);
	if (!pid) {
		fill_the_disk();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(number("SELECT integrity_check='ok'"
				" FROM pragma_integrity_check"),
			 1);
}

/* Another policy rules meanwhile, and the file is opened anew under it. */
static void payments_are_counted_once(void **state)
{
	(void)state;
	open_writer();
	begin(T0), pays(40), put();
	begin(T0 + 10), pays(100), put();
	begin(T0 + 20), pays(NAN), put();
	begin(T0 + 30), pays(NAN), put();
	open_writer();
	begin(T0 + 50), pays(100), put();
	begin(T0 + 60), pays(110), put();
	assert_close(sum_of("tenant_time", "paid", 1), 70, 1e-9);
	assert_close(sum_of("tenant_time", "income", 1), 70, 1e-9);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

/* As sqlite3 would. */
static void read_in(const char *name)
{
	const char *top = getenv("top_srcdir");
	char file[4096], *text = NULL;
	size_t room = 0;
	sqlite3 *db;
	FILE *f;

	snprintf(file, sizeof(file), "%s/testsuite/unit/state/%s",
		 top ? top : ".", name);
	f = fopen(file, "r");
	assert_non_null(f);
	assert_true(getdelim(&text, &room, '\0', f) > 0);
	fclose(f);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	free(text);
}

/* Written under commit 20a795c: job 4 runs, and has the second lease. */
static void a_history_of_an_earlier_version_goes_on(void **state)
{
	const double t = 1795405868; /* its submission */
	struct astra_report_job j = job_of(4);

	(void)state;
	read_in("history1.sql");
	open_writer();
	j.tenant = j.account = "blue";
	j.user = "root";
	j.uid = 0;
	j.of.state = ASTRA_JOB_ENDED;
	j.state = "COMPLETED";
	j.of.submit_sec = t;
	j.run_start_sec = t + 11;
	j.run_end_sec = t + 26;
	begin(t + 30);
	(void)astra_report_add_ended(report, &j);
	put();
	free((void *)(uintptr_t)j.id_text);
	assert_close(number("SELECT count(*) FROM job"), 5, 0);
	assert_close(number("SELECT count(*) FROM run"), 3, 0);
	assert_close(number("SELECT run_sec FROM job WHERE job=4"), 15, 1e-9);
	assert_close(number("SELECT start_sec FROM job WHERE job=4"), t + 11,
		     1e-15);
	assert_close(number("SELECT count(*) FROM lease WHERE job=4"
			    " AND end_sec IS NOT NULL"),
		     2, 0);
	/* 23 seconds with 4 GPUs, and those of job 4 up to then and since. */
	assert_close(sum_of("owner_time", "used_gpu_sec", 1), 88 + 84 + 4 * 3,
		     1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(payments_are_counted_once),
		TEST(a_run_is_counted_from_begin_to_end),
		TEST(a_run_of_hours_is_in_each_hour),
		TEST(a_day_begins_at_local_midnight),
		TEST(a_run_between_two_reports_is_seen),
		TEST(a_run_that_nobody_saw_has_the_size_it_had),
		TEST(a_requeued_job_has_two_runs),
		TEST(a_number_used_again_is_another_job),
		TEST(a_job_requeued_by_stock_slurm_is_the_same),
		TEST(a_job_that_was_gone_is_the_same_after_a_requeue),
		TEST(a_new_job_with_a_number_of_old_leaves_none_pending),
		TEST(a_job_that_ended_is_not_requeued),
		TEST(late_starts_are_counted_by_the_minute),
		TEST(rewards_are_kept_by_slot),
		TEST(a_restart_goes_on_where_it_was),
		TEST(an_end_outlives_a_restart),
		TEST(what_is_shown_after_a_restart_is_not_new),
		TEST(a_requeued_job_is_the_same_after_a_restart),
		TEST(nothing_is_counted_twice),
		TEST(a_job_that_comes_back_goes_on),
		TEST(a_clock_set_back_counts_once),
		TEST(a_row_of_a_job_that_waits_is_a_minute_old),
		TEST(rows_that_get_old_at_once_are_written_bit_by_bit),
		TEST(a_report_left_out_is_covered_by_the_next),
		TEST(decay_is_taken_out),
		TEST(lack_is_by_the_minute),
		TEST(what_accounts_begin_with_is_no_usage),
		TEST(lost_state_is_no_usage),
		TEST(a_tenant_goes_on_over_a_restart),
		TEST(a_pool_has_no_more_used_than_it_has),
		TEST(gpus_are_not_used_and_down_at_once),
		TEST(nothing_is_made_up_for_a_gap),
		TEST(what_is_too_much_at_once_is_counted),
		TEST(a_user_has_what_each_of_an_arrays_tasks_has),
		TEST(a_fading_array_is_its_tenants),
		TEST(a_users_array_goes_on_over_a_restart),
		TEST(what_a_job_asks_for_is_kept),
		TEST(since_when_a_pool_is_watched_outlives_a_restart),
		TEST(what_is_old_goes),
		TEST(a_killed_writer_leaves_a_whole_file),
		TEST(what_came_before_the_first_write_is_written),
		TEST(the_thread_writes_to_the_end),
		TEST(a_locked_file_is_waited_for),
		TEST(a_lost_file_is_begun_anew),
		TEST(a_reader_only_delays_the_writer),
		TEST(a_damaged_file_is_begun_anew),
		TEST(a_full_disk_is_waited_for),
		TEST(a_history_of_an_earlier_version_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
