/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/trace_weights.h"
#include "testsuite/unit/trace_file.h"

/* A trace of tenants a and b. */
#define TRACE HEADER "1,a,u,0,5,1\n2,b,u,1,5,1\n"

static int read_as(struct astra_trace *trace, const char *text, bool add,
		   struct astra_error *err)
{
	char *path = text_file(text, strlen(text));
	int rc;

	must_read(trace, TRACE);
	rc = astra_trace_read_weights(trace, path, add, err);
	text_file_gone(path);
	return rc;
}

static int read_weights(struct astra_trace *trace, const char *text,
			struct astra_error *err)
{
	return read_as(trace, text, false, err);
}

static void a_day_without_a_line_lowers_a_sum_not_a_mean(void **state)
{
	static const char days[] = "tenant,gpus\na,72\nb,32\nb,72\n";
	struct astra_trace trace;
	struct astra_error err = {""};

	(void)state;
	assert_int_equal(read_as(&trace, days, false, &err), 0);
	assert_true(trace.tenants[0].weight == 72);
	assert_true(trace.tenants[1].weight == 52);
	astra_trace_clear(&trace);
	assert_int_equal(read_as(&trace, days, true, &err), 0);
	assert_true(trace.tenants[0].weight == 72);
	assert_true(trace.tenants[1].weight == 104);
	astra_trace_clear(&trace);
}

static void each_tenant_gets_the_mean_of_its_lines(void **state)
{
	struct astra_trace trace;
	struct astra_error err = {""};

	(void)state;
	assert_int_equal(read_weights(&trace,
				      "date,tenant,gpus\n2020-08-23,b,32\n"
				      "2020-08-23,a,72\n2020-08-24,b,72\n"
				      "2020-08-24,idle,8\n",
				      &err),
			 0);
	assert_int_equal(trace.tenant_count, 3);
	assert_true(trace.tenants[0].weight == 72);
	assert_true(trace.tenants[1].weight == 52);
	assert_string_equal(trace.tenants[2].name, "idle");
	assert_true(trace.tenants[2].weight == 8);
	astra_trace_clear(&trace);
}

static void without_a_file_all_weigh_the_same(void **state)
{
	struct astra_trace trace;

	(void)state;
	must_read(&trace, TRACE);
	assert_true(trace.tenants[0].weight == 1);
	assert_true(trace.tenants[1].weight == 1);
	astra_trace_clear(&trace);
}

static void bad_files_are_refused_by_name(void **state)
{
	static const struct {
		const char *text;
		const char *part; /* of the message */
	} cases[] = {
		{"", "is empty"},
		{"tenant,share\na,1\n",
		 "line 1 has no columns tenant and weight (or gpus)"},
		{"tenant,weight\na,1\nb,-1\n",
		 "line 3: no weight from 0 to 1e9: -1"},
		{"tenant,weight\na,1\nb,x\n",
		 "line 3: no weight from 0 to 1e9: x"},
		{"tenant,weight\na,1\nb,\n",
		 "line 3: no weight from 0 to 1e9: "},
		{"tenant,weight\na,1\nb\n", "line 3: wrong number of fields"},
		{"tenant,weight\n,1\n", "line 2: no tenant"},
		{"tenant,weight\na\x01,1\n", "line 2: no line of UTF-8 text"},
		{"tenant,weight\na,1\n", "has no weight of tenant b"},
		{"tenant,weight\nc,1\n", "has no weight of tenant a; of b"},
		{"tenant,weight\na,0\nb,0\n", "all weights are 0"},
	};
	struct astra_trace trace;

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_error err = {""};

		assert_int_equal(read_weights(&trace, cases[i].text, &err), -1);
		if (!strstr(err.text, cases[i].part))
			fail_msg("case %zu: %s", i, err.text);
		astra_trace_clear(&trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_tenant_gets_the_mean_of_its_lines),
		cmocka_unit_test(a_day_without_a_line_lowers_a_sum_not_a_mean),
		cmocka_unit_test(without_a_file_all_weigh_the_same),
		cmocka_unit_test(bad_files_are_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
