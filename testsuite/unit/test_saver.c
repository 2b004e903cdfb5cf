/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When slurmctld's own saver keeps still. */
#include "src/slurm/out/saver.h"
#include "testsuite/unit/unit.h"

static struct timespec at(double sec)
{
	struct timespec t = {.tv_sec = (time_t)sec};

	t.tv_nsec = (long)((sec - (double)t.tv_sec) * 1e9);
	return t;
}

/* A save that was written at 100 s and had been synced and linked at ended. */
static bool rests(double ended, double now)
{
	struct stat st = {.st_mtim = at(100), .st_ctim = at(ended)};
	struct timespec then = at(now);

	return astra_saver_rests(&st, &then, 0);
}

static void it_rests_after_a_save(void **state)
{
	(void)state;
	assert_true(rests(100.01, 100.22));
	assert_true(rests(100.01, 103));
}

/* Once the file is there it still notes when it wrote it. */
static void right_after_a_save_it_does_not_rest_yet(void **state)
{
	(void)state;
	assert_false(rests(100.01, 100.01));
	assert_false(rests(100.01, 100.2));
}

/* Five seconds in whole ones after its begin it may save again. */
static void before_its_next_save_is_no_time_for_another(void **state)
{
	(void)state;
	assert_false(rests(100.01, 103.6));
	assert_false(rests(100.01, 104.5));
	assert_false(rests(100.01, 200));
}

static void where_saves_take_long_there_is_less_time(void **state)
{
	(void)state;
	assert_true(rests(100.5, 101.9));
	assert_false(rests(100.5, 102.1));
	assert_false(rests(101, 101));
}

/* On a busy machine our save takes a second, and so may slurmctld's have before
 * it wrote: its next one may begin at 103 s. */
static void where_our_own_saves_take_long_there_is_less_time(void **state)
{
	struct stat st = {.st_mtim = at(100), .st_ctim = at(100.01)};
	struct timespec early = at(101.9), late = at(102.1), soon = at(100.3);

	(void)state;
	assert_true(astra_saver_rests(&st, &early, 1000000000));
	assert_false(astra_saver_rests(&st, &late, 1000000000));
	assert_false(astra_saver_rests(&st, &soon, ASTRA_SAVER_REST_NSEC));
}

/* The clock was set back; there is no file. */
static void times_that_make_no_sense_are_no_rest(void **state)
{
	struct stat none = {0};
	struct timespec now = at(100);

	(void)state;
	assert_false(rests(100.1, 99));
	assert_false(rests(99, 100));
	assert_false(astra_saver_rests(&none, &now, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_rests_after_a_save),
		cmocka_unit_test(right_after_a_save_it_does_not_rest_yet),
		cmocka_unit_test(before_its_next_save_is_no_time_for_another),
		cmocka_unit_test(where_saves_take_long_there_is_less_time),
		cmocka_unit_test(
			where_our_own_saves_take_long_there_is_less_time),
		cmocka_unit_test(times_that_make_no_sense_are_no_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
