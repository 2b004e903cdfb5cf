/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "src/common/intern.h"
#include "testsuite/unit/unit.h"

static void names_are_numbered_as_they_come(void **state)
{
	struct astra_intern table = {0};

	(void)state;
	assert_int_equal(astra_intern_get(&table, "a"), ASTRA_INTERN_NONE);
	assert_int_equal(astra_intern_put(&table, "a"), 0);
	assert_int_equal(astra_intern_put(&table, ""), 1);
	assert_int_equal(astra_intern_put(&table, "a"), 0);
	assert_int_equal(astra_intern_put(&table, "A"), 2);
	assert_int_equal(astra_intern_get(&table, "A"), 2);
	assert_int_equal(astra_intern_get(&table, "b"), ASTRA_INTERN_NONE);
	assert_int_equal(table.count, 3);
	assert_string_equal(table.names[2], "A");
	astra_intern_clear(&table);
	assert_int_equal(astra_intern_get(&table, "a"), ASTRA_INTERN_NONE);
}

/* The table grows many times; texts stay where they are. */
static void many_names_keep_number_and_place(void **state)
{
	enum { NAMES = 100000 };
	static const char *places[NAMES];
	struct astra_intern table = {0};
	char name[16];

	(void)state;
	for (uint32_t i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		assert_int_equal(astra_intern_put(&table, name), i);
		places[i] = table.names[i];
	}
	for (uint32_t i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		assert_int_equal(astra_intern_get(&table, name), i);
		assert_ptr_equal(table.names[i], places[i]);
		assert_string_equal(places[i], name);
	}
	astra_intern_clear(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_numbered_as_they_come),
		cmocka_unit_test(many_names_keep_number_and_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
