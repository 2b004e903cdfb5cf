/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/history/window.h"
#include "testsuite/unit/unit.h"

#define NONE INT64_MAX

static int64_t at(const char *text)
{
	struct tm tm = {.tm_isdst = -1};

	assert_int_equal(sscanf(text, "%d-%d-%dT%d:%d:%d", &tm.tm_year,
				&tm.tm_mon, &tm.tm_mday, &tm.tm_hour,
				&tm.tm_min, &tm.tm_sec),
			 6);
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return (int64_t)mktime(&tm);
}

static void write_time(int64_t sec, char *text, size_t size)
{
	time_t when = (time_t)sec;
	struct tm tm;

	localtime_r(&when, &tm);
	strftime(text, size, "%d %H:%M", &tm);
}

/* "m 01 10:59-01 11:00, h ..." */
static void write_window(const struct astra_history_window *w, char *text,
			 size_t size)
{
	*text = '\0';
	for (size_t i = 0; i < w->count; i++) {
		const struct astra_history_piece *p = &w->pieces[i];
		char from[32], to[32];
		size_t used = strlen(text);

		write_time(p->from, from, sizeof(from));
		write_time(p->to, to, sizeof(to));
		snprintf(text + used, size - used, "%s%c %s-%s",
			 used ? ", " : "", "mhd"[p->level], from, to);
	}
}

struct split_case {
	const char *zone, *start, *end;
	const char *first[3]; /* NULL: no rows */
	const char *pieces;
};

static void split(const struct split_case *c, struct astra_history_window *w)
{
	int64_t first[3];

	setenv("TZ", c->zone, 1);
	tzset();
	for (int i = 0; i < 3; i++)
		first[i] = c->first[i] ? at(c->first[i]) : NONE;
	astra_history_split(at(c->start), at(c->end), first, w);
}

#define ALL                                                   \
	{                                                     \
		"2026-03-01T00:00:00", "2026-02-01T00:00:00", \
			"2025-01-01T00:00:00"                 \
	}

static const struct split_case cases[] = {
	/* seconds go outward */
	{"UTC", "2026-03-05T10:59:30", "2026-03-05T11:01:01", ALL,
	 "m 05 10:59-05 11:02"},
	{"UTC", "2026-03-05T10:59:00", "2026-03-05T13:02:00", ALL,
	 "m 05 10:59-05 11:00, h 05 11:00-05 13:00, m 05 13:00-05 13:02"},
	{"UTC", "2026-03-05T00:00:00", "2026-03-06T00:00:00", ALL,
	 "d 05 00:00-06 00:00"},
	{"UTC", "2026-03-05T22:59:00", "2026-03-08T01:01:00", ALL,
	 "m 05 22:59-05 23:00, h 05 23:00-06 00:00, d 06 00:00-08 00:00, h 08 00:00-08 01:00, m 08 01:00-08 01:01"},
	/* over one midnight there is no day */
	{"UTC", "2026-03-05T22:00:00", "2026-03-06T02:00:00", ALL,
	 "h 05 22:00-06 02:00"},
	/* before the first minutes kept, then before the first hours */
	{"UTC", "2026-02-10T10:59:30", "2026-02-10T11:01:00", ALL,
	 "h 10 10:00-10 12:00"},
	{"UTC", "2026-01-10T10:59:30", "2026-01-11T11:01:00", ALL,
	 "d 10 00:00-12 00:00"},
	{"UTC", "2026-01-10T10:00:00", "2026-02-02T01:00:00", ALL,
	 "d 10 00:00-02 00:00, h 02 00:00-02 01:00"},
	{"UTC", "2026-02-28T23:30:00", "2026-03-01T00:01:00", ALL,
	 "h 28 23:00-01 00:00, m 01 00:00-01 00:01"},
	/* the hour of the first minutes kept */
	{"UTC",
	 "2026-03-01T10:05:00",
	 "2026-03-01T10:40:00",
	 {"2026-03-01T10:30:00", "2026-02-01T00:00:00", "2025-01-01T00:00:00"},
	 "h 01 10:00-01 11:00"},
	/* a young history: nothing was before */
	{"UTC",
	 "2026-03-05T09:10:00",
	 "2026-03-05T10:25:00",
	 {"2026-03-05T10:20:00", "2026-03-05T10:00:00", "2026-03-05T00:00:00"},
	 "m 05 09:10-05 10:25"},
	{"UTC",
	 "2026-03-05T10:10:00",
	 "2026-03-05T10:25:00",
	 {NULL, NULL, NULL},
	 "d 05 00:00-06 00:00"},
	/* a day of 23 hours, and one of 25 */
	{"Europe/Berlin", "2026-03-29T00:00:00", "2026-03-30T00:00:00", ALL,
	 "d 29 00:00-30 00:00"},
	{"Europe/Berlin", "2026-03-28T23:00:00", "2026-03-30T01:00:00", ALL,
	 "h 28 23:00-29 00:00, d 29 00:00-30 00:00, h 30 00:00-30 01:00"},
	{"Europe/Berlin", "2026-10-25T00:00:00", "2026-10-26T00:00:00", ALL,
	 "d 25 00:00-26 00:00"},
	/* midnight is no whole hour: minutes between */
	{"Asia/Kolkata", "2026-03-05T00:00:00", "2026-03-06T01:00:00", ALL,
	 "d 05 00:00-06 00:00, m 06 00:00-06 01:00"},
	/* and where those are not kept, hours alone */
	{"Asia/Kolkata", "2026-02-10T00:30:00", "2026-02-12T01:30:00", ALL,
	 "h 10 00:30-12 01:30"},
};

static void a_span_is_split_into_the_largest_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_history_window w;
		char text[512];

		split(&cases[i], &w);
		write_window(&w, text, sizeof(text));
		if (strcmp(text, cases[i].pieces) != 0)
			fail_msg("%s %s-%s: %s, not %s", cases[i].zone,
				 cases[i].start, cases[i].end, text,
				 cases[i].pieces);
	}
}

/* Whatever the span: the pieces are those rows, one after the other. */
static void pieces_neither_overlap_nor_leave_gaps(void **state)
{
	static const char *const zones[] = {"UTC", "Europe/Berlin",
					    "Asia/Kolkata", "America/Sao_Paulo",
					    "America/Havana"};
	struct astra_history_window w;

	(void)state;
	srand(7);
	for (int i = 0; i < 20000; i++) {
		int64_t start = 1500000000 + rand() % 40000000;
		int64_t end = start + 1 + rand() % 1000000;
		int64_t first[3] = {1500000000 + rand() % 40000000,
				    1490000000 + rand() % 40000000, 0};
		int64_t seen;

		setenv("TZ", zones[i % 5], 1);
		tzset();
		astra_history_split(start, end, first, &w);
		assert_true(w.start_sec <= start && w.end_sec >= end);
		assert_true(w.count >= 1 && w.count <= ASTRA_HISTORY_PIECES);
		seen = w.start_sec;
		for (size_t k = 0; k < w.count; k++) {
			const struct astra_history_piece *p = &w.pieces[k];

			assert_true(p->from == seen && p->to > p->from);
			assert_true(astra_history_bucket(p->level, p->from) ==
				    p->from);
			assert_true(astra_history_bucket(p->level, p->to) ==
				    p->to);
			seen = p->to;
		}
		assert_true(seen == w.end_sec);
	}
}

static void a_series_has_rows_of_one_length(void **state)
{
	static const struct {
		const char *start, *end;
		int64_t step;
	} series[] = {
		{"2026-03-05T10:59:30", "2026-03-05T11:01:01", 60},
		{"2026-03-05T00:00:00", "2026-03-06T00:00:00", 3600},
		{"2026-02-10T10:00:00", "2026-02-10T11:00:00", 3600},
		{"2026-02-10T10:00:00", "2026-03-10T11:00:00", 86400},
	};
	struct astra_history_window w;
	int64_t first[3];

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	first[0] = at("2026-03-01T00:00:00");
	first[1] = at("2026-02-01T00:00:00");
	first[2] = at("2025-01-01T00:00:00");
	for (size_t i = 0; i < ASTRA_COUNT_OF(series); i++) {
		assert_true(astra_history_series(at(series[i].start),
						 at(series[i].end), first,
						 &w) == series[i].step);
		assert_int_equal(w.count, 1);
		assert_true(w.start_sec <= at(series[i].start));
		assert_true(w.end_sec >= at(series[i].end));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_span_is_split_into_the_largest_rows),
		cmocka_unit_test(pieces_neither_overlap_nor_leave_gaps),
		cmocka_unit_test(a_series_has_rows_of_one_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
