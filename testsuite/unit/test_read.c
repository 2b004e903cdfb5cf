/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers make of good files: columns by name, sacct, SWF. */
#include "src/sim/read.h"
#include "testsuite/unit/trace_file.h"

static const struct astra_trace_job *job(const struct astra_trace *trace,
					 const char *name)
{
	for (size_t i = 0; i < trace->job_count; i++)
		if (!strcmp(trace->jobs[i].name, name))
			return &trace->jobs[i];
	fail_msg("there is no job %s", name);
	return NULL;
}

static void columns_go_by_their_names(void **state)
{
	struct astra_trace trace;
	const struct astra_trace_job *j;

	(void)state;
	must_read(&trace,
		  "gpus,NODES,comment,submit_s,duration_s,tenant,user,job_id,"
		  "app_id,limit_s,start_s\n"
		  "8,2,\"a, \"\"b\"\"\",45,2224.5,t,u,j1,s7,3600,50\n"
		  "1,,,50,1,,,j2,,,\n"
		  "1,,,50,1,t,u,j3,s7,,\n");
	assert_int_equal(trace.lines, 3);
	assert_int_equal(trace.job_count, 3);
	assert_int_equal(trace.tenant_count, 2);
	assert_int_equal(trace.app_count, 1);
	j = job(&trace, "j1");
	assert_int_equal(j->gpus, 8);
	assert_int_equal(j->nodes, 2);
	assert_int_equal(j->line, 2);
	assert_int_equal(j->app, 1);
	assert_true(j->submit_sec == 0);
	assert_true(j->start_sec == 5);
	assert_true(j->duration_sec == 2224.5);
	assert_true(j->limit_sec == 3600);
	j = job(&trace, "j2");
	assert_string_equal(trace.tenants[j->tenant].name, "unknown");
	assert_string_equal(trace.users[j->user], "");
	assert_int_equal(j->app, 0);
	assert_int_equal(j->nodes, 0);
	assert_true(j->limit_sec == 0);
	assert_true(j->start_sec < 0);
	assert_int_equal(job(&trace, "j3")->app, 1);
	astra_trace_clear(&trace);
}

static void jobs_may_have_slowdowns_of_their_own(void **state)
{
	struct astra_trace trace;

	(void)state;
	must_read(&trace, "job_id,tenant,submit_s,duration_s,gpus,slowdown\n"
			  "a,t,0,5,1,1/1/1.1/1.3\n"
			  "b,t,0,5,1,\n"
			  "c,t,0,5,1,1/1/1.1/1.3\n"
			  "d,t,0,5,1,1/2/3/4\n");
	assert_int_equal(trace.profile_count, 2);
	assert_int_equal(job(&trace, "a")->profile, 1);
	assert_int_equal(job(&trace, "b")->profile, 0);
	assert_int_equal(job(&trace, "c")->profile, 1);
	assert_int_equal(job(&trace, "d")->profile, 2);
	assert_true(trace.profiles[0].slowdown[ASTRA_LEVEL_CROSS] == 1.3);
	astra_trace_clear(&trace);
}

/* None less than 1, none less than the one before, four of them. */
static void a_slowdown_that_is_none_is_named(void **state)
{
	static const char *const bad[] = {"0.9/1/1/1", "1/2/1/3",   "1/1/1",
					  "1/1/1/1/1", "1/1/1/inf", "fast"};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++) {
		const struct astra_defect_count *d;
		struct astra_trace trace;
		char text[256], value[64];

		snprintf(text, sizeof(text),
			 "job_id,tenant,submit_s,duration_s,gpus,slowdown\n"
			 "a,t,0,5,1,\nb,t,0,5,1,%s\n",
			 bad[i]);
		snprintf(value, sizeof(value), "slowdown=%s", bad[i]);
		must_read(&trace, text);
		d = &trace.defects[ASTRA_DEFECT_VALUE];
		assert_int_equal(d->lines, 1);
		assert_int_equal(d->first_line, 3);
		assert_string_equal(d->value, value);
		astra_trace_clear(&trace);
	}
}

static void jobs_may_say_what_they_are_worth(void **state)
{
	struct astra_trace trace;
	struct astra_utility u;

	(void)state;
	must_read(&trace,
		  "job_id,tenant,submit_s,duration_s,gpus,gpus_min,utility\n"
		  "a,t,0,5,4,2,\"sigmoid:40,1,2\"\n"
		  "b,t,0,5,4,,linear:-2/100\n"
		  "c,t,0,5,4,4,\"Convex:6,2\"\n"
		  "d,t,0,5,4,0,sigmoid:40/1/2\n"
		  "e,t,0,5,4,1,\n");
	assert_int_equal(trace.utility_count, 3);
	assert_int_equal(job(&trace, "a")->gpus_min, 2);
	assert_int_equal(job(&trace, "b")->gpus_min, 0);
	assert_int_equal(job(&trace, "d")->utility, 1);
	assert_int_equal(job(&trace, "e")->utility, 0);
	u = astra_trace_job_utility(&trace, 0, 7);
	assert_close(astra_utility_value(&u, 2), 20, 1e-12);
	u = astra_trace_job_utility(&trace, 1, 7);
	assert_close(astra_utility_value(&u, 4), 92, 1e-12);
	u = astra_trace_job_utility(&trace, 2, 7);
	assert_close(astra_utility_value(&u, 3), 4, 1e-12);
	astra_trace_clear(&trace);
}

static void a_worth_that_is_none_is_named(void **state)
{
	static const char *const bad[] = {
		"gpus_min=3",	       "gpus_min=-1",
		"gpus_min=1.5",	       "utility=5",
		"utility=sigmoid:1/2", "utility=sigmoid:1/2/3/4",
		"utility=linear:1/x",  "utility=convex:-1/2",
		"utility=convex:1/17", "utility=linear:1e7/0",
		"utility=linear:1/",
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++) {
		const struct astra_defect_count *d;
		struct astra_trace trace;
		char text[256];

		snprintf(text, sizeof(text),
			 "job_id,tenant,submit_s,duration_s,gpus,%.*s\n"
			 "a,t,0,5,2,\nb,t,0,5,2,%s\n",
			 (int)strcspn(bad[i], "="), bad[i],
			 strchr(bad[i], '=') + 1);
		must_read(&trace, text);
		d = &trace.defects[ASTRA_DEFECT_VALUE];
		assert_int_equal(d->lines, 1);
		assert_string_equal(d->value, bad[i]);
		astra_trace_clear(&trace);
	}
}

static void lines_may_end_as_in_windows(void **state)
{
	struct astra_trace trace;

	(void)state;
	must_read(&trace, "\xef\xbb\xbfjob_id,submit_s,duration_s,gpus,"
			  "tenant\r\n1,0,5,1,\xc3\xa4\r\n\r\n2,0,5,1,b");
	assert_int_equal(trace.job_count, 2);
	assert_string_equal(trace.tenants[0].name, "\xc3\xa4");
	assert_string_equal(trace.tenants[1].name, "b");
	assert_int_equal(trace.jobs[1].line, 4);
	astra_trace_clear(&trace);
}

static void other_separators_do_as_well(void **state)
{
	struct astra_trace trace;

	(void)state;
	must_read(&trace, "job_id;submit_s;duration_s;gpus\n1;0;5;3\n");
	assert_int_equal(trace.jobs[0].gpus, 3);
	astra_trace_clear(&trace);
	must_read(&trace, "job_id\tsubmit_s\tduration_s\tgpus\n1\t0\t5\t4\n");
	assert_int_equal(trace.jobs[0].gpus, 4);
	astra_trace_clear(&trace);
}

#define SACCT                                                             \
	"JobID|JobIDRaw|Account|User|Submit|Start|End|Elapsed|AllocTRES|" \
	"ReqTRES|Timelimit|State|NNodes\n"

static void sacct_output_is_understood(void **state)
{
	struct astra_trace trace;
	const struct astra_trace_job *j;

	(void)state;
	must_read(
		&trace, SACCT
		"7|7|physics|ann|2020-08-23T00:00:10|2020-08-23T00:01:00|"
		"2020-08-23T01:01:00|01:00:00|"
		"billing=8,cpu=8,gres/gpu=4,node=2|gres/gpu=4|2-00:00:00|"
		"COMPLETED|2\n"
		"7.batch|7.batch|physics||2020-08-23T00:00:10|"
		"2020-08-23T00:01:00|2020-08-23T01:01:00|01:00:00|"
		"cpu=4,gres/gpu=4|||COMPLETED|1\n"
		"9_[3-5]|9|physics|ann|2020-08-23T00:00:00|Unknown|Unknown|"
		"00:00:00||gres/gpu=1|UNLIMITED|PENDING|1\n"
		"9_1|10|physics|ann|2020-08-23T00:00:00|2020-08-23T00:00:00|"
		"2020-08-23T00:00:30|00:00:30||gres/gpu:a100=2|UNLIMITED|"
		"CANCELLED by 0|1\n"
		"11|11|bio|bob|2020-08-23T00:00:20|2020-08-23T00:00:20|Unknown|"
		"05:00:00|gres/gpu=1|gres/gpu=1|UNLIMITED|RUNNING|1\n"
		"12|12|bio|bob|2020-08-23T00:00:20|2020-08-23T00:00:20|"
		"2020-08-23T00:00:50|00:00:30|cpu=1|cpu=1|UNLIMITED|FAILED|1\n"
		"13|13|bio|bob|2020-08-23T00:00:20|None|2020-08-23T00:00:50|"
		"00:00:00||gres/gpu=1|UNLIMITED|CANCELLED|1\n");
	assert_int_equal(trace.lines, 6); /* the step is none of a job */
	assert_int_equal(trace.job_count, 2);
	assert_true(trace.begin_unix_sec == 1598140800);
	j = job(&trace, "7");
	assert_string_equal(trace.tenants[j->tenant].name, "physics");
	assert_string_equal(trace.users[j->user], "ann");
	assert_int_equal(j->gpus, 4);
	assert_int_equal(j->nodes, 2);
	assert_true(j->submit_sec == 10);
	assert_true(j->start_sec == 60);
	assert_true(j->duration_sec == 3600);
	assert_true(j->limit_sec == 172800);
	assert_int_equal(job(&trace, "9_1")->gpus, 2);
	assert_int_equal(trace.defects[ASTRA_DEFECT_UNFINISHED].lines, 2);
	assert_int_equal(trace.defects[ASTRA_DEFECT_UNFINISHED].first_line, 4);
	assert_int_equal(trace.defects[ASTRA_DEFECT_NO_GPU].lines, 1);
	assert_int_equal(trace.defects[ASTRA_DEFECT_INSTANT].lines, 1);
	assert_int_equal(trace.defects[ASTRA_DEFECT_UNSORTED].lines, 0);
	astra_trace_clear(&trace);
}

/* sacct -D: a job that was requeued has a line for each run. */
static void runs_of_one_job_are_joined(void **state)
{
	struct astra_trace trace;

	(void)state;
	must_read(&trace,
		  "JobID|Submit|Start|ElapsedRaw|AllocTRES|TimelimitRaw|State\n"
		  "5|1600000100|1600000200|60|gres/gpu=2|60|REQUEUED\n"
		  "6|1600000100|1600000200|60|gres/gpu=2|60|COMPLETED\n"
		  "5|1600000260|1600000300|40|gres/gpu=4|90|PREEMPTED\n"
		  "5|1600000340|1600000350|7|gres/gpu=4|90|COMPLETED\n"
		  "8|1600000400|1600000450|7|gres/gpu=4|90|NODE_FAIL\n"
		  "8|1600000460|1600000470|9|gres/gpu=4|90|RUNNING\n");
	assert_int_equal(trace.lines, 6);
	assert_int_equal(trace.job_count, 2);
	assert_true(job(&trace, "5")->submit_sec == 0);
	assert_true(job(&trace, "5")->start_sec == 100);
	assert_true(job(&trace, "5")->duration_sec == 107);
	assert_true(job(&trace, "5")->limit_sec == 5400);
	assert_int_equal(job(&trace, "5")->gpus, 4);
	assert_true(job(&trace, "6")->duration_sec == 60);
	assert_int_equal(trace.defects[ASTRA_DEFECT_UNFINISHED].lines, 1);
	astra_trace_clear(&trace);
}

static void tenants_without_jobs_have_no_share(void **state)
{
	struct astra_trace trace;

	(void)state;
	must_read(&trace, HEADER "1,a,u,0,5,1\n2,b,v,1,0,1\n3,c,w,2,5,0\n");
	assert_int_equal(trace.tenant_count, 1);
	assert_int_equal(trace.user_count, 1);
	astra_trace_clear(&trace);
	must_read(&trace, "JobID|Account|Submit|ElapsedRaw|AllocTRES|State\n"
			  "1|a|1600000000|5|gres/gpu=1|RUNNING\n"
			  "2|b|1600000000|5|gres/gpu=1|TIMEOUT\n"
			  "3|c|1600000000|0|gres/gpu=1|CANCELLED by 7\n");
	assert_int_equal(trace.tenant_count, 1);
	assert_string_equal(trace.tenants[0].name, "b");
	astra_trace_clear(&trace);
}

/* Only accounting has one job on several lines. */
static void equal_names_elsewhere_are_different_jobs(void **state)
{
	struct astra_trace trace;

	(void)state;
	must_read(&trace, HEADER "1,t,u,0,5,1\n1,t,u,1,5,1\n,t,u,2,5,1\n"
				 ",t,u,3,5,1\n1.5,t,u,4,5,1\n");
	assert_int_equal(trace.job_count, 5);
	astra_trace_clear(&trace);
}

/* Some archives have columns of their own behind the 18. */
#define SWF                                                                    \
	"; Version: 2.2\n"                                                     \
	"; UnixStartTime: 1000000000\n"                                        \
	";\n"                                                                  \
	"    1 100  20  3600   64 -1 -1  64  7200 -1 1  3  1 -1 1 1 -1 -1 7\n" \
	"    2 110  -1   600   -1 -1 -1   6    -1 -1 0 -1 -1 -1 1 1 -1 -1\n"   \
	"    2 110   0   300    6 -1 -1   6    -1 -1 2 -1 -1 -1 1 1 -1 -1\n"   \
	"    3 120   0    -1    8 -1 -1   8    -1 -1 5  3  1 -1 1 1 -1 -1\n"

static void standard_workload_format_is_understood(void **state)
{
	struct astra_trace trace;

	(void)state;
	must_read(&trace, SWF);
	assert_int_equal(trace.lines, 4);
	assert_int_equal(trace.job_count, 2);
	assert_true(trace.begin_unix_sec == 1000000100);
	assert_int_equal(trace.jobs[0].gpus, 64);
	assert_int_equal(trace.jobs[0].line, 4);
	assert_string_equal(trace.tenants[0].name, "1");
	assert_string_equal(trace.users[0], "3");
	assert_true(trace.jobs[0].duration_sec == 3600);
	assert_true(trace.jobs[0].limit_sec == 7200);
	assert_true(trace.jobs[0].start_sec == 20);
	assert_int_equal(trace.jobs[1].gpus, 6);
	assert_true(trace.jobs[1].start_sec < 0);
	assert_true(trace.jobs[1].limit_sec == 0);
	assert_string_equal(trace.tenants[1].name, "unknown");
	assert_int_equal(trace.defects[ASTRA_DEFECT_DURATION].lines, 1);
	assert_int_equal(trace.defects[ASTRA_DEFECT_DURATION].first_line, 7);
	astra_trace_clear(&trace);
}

static void processors_of_swf_share_gpus(void **state)
{
	static const struct astra_read_options options = {.procs_per_gpu = 4};
	struct astra_trace trace;
	struct astra_error err = {""};
	char *path = text_file(SWF, strlen(SWF));

	(void)state;
	astra_trace_init(&trace);
	assert_int_equal(astra_trace_read(&trace, path, &options, &err), 0);
	assert_int_equal(trace.jobs[0].gpus, 16);
	assert_int_equal(trace.jobs[1].gpus, 2);
	assert_int_equal(trace.defects[ASTRA_DEFECT_PART].lines, 1);
	assert_string_equal(trace.defects[ASTRA_DEFECT_PART].value,
			    "requested processors=6");
	astra_trace_clear(&trace);
	text_file_gone(path);
}

static void formats_have_names(void **state)
{
	enum astra_trace_format format = ASTRA_FORMAT_AUTO;
	struct astra_error err = {""};

	(void)state;
	assert_int_equal(astra_trace_format("sacct", &format, &err), 0);
	assert_int_equal(format, ASTRA_FORMAT_CSV);
	assert_int_equal(astra_trace_format("xls", &format, &err), -1);
	assert_string_equal(err.text, "there is no trace format xls; there are "
				      "auto, csv, sacct and swf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_go_by_their_names),
		cmocka_unit_test(jobs_may_have_slowdowns_of_their_own),
		cmocka_unit_test(a_slowdown_that_is_none_is_named),
		cmocka_unit_test(jobs_may_say_what_they_are_worth),
		cmocka_unit_test(a_worth_that_is_none_is_named),
		cmocka_unit_test(lines_may_end_as_in_windows),
		cmocka_unit_test(other_separators_do_as_well),
		cmocka_unit_test(sacct_output_is_understood),
		cmocka_unit_test(runs_of_one_job_are_joined),
		cmocka_unit_test(tenants_without_jobs_have_no_share),
		cmocka_unit_test(equal_names_elsewhere_are_different_jobs),
		cmocka_unit_test(standard_workload_format_is_understood),
		cmocka_unit_test(processors_of_swf_share_gpus),
		cmocka_unit_test(formats_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
