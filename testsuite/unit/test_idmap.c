/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "src/common/idmap.h"
#include "testsuite/unit/unit.h"

static void an_empty_map_has_nothing(void **state)
{
	struct astra_idmap map = {0};

	(void)state;
	assert_int_equal(astra_idmap_get(&map, 1), ASTRA_IDMAP_NONE);
	astra_idmap_del(&map, 1);
	astra_idmap_clear(&map);
}

static void zero_is_no_key(void **state)
{
	struct astra_idmap map = {0};

	(void)state;
	assert_int_equal(astra_idmap_put(&map, 0, 5), -1);
	assert_int_equal(astra_idmap_put(&map, 1, 5), 0);
	assert_int_equal(astra_idmap_get(&map, 0), ASTRA_IDMAP_NONE);
	astra_idmap_del(&map, 0);
	assert_int_equal(map.count, 1);
	astra_idmap_clear(&map);
	assert_int_equal(map.count, 0);
	assert_int_equal(astra_idmap_get(&map, 1), ASTRA_IDMAP_NONE);
}

static void a_value_is_replaced(void **state)
{
	struct astra_idmap map = {0};

	(void)state;
	astra_idmap_put(&map, 7, 1);
	astra_idmap_put(&map, 7, 2);
	assert_int_equal(map.count, 1);
	assert_int_equal(astra_idmap_get(&map, 7), 2);
	astra_idmap_clear(&map);
}

/* Few different keys that come and go in a small table make long chains, so
 * deletion has to shift; an array by key is the reference. */
static void random_changes_are_as_in_an_array(void **state)
{
	enum { KEYS = 200 };
	struct astra_idmap map = {0};
	uint32_t value[KEYS], spread[3] = {1, 64, 65536};

	(void)state;
	srand(5);
	for (int s = 0; s < 3; s++) {
		size_t count = 0;

		for (int i = 0; i < KEYS; i++)
			value[i] = ASTRA_IDMAP_NONE;
		for (int step = 0; step < 50000; step++) {
			uint32_t i = (uint32_t)rand() % KEYS;
			uint32_t key = (i + 1) * spread[s];

			if (rand() % 2) {
				count += value[i] == ASTRA_IDMAP_NONE;
				value[i] = (uint32_t)rand();
				astra_idmap_put(&map, key, value[i]);
			} else {
				count -= value[i] != ASTRA_IDMAP_NONE;
				value[i] = ASTRA_IDMAP_NONE;
				astra_idmap_del(&map, key);
			}
			i = (uint32_t)rand() % KEYS;
			assert_int_equal(
				astra_idmap_get(&map, (i + 1) * spread[s]),
				value[i]);
			assert_int_equal(map.count, count);
		}
		astra_idmap_clear(&map);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_map_has_nothing),
		cmocka_unit_test(zero_is_no_key),
		cmocka_unit_test(a_value_is_replaced),
		cmocka_unit_test(random_changes_are_as_in_an_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
