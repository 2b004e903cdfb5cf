/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests about what accounts begin with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/proto/answer.h"
#include "testsuite/unit/proto_sample.h"
#include "testsuite/unit/unit.h"

static int orders;
static struct astra_query_adopt ordered;

/* As the host does: a ticket first, then what became of it. */
static enum astra_fault order(const char *pool, struct astra_query_adopt *adopt,
			      uint32_t uid, uint64_t *ticket,
			      struct astra_text *out, struct astra_error *err)
{
	assert_string_equal(pool, "gpu");
	assert_int_equal(uid, 7);
	if (*ticket == 6) {
		astra_error_set(err, "accounts have begun");
		return ASTRA_FAULT_DENIED;
	}
	if (*ticket) {
		astra_text_printf(out, "{\"pool\":\"gpu\"}");
		return ASTRA_FAULT_NONE;
	}
	orders++;
	ordered = *adopt;
	*adopt = (struct astra_query_adopt){0};
	*ticket = 5;
	return ASTRA_FAULT_NONE;
}

static struct astra_query decode(const char *text)
{
	struct astra_query query;
	struct astra_error err = {""};

	if (astra_query_decode(text, strlen(text), &query, &err))
		fail_msg("%s", err.text);
	return query;
}

/* The reply, or what is wrong. */
static enum astra_fault ask(const char *text, bool operator, char * reply)
{
	const struct astra_viewer viewer = {.uid = 7, .all = operator};
	struct astra_report *report = sample_report();
	struct astra_query query = decode(text);
	struct astra_text out = {0};
	struct astra_error err = {""};
	enum astra_fault fault =
		astra_answer_adopt(report, &query, &viewer, order, &out, &err);

	snprintf(reply, 1000, "%s", fault ? err.text : out.bytes);
	astra_query_destroy(&query);
	astra_text_clear(&out);
	astra_report_put(report);
	return fault;
}

static void it_survives_the_wire(void **state)
{
	struct astra_query in = {.kind = ASTRA_QUERY_ADOPT}, out;
	const struct astra_usage usage[] = {{0.1, 1e15}, {3, 0}};
	char *text;

	(void)state;
	in.adopt.given = in.adopt.replace = true;
	assert_int_equal(0,
			 astra_adopt_add(&in.adopt, "physics", "", usage[0]));
	assert_int_equal(0,
			 astra_adopt_add(&in.adopt, "grün", "bob", usage[1]));
	text = astra_query_encode(&in);
	assert_non_null(text);
	out = decode(text);
	assert_true(out.adopt.given && out.adopt.replace);
	assert_int_equal(out.adopt.count, 2);
	assert_string_equal(out.adopt.list[0].tenant, "physics");
	assert_string_equal(out.adopt.list[0].user, "");
	assert_true(out.adopt.list[0].usage.alloc == 0.1);
	assert_true(out.adopt.list[0].usage.fair == 1e15);
	assert_string_equal(out.adopt.list[1].tenant, "grün");
	assert_string_equal(out.adopt.list[1].user, "bob");
	free(text);
	astra_query_destroy(&in);
	astra_query_destroy(&out);
	out = decode("{\"astraea\":1,\"request\":\"adopt\"}");
	assert_false(out.adopt.given);
	astra_query_destroy(&out);
}

/* As many as it may have, and one more. */
static void there_is_a_bound(void **state)
{
	struct astra_query query = {.kind = ASTRA_QUERY_ADOPT}, out;
	const struct astra_usage usage = {1, 1};
	struct astra_error err = {""};

	(void)state;
	query.adopt.given = true;
	for (int i = 0; i < ASTRA_ADOPT_MAX; i++)
		assert_int_equal(
			0, astra_adopt_add(&query.adopt, "t", "u", usage));
	for (int more = 0; more < 2; more++) {
		char *text = astra_query_encode(&query);

		assert_int_equal(
			astra_query_decode(text, strlen(text), &out, &err),
			more ? ASTRA_FAULT_MALFORMED : ASTRA_FAULT_NONE);
		free(text);
		if (!more)
			astra_query_destroy(&out);
		astra_adopt_add(&query.adopt, "t", "u", usage);
	}
	assert_non_null(strstr(err.text, "\"usage\""));
	astra_query_destroy(&query);
}

#define SET                                     \
	"{\"astraea\":1,\"request\":\"adopt\"," \
	"\"usage\":[[\"physics\",\"\",5,6]]}"

static void strangers_neither_see_nor_set_accounts(void **state)
{
	char reply[1000];

	(void)state;
	orders = 0;
	assert_int_equal(ask(SET, false, reply), ASTRA_FAULT_DENIED);
	assert_non_null(strstr(reply, "operators"));
	assert_int_equal(
		ask("{\"astraea\":1,\"request\":\"adopt\"}", false, reply),
		ASTRA_FAULT_DENIED);
	assert_int_equal(orders, 0);
}

static void operators_get_a_ticket_and_then_the_outcome(void **state)
{
	char reply[1000];

	(void)state;
	orders = 0;
	assert_int_equal(ask(SET, true, reply), ASTRA_FAULT_NONE);
	assert_int_equal(orders, 1);
	assert_int_equal(ordered.count, 1);
	assert_string_equal(ordered.list[0].tenant, "physics");
	astra_adopt_clear(&ordered);
	assert_non_null(strstr(reply, "\"accounts\":null,\"ticket\":5}"));
	assert_int_equal(ask("{\"astraea\":1,\"request\":\"adopt\","
			     "\"ticket\":5}",
			     true, reply),
			 ASTRA_FAULT_NONE);
	assert_non_null(
		strstr(reply, "\"accounts\":{\"pool\":\"gpu\"},\"ticket\":5}"));
	assert_int_equal(ask("{\"astraea\":1,\"request\":\"adopt\","
			     "\"ticket\":6}",
			     true, reply),
			 ASTRA_FAULT_DENIED);
	assert_string_equal(reply, "accounts have begun");
	assert_int_equal(ask("{\"astraea\":1,\"request\":\"adopt\","
			     "\"pools\":[\"none\"]}",
			     true, reply),
			 ASTRA_FAULT_NOT_FOUND);
	assert_int_equal(orders, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_survives_the_wire),
		cmocka_unit_test(there_is_a_bound),
		cmocka_unit_test(strangers_neither_see_nor_set_accounts),
		cmocka_unit_test(operators_get_a_ticket_and_then_the_outcome),
	};

	return cmocka_run_group_tests_name("proto_adopt", tests, NULL, NULL);
}
