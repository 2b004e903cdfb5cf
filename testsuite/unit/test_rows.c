/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of a reply are the same when each is parsed by itself. */
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/sfair.h"
#include "src/common/random.h"
#include "testsuite/unit/unit.h"

static json_t *random_value(struct astra_random *random, int depth);

/* Texts have what a splitter could stumble over. */
static json_t *random_text(struct astra_random *random)
{
	static const char *const parts[] = {
		"\"", "\\",   "[",    "]", "{",	 "}",	     ",",
		":",  "jobs", "\\\"", " ", "\n", "\xc3\xa4", "",
	};
	char text[64] = "";

	for (uint64_t n = astra_random_below(random, 5); n; n--)
		strcat(text, parts[astra_random_below(random,
						      ASTRA_COUNT_OF(parts))]);
	return json_string(text);
}

static json_t *random_object(struct astra_random *random, int depth)
{
	static const char *const keys[] = {"jobs", "id", "a\"b", "\\", "]", ""};
	json_t *object = json_object();

	for (uint64_t n = astra_random_below(random, 4); n; n--)
		json_object_set_new(
			object,
			keys[astra_random_below(random, ASTRA_COUNT_OF(keys))],
			random_value(random, depth + 1));
	return object;
}

static json_t *random_value(struct astra_random *random, int depth)
{
	json_t *array;

	switch (astra_random_below(random, depth < 4 ? 6 : 4)) {
	case 0:
		return json_integer((json_int_t)astra_random_bits(random));
	case 1:
		return json_null();
	case 2:
	case 3:
		return random_text(random);
	case 4:
		return random_object(random, depth);
	default:
		array = json_array();
		for (uint64_t n = astra_random_below(random, 4); n; n--)
			json_array_append_new(array,
					      random_value(random, depth + 1));
		return array;
	}
}

/* Returns a reply whose rows are objects. */
static json_t *random_reply(struct astra_random *random)
{
	json_t *reply = random_object(random, 0), *rows = json_array();

	for (uint64_t n = astra_random_below(random, 6); n; n--)
		json_array_append_new(rows, random_object(random, 1));
	json_object_set_new(reply, "jobs", rows);
	return reply;
}

static void rows_are_those_of_the_whole(void **state)
{
	struct astra_random random = astra_random_seed(1);

	(void)state;
	for (unsigned i = 0; i < draws(3000); i++) {
		const size_t flags[] = {JSON_COMPACT, JSON_INDENT(2), 0};
		json_t *whole = random_reply(&random), *head;
		json_t *wanted = json_object_get(whole, "jobs");
		struct sfair_rows rows;

		head = sfair_rows_split(json_dumps(whole, flags[i % 3]), "jobs",
					&rows);
		assert_non_null(head);
		assert_int_equal(rows.count, json_array_size(wanted));
		assert_null(rows.list);
		for (size_t r = 0; r < rows.count; r++) {
			json_t *row = sfair_rows_get(&rows, r);

			assert_true(json_equal(row, json_array_get(wanted, r)));
			json_decref(row);
		}
		assert_int_equal(json_array_size(json_object_get(head, "jobs")),
				 0);
		json_array_clear(wanted);
		assert_true(json_equal(head, whole));
		json_decref(head);
		json_decref(whole);
		sfair_rows_clear(&rows);
	}
}

/* A reply may be cut, or changed, at any byte: rows are then those of the whole
 * text, or not to be had. */
static void damaged_replies_are_noticed(void **state)
{
	static const char reply[] =
		"{\"astraea\": 1, \"x\": {\"jobs\": [{}]}, \"jobs\": "
		"[{\"id\": 1, \"n\": \"a]\\\"b\"}, {\"id\": [{}]}], \"y\": 2}";

	(void)state;
	for (size_t i = 0; i < 2 * strlen(reply); i++) {
		char *text = strdup(reply);
		struct sfair_rows rows;
		json_t *whole, *head;

		if (i % 2)
			text[i / 2] = '\0';
		else
			text[i / 2] = "]{\"x,"[i / 2 % 5];
		whole = json_loads(text, 0, NULL);
		head = sfair_rows_split(text, "jobs", &rows);
		for (size_t r = 0; whole && r < rows.count; r++) {
			json_t *row = sfair_rows_get(&rows, r);

			assert_true(json_equal(
				row,
				json_array_get(json_object_get(whole, "jobs"),
					       r)));
			json_decref(row);
		}
		assert_true(!whole || head);
		json_decref(whole);
		json_decref(head);
		sfair_rows_clear(&rows);
	}
}

/* Rows that are no objects are left to the parser. */
static void other_replies_are_parsed_as_a_whole(void **state)
{
	static const char *const replies[] = {
		"{\"jobs\": [1, 2]}", "{\"jobs\": [{}, 2]}", "{\"jobs\": 2}",
		"{\"a\": \"jobs\"}",  "[{\"jobs\": [{}]}]",  "{}",
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(replies); i++) {
		json_t *whole = json_loads(replies[i], 0, NULL), *head;
		struct sfair_rows rows;

		head = sfair_rows_split(strdup(replies[i]), "jobs", &rows);
		assert_true(json_equal(head, whole));
		assert_int_equal(rows.count, json_array_size(json_object_get(
						     whole, "jobs")));
		assert_null(rows.text);
		json_decref(whole);
		json_decref(head);
		sfair_rows_clear(&rows);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_those_of_the_whole),
		cmocka_unit_test(damaged_replies_are_noticed),
		cmocka_unit_test(other_replies_are_parsed_as_a_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
