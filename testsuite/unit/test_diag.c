/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock as the rounds know it: the present time, until somebody sets it. */
#include <time.h>

#include "src/slurm/round/diag.h"
#include "testsuite/unit/unit.h"

static double wall_sec(void)
{
	return (double)time(NULL);
}

static void before_the_first_round_the_clock_is_right(void **state)
{
	(void)state;
	assert_close(astra_clock_followed(5), 5, 0);
}

static void a_clock_that_nobody_sets_is_right(void **state)
{
	double now = wall_sec();

	(void)state;
	astra_clock_follow(now - astra_boot_sec());
	assert_close(astra_clock_followed(now), now, 0);
	assert_close(astra_clock_followed(now + 1), now + 1, 0);
}

static void
until_the_next_round_a_clock_that_was_set_is_not_followed(void **state)
{
	double now = wall_sec();

	(void)state;
	astra_clock_follow(now - astra_boot_sec());
	assert_close(astra_clock_followed(now + 3600), now, 2);
	assert_close(astra_clock_followed(now - 3600), now, 2);
	astra_clock_follow(now + 3600 - astra_boot_sec());
	assert_close(astra_clock_followed(now + 3600), now + 3600, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_the_first_round_the_clock_is_right),
		cmocka_unit_test(a_clock_that_nobody_sets_is_right),
		cmocka_unit_test(
			until_the_next_round_a_clock_that_was_set_is_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
