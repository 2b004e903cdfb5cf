/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "src/model/scaling.h"
#include "testsuite/unit/unit.h"

#define NOW 1000.0
#define DAY 86400.0

static struct astra_request range(uint32_t least, uint32_t most)
{
	return (struct astra_request){.gpus = most, .gpus_min = least};
}

/* A first iteration that is slow, and one as it is. */
static void measured(struct astra_scaling *scaling, uint32_t gpus,
		     double iter_sec, double now_sec)
{
	astra_scaling_note(scaling, gpus, 10 * iter_sec, now_sec);
	astra_scaling_note(scaling, gpus, iter_sec, now_sec);
}

static uint32_t most_of(const struct astra_scaling *scaling, uint32_t least,
			uint32_t most)
{
	struct astra_request request = range(least, most);

	return astra_scaling_most(scaling, &request, NOW);
}

/* Of 1 to 16 GPUs. 1: 8 s, 2: 4.2 s, 4: 2.4 s: 1.9 times and 1.75 times as
 * fast, where twice is all there is. 8: 2.3 s is 1.04 times, 0.04 < 0.1 * 1:
 * of no use, so half way, 6. 6: 2.3 s is 1.04 times, 0.04 < 0.1 * 0.5, so 5.
 * 5: 2.2 s is 1.09, 0.09 >= 0.1 * 0.25: it takes the place of 4, and as 6 is
 * of no use, 5 + (6 - 5) / 2 = 5. */
static void no_more_gpus_than_are_of_use(void **state)
{
	struct astra_scaling s = {0};

	(void)state;
	assert_int_equal(most_of(&s, 1, 16), 16);
	measured(&s, 1, 8, NOW);
	assert_int_equal(most_of(&s, 1, 16), 16);
	measured(&s, 2, 4.2, NOW);
	measured(&s, 4, 2.4, NOW);
	assert_int_equal(most_of(&s, 1, 16), 16);
	measured(&s, 8, 2.3, NOW);
	assert_int_equal(most_of(&s, 1, 16), 6);
	measured(&s, 6, 2.3, NOW);
	assert_int_equal(most_of(&s, 1, 16), 5);
	measured(&s, 5, 2.2, NOW);
	assert_int_equal(most_of(&s, 1, 16), 5);
	assert_int_equal(astra_scaling_known(&s, NOW), 6);
}

/* 4 was measured in a bad place: 8 is of use all the same. */
static void one_bad_size_does_not_hide_a_good_one(void **state)
{
	struct astra_scaling s = {0};

	(void)state;
	measured(&s, 2, 4, NOW);
	measured(&s, 4, 4, NOW);
	assert_int_equal(most_of(&s, 1, 8), 3);
	measured(&s, 8, 1.5, NOW);
	assert_int_equal(most_of(&s, 1, 8), 8);
}

static void it_is_within_what_it_asks_for(void **state)
{
	struct astra_request request = range(4, 16);
	struct astra_scaling s = {0};

	(void)state;
	measured(&s, 1, 1, NOW);
	measured(&s, 2, 1, NOW);
	assert_int_equal(astra_scaling_most(&s, &request, NOW), 4);
	request = range(4, 16);
	request.gpus_quantum = 4;
	measured(&s, 2, .5, NOW);
	measured(&s, 2, .5, NOW);
	measured(&s, 12, .5, NOW);
	/* 2 + (12 - 2) / 2 = 7 */
	assert_int_equal(astra_scaling_most(&s, &request, NOW), 4);
	measured(&s, 8, .1, NOW);
	measured(&s, 8, .1, NOW);
	assert_int_equal(astra_scaling_most(&s, &request, NOW), 8);
}

static void what_was_not_seen_for_a_day_is_forgotten(void **state)
{
	struct astra_scaling s = {0};

	(void)state;
	measured(&s, 2, 1, NOW);
	measured(&s, 8, 1, NOW - DAY - 1);
	assert_int_equal(most_of(&s, 1, 8), 8);
	assert_int_equal(astra_scaling_known(&s, NOW), 1);
	astra_scaling_note(&s, 8, 1, NOW);
	assert_int_equal(most_of(&s, 1, 8), 8); /* once says nothing */
	astra_scaling_note(&s, 8, 1, NOW);
	assert_int_equal(most_of(&s, 1, 8), 5);
}

static void the_size_not_seen_for_longest_makes_room(void **state)
{
	struct astra_scaling s = {0};

	(void)state;
	for (uint32_t g = 1; g <= 7; g++)
		measured(&s, g, 7. / g, NOW + g);
	assert_int_equal(astra_scaling_known(&s, NOW), 6);
	/* 1 is gone: 1 is taken to be half as fast as 2. */
	assert_close(astra_scaling_iter_sec(&s, 1, NOW), 7, 1e-6);
	measured(&s, 1, 100, NOW + 8);
	assert_close(astra_scaling_iter_sec(&s, 1, NOW), 100, 1e-6);
}

/* 2: 4 s, 8: 2 s. 3 is nearer to 2, 6 to 8. */
static void times_between_are_in_proportion_to_the_nearest(void **state)
{
	struct astra_scaling s = {0};

	(void)state;
	assert_close(astra_scaling_iter_sec(&s, 4, NOW), 0, 0);
	measured(&s, 2, 4, NOW);
	measured(&s, 8, 2, NOW);
	assert_close(astra_scaling_iter_sec(&s, 8, NOW), 2, 1e-6);
	assert_close(astra_scaling_iter_sec(&s, 3, NOW), 8. / 3, 1e-6);
	assert_close(astra_scaling_iter_sec(&s, 6, NOW), 16. / 6, 1e-6);
	/* The median of the last three. */
	astra_scaling_note(&s, 8, 3, NOW);
	astra_scaling_note(&s, 8, 3.5, NOW);
	assert_close(astra_scaling_iter_sec(&s, 8, NOW), 3, 1e-6);
}

static void it_is_told_by_size(void **state)
{
	char text[ASTRA_SCALING_TEXT];
	struct astra_scaling s = {0};

	(void)state;
	measured(&s, 4, 1.6, NOW);
	astra_scaling_text(&s, NOW, text);
	assert_string_equal(text, "");
	measured(&s, 1, 4, NOW);
	measured(&s, 16, 3e-5, NOW);
	astra_scaling_text(&s, NOW, text);
	assert_string_equal(text, "1:1,4:2.5,16:1.33e+05");
	for (uint32_t i = 0; i < ASTRA_SCALING_SIZES; i++)
		measured(&s, UINT32_MAX - i, 1e-9 * (i + 1), NOW);
	astra_scaling_text(&s, NOW, text);
	assert_true(strlen(text) < ASTRA_SCALING_TEXT - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_more_gpus_than_are_of_use),
		cmocka_unit_test(one_bad_size_does_not_hide_a_good_one),
		cmocka_unit_test(it_is_within_what_it_asks_for),
		cmocka_unit_test(what_was_not_seen_for_a_day_is_forgotten),
		cmocka_unit_test(the_size_not_seen_for_longest_makes_room),
		cmocka_unit_test(it_is_told_by_size),
		cmocka_unit_test(
			times_between_are_in_proportion_to_the_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
