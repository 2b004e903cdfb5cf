/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "src/model/stated.h"
#include "testsuite/unit/unit.h"

static void numbers_are_decimal_and_bounded(void **state)
{
	static const char *const bad[] = {
		"",    " ",   "x",   "1x",    "nan", "inf",  "-inf",
		"0x1", "1 2", "--1", "1e400", "101", "-101", "1,2",
	};
	double value = 7;

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++) {
		print_message("%s\n", bad[i]);
		assert_false(astra_stated_number(bad[i], 100, &value));
		assert_float_equal(value, 7, 0);
	}
	assert_true(astra_stated_number(" -1e2 ", 100, &value));
	assert_float_equal(value, -100, 0);
}

static void slowdowns_do_not_fall(void **state)
{
	static const char *const bad[] = {
		"",	    "1",	   "1,1,1",   "1,1,1,1,1",
		"1,1,1,1,", ",1,1,1",	   "1,1,,1",  "0.9,1,1,1",
		"1,2,1,1",  "1,1,1,1001",  "1/1/1/1", "1,1,1,nan",
		"-1,1,1,1", "1,1,1,0x1p4", "1;1;1;1", "none",
	};
	double factors[ASTRA_LEVEL_COUNT];

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++) {
		print_message("%s\n", bad[i]);
		assert_false(astra_stated_slowdown(bad[i], ',', factors));
	}
	assert_true(astra_stated_slowdown("1,1,1.1,1e3", ',', factors));
	assert_float_equal(factors[ASTRA_LEVEL_SLOT], 1, 0);
	assert_float_equal(factors[ASTRA_LEVEL_RACK], 1.1, 0);
	assert_float_equal(factors[ASTRA_LEVEL_CROSS], 1000, 0);
	assert_true(astra_stated_slowdown("1/1/1/2", '/', factors));
}

static void utilities_have_the_numbers_of_their_kind(void **state)
{
	static const char *const bad[] = {
		"",
		"sigmoid",
		"sigmoid:",
		"sigmoid:1,2",
		"sigmoid:1,2,3,4",
		"sigmoid:-1,2,3",
		"sigmoid:1,-2,3",
		"sigmoid:1,2,-3",
		"sigmoid:1,2,nan",
		"sigmoid:1,2,1e7",
		"linear:1",
		"linear:1,2,3",
		"linear:-1e7,0",
		"convex:1,17",
		"convex:-1,2",
		"convex:1,-2",
		"step:1,2",
		"linear:1,0000000000000000000000000000000002",
	};
	struct astra_utility u = {.kind = ASTRA_UTILITY_NONE};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++) {
		print_message("%s\n", bad[i]);
		assert_false(astra_stated_utility(bad[i], &u));
		assert_int_equal(u.kind, ASTRA_UTILITY_NONE);
	}
	assert_true(astra_stated_utility("sigmoid:8,.5,24", &u));
	assert_int_equal(u.kind, ASTRA_UTILITY_SIGMOID);
	assert_float_equal(u.sigmoid.g1, 8, 0);
	assert_float_equal(u.sigmoid.g2, .5, 0);
	assert_float_equal(u.sigmoid.g3, 24, 0);
	assert_true(astra_stated_utility("Linear:-2/10", &u));
	assert_int_equal(u.kind, ASTRA_UTILITY_LINEAR);
	assert_float_equal(u.linear.k, -2, 0);
	assert_float_equal(u.linear.g, 10, 0);
	assert_true(astra_stated_utility("convex:3,16", &u));
	assert_int_equal(u.kind, ASTRA_UTILITY_CONVEX);
	assert_float_equal(u.convex.e, 3, 0);
	assert_float_equal(u.convex.kappa, 16, 0);
}

static void a_refused_value_is_named_and_changes_nothing(void **state)
{
	static const struct {
		enum astra_stated_id id;
		const char *text, *said;
	} bad[] = {
		{ASTRA_STATED_ITERATIONS, "0", "--iterations=0: a whole"},
		{ASTRA_STATED_ITERATIONS, "1.5", "--iterations=1.5: a"},
		{ASTRA_STATED_ITERATIONS, "-1", "--iterations=-1: a"},
		{ASTRA_STATED_ITERATIONS, "1e16", "--iterations=1e16: a"},
		{ASTRA_STATED_ITER_TIME, "0", "--iter-time=0: seconds"},
		{ASTRA_STATED_ITER_TIME, "1:00", "--iter-time=1:00: seconds"},
		{ASTRA_STATED_ITER_TIME, "2e9", "--iter-time=2e9: seconds"},
		{ASTRA_STATED_SLOWDOWN, "2,1,1,1", "--slowdown=2,1,1,1: four"},
		{ASTRA_STATED_UTILITY, "much", "--utility=much: sigmoid"},
	};
	struct astra_stated stated = {.iterations = 5, .iter_sec = 2};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++) {
		struct astra_stated before = stated;
		struct astra_error err = {""};

		assert_int_equal(astra_stated_read(&stated, bad[i].id,
						   bad[i].text, &err),
				 -1);
		print_message("%s\n", err.text);
		assert_ptr_equal(strstr(err.text, bad[i].said), err.text);
		assert_memory_equal(&stated, &before, sizeof(before));
	}
}

static void a_range_has_two_numbers_in_order(void **state)
{
	static const char *const bad[] = {
		"",	"2",	 "-",	     "2-",	     "-2",    "0-2",
		"3-2",	"2-3-4", "+2-3",     " 2-3",	     "2 -3",  "2-3 ",
		"2-1k", "2-1e3", "1-100001", "1-4294967298", "0x1-2",
	};
	struct astra_stated stated = {0};
	struct astra_error err;

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++) {
		print_message("%s\n", bad[i]);
		assert_int_equal(astra_stated_read(&stated,
						   ASTRA_STATED_GPU_RANGE,
						   bad[i], &err),
				 -1);
		assert_int_equal(stated.gpus_max, 0);
	}
	assert_int_equal(astra_stated_read(&stated, ASTRA_STATED_GPU_RANGE,
					   "2-100000", &err),
			 0);
	assert_int_equal(stated.gpus_min, 2);
	assert_int_equal(stated.gpus_max, 100000);
	assert_int_equal(
		astra_stated_read(&stated, ASTRA_STATED_GPU_RANGE, "3-3", &err),
		0);
	assert_int_equal(stated.gpus_min, stated.gpus_max);
}

/* OASiS (3h): z = ceil(n b/B), here b/B = 3/8. */
static void parameter_servers_follow_the_workers(void **state)
{
	(void)state;
	assert_int_equal(astra_stated_ps(3, 8, 8), 3);
	assert_int_equal(astra_stated_ps(3, 8, 6), 3);
	assert_int_equal(astra_stated_ps(3, 8, 5), 2);
	assert_int_equal(astra_stated_ps(3, 8, 1), 1);
	assert_int_equal(astra_stated_ps(100000, 100000, 99999), 99999);
	assert_int_equal(astra_stated_ps(0, 8, 8), 0);
	assert_int_equal(astra_stated_ps(0, 0, 8), 0);
}

static void workers_are_gpus(void **state)
{
	static const struct astra_stated bad[] = {
		{.workers_min = 1, .workers_max = 2, .gpus_max = 2},
		{.ps = 1},
		{.workers_min = 1, .workers_max = 2, .ps = 3},
	};
	static const char *const bad_ps[] = {"0", "", "-1", "1-2", "100001"};
	struct astra_stated stated = {0};
	struct astra_error err;

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++) {
		stated = bad[i];
		assert_int_equal(astra_stated_settle(&stated, &err), -1);
		assert_non_null(strstr(err.text, "--workers"));
		assert_int_equal(stated.gpus_max + stated.ps, 0);
	}
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad_ps); i++)
		assert_int_equal(astra_stated_read(&stated, ASTRA_STATED_PS,
						   bad_ps[i], &err),
				 -1);
	assert_int_equal(
		astra_stated_read(&stated, ASTRA_STATED_WORKERS, "2-6", &err),
		0);
	assert_int_equal(astra_stated_read(&stated, ASTRA_STATED_PS, "2", &err),
			 0);
	assert_int_equal(astra_stated_settle(&stated, &err), 0);
	assert_int_equal(stated.gpus_min, 2);
	assert_int_equal(stated.gpus_max, 6);
	assert_int_equal(stated.ps, 2);
}

static void news_are_chosen(void **state)
{
	static const char *const bad[] = {
		"",	    ",",  "over,", "over,,resumed", "over resumed",
		"all,over", "END"};
	struct astra_stated stated = {0};
	struct astra_error err;

	(void)state;
	assert_int_equal(astra_stated_read(&stated, ASTRA_STATED_MAIL,
					   "Over,STARVED", &err),
			 0);
	assert_int_equal(stated.mail,
			 1 << ASTRA_NEWS_OVER | 1 << ASTRA_NEWS_STARVED);
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++) {
		assert_int_equal(astra_stated_read(&stated, ASTRA_STATED_MAIL,
						   bad[i], &err),
				 -1);
		assert_non_null(strstr(err.text, "over, resumed, starved"));
	}
	assert_int_equal(
		astra_stated_read(&stated, ASTRA_STATED_MAIL, "none", &err), 0);
	assert_int_equal(stated.mail, 0);
	assert_int_equal(
		astra_stated_read(&stated, ASTRA_STATED_MAIL, "all", &err), 0);
	assert_int_equal(stated.mail, 7);
}

static void a_value_has_an_end(void **state)
{
	char text[ASTRA_STATED_MAX + 2];
	struct astra_stated stated = {0};
	struct astra_error err;

	(void)state;
	memset(text, '0', sizeof(text));
	text[ASTRA_STATED_MAX - 1] = '9';
	text[ASTRA_STATED_MAX] = '\0';
	assert_int_equal(
		astra_stated_read(&stated, ASTRA_STATED_ITERATIONS, text, &err),
		0);
	assert_float_equal(stated.iterations, 9, 0);
	text[ASTRA_STATED_MAX] = '0';
	text[ASTRA_STATED_MAX + 1] = '\0';
	assert_int_equal(
		astra_stated_read(&stated, ASTRA_STATED_ITERATIONS, text, &err),
		-1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_decimal_and_bounded),
		cmocka_unit_test(slowdowns_do_not_fall),
		cmocka_unit_test(utilities_have_the_numbers_of_their_kind),
		cmocka_unit_test(a_refused_value_is_named_and_changes_nothing),
		cmocka_unit_test(a_range_has_two_numbers_in_order),
		cmocka_unit_test(parameter_servers_follow_the_workers),
		cmocka_unit_test(workers_are_gpus),
		cmocka_unit_test(news_are_chosen),
		cmocka_unit_test(a_value_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
