/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers make of bad files: each bad line is counted and named, and
 * nothing that a file has in it does harm. */
#include <errno.h>

#include "src/common/random.h"
#include "src/sim/lines.h"
#include "testsuite/unit/trace_file.h"

/* A good line before and behind, so that a bad one stands on line 3. */
#define BETWEEN(line) HEADER "a,t,u,0,5,1\n" line "\nz,t,u,9,5,1\n"

static void bad_lines_are_counted_and_named(void **state)
{
	static const struct {
		const char *text;
		enum astra_defect kind;
		const char *value;
		size_t jobs; /* good ones included */
	} cases[] = {
		{BETWEEN("x,t,u,1,,1"), ASTRA_DEFECT_DURATION,
		 "duration_s=", 2},
		{BETWEEN("x,t,u,1,-3,1"), ASTRA_DEFECT_DURATION,
		 "duration_s=-3", 2},
		{BETWEEN("x,t,u,1,-1e999,1"), ASTRA_DEFECT_VALUE,
		 "duration_s=-1e999", 2},
		{BETWEEN("x,t,u,1,1e10,1"), ASTRA_DEFECT_VALUE,
		 "duration_s=1e10", 2},
		{BETWEEN("x,t,u,1,nan,1"), ASTRA_DEFECT_VALUE, "duration_s=nan",
		 2},
		{BETWEEN("x,t,u,1,5 min,1"), ASTRA_DEFECT_VALUE,
		 "duration_s=5 min", 2},
		{BETWEEN("x,t,u,1,0,1"), ASTRA_DEFECT_INSTANT, "job_id=x", 2},
		{BETWEEN("x,t,u,,5,1"), ASTRA_DEFECT_VALUE, "submit_s=", 2},
		{BETWEEN("x,t,u,soon,5,1"), ASTRA_DEFECT_VALUE, "submit_s=soon",
		 2},
		{BETWEEN("x,t,u,1,5,"), ASTRA_DEFECT_VALUE, "gpus=", 2},
		{BETWEEN("x,t,u,1,5,-2"), ASTRA_DEFECT_VALUE, "gpus=-2", 2},
		{BETWEEN("x,t,u,1,5,4294967297"), ASTRA_DEFECT_VALUE,
		 "gpus=4294967297", 2},
		{BETWEEN("x,t,u,1,5,0"), ASTRA_DEFECT_NO_GPU, "gpus=0", 2},
		{BETWEEN("x,t,u,1,5,.46"), ASTRA_DEFECT_PART, "gpus=.46", 3},
		{BETWEEN("x,t,u,-1,5,1"), ASTRA_DEFECT_UNSORTED, "submit_s=-1",
		 3},
		{BETWEEN("x,t,u,1,5"), ASTRA_DEFECT_FIELDS, "x,t,u,1,5", 2},
		{BETWEEN("x,t,u,1,5,1,7"), ASTRA_DEFECT_FIELDS, "x,t,u,1,5,1,7",
		 2},
		{BETWEEN("\"x,t,u,1,5,1"), ASTRA_DEFECT_FIELDS, "\"x,t,u,1,5,1",
		 2},
		{BETWEEN("x\x01,t,u,1,5,1"), ASTRA_DEFECT_TEXT, "x", 2},
		{BETWEEN("\xff\xfe,t,u,1,5,1"), ASTRA_DEFECT_TEXT, "", 2},
		{BETWEEN("\xc0\xaf,t,u,1,5,1"), ASTRA_DEFECT_TEXT, "", 2},
		{BETWEEN("\xed\xa0\x80,t,u,1,5,1"), ASTRA_DEFECT_TEXT, "", 2},
	};
	struct astra_trace trace;

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		const struct astra_defect_count *count =
			&trace.defects[cases[i].kind];
		uint64_t all = 0;

		must_read(&trace, cases[i].text);
		for (int k = 0; k < ASTRA_DEFECT_COUNT; k++)
			all += trace.defects[k].lines;
		if (all != 1 || count->lines != 1 || count->first_line != 3 ||
		    strcmp(count->value, cases[i].value) != 0 ||
		    trace.job_count != cases[i].jobs || trace.lines != 3)
			fail_msg("case %zu: %ju defects, line %u: \"%s\", "
				 "%zu jobs",
				 i, (uintmax_t)all, count->first_line,
				 count->value, trace.job_count);
		astra_trace_clear(&trace);
	}
}

static void a_nul_byte_ends_no_line(void **state)
{
	static const char text[] = HEADER "a,t,u,0,5,1\nb\0,t,u,1,5,1\n"
					  "c,t,u,2,5,1\n";
	struct astra_trace trace;
	struct astra_error err = {""};

	(void)state;
	assert_int_equal(read_bytes(&trace, text, sizeof(text) - 1, &err), 0);
	assert_int_equal(trace.job_count, 2);
	assert_int_equal(trace.defects[ASTRA_DEFECT_TEXT].first_line, 3);
	assert_string_equal(trace.defects[ASTRA_DEFECT_TEXT].value, "b");
	astra_trace_clear(&trace);
}

/* A line of so many bytes between two good ones. */
static void read_long_line(struct astra_trace *trace, size_t size)
{
	static const char head[] = HEADER "a,t,u,0,5,1\n";
	static const char tail[] = "\nz,t,u,9,5,1\n";
	size_t all = strlen(head) + size + strlen(tail);
	struct astra_error err = {""};
	char *text = malloc(all);

	memcpy(text, head, strlen(head));
	memset(text + strlen(head), 'x', size);
	memcpy(text + strlen(head) + size, tail, strlen(tail));
	assert_int_equal(read_bytes(trace, text, all, &err), 0);
	free(text);
}

static void lines_of_any_length_are_survived(void **state)
{
	static const size_t sizes[] = {
		ASTRA_LINE_MAX - 1,
		ASTRA_LINE_MAX,
		ASTRA_LINE_MAX + 1,
		4 * ASTRA_LINE_MAX - 50,
		4 * ASTRA_LINE_MAX - 1,
		4 * ASTRA_LINE_MAX,
		4 * ASTRA_LINE_MAX + 1,
		8 * ASTRA_LINE_MAX,
		1 << 20,
		5000000,
	};
	struct astra_trace trace;

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(sizes); i++) {
		enum astra_defect kind = sizes[i] <= ASTRA_LINE_MAX
						 ? ASTRA_DEFECT_FIELDS
						 : ASTRA_DEFECT_TEXT;

		read_long_line(&trace, sizes[i]);
		assert_int_equal(trace.job_count, 2);
		assert_int_equal(trace.jobs[1].line, 4);
		assert_int_equal(trace.defects[kind].lines, 1);
		assert_int_equal(trace.defects[kind].first_line, 3);
		assert_int_equal(trace.defects[kind].value[0], 'x');
		astra_trace_clear(&trace);
	}
}

static void what_is_no_trace_is_refused(void **state)
{
	static const struct {
		const char *text;
		const char *part; /* of the message */
	} cases[] = {
		{"", "is empty"},
		{"\n", "line 1 begins no trace"},
		{"hello\n", "line 1 begins no trace"},
		{"1,2,3\n", "line 1 begins no trace"},
		{"\x7f"
		 "ELF\x02\n",
		 "line 1 begins no trace"},
		{"job_id,gpus,duration_s\n1,1,1\n",
		 "line 1 has no column submit_s or Submit"},
		{"submit_s,gpus,start_s\n1,1,1\n",
		 "line 1 has no column duration_s, Elapsed, ElapsedRaw, or "
		 "Start and End"},
		{"submit_s,duration_s\n1,1\n",
		 "line 1 has no column gpus, AllocTRES or ReqTRES"},
		{"submit_s,duration_s,\"gpus\n1,1\n", "a quote is open"},
		{HEADER, "there is no job"},
		{HEADER "x,t,u,0,5,0\n",
		 "1 line left out: no GPU asked for (line 2: gpus=0)"},
		{"; only comments\n", "there is no job"},
	};
	struct astra_trace trace;

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_error err = {""};

		assert_int_equal(read_text(&trace, cases[i].text, &err), -1);
		if (!strstr(err.text, cases[i].part))
			fail_msg("case %zu: %s", i, err.text);
		astra_trace_clear(&trace);
	}
}

static void unreadable_files_are_named(void **state)
{
	static const struct astra_read_options options = {0};
	struct astra_trace trace;
	struct astra_error err = {""};

	(void)state;
	astra_trace_init(&trace);
	assert_int_equal(astra_trace_read(&trace, "/no/such", &options, &err),
			 -1);
	assert_string_equal(err.text,
			    "cannot read /no/such: No such file or directory");
	assert_int_equal(astra_trace_read(&trace, "/", &options, &err), -1);
	assert_string_equal(err.text, "cannot read /: Is a directory");
	astra_trace_clear(&trace);
}

static const char *const seeds[] = {
	BETWEEN("\"x,y\",t,u,1,1e2,.5"),
	"JobID|JobIDRaw|Account|Submit|Start|End|Elapsed|AllocTRES|State\n"
	"7|7|p|2020-08-23T00:00:10|2020-08-23T00:01:00|2020-08-23T01:01:00|"
	"1-01:00:00|gres/gpu=4,gres/gpu:a=4|COMPLETED\n"
	"7|7|p|1600000000|1600000060|1600000090|00:30|gres/gpu=4|TIMEOUT\n"
	"8|8|p|1600000000|None|Unknown|00:00|gres/gpu=4|RUNNING\n",
	"; UnixStartTime: 1000000000\n"
	"1 100 20 3600 64 -1 -1 64 7200 -1 1 3 1 -1 1 1 -1 -1\n"
	"2 100 20 3600 64 -1 -1 64 7200 -1 1 3 1 -1 1 1 -1 -1\n",
};

/* Change some bytes, most to such as have a meaning; most often not in the
 * first line, without which nothing else is read. */
static size_t spoil(struct astra_random *random, char *text, size_t size)
{
	static const char meaning[] =
		",|\"\n\r\t;.-+:=eE019 \0\xff\xef\xbb\xbf";

	size_t from =
		astra_random_below(random, 8) ? strcspn(text, "\n") + 1 : 0;

	for (uint64_t n = 1 + astra_random_below(random, 8); n; n--) {
		size_t at =
			from + (size_t)astra_random_below(random, size - from);

		text[at] = astra_random_below(random, 4)
				   ? meaning[astra_random_below(
					     random, sizeof(meaning) - 1)]
				   : (char)astra_random_below(random, 256);
	}
	return astra_random_below(random, 8)
		       ? size
		       : from + (size_t)astra_random_below(random, size - from);
}

/* Each job that is read is one that can be simulated, and each line is either a
 * job, a run of one, or counted. */
static void check_jobs(const struct astra_trace *trace)
{
	static const enum astra_defect left_out[] = {
		ASTRA_DEFECT_TEXT,	 ASTRA_DEFECT_FIELDS,
		ASTRA_DEFECT_VALUE,	 ASTRA_DEFECT_DURATION,
		ASTRA_DEFECT_INSTANT,	 ASTRA_DEFECT_NO_GPU,
		ASTRA_DEFECT_UNFINISHED,
	};
	uint64_t lines = trace->job_count;

	for (size_t i = 0; i < trace->job_count; i++) {
		const struct astra_trace_job *j = &trace->jobs[i];

		assert_in_range(j->gpus, 1, 1000000);
		assert_true(j->duration_sec > 0 && j->duration_sec <= 2e9);
		assert_true(j->submit_sec >= 0 && j->submit_sec <= 2e15);
		assert_true(j->limit_sec >= 0 && j->limit_sec < 1e17);
		assert_true(j->tenant < trace->tenant_count);
		assert_true(j->user < trace->user_count);
		assert_true(j->app <= trace->app_count);
		assert_true(!i ||
			    j->submit_sec >= trace->jobs[i - 1].submit_sec);
	}
	for (size_t i = 0; i < ASTRA_COUNT_OF(left_out); i++)
		lines += trace->defects[left_out[i]].lines;
	assert_true(lines <= trace->lines);
}

static void spoilt_files_do_no_harm(void **state)
{
	struct astra_random random = astra_random_seed(20261121);
	size_t read = 0;

	(void)state;
	for (int round = 0; round < 6000; round++) {
		const char *seed = seeds[round % 3];
		size_t size = strlen(seed);
		struct astra_error err = {""};
		struct astra_trace trace;
		char text[1024];

		memcpy(text, seed, size + 1);
		size = spoil(&random, text, size);
		if (!read_bytes(&trace, text, size, &err)) {
			check_jobs(&trace);
			read++;
		} else {
			assert_true(*err.text);
		}
		astra_trace_clear(&trace);
	}
	assert_in_range(read, 2000, 5900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_lines_are_counted_and_named),
		cmocka_unit_test(a_nul_byte_ends_no_line),
		cmocka_unit_test(lines_of_any_length_are_survived),
		cmocka_unit_test(what_is_no_trace_is_refused),
		cmocka_unit_test(unreadable_files_are_named),
		cmocka_unit_test(spoilt_files_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
