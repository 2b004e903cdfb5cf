/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "src/sim/field.h"
#include "testsuite/unit/unit.h"

struct number {
	const char *text;
	enum astra_field_result kind;
	double value;
};

static void check(const struct number *n, enum astra_field_result kind,
		  double value)
{
	if (kind != n->kind || (kind == ASTRA_FIELD_OK && value != n->value))
		fail_msg("\"%s\" is %d, %.17g", n->text, (int)kind, value);
}

static void numbers_are_decimal_and_finite(void **state)
{
	static const struct number numbers[] = {
		{"0", ASTRA_FIELD_OK, 0},
		{"-3", ASTRA_FIELD_OK, -3},
		{"+3", ASTRA_FIELD_OK, 3},
		{" 12 ", ASTRA_FIELD_OK, 12},
		{"0.1", ASTRA_FIELD_OK, 0.1},
		{".5", ASTRA_FIELD_OK, .5},
		{"5.", ASTRA_FIELD_OK, 5},
		{"31639.0", ASTRA_FIELD_OK, 31639},
		{"1e3", ASTRA_FIELD_OK, 1000},
		{"123456789.123456", ASTRA_FIELD_OK, 123456789.123456},
		{"0.12345678901234567890", ASTRA_FIELD_OK,
		 0.12345678901234567890},
		{"", ASTRA_FIELD_NONE, 0},
		{"Unknown", ASTRA_FIELD_NONE, 0},
		{"none", ASTRA_FIELD_NONE, 0},
		{".", ASTRA_FIELD_BAD, 0},
		{"-", ASTRA_FIELD_BAD, 0},
		{"e", ASTRA_FIELD_BAD, 0},
		{"1e", ASTRA_FIELD_BAD, 0},
		{"1 2", ASTRA_FIELD_BAD, 0},
		{"12a", ASTRA_FIELD_BAD, 0},
		{"0x10", ASTRA_FIELD_BAD, 0},
		{"nan", ASTRA_FIELD_BAD, 0},
		{"inf", ASTRA_FIELD_BAD, 0},
		{"1e999", ASTRA_FIELD_BAD, 0},
		{"-1e999", ASTRA_FIELD_BAD, 0},
		{"1e16", ASTRA_FIELD_BAD, 0},
		{"99999999999999999999999999", ASTRA_FIELD_BAD, 0},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(numbers); i++) {
		double value = 0;
		enum astra_field_result kind =
			astra_field_number(numbers[i].text, &value);

		check(&numbers[i], kind, value);
	}
}

static void counts_are_rounded_up(void **state)
{
	uint32_t value = 0;
	bool part = false;

	(void)state;
	assert_int_equal(astra_field_count("8", &value, &part), ASTRA_FIELD_OK);
	assert_int_equal(value, 8);
	assert_false(part);
	assert_int_equal(astra_field_count("1.25", &value, &part),
			 ASTRA_FIELD_OK);
	assert_int_equal(value, 2);
	assert_true(part);
	assert_int_equal(astra_field_count("1000001", &value, &part),
			 ASTRA_FIELD_BAD);
	assert_int_equal(astra_field_count("-1", &value, &part),
			 ASTRA_FIELD_BAD);
	assert_int_equal(astra_field_count("", &value, &part),
			 ASTRA_FIELD_NONE);
}

static void spans_are_as_slurm_writes_them(void **state)
{
	static const struct number spans[] = {
		{"90", ASTRA_FIELD_OK, 90},
		{"01:30", ASTRA_FIELD_OK, 90},
		{"00:01:30", ASTRA_FIELD_OK, 90},
		{"00:01:30.250", ASTRA_FIELD_OK, 90},
		{"100:00:00", ASTRA_FIELD_OK, 360000},
		{"2-03:04:05", ASTRA_FIELD_OK, 183845},
		{"1-12", ASTRA_FIELD_OK, 129600},
		{"1-00:30", ASTRA_FIELD_OK, 88200},
		{"UNLIMITED", ASTRA_FIELD_NONE, 0},
		{"Partition_Limit", ASTRA_FIELD_NONE, 0},
		{"", ASTRA_FIELD_NONE, 0},
		{"1:2:3:4", ASTRA_FIELD_BAD, 0},
		{"1:", ASTRA_FIELD_BAD, 0},
		{":1", ASTRA_FIELD_BAD, 0},
		{"1--2", ASTRA_FIELD_BAD, 0},
		{"1-", ASTRA_FIELD_BAD, 0},
		{"00:01:30x", ASTRA_FIELD_BAD, 0},
		{"99999999999:00", ASTRA_FIELD_BAD, 0},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(spans); i++) {
		double value = 0;
		enum astra_field_result kind =
			astra_field_span(spans[i].text, &value);

		check(&spans[i], kind, value);
	}
}

static void times_are_seconds_or_dates(void **state)
{
	static const struct number times[] = {
		{"45", ASTRA_FIELD_OK, 45},
		{"1598140800", ASTRA_FIELD_OK, 1598140800},
		{"2020-08-23T00:00:00", ASTRA_FIELD_OK, 1598140800},
		{"2020-08-23 00:00:00", ASTRA_FIELD_OK, 1598140800},
		{"2024-02-29T23:59:59", ASTRA_FIELD_OK, 1709251199},
		{"Unknown", ASTRA_FIELD_NONE, 0},
		{"2020-13-23T00:00:00", ASTRA_FIELD_BAD, 0},
		{"2020-08-23T24:00:00", ASTRA_FIELD_BAD, 0},
		{"2020-08-23", ASTRA_FIELD_BAD, 0},
		{"2020-08-23T00:00:00Z", ASTRA_FIELD_BAD, 0},
		{"1969-12-31T00:00:00", ASTRA_FIELD_BAD, 0},
		{"soon", ASTRA_FIELD_BAD, 0},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(times); i++) {
		double value = 0;
		enum astra_field_result kind =
			astra_field_time(times[i].text, &value);

		check(&times[i], kind, value);
	}
}

/* sacct prints local times: on 2026-10-25 Berlin's clocks went from 3 back to 2
 * in the night, so from noon to noon are 25 hours. */
static void dates_are_local_times(void **state)
{
	static const struct number times[] = {
		{"2026-10-24T12:00:00", ASTRA_FIELD_OK, 1792836000},
		{"2026-10-25T01:59:59", ASTRA_FIELD_OK, 1792886399},
		{"2026-10-25T12:30:05", ASTRA_FIELD_OK,
		 1792836000 + 25 * 3600 + 1805},
		{"2026-03-29T12:00:00", ASTRA_FIELD_OK, 1774778400},
	};

	(void)state;
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	for (size_t i = 0; i < ASTRA_COUNT_OF(times); i++) {
		double value = 0;
		enum astra_field_result kind =
			astra_field_time(times[i].text, &value);

		check(&times[i], kind, value);
	}
	setenv("TZ", "UTC", 1);
	tzset();
}

static void gpus_stand_in_lists_of_tres(void **state)
{
	static const struct number lists[] = {
		{"billing=8,cpu=8,gres/gpu=4,mem=64G,node=2", ASTRA_FIELD_OK,
		 4},
		{"gres/gpu=4,gres/gpu:a100=4", ASTRA_FIELD_OK, 4},
		{"gres/gpu:a100=4,gres/gpu:h100=2", ASTRA_FIELD_OK, 6},
		{"cpu=8,mem=1000M", ASTRA_FIELD_OK, 0},
		{"gres/gpumem=80G,gres/gpuutil=5", ASTRA_FIELD_OK, 0},
		{"", ASTRA_FIELD_NONE, 0},
		{"gres/gpu=", ASTRA_FIELD_BAD, 0},
		{"gres/gpu=-1", ASTRA_FIELD_BAD, 0},
		{"gres/gpu=4x", ASTRA_FIELD_BAD, 0},
		{"gres/gpu=99999999999", ASTRA_FIELD_BAD, 0},
		{"gres/gpu:a=900000,gres/gpu:b=900000", ASTRA_FIELD_BAD, 0},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(lists); i++) {
		uint32_t gpus = 0;
		enum astra_field_result kind =
			astra_field_tres(lists[i].text, &gpus);

		check(&lists[i], kind, gpus);
	}
}

/* What a line is cut into, its fields in brackets. */
static void cut(const char *text, char separator, bool quotes, char *out,
		size_t size)
{
	char line[64], *fields[4];
	size_t count, used = 0;

	snprintf(line, sizeof(line), "%s", text);
	count = astra_field_split(line, separator, quotes, fields, 4);
	used = (size_t)snprintf(out, size, "%zu", count);
	for (size_t i = 0; i < count && i < 4; i++)
		used += (size_t)snprintf(out + used, size - used, "[%s]",
					 fields[i]);
}

static void lines_are_cut_at_separators_outside_of_quotes(void **state)
{
	static const struct {
		const char *line;
		char separator;
		bool quotes;
		const char *fields;
	} lines[] = {
		{"", ',', true, "1[]"},
		{"a", ',', true, "1[a]"},
		{"a,b,", ',', true, "3[a][b][]"},
		{",,", ',', true, "3[][][]"},
		{"a,b,c,d,e,f", ',', true, "6[a][b][c][d]"},
		{"\"a,b\",c", ',', true, "2[a,b][c]"},
		{"x,\"say \"\"a\"\"\"", ',', true, "2[x][say \"a\"]"},
		{"\"\",\"\"", ',', true, "2[][]"},
		{"\"\"\"\"", ',', true, "1[\"]"},
		{"a\"b,c", ',', true, "2[a\"b][c]"},
		{"\"a,b", ',', true, "0"},
		{"a,\"", ',', true, "0"},
		{"\"a\"b,c", ',', true, "0"},
		{"\"a\"\"", ',', true, "0"},
		{"\"a|b\"|c", '|', false, "3[\"a][b\"][c]"},
	};
	char out[80];

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(lines); i++) {
		cut(lines[i].line, lines[i].separator, lines[i].quotes, out,
		    sizeof(out));
		assert_string_equal(out, lines[i].fields);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_decimal_and_finite),
		cmocka_unit_test(counts_are_rounded_up),
		cmocka_unit_test(spans_are_as_slurm_writes_them),
		cmocka_unit_test(times_are_seconds_or_dates),
		cmocka_unit_test(dates_are_local_times),
		cmocka_unit_test(gpus_stand_in_lists_of_tres),
		cmocka_unit_test(lines_are_cut_at_separators_outside_of_quotes),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
