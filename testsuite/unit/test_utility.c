/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/utility.h"
#include "testsuite/unit/unit.h"

static const struct astra_utility linear = {.kind = ASTRA_UTILITY_LINEAR,
					    .linear = {-2, 100}},
				  convex = {.kind = ASTRA_UTILITY_CONVEX,
					    .convex = {6, 2}},
				  sigmoid = {.kind = ASTRA_UTILITY_SIGMOID,
					     .sigmoid = {40, 1, 2}};

static void values_by_hand(void **state)
{
	const struct astra_utility none = {0};

	(void)state;
	assert_close(astra_utility_value(&none, 5), 0, 0);
	assert_close(astra_utility_value(&linear, 4), 92, 0);
	assert_close(astra_utility_value(&convex, 3), 4, 1e-12);
	assert_close(astra_utility_value(&sigmoid, 2), 20, 1e-12);
	assert_close(astra_utility_value(&sigmoid, 1e6), 0, 0);
	assert_true(isinf(astra_utility_value(&convex, 0)));
}

static void another_unit_is_the_same_function(void **state)
{
	const struct astra_utility *all[] = {&linear, &convex, &sigmoid};

	(void)state;
	for (int i = 0; i < 3; i++)
		for (double x = .5; x < 9; x += .5) {
			struct astra_utility s =
				astra_utility_scaled(all[i], .25);

			assert_close(astra_utility_value(&s, x),
				     astra_utility_value(all[i], x * .25),
				     1e-9);
		}
}

static void a_part_of_it_is_that_part_everywhere(void **state)
{
	const struct astra_utility *all[] = {&linear, &convex, &sigmoid};

	(void)state;
	for (int i = 0; i < 3; i++)
		for (double x = .5; x < 9; x += .5) {
			struct astra_utility part =
				astra_utility_times(all[i], .3);

			assert_close(astra_utility_value(&part, x),
				     .3 * astra_utility_value(all[i], x), 1e-9);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_by_hand),
		cmocka_unit_test(another_unit_is_the_same_function),
		cmocka_unit_test(a_part_of_it_is_that_part_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
