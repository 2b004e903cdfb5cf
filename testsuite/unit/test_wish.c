/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/policies/options.h"
#include "src/slurm/in/wish.h"
#include "testsuite/unit/unit.h"

static int read_one(const char *text, struct astra_wish *wish,
		    struct astra_error *err)
{
	char *entry = strdup(text);
	char *env[] = {NULL, entry};
	int rc = astra_wish_read(env, 2, wish, err);

	free(entry);
	return rc;
}

static void a_lease_is_read_as_sbatch_reads_a_time(void **state)
{
	static const struct {
		const char *text;
		double sec;
	} good[] = {
		{"ASTRAEA_LEASE=30", 1800},
		{"ASTRAEA_LEASE=1:30", 90},
		{"ASTRAEA_LEASE=1:00:30", 3630},
		{"ASTRAEA_LEASE=1-12", 129600},
		{"ASTRAEA_LEASE=1-00:30", 88200},
		{"SPANK_ASTRAEA_LEASE=2", 120},
		{"OTHER=x", 0},
	};
	char named[] = "ASTRAEA_APP=bert-1.2", *env[] = {named};
	struct astra_error err = {""};
	struct astra_wish wish;

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(good); i++) {
		assert_int_equal(read_one(good[i].text, &wish, &err), 0);
		assert_float_equal(wish.lease_sec, good[i].sec, 0);
		assert_false(wish.lease_none);
	}
	assert_int_equal(read_one("ASTRAEA_LEASE=None", &wish, &err), 0);
	assert_true(wish.lease_none);
	assert_int_equal(astra_wish_read(env, 1, &wish, &err), 0);
	assert_string_equal(wish.app, "bert-1.2");
	assert_int_equal(astra_wish_read(NULL, 0, &wish, &err), 0);
}

/* A job whose size was not understood has none. What else was not leaves it its
 * size.
 */
static void a_size_that_is_no_good_is_told_apart(void **state)
{
	char *env[1], entry[100];

	(void)state;
	for (size_t i = 0; i < ASTRA_STATED_COUNT; i++) {
		struct astra_error err = {""};
		struct astra_wish wish;
		bool of_size = i == ASTRA_STATED_GPU_RANGE ||
			       i == ASTRA_STATED_WORKERS ||
			       i == ASTRA_STATED_PS;

		snprintf(entry, sizeof(entry), "%s=?",
			 astra_stated_options[i].variable);
		env[0] = entry;
		if (astra_wish_read(env, 1, &wish, &err) < 0)
			assert_int_equal(wish.size_unread, of_size);
		else
			assert_false(wish.size_unread || of_size);
	}
}

static void a_forged_environment_is_refused(void **state)
{
	static const char *const bad[] = {
		"ASTRAEA_LEASE=",
		"ASTRAEA_LEASE=0",
		"ASTRAEA_LEASE=-5",
		"ASTRAEA_LEASE=1e9",
		"ASTRAEA_LEASE=abc",
		"ASTRAEA_LEASE=unlimited",
		"ASTRAEA_LEASE=1:2:3:4",
		"ASTRAEA_LEASE=99999-0",
		"ASTRAEA_APP=",
		"ASTRAEA_APP=a b",
		"ASTRAEA_APP=a\nb",
		"ASTRAEA_APP=aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee"
		"ffffffffffggggg",
		"ASTRAEA_ITERATIONS=many",
		"ASTRAEA_ITER_TIME=-1",
		"ASTRAEA_SLOWDOWN=1,1,1,nan",
		"SPANK_ASTRAEA_UTILITY=sigmoid:1,2,inf",
	};
	struct astra_wish wish;

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++) {
		struct astra_error err = {""};

		print_message("%s\n", bad[i]);
		assert_int_equal(read_one(bad[i], &wish, &err), -1);
		assert_true(*err.text);
		assert_float_equal(wish.lease_sec, 0, 0);
		assert_string_equal(wish.app, "");
		assert_float_equal(wish.stated.iterations, 0, 0);
		assert_float_equal(wish.stated.iter_sec, 0, 0);
		assert_float_equal(wish.stated.slowdown[0], 0, 0);
		assert_int_equal(wish.stated.utility.kind, ASTRA_UTILITY_NONE);
	}
}

static int read_work(const char *iterations, const char *iter_time,
		     struct astra_wish *wish)
{
	char first[64], second[64], other[] = "ASTRAEA_ITERATIONSX=x";
	char slowdown[] = "ASTRAEA_SLOWDOWN=1,1,1.5,2";
	char utility[] = "SPANK_ASTRAEA_UTILITY=linear:-1,24";
	char *env[] = {first, second, other, slowdown, utility};

	snprintf(first, sizeof(first), "SPANK_ASTRAEA_ITERATIONS=%s",
		 iterations);
	snprintf(second, sizeof(second), "SPANK_ASTRAEA_ITER_TIME=%s",
		 iter_time);
	return astra_wish_read(env, ASTRA_COUNT_OF(env), wish, NULL);
}

static void work_is_iterations_times_their_time(void **state)
{
	const struct astra_options options = {.lease_sec = 900};
	struct astra_forecast forecast;
	struct astra_error err = {""};
	struct astra_wish wish;

	(void)state;
	assert_int_equal(read_work("2000", ".25", &wish), 0);
	assert_int_equal(astra_wish_check(&wish, &options, &err), 0);
	forecast = astra_wish_forecast(&wish, 1000);
	assert_float_equal(forecast.work_sec, 500, 0);
	assert_float_equal(forecast.slowdown[ASTRA_LEVEL_RACK], 1.5, 0);
	assert_int_equal(forecast.utility.kind, ASTRA_UTILITY_LINEAR);
	assert_float_equal(forecast.utility.linear.g, 24, 0);
	assert_int_equal(forecast.app, 0);
	assert_false(forecast.measured);

	assert_int_equal(read_work("1", "1e-9", &wish), 0);
	forecast = astra_wish_forecast(&wish, 1000);
	assert_float_equal(forecast.work_sec, 1, 0);
	wish.stated.iter_sec = 0;
	forecast = astra_wish_forecast(&wish, 1000);
	assert_float_equal(forecast.work_sec, 0, 0);
}

static void work_lasts_ten_years_at_most(void **state)
{
	const struct astra_options options = {.lease_sec = 900};
	struct astra_error err = {""};
	struct astra_wish wish;

	(void)state;
	assert_int_equal(read_work("3650", "86400", &wish), 0);
	assert_int_equal(astra_wish_check(&wish, &options, &err), 0);
	assert_int_equal(read_work("3651", "86400", &wish), 0);
	assert_int_equal(astra_wish_check(&wish, &options, &err), -1);
	assert_string_equal(err.text, "--iterations=3651 of --iter-time=86400 "
				      "take more than 10 years");
}

static void a_lease_keeps_to_the_pools_bounds(void **state)
{
	static const struct {
		double min, max, grace, run, lease;
		bool none_allowed, none, granted;
	} cases[] = {
		/* 0: CheckpointGrace or MinRunTime, and LeaseTerm */
		{0, 0, 60, 0, 60, false, false, true},
		{0, 0, 60, 0, 59, false, false, false},
		{0, 0, 60, 90, 60, false, false, false},
		{0, 0, 60, 0, 900, false, false, true},
		{0, 0, 60, 0, 901, false, false, false},
		{120, 3600, 60, 0, 3600, false, false, true},
		{120, 3600, 60, 0, 119, false, false, false},
		{120, 3600, 60, 0, 3601, false, false, false},
		/* not said */
		{120, 3600, 60, 0, 0, false, false, true},
		{0, 0, 60, 0, 0, false, true, false},
		{0, 0, 60, 0, 0, true, true, true},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_options options = {
			.lease_sec = 900,
			.lease_min_sec = cases[i].min,
			.lease_max_sec = cases[i].max,
			.grace_sec = cases[i].grace,
			.min_run_sec = cases[i].run,
			.lease_none_allowed = cases[i].none_allowed,
		};
		struct astra_wish wish = {.lease_sec = cases[i].lease,
					  .lease_none = cases[i].none};
		struct astra_error err = {""};

		print_message("case %zu\n", i);
		assert_int_equal(astra_wish_check(&wish, &options, &err),
				 cases[i].granted ? 0 : -1);
		assert_int_equal(!*err.text, cases[i].granted);
	}
}

static void an_app_has_a_number_of_its_user(void **state)
{
	(void)state;
	assert_int_equal(astra_wish_app("", 1000), 0);
	assert_int_not_equal(astra_wish_app("a", 1000), 0);
	assert_int_equal(astra_wish_app("bert", 1000),
			 astra_wish_app("bert", 1000));
	assert_int_not_equal(astra_wish_app("bert", 1000),
			     astra_wish_app("bert", 1001));
	assert_int_not_equal(astra_wish_app("bert", 1000),
			     astra_wish_app("bert2", 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lease_is_read_as_sbatch_reads_a_time),
		cmocka_unit_test(a_forged_environment_is_refused),
		cmocka_unit_test(work_is_iterations_times_their_time),
		cmocka_unit_test(work_lasts_ten_years_at_most),
		cmocka_unit_test(a_lease_keeps_to_the_pools_bounds),
		cmocka_unit_test(a_size_that_is_no_good_is_told_apart),
		cmocka_unit_test(an_app_has_a_number_of_its_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
