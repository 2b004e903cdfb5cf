/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/sim/trace.h"
#include "testsuite/unit/unit.h"

static void add(struct astra_trace *trace, const char *name, double submit_sec,
		uint32_t gpus, const char *tenant)
{
	struct astra_trace_job job = {
		.line = (uint32_t)trace->job_count + 2,
		.tenant = astra_trace_tenant(trace, tenant),
		.gpus = gpus,
		.submit_sec = submit_sec,
		.duration_sec = 10,
		.start_sec = submit_sec + 5,
	};
	assert_int_equal(astra_trace_add(trace, &job, name), 0);
}

static void names_get_numbers(void **state)
{
	struct astra_trace trace;

	(void)state;
	astra_trace_init(&trace);
	assert_int_equal(astra_trace_tenant(&trace, "x"), 0);
	assert_int_equal(astra_trace_tenant(&trace, "y"), 1);
	assert_int_equal(astra_trace_tenant(&trace, "x"), 0);
	assert_int_equal(trace.tenant_count, 2);
	assert_string_equal(trace.tenants[1].name, "y");
	assert_true(trace.tenants[1].weight == 1);
	assert_int_equal(astra_trace_user(&trace, "y"), 0);
	assert_string_equal(trace.users[0], "y");
	assert_int_equal(astra_trace_app(&trace, "a"), 1);
	assert_int_equal(astra_trace_app(&trace, "b"), 2);
	assert_int_equal(astra_trace_app(&trace, "a"), 1);
	assert_int_equal(trace.app_count, 2);
	astra_trace_clear(&trace);
	astra_trace_clear(&trace);
}

static void finishing_sorts_and_begins_at_zero(void **state)
{
	static const char *const order[] = {"first", "a", "b", "c"};
	struct astra_trace trace;
	struct astra_error err = {""};

	(void)state;
	astra_trace_init(&trace);
	add(&trace, "a", 50, 1, "x");
	add(&trace, "b", 50, 1, "x");
	add(&trace, "first", 20, 1, "x");
	add(&trace, "c", 50, 1, "x");
	assert_int_equal(astra_trace_finish(&trace, &err), 0);
	for (int i = 0; i < 4; i++) {
		assert_string_equal(trace.jobs[i].name, order[i]);
		assert_true(trace.jobs[i].submit_sec == (i ? 30 : 0));
		assert_true(trace.jobs[i].start_sec == (i ? 35 : 5));
	}
	assert_true(trace.begin_unix_sec == 0);
	astra_trace_clear(&trace);
}

static void late_seconds_count_from_1970(void **state)
{
	struct astra_trace trace;
	struct astra_error err = {""};

	(void)state;
	astra_trace_init(&trace);
	add(&trace, "a", 1598140800, 1, "x");
	assert_int_equal(astra_trace_finish(&trace, &err), 0);
	assert_true(trace.jobs[0].submit_sec == 0);
	assert_true(trace.begin_unix_sec == 1598140800);
	astra_trace_clear(&trace);
}

static void no_job_is_an_error(void **state)
{
	struct astra_trace trace;
	struct astra_error err = {""};

	(void)state;
	astra_trace_init(&trace);
	trace.source = "file";
	assert_int_equal(astra_trace_finish(&trace, &err), -1);
	assert_string_equal(err.text, "file: there is no job");
	astra_trace_defect(&trace, ASTRA_DEFECT_NO_GPU, 7, "gpus=0");
	assert_int_equal(astra_trace_finish(&trace, &err), -1);
	assert_string_equal(err.text,
			    "there is no job; file: 1 line left out: no GPU "
			    "asked for (line 7: gpus=0)");
	astra_trace_clear(&trace);
}

/* 12 GPUs, x:y = 3:1, so quotas of 9 and 3. */
static void what_is_too_large_is_counted(void **state)
{
	struct astra_trace trace;
	struct astra_error err = {""};
	char *text;

	(void)state;
	astra_trace_init(&trace);
	trace.source = "file";
	add(&trace, "fits", 0, 9, "x");
	add(&trace, "whole", 1, 12, "x");
	add(&trace, "huge", 2, 13, "x");
	add(&trace, "over", 3, 4, "y");
	trace.tenants[0].weight = 3;
	assert_int_equal(astra_trace_finish(&trace, &err), 0);
	astra_trace_fit(&trace, 12);
	assert_int_equal(trace.job_count, 3);
	assert_string_equal(trace.jobs[2].name, "over");
	text = astra_trace_defects_text(&trace);
	assert_string_equal(text, "file: 1 line left out: larger than the "
				  "cluster (line 4: 13 GPUs)\n"
				  "file: 2 lines kept: larger than its "
				  "tenant's quota (first: line 3: 12 GPUs)\n");
	free(text);
	assert_int_equal(astra_trace_check(&trace, &err), 0);
	astra_trace_fit(&trace, 8);
	assert_int_equal(trace.job_count, 1);
	astra_trace_clear(&trace);
}

static void jobs_without_a_line_are_named(void **state)
{
	struct astra_trace trace;
	char *text;

	(void)state;
	astra_trace_init(&trace);
	trace.source = "venus";
	add(&trace, "17", 0, 9, "x");
	trace.jobs[0].line = 0;
	astra_trace_fit(&trace, 8);
	text = astra_trace_defects_text(&trace);
	assert_string_equal(text, "venus: 1 job left out: larger than the "
				  "cluster (job 17: 9 GPUs)\n");
	free(text);
	astra_trace_clear(&trace);
}

static void the_first_broken_line_is_named(void **state)
{
	struct astra_trace trace;
	struct astra_error err = {""};
	char *text;

	(void)state;
	astra_trace_init(&trace);
	trace.source = "file";
	text = astra_trace_defects_text(&trace);
	assert_string_equal(text, "");
	free(text);
	astra_trace_defect(&trace, ASTRA_DEFECT_PART, 2, "gpus=.5");
	assert_int_equal(astra_trace_check(&trace, &err), 0);
	astra_trace_defect(&trace, ASTRA_DEFECT_FIELDS, 9, "1,2");
	astra_trace_defect(&trace, ASTRA_DEFECT_DURATION, 4, "duration_s=-3");
	astra_trace_defect(&trace, ASTRA_DEFECT_DURATION, 5, "duration_s=-4");
	assert_int_equal(astra_trace_check(&trace, &err), -1);
	assert_string_equal(err.text, "file: line 4: duration missing or "
				      "negative: duration_s=-3");
	assert_int_equal(trace.defects[ASTRA_DEFECT_DURATION].lines, 2);
	astra_trace_defect(&trace, ASTRA_DEFECT_UNSORTED, 3, "submit_s=0");
	assert_int_equal(astra_trace_check(&trace, &err), -1);
	assert_string_equal(err.text, "file: line 3: submitted before the line "
				      "above: submit_s=0");
	astra_trace_clear(&trace);
}

/* What goes to a terminal is what a terminal can show. */
static void values_are_kept_short_and_plain(void **state)
{
	struct astra_trace trace;
	char junk[200];

	(void)state;
	astra_trace_init(&trace);
	memset(junk, '\033', sizeof(junk));
	junk[sizeof(junk) - 1] = '\0';
	astra_trace_defect(&trace, ASTRA_DEFECT_TEXT, 1, junk);
	assert_int_equal(strlen(trace.defects[ASTRA_DEFECT_TEXT].value),
			 sizeof(trace.defects[ASTRA_DEFECT_TEXT].value) - 1);
	assert_null(strchr(trace.defects[ASTRA_DEFECT_TEXT].value, '\033'));
	astra_trace_clear(&trace);
}

/* 4 GPUs for 10 s: from 1 to 8, on which it takes 5 s. One GPU, from 1 to 2.
 * Two nodes of 4: from 2 to 12, as the cluster has no more, on any nodes. A job
 * that says itself what it runs on is left alone. */
static void elastic_jobs_keep_their_work(void **state)
{
	static const struct astra_trace_elastic all = {1, 0.25, 2};
	struct astra_trace trace;

	(void)state;
	astra_trace_init(&trace);
	for (uint32_t gpus = 1; gpus <= 8; gpus *= 2)
		add(&trace, "job", 0, gpus, "t");
	trace.jobs[1].gpus_min = 1;
	trace.jobs[2].limit_sec = 20;
	trace.jobs[3].nodes = 2;
	astra_trace_make_elastic(&trace, &all, 12, 4);
	assert_int_equal(trace.jobs[0].gpus_min, 1);
	assert_int_equal(trace.jobs[0].gpus, 2);
	assert_true(trace.jobs[0].duration_sec == 5);
	assert_int_equal(trace.jobs[1].gpus, 2);
	assert_true(trace.jobs[1].duration_sec == 10);
	assert_int_equal(trace.jobs[2].gpus_min, 1);
	assert_int_equal(trace.jobs[2].gpus, 8);
	assert_true(trace.jobs[2].duration_sec == 5);
	assert_true(trace.jobs[2].limit_sec == 80);
	assert_int_equal(trace.jobs[3].gpus_min, 2);
	assert_int_equal(trace.jobs[3].gpus, 12);
	assert_int_equal(trace.jobs[3].nodes, 0);
	astra_trace_clear(&trace);
}

static void half_of_the_jobs_are_elastic(void **state)
{
	static const struct astra_trace_elastic half = {0.5, 0.25, 2};
	struct astra_trace trace;
	size_t elastic = 0;
	char name[16];

	(void)state;
	astra_trace_init(&trace);
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "%d", i);
		add(&trace, name, i, 1, "t");
	}
	astra_trace_make_elastic(&trace, &half, 64, 8);
	for (size_t i = 0; i < trace.job_count; i++)
		elastic += trace.jobs[i].gpus_min > 0;
	assert_in_range(elastic, 450, 550);
	astra_trace_clear(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_get_numbers),
		cmocka_unit_test(finishing_sorts_and_begins_at_zero),
		cmocka_unit_test(late_seconds_count_from_1970),
		cmocka_unit_test(no_job_is_an_error),
		cmocka_unit_test(what_is_too_large_is_counted),
		cmocka_unit_test(jobs_without_a_line_are_named),
		cmocka_unit_test(the_first_broken_line_is_named),
		cmocka_unit_test(values_are_kept_short_and_plain),
		cmocka_unit_test(elastic_jobs_keep_their_work),
		cmocka_unit_test(half_of_the_jobs_are_elastic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
