/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of sfair report, of made-up replies; testsuite/page/page.sh looks at
 * it in a browser. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/cmd/sfair/page.h"
#include "testsuite/unit/unit.h"

#define DAY 86400
#define START 1795219200 /* a midnight in UTC */

static json_t *replies[PAGE_PARTS];
static struct page_data data;
static char *text;
static size_t text_size;

/* All parts, without rows. */
static void empty_replies(double start_sec, double end_sec, double step_sec)
{
	memset(replies, 0, sizeof(replies));
	for (int i = 0; i < PAGE_PARTS; i++)
		replies[i] = json_pack(
			"{s:s, s:f, s:f, s:f, s:f, s:s, s:[], s:b}", "cluster",
			"demo", "time_sec", end_sec, "start_sec", start_sec,
			"end_sec", end_sec, "step_sec", step_sec, "report",
			page_part_name(i), "rows", "more", 0);
}

static void add_row(enum page_part part, json_t *row)
{
	assert_non_null(row);
	json_array_append_new(json_object_get(replies[part], "rows"), row);
}

static void add_tenant(const char *name)
{
	add_row(PAGE_TENANTS,
		json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f}", "pool",
			  "p", "tenant", name, "weight", 1.0, "alloc_gpu_sec",
			  7200.0, "fair_gpu_sec", 14400.0, "rho", 0.5,
			  "lack_gpu_sec", 7200.0, "demand_gpu_sec", 14400.0));
}

static void add_time(const char *name, double time_sec, double used_gpu_sec)
{
	add_row(PAGE_TIMELINE,
		json_pack("{s:f, s:s, s:s, s:f, s:f, s:f}", "time_sec",
			  time_sec, "pool", "p", "tenant", name, "used_gpu_sec",
			  used_gpu_sec, "alloc_gpu_sec", used_gpu_sec,
			  "fair_gpu_sec", used_gpu_sec * 2));
}

static void add_job(enum page_part part, int id, const char *name)
{
	char id_text[16];

	snprintf(id_text, sizeof(id_text), "%d", id);
	add_row(part,
		json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:s, s:i, s:f, s:f, "
			  "s:f, s:s}",
			  "id_text", id_text, "job", id, "user", name,
			  "account", name, "tenant", name, "pool", "p", "name",
			  name, "gpus", 2, "submit_sec", START + 60.0,
			  "start_sec", START + 120.0, "end_sec", START + 3600.0,
			  "state", name));
}

static void add_lease(int id, const char *name, double from, double to,
		      const char *how)
{
	add_row(PAGE_LEASES,
		json_pack("{s:s, s:i, s:s, s:s, s:s, s:i, s:f, s:o, s:i, s:s, "
			  "s:s}",
			  "id_text", "7", "job", id, "user", name, "tenant",
			  name, "pool", "p", "number", 1, "start_sec",
			  START + from, "end_sec",
			  to != 0 ? json_real(START + to) : json_null(), "gpus",
			  2, "nodes", "n1", "how", how));
}

static void load(void)
{
	struct astra_error err = {""};

	if (page_data_load(&data, replies, &err) < 0)
		fail_msg("%s", err.text);
}

static void write_page(void)
{
	FILE *file = open_memstream(&text, &text_size);

	assert_non_null(file);
	assert_int_equal(page_write(&data, "sfair report <c>", file), 0);
	assert_int_equal(fclose(file), 0);
	assert_non_null(strstr(text, "</html>"));
	assert_null(strstr(text, "<c>"));
	assert_null(strstr(text, "\"nan"));
	assert_null(strstr(text, "nan "));
	assert_null(strstr(text, "Hnan"));
	assert_null(strstr(text, "\"inf"));
}

static void draw(void)
{
	load();
	write_page();
}

static void clear(void)
{
	page_data_clear(&data);
	free(text);
	text = NULL;
}

static size_t count_of(const char *what)
{
	size_t count = 0;

	for (const char *at = text; (at = strstr(at, what)); at++)
		count++;
	return count;
}

static void a_window_without_anything_is_a_page(void **state)
{
	(void)state;
	empty_replies(START, START + DAY, 60);
	draw();
	assert_non_null(strstr(text, "No tenant is known"));
	assert_non_null(strstr(text, "No lease is known"));
	assert_non_null(strstr(text, "Sat 21 Nov 2026"));
	clear();
}

static void parts_that_are_missing_are_left_out(void **state)
{
	(void)state;
	empty_replies(START, START + DAY, 60);
	for (int i = 0; i < PAGE_PARTS - 1; i++) {
		json_decref(replies[i]);
		replies[i] = NULL;
	}
	draw();
	clear();
}

static void a_window_is_needed(void **state)
{
	static const double windows[][2] = {
		{0, 0},	 {START, START}, {START, START - 1.0},
		{-5, 5}, {1, 1e300},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(windows); i++) {
		struct astra_error err = {""};

		empty_replies(windows[i][0], windows[i][1], 60);
		assert_int_equal(page_data_load(&data, replies, &err), -1);
		assert_non_null(strstr(err.text, "start_sec"));
		clear();
	}
}

static void names_are_nothing_but_text(void **state)
{
	static const char *const names[] = {
		"<script>alert(1)</script>",
		"\"><img onerror=x>",
		"' onload='x",
		"</title></style>",
		"&lt;i&gt;",
		"\x1b[31m\x07",
		"\u202eabc",
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(names); i++) {
		empty_replies(START, START + DAY, 60);
		for (int k = 0; k < PAGE_PARTS; k++)
			json_object_set_new(replies[k], "cluster",
					    json_string(names[i]));
		add_tenant(names[i]);
		add_time(names[i], START, 60);
		add_job(PAGE_FAIRNESS, 7, names[i]);
		add_lease(7, names[i], 0, 900, names[i]);
		add_row(PAGE_USERS,
			json_pack("{s:s, s:s, s:s, s:s}", "user", names[i],
				  "account", names[i], "tenant", names[i],
				  "pool", names[i]));
		draw();
		assert_null(strstr(text, names[i]));
		assert_int_equal(count_of("<script>"), 1);
		assert_null(strstr(text, "<img"));
		assert_null(strstr(text, "\x1b"));
		clear();
	}
}

static void long_names_are_cut(void **state)
{
	char name[5001];

	(void)state;
	memset(name, 'x', 5000);
	name[5000] = '\0';
	empty_replies(START, START + DAY, 60);
	for (int i = 0; i < PAGE_PARTS; i++)
		json_object_set_new(replies[i], "cluster", json_string(name));
	add_tenant(name);
	add_time(name, START, 60);
	add_job(PAGE_FAIRNESS, 7, name);
	add_lease(7, name, 0, 900, "renewed");
	draw();
	name[200] = '\0';
	assert_null(strstr(text, name));
	assert_non_null(strstr(text, "xxx…"));
	clear();
}

static void names_are_cut_between_characters(void **state)
{
	FILE *file = open_memstream(&text, &text_size);

	(void)state;
	page_name(file, "名前名前名前", 5);
	fclose(file);
	assert_string_equal(text, "名前名…");
	clear();
}

static void what_is_no_number_is_not_drawn(void **state)
{
	(void)state;
	empty_replies(START, START + DAY, 60);
	add_tenant("a");
	add_time("a", START - 7200.0, 60);    /* before the window */
	add_time("a", START + 2.0 * DAY, 60); /* after it */
	add_time("a", START, 8e307);
	add_time("a", START, 8e307);
	add_time("a", START + 3600, -5);
	add_row(PAGE_TIMELINE,
		json_pack("{s:s, s:s, s:n, s:s}", "tenant", "a", "time_sec",
			  "soon", "used_gpu_sec", "pool", "p"));
	add_row(PAGE_TIMELINE, json_pack("[s]", "row"));
	add_row(PAGE_TENANTS, json_null());
	add_row(PAGE_USERS, json_integer(3));
	add_row(PAGE_FAIRNESS, json_pack("{s:s}", "job", "none"));
	add_row(PAGE_SLOWDOWN,
		json_pack("{s:f, s:f, s:f, s:f}", "gpus", 1e300, "wait_sec",
			  1e300, "run_sec", -1.0, "slowdown", 1e308));
	add_row(PAGE_LEASES,
		json_pack("{s:f, s:f}", "start_sec", -1e300, "end_sec", 1e300));
	add_row(PAGE_LEASES, json_pack("{s:n}", "start_sec"));
	add_row(PAGE_UTILIZATION, json_pack("{s:f, s:f}", "total_gpu_sec", -1.0,
					    "span_sec", 0.0));
	add_row(PAGE_LOSS,
		json_pack("{s:i, s:f, s:f}", "time_sec", START, "fair_gpu_sec",
			  1.0, "lack_gpu_sec", 1e300));
	draw();
	clear();
}

static void a_year_has_few_slots_and_loses_nothing(void **state)
{
	double sum = 0;

	(void)state;
	empty_replies(START, START + 365.0 * DAY, DAY);
	for (int day = 0; day < 365; day++)
		add_time("a", START + (double)day * DAY, DAY);
	load();
	assert_true(data.slot_count <= PAGE_SLOTS_MAX);
	for (size_t i = 0; i < data.slot_count; i++) {
		assert_true(fabs(page_gpus(&data, 0, i) - 1) < 1e-9);
		sum += data.tenants[0]->cells[i].used_sec;
	}
	assert_true(fabs(sum - 365.0 * DAY) < 1);
	clear();
}

/* In New York the clock goes back on 1 November 2026, so that day has 25
 * hours, and all later midnights are an hour later. */
static void days_of_25_hours_stay_in_their_slots(void **state)
{
	const double start = 1793246400 + 4 * 3600; /* 29 October, midnight */
	const char *zone = getenv("TZ");
	char *saved = zone ? strdup(zone) : NULL;

	(void)state;
	setenv("TZ", "America/New_York", 1);
	tzset();
	empty_replies(start, start + 7 * DAY + 3600, DAY);
	for (int day = 0; day < 7; day++)
		add_time("a", start + day * DAY + (day > 3 ? 3600 : 0), DAY);
	load();
	for (size_t i = 0; i < 7; i++)
		assert_true(fabs(page_gpus(&data, 0, i) - 1) < 1e-9);
	clear();
	if (saved)
		setenv("TZ", saved, 1);
	else
		unsetenv("TZ");
	tzset();
	free(saved);
}

static void many_tenants_are_the_largest_and_the_others(void **state)
{
	char name[16];

	(void)state;
	empty_replies(START, START + DAY, 3600);
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		add_tenant(name);
		add_time(name, START, 60 * (i + 1));
	}
	draw();
	assert_int_equal(page_looks(&data), PAGE_OTHERS + 1);
	assert_string_equal(data.tenants[0]->name, "t99");
	assert_non_null(strstr(text, "the other 93"));
	/* 1 + 2 + ... + 93 minutes of a GPU in an hour. */
	assert_true(data.slot_sec == 3600);
	assert_true(fabs(page_gpus(&data, PAGE_OTHERS, 0) -
			 93 * 94 / 2 / 60.0) < 1e-9);
	clear();
}

static void a_job_of_two_reports_is_one(void **state)
{
	(void)state;
	empty_replies(START, START + DAY, 60);
	add_job(PAGE_FAIRNESS, 7, "a");
	add_job(PAGE_SLOWDOWN, 8, "a");
	add_job(PAGE_SLOWDOWN, 7, "a");
	json_object_set_new(
		json_array_get(json_object_get(replies[PAGE_SLOWDOWN], "rows"),
			       1),
		"slowdown", json_real(1.5));
	load();
	assert_int_equal(data.job_count, 2);
	assert_true(data.jobs[0].job == 7 && data.jobs[0].slowdown == 1.5);
	assert_string_equal(data.jobs[0].name, "a");
	assert_true(data.jobs[0].wait_sec == 60);
	clear();
}

static void add_task(int id, const char *id_text, double alloc, double fair,
		     double run_sec)
{
	add_row(PAGE_FAIRNESS,
		json_pack("{s:s, s:i, s:s, s:s, s:s, s:i, s:f, s:f, s:f, s:f, "
			  "s:f, s:f, s:i, s:i, s:s}",
			  "id_text", id_text, "job", id, "user", "ann",
			  "tenant", "a", "pool", "p", "gpus", 2, "submit_sec",
			  START + 60.0, "start_sec", START + 60.0 + id,
			  "run_sec", run_sec, "alloc_gpu_sec", alloc,
			  "fair_gpu_sec", fair, "rho", alloc / fair, "leases",
			  1, "revoked", 0, "state",
			  id == 21 ? "RUNNING" : "COMPLETED"));
}

/* rho of all their GPU time: (100 + 200 + 300) / (400 + 400 + 400) = 0.5; they
 * waited 20, 21 and 30 s. */
static void tasks_of_an_array_are_one_row(void **state)
{
	(void)state;
	empty_replies(START, START + DAY, 60);
	add_task(20, "20_1", 100, 400, 50);
	add_task(21, "20_2", 200, 400, 60);
	add_task(30, "20_3", 300, 400, 70);
	add_task(31, "2", 100, 100, 10);
	add_task(32, "200_1", 100, 100, 10);
	draw();
	assert_int_equal(count_of("<th scope=\"row\">20_[3 tasks]<td>0.500"),
			 1);
	assert_int_equal(count_of("<th scope=\"row\">200_1<td>1.000"), 1);
	assert_int_equal(count_of("<th scope=\"row\">2<td>1.000"), 1);
	assert_int_equal(count_of("20_1"), 0);
	assert_non_null(strstr(text, "<td data-v=\"24\">"));  /* waited */
	assert_non_null(strstr(text, "<td data-v=\"180\">")); /* ran */
	assert_int_equal(count_of("<td class=\"text\">several"), 1);
	clear();
}

/* On the first day the axis is not of 24 hours with 6 minutes at its end. */
static void charts_begin_where_the_history_does(void **state)
{
	(void)state;
	empty_replies(START, START + DAY, 60);
	add_tenant("a");
	for (int i = 0; i < 6; i++)
		add_time("a", START + DAY - 360 + i * 60, 60);
	draw();
	assert_true(data.known_sec == START + DAY - 360);
	assert_true(data.slot_sec == 60 && data.slot_count == 6);
	assert_non_null(strstr(text, "The plugin's history begins at "));
	clear();
}

/* Minutes of 0 and of twice what was due: rho since the begin is 1 in the end,
 * lately it goes up and down. add_time() makes twice as much due as is used. */
static void rho_is_shown_since_the_begin_or_lately(void **state)
{
	(void)state;
	empty_replies(START, START + DAY, 60);
	add_tenant("a");
	for (int i = 0; i < 1440; i++)
		add_time("a", START + i * 60, i % 120 < 60 ? 60 : 0);
	draw();
	assert_int_equal(count_of("class=\"scroll since\""), 1);
	assert_int_equal(count_of("class=\"scroll lately\""), 1);
	assert_non_null(strstr(text, "over the last 2 hours"));
	clear();
}

static void leases_are_bars_and_revoked_ones_have_an_end(void **state)
{
	(void)state;
	empty_replies(START, START + DAY, 60);
	add_lease(7, "a", 0, 7200, "renewed");
	add_lease(7, "a", 7200, 10800, "revoked");
	add_lease(7, "a", 20000, 0, "");
	add_lease(8, "a", -7200, -3600, "ended"); /* before the window */
	draw();
	assert_int_equal(count_of("class=\"lease"), 3);
	assert_int_equal(count_of("<path class=\"revoked\""), 1);
	clear();
}

static void leases_beyond_count_become_fewer_bars(void **state)
{
	(void)state;
	empty_replies(START, START + DAY, 60);
	for (int job = 0; job < 60; job++)
		for (int i = 0; i < 144; i++)
			add_lease(job, "a", i * 600, (i + 1) * 600, "renewed");
	for (size_t i = 0; i < 60 * 144; i++) {
		json_t *row = json_array_get(
			json_object_get(replies[PAGE_LEASES], "rows"), i);

		json_object_set_new(row, "id_text",
				    json_sprintf("%zu", i / 144));
	}
	draw();
	assert_true(count_of("class=\"lease") >= 40);
	assert_true(count_of("class=\"lease") <= 1000);
	assert_non_null(strstr(text, "the 40 jobs that held most"));
	clear();
}

static void what_was_cut_is_said(void **state)
{
	(void)state;
	empty_replies(START, START + DAY, 60);
	json_object_set_new(replies[PAGE_LEASES], "more", json_true());
	json_object_set_new(replies[PAGE_SLOWDOWN], "more", json_true());
	draw();
	assert_non_null(strstr(text, "more leases than"));
	assert_non_null(strstr(text, "more jobs than"));
	clear();
}

static void time_marks_stand_at_round_times(void **state)
{
	static const struct {
		double span;
		const char *first, *second;
	} cases[] = {
		{20, "Sat 21 Nov", "00:00:05"},
		{600, "Sat 21 Nov", "00:01"},
		{DAY, "Sat 21 Nov", "02:00"},
		{7.0 * DAY, "Sat 21 Nov", "Sun 22 Nov"},
		{365.0 * DAY, "Dec 2026", "Jan 2027"},
		{9000.0 * DAY, "2028", "2030"},
	};

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		const struct page_data d = {.start_sec = START,
					    .known_sec = START,
					    .end_sec = START + cases[i].span};
		struct page_axis marks;
		struct html_axis axis = page_time_axis(&d, &marks, 0, 910);

		assert_true(axis.tick_count >= 3);
		assert_string_equal(axis.texts[0], cases[i].first);
		assert_string_equal(axis.texts[1], cases[i].second);
	}
	unsetenv("TZ");
	tzset();
}

static double local_time(int year, int month, int day, int hour)
{
	struct tm tm = {.tm_year = year - 1900,
			.tm_mon = month - 1,
			.tm_mday = day,
			.tm_hour = hour,
			.tm_isdst = -1};

	return (double)mktime(&tm);
}

/* The time before months are months, before days days, though they are not
 * equally long; before another window it is as long as the window. */
static void the_time_before_a_window_is_of_its_calendar(void **state)
{
	(void)state;
	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	assert_true(page_before_start(local_time(2026, 3, 1, 0),
				      local_time(2026, 4, 1, 0)) ==
		    local_time(2026, 2, 1, 0));
	assert_true(page_before_start(local_time(2026, 1, 1, 0),
				      local_time(2027, 1, 1, 0)) ==
		    local_time(2025, 1, 1, 0));
	/* 29 March has 23 hours. */
	assert_true(page_before_start(local_time(2026, 3, 30, 0),
				      local_time(2026, 3, 31, 0)) ==
		    local_time(2026, 3, 29, 0));
	assert_true(page_before_start(local_time(2026, 3, 29, 0),
				      local_time(2026, 3, 30, 0)) ==
		    local_time(2026, 3, 28, 0));
	assert_true(page_before_start(START + 3600, START + 7200) == START);
	setenv("TZ", "UTC", 1);
	tzset();
}

/* The table has what tenants had before, and the head the cluster's use; a
 * tenant that was there only before has no row. */
static void what_was_before_stands_beside_it(void **state)
{
	json_t *before[PAGE_PARTS] = {0};
	struct astra_error err = {""};

	(void)state;
	empty_replies(START, START + DAY, 60);
	add_row(PAGE_UTILIZATION,
		json_pack("{s:s, s:f, s:f}", "pool", "p", "total_gpu_sec",
			  100.0 * DAY, "used_gpu_sec", 80.0 * DAY));
	add_tenant("a");
	load();
	before[PAGE_UTILIZATION] = json_pack(
		"{s:f, s:f, s:[{s:s, s:f, s:f}]}", "start_sec",
		START - (double)DAY, "end_sec", (double)START, "rows", "pool",
		"p", "total_gpu_sec", 100.0 * DAY, "used_gpu_sec", 25.0 * DAY);
	before[PAGE_TENANTS] = json_pack(
		"{s:f, s:f, s:[{s:s, s:s, s:f, s:f}, {s:s, s:s, s:f, s:f}]}",
		"start_sec", START - (double)DAY, "end_sec", (double)START,
		"rows", "pool", "p", "tenant", "a", "alloc_gpu_sec", 36000.0,
		"rho", 0.25, "pool", "p", "tenant", "gone", "alloc_gpu_sec",
		36000.0, "rho", 2.0);
	assert_int_equal(page_before_load(&data, before, &err), 0);
	for (int i = 0; i < PAGE_PARTS; i++)
		json_decref(before[i]);
	assert_int_equal(data.tenant_count, 1);
	assert_true(data.tenants[0]->before_rho == 0.25);
	assert_true(data.tenants[0]->before_sec == 36000);
	assert_true(data.before.used_sec == 25.0 * DAY);
	assert_true(data.before.end_sec == START);
	clear();

	/* Nothing is added of a time without GPUs, or that is none. */
	for (size_t k = 0; k < 3; k++) {
		const double starts[] = {START - (double)DAY, -5, 1e300};
		const double gpus[] = {0, 100, 100};

		empty_replies(START, START + DAY, 60);
		add_tenant("a");
		load();
		memset(before, 0, sizeof(before));
		before[PAGE_UTILIZATION] =
			json_pack("{s:f, s:f, s:[{s:s, s:f}]}", "start_sec",
				  starts[k], "end_sec", (double)START, "rows",
				  "pool", "p", "total_gpu_sec", gpus[k]);
		assert_int_equal(page_before_load(&data, before, &err), 0);
		json_decref(before[PAGE_UTILIZATION]);
		assert_true(data.before.end_sec == 0);
		clear();
	}
}

static void add_use(const char *account, const char *user, double gpu_hours)
{
	add_row(PAGE_USERS,
		json_pack("{s:s, s:s, s:s, s:s, s:f}", "user", user, "account",
			  account, "tenant", account, "pool", "p",
			  "used_gpu_sec", gpu_hours * 3600));
}

/* physics has 3 GPU hours of its own, astro 10, theory 5: 18 of 100 together.
 * What is above is before what is below; root has no row of its own. */
static void accounts_have_the_use_of_those_below(void **state)
{
	json_t *tree = json_pack(
		"[{s:s,s:s},{s:s,s:s},{s:s,s:s},{s:s,s:s},{s:s}]", "account",
		"astro", "parent", "physics", "account", "theory", "parent",
		"physics", "account", "physics", "parent", "root", "account",
		"unused", "parent", "physics", "account", "broken");

	(void)state;
	empty_replies(START, START + DAY, 60);
	add_row(PAGE_UTILIZATION, json_pack("{s:s, s:f}", "pool", "p",
					    "total_gpu_sec", 100 * 3600.));
	add_use("astro", "ann", 4);
	add_use("astro", "bob", 6);
	add_use("theory", "ann", 5);
	add_use("physics", "eve", 3);
	add_use("unlisted", "eve", 1);
	load();
	data.accounts = tree;
	write_page();
	assert_non_null(strstr(text, ">physics<td>18.0<td>18.0<td>3.00\n"));
	assert_non_null(
		strstr(text, ">physics/astro<td>10.0<td>10.0<td>10.0\n"));
	assert_non_null(
		strstr(text, ">physics/theory<td>5.00<td>5.0<td>5.00\n"));
	assert_non_null(strstr(text, ">unlisted<td>1.00<td>1.0<td>1.00\n"));
	assert_true(strstr(text, ">physics<") <
		    strstr(text, ">physics/astro<"));
	assert_null(strstr(text, "unused"));
	assert_null(strstr(text, ">root<"));
	clear();
	json_decref(tree);
}

/* Accounts right below root have no table, nor has a tree that is none. */
static void accounts_without_levels_have_no_table(void **state)
{
	static const char *const trees[] = {
		"[{\"account\": \"a\", \"parent\": \"root\"}]",
		"[]",
		"{}",
		"[1, null, {\"account\": 7, \"parent\": []}]",
		"[{\"account\": \"a\", \"parent\": \"a\"}]",
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(trees); i++) {
		json_t *tree = json_loads(trees[i], 0, NULL);

		assert_non_null(tree);
		empty_replies(START, START + DAY, 60);
		add_use("a", "ann", 4);
		load();
		data.accounts = tree;
		write_page();
		assert_null(strstr(text, "id=\"Accounts\""));
		clear();
		json_decref(tree);
	}
}

/* A file may say that accounts are below each other, and any name. */
static void a_circle_of_accounts_ends(void **state)
{
	json_t *tree = json_pack("[{s:s,s:s},{s:s,s:s},{s:s,s:s}]", "account",
				 "a", "parent", "b", "account", "b", "parent",
				 "<img>", "account", "<img>", "parent", "a");

	(void)state;
	empty_replies(START, START + DAY, 60);
	add_use("a", "ann", 4);
	add_use("b", "ann", 2);
	load();
	data.accounts = tree;
	write_page();
	assert_non_null(strstr(text, "id=\"Accounts\""));
	assert_null(strstr(text, "<img"));
	assert_int_equal(count_of("<td>6.00<td>"), 2); /* b, and above it */
	clear();
	json_decref(tree);
}

/* What is above a deep account has its use, too, however far above; root has
 * all. a49 is below a48, ..., a0 below root. */
static void deep_accounts_are_summed_to_the_top(void **state)
{
	json_t *tree = json_array();
	char name[16], parent[16] = "root";

	(void)state;
	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "a%d", i);
		json_array_append_new(tree, json_pack("{s:s,s:s}", "account",
						      name, "parent", parent));
		strcpy(parent, name);
	}
	empty_replies(START, START + DAY, 60);
	add_use("a49", "ann", 1);
	add_use("a10", "ann", 1);
	add_use("root", "root", 2);
	load();
	data.accounts = tree;
	write_page();
	assert_non_null(strstr(text, ">a0/a1<td>2.00<td>"));
	assert_non_null(strstr(text, ">root<td>4.00<td>"));
	assert_non_null(strstr(text, ">…/a18/a19/"));
	clear();
	json_decref(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_without_anything_is_a_page),
		cmocka_unit_test(parts_that_are_missing_are_left_out),
		cmocka_unit_test(a_window_is_needed),
		cmocka_unit_test(names_are_nothing_but_text),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(names_are_cut_between_characters),
		cmocka_unit_test(what_is_no_number_is_not_drawn),
		cmocka_unit_test(a_year_has_few_slots_and_loses_nothing),
		cmocka_unit_test(days_of_25_hours_stay_in_their_slots),
		cmocka_unit_test(many_tenants_are_the_largest_and_the_others),
		cmocka_unit_test(a_job_of_two_reports_is_one),
		cmocka_unit_test(tasks_of_an_array_are_one_row),
		cmocka_unit_test(charts_begin_where_the_history_does),
		cmocka_unit_test(rho_is_shown_since_the_begin_or_lately),
		cmocka_unit_test(leases_are_bars_and_revoked_ones_have_an_end),
		cmocka_unit_test(leases_beyond_count_become_fewer_bars),
		cmocka_unit_test(what_was_cut_is_said),
		cmocka_unit_test(time_marks_stand_at_round_times),
		cmocka_unit_test(the_time_before_a_window_is_of_its_calendar),
		cmocka_unit_test(what_was_before_stands_beside_it),
		cmocka_unit_test(accounts_have_the_use_of_those_below),
		cmocka_unit_test(accounts_without_levels_have_no_table),
		cmocka_unit_test(a_circle_of_accounts_ends),
		cmocka_unit_test(deep_accounts_are_summed_to_the_top),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
