/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "src/common/grow.h"
#include "testsuite/unit/unit.h"

static void contents_stay_and_the_new_part_is_zero(void **state)
{
	uint32_t *array = NULL;
	size_t room = 0;

	(void)state;
	for (size_t need = 1; need < 1000; need++) {
		assert_int_equal(
			astra_grow(&array, &room, need, sizeof(*array)), 0);
		assert_true(room >= need);
		assert_int_equal(array[need - 1], 0);
		array[need - 1] = (uint32_t)need;
	}
	for (uint32_t i = 0; i < 999; i++)
		assert_int_equal(array[i], i + 1);
	free(array);
}

static void nothing_changes_when_there_is_room(void **state)
{
	uint64_t *array = NULL, *same;
	size_t room = 0;

	(void)state;
	assert_int_equal(astra_grow(&array, &room, 0, sizeof(*array)), 0);
	assert_null(array);
	assert_int_equal(astra_grow(&array, &room, 3, sizeof(*array)), 0);
	same = array;
	assert_int_equal(astra_grow(&array, &room, room, sizeof(*array)), 0);
	assert_ptr_equal(array, same);
	free(array);
}

static void an_impossible_size_fails_and_keeps_the_array(void **state)
{
	uint64_t *array = NULL, *same;
	size_t room = 0, before;

	(void)state;
	assert_int_equal(astra_grow(&array, &room, 2, sizeof(*array)), 0);
	array[1] = 42;
	same = array;
	before = room;
	assert_int_equal(astra_grow(&array, &room, SIZE_MAX, sizeof(*array)),
			 -1);
	assert_int_equal(
		astra_grow(&array, &room, SIZE_MAX / 8 + 2, sizeof(*array)),
		-1);
	assert_int_equal(room, before);
	assert_ptr_equal(array, same);
	assert_int_equal(array[1], 42);
	free(array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contents_stay_and_the_new_part_is_zero),
		cmocka_unit_test(nothing_changes_when_there_is_room),
		cmocka_unit_test(an_impossible_size_fails_and_keeps_the_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
