/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/proto/query.h"
#include "testsuite/unit/unit.h"

static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *text = malloc(ASTRA_REQUEST_MAX);

	assert_non_null(file);
	assert_non_null(text);
	*size = fread(text, 1, ASTRA_REQUEST_MAX, file);
	fclose(file);
	/* Exactly as long as the message: a reader beyond it is caught. */
	text = realloc(text, *size ? *size : 1);
	assert_non_null(text);
	return text;
}

static void refuse_file(const char *path)
{
	struct astra_query query = {.kind = ASTRA_QUERY_DIAG};
	struct astra_error err = {""};
	enum astra_fault fault;
	size_t size;
	char *text = read_file(path, &size);

	fault = astra_query_decode(text, size, &query, &err);
	free(text);
	if (fault != ASTRA_FAULT_MALFORMED && fault != ASTRA_FAULT_VERSION)
		fail_msg("%s: %s", path, astra_fault_name(fault));
	if (!*err.text)
		fail_msg("%s: no text", path);
	assert_int_equal(query.kind, ASTRA_QUERY_DIAG);
}

static void every_invalid_message_is_refused_with_a_text(void **state)
{
	const char *top = getenv("top_srcdir");
	char folder[4096], path[8192];
	struct dirent *entry;
	int count = 0;
	DIR *dir;

	(void)state;
	snprintf(folder, sizeof(folder), "%s/testsuite/proto-invalid",
		 top ? top : ".");
	dir = opendir(folder);
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		refuse_file(path);
		count++;
	}
	closedir(dir);
	assert_true(count >= 70);
}

static void a_version_from_elsewhere_is_its_own_fault(void **state)
{
	static const char text[] =
		"{\"astraea\":2,\"request\":\"plan\",\"x\":[]}";
	struct astra_query query;
	struct astra_error err;

	(void)state;
	assert_int_equal(astra_query_decode(text, strlen(text), &query, &err),
			 ASTRA_FAULT_VERSION);
	assert_non_null(strstr(err.text, "version 2"));
}

static void a_message_above_its_bound_is_too_large(void **state)
{
	size_t size = ASTRA_REQUEST_MAX + 1;
	char *text = malloc(size);
	struct astra_query query;
	struct astra_error err;

	(void)state;
	assert_non_null(text);
	memset(text, ' ', size);
	assert_int_equal(astra_query_decode(text, size, &query, &err),
			 ASTRA_FAULT_TOO_LARGE);
	free(text);
}

static void encoded_queries_decode_to_the_same(void **state)
{
	struct astra_query in = {.kind = ASTRA_QUERY_LEASE}, out;
	struct astra_error err;
	char *text;

	(void)state;
	assert_int_equal(astra_names_add(&in.users, "alice", 5), 0);
	assert_int_equal(astra_names_add(&in.accounts, "grün", 5), 0);
	assert_int_equal(astra_names_add(&in.pools, "a100", 4), 0);
	assert_int_equal(astra_names_add(&in.fields, "id_text", 7), 0);
	astra_job_refs_add(&in.jobs, (struct astra_job_ref){12, UINT32_MAX});
	astra_job_refs_add(&in.jobs, (struct astra_job_ref){13, 0});
	text = astra_query_encode(&in);
	assert_non_null(text);
	assert_int_equal(astra_query_decode(text, strlen(text), &out, &err),
			 ASTRA_FAULT_NONE);
	free(text);
	assert_int_equal(out.kind, ASTRA_QUERY_LEASE);
	assert_string_equal(out.users.names[0], "alice");
	assert_string_equal(out.accounts.names[0], "grün");
	assert_string_equal(out.pools.names[0], "a100");
	assert_int_equal(out.fields.count, 1);
	assert_string_equal(out.fields.names[0], "id_text");
	assert_int_equal(out.jobs.count, 2);
	assert_int_equal(out.jobs.refs[0].id, 12);
	assert_true(out.jobs.refs[0].task == UINT32_MAX);
	assert_int_equal(out.jobs.refs[1].id, 13);
	assert_int_equal(out.jobs.refs[1].task, 0);
	astra_query_destroy(&in);
	astra_query_destroy(&out);
}

/* The list of those that are has room in the error's text. */
static void a_key_of_no_record_is_named_with_those_that_are(void **state)
{
	static const struct {
		const char *kind, *first, *last;
	} cases[] = {
		{"tenant", "pool,name,", ",credits"},
		{"job", "pool,tenant,", ",user_rho"},
		{"lease", "pool,tenant,", ",user_rho"},
		{"auction", "app,job,", ",bid_sec"},
		{"price", "pool,start_sec,", ",price_gib"},
	};
	char text[400], name[257];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct astra_query query;
		struct astra_error err = {""};

		snprintf(text, sizeof(text),
			 "{\"astraea\":1,\"request\":\"%s\","
			 "\"fields\":[\"pool\",\"%s\"]}",
			 cases[i].kind, name);
		assert_int_equal(
			astra_query_decode(text, strlen(text), &query, &err),
			ASTRA_FAULT_MALFORMED);
		assert_non_null(strstr(err.text, "\"fields\": \"xxx"));
		assert_non_null(strstr(err.text, cases[i].first));
		assert_string_equal(err.text + strlen(err.text) -
					    strlen(cases[i].last),
				    cases[i].last);
	}
}

static void a_report_survives_the_wire(void **state)
{
	struct astra_query in = {.kind = ASTRA_QUERY_REPORT}, out;
	struct astra_error err;
	char *text;

	(void)state;
	in.past = (struct astra_query_past){ASTRA_JOB_SLOWDOWN, 1700000000,
					    ASTRA_PAST_SEC_MAX, 10};
	astra_job_refs_add(&in.jobs, (struct astra_job_ref){12, 3});
	text = astra_query_encode(&in);
	assert_int_equal(astra_query_decode(text, strlen(text), &out, &err),
			 ASTRA_FAULT_NONE);
	free(text);
	assert_int_equal(out.past.report, ASTRA_JOB_SLOWDOWN);
	assert_true(out.past.start_sec == 1700000000);
	assert_true(out.past.end_sec == ASTRA_PAST_SEC_MAX);
	assert_int_equal(out.past.top, 10);
	assert_int_equal(out.jobs.refs[0].task, 3);
	astra_query_destroy(&in);
	astra_query_destroy(&out);
}

static void every_report_is_found_by_its_name(void **state)
{
	enum astra_report_kind kind;

	(void)state;
	for (int i = 0; i < ASTRA_REPORT_KINDS; i++) {
		assert_int_equal(
			astra_report_kind_find(
				astra_report_row((enum astra_report_kind)i)
					->name,
				&kind),
			0);
		assert_int_equal(kind, i);
	}
	assert_int_equal(astra_report_kind_find("tenant", &kind), -1);
}

static void why_and_reset_survive_the_wire(void **state)
{
	struct astra_query why = {.kind = ASTRA_QUERY_WHY}, out;
	struct astra_query diag = {.kind = ASTRA_QUERY_DIAG, .reset = true};
	struct astra_error err;
	char *text;

	(void)state;
	astra_job_refs_add(&why.jobs, (struct astra_job_ref){7, 4});
	text = astra_query_encode(&why);
	assert_int_equal(astra_query_decode(text, strlen(text), &out, &err),
			 ASTRA_FAULT_NONE);
	assert_int_equal(out.jobs.refs[0].id, 7);
	assert_int_equal(out.jobs.refs[0].task, 4);
	free(text);
	astra_query_destroy(&out);
	text = astra_query_encode(&diag);
	assert_int_equal(astra_query_decode(text, strlen(text), &out, &err),
			 ASTRA_FAULT_NONE);
	assert_true(out.reset);
	free(text);
	astra_query_destroy(&out);
	astra_query_destroy(&why);
}

static void public_survives_the_wire(void **state)
{
	struct astra_query in = {.kind = ASTRA_QUERY_TOP, .public = true}, out;
	struct astra_error err;
	char *text = astra_query_encode(&in);

	(void)state;
	assert_int_equal(astra_query_decode(text, strlen(text), &out, &err),
			 ASTRA_FAULT_NONE);
	assert_true(out.public);
	free(text);
	astra_query_destroy(&out);
}

static void expect_same_said(enum astra_query_kind kind,
			     const struct astra_said *said)
{
	struct astra_query in = {.kind = kind, .said = *said}, out;
	struct astra_error err;
	char *text;

	astra_job_refs_add(&in.jobs, (struct astra_job_ref){7, UINT32_MAX});
	text = astra_query_encode(&in);
	assert_int_equal(astra_query_decode(text, strlen(text), &out, &err),
			 ASTRA_FAULT_NONE);
	assert_int_equal(out.kind, kind);
	assert_int_equal(out.jobs.refs[0].id, 7);
	assert_int_equal(out.said.run, said->run);
	assert_true(out.said.done == said->done);
	assert_true(out.said.total == said->total);
	assert_true(out.said.step == said->step);
	assert_true(out.said.iter_sec == said->iter_sec);
	assert_true(out.said.loss == said->loss ||
		    (isnan(out.said.loss) && isnan(said->loss)));
	free(text);
	astra_query_destroy(&in);
	astra_query_destroy(&out);
}

static void what_jobs_say_survives_the_wire(void **state)
{
	const struct astra_said nothing = {.loss = NAN};

	(void)state;
	expect_same_said(ASTRA_QUERY_REMAINING, &nothing);
	expect_same_said(ASTRA_QUERY_PROGRESS,
			 &(struct astra_said){.run = 3,
					      .done = ASTRA_COUNT_MAX,
					      .total = ASTRA_COUNT_MAX,
					      .iter_sec = 1e-9,
					      .loss = -1e300});
	expect_same_said(ASTRA_QUERY_PROGRESS, &nothing);
	expect_same_said(
		ASTRA_QUERY_CHECKPOINTED,
		&(struct astra_said){.run = 1, .step = 120, .loss = NAN});
}

/* A cheap fuzz: every byte of a good message replaced by every other one. */
static void change_each_byte(const char *good)
{
	size_t size = strlen(good);
	char *text = malloc(size + 1);

	assert_non_null(text);
	for (size_t i = 0; i < size; i++) {
		for (int byte = 0; byte < 256; byte++) {
			struct astra_query query;
			struct astra_error err;

			memcpy(text, good, size);
			text[i] = (char)byte;
			if (!astra_query_decode(text, size, &query, &err))
				astra_query_destroy(&query);
		}
	}
	free(text);
}

static void no_changed_byte_crashes_the_decoder(void **state)
{
	(void)state;
	change_each_byte(
		"{\"astraea\":1,\"request\":\"lease\",\"users\":[\"a\\u00e9\"],"
		"\"accounts\":[\"b\",\"c\"],\"jobs\":[12,\"13_4\"]}");
	change_each_byte(
		"{\"astraea\":1,\"request\":\"progress\",\"job\":12,\"run\":0,"
		"\"done\":3,\"total\":10,\"iter_sec\":0.5,\"loss\":-1e3}");
}

static void jobs_are_written_as_squeue_shows_them(void **state)
{
	static const char *const whole[] = {
		"12",	    "12_[3]",	 "12_[3-9,12%2]", "12_[0-8:2,...]",
		"12_[7-7]", "12_[...%1]"};
	static const char *const bad[] = {
		"12_[",	   "12_[3",	 "12[3]",   "_[3]",    "12_",
		"12_3]",   "12_[8-7]",	 "12_[]",   "12_[3-]", "12_[x]",
		"12_[3,]", "12_[3-9:0]", "12_[3%]", "12_[3]]", "12_[...3]"};
	struct astra_job_ref ref;

	(void)state;
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
		assert_int_equal(astra_job_ref_parse(whole[i], &ref), 0);
		assert_int_equal(ref.id, 12);
		assert_int_equal(ref.task, UINT32_MAX);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(astra_job_ref_parse(bad[i], &ref), -1);
}

static void cutting_a_message_anywhere_is_malformed(void **state)
{
	static const char good[] =
		"{\"astraea\":1,\"request\":\"why\",\"job\":\"12_3\"}";

	(void)state;
	for (size_t size = 0; size < sizeof(good) - 1; size++) {
		struct astra_query query;
		struct astra_error err;

		assert_int_equal(astra_query_decode(good, size, &query, &err),
				 ASTRA_FAULT_MALFORMED);
	}
}

static void a_frame_head_is_four_bytes_big_endian(void **state)
{
	uint8_t head[ASTRA_FRAME_HEAD];

	(void)state;
	astra_frame_write(head, 0x01020304);
	assert_int_equal(head[0], 1);
	assert_int_equal(head[3], 4);
	assert_int_equal(astra_frame_read(head), 0x01020304);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_invalid_message_is_refused_with_a_text),
		cmocka_unit_test(a_version_from_elsewhere_is_its_own_fault),
		cmocka_unit_test(a_message_above_its_bound_is_too_large),
		cmocka_unit_test(encoded_queries_decode_to_the_same),
		cmocka_unit_test(
			a_key_of_no_record_is_named_with_those_that_are),
		cmocka_unit_test(a_report_survives_the_wire),
		cmocka_unit_test(every_report_is_found_by_its_name),
		cmocka_unit_test(why_and_reset_survive_the_wire),
		cmocka_unit_test(public_survives_the_wire),
		cmocka_unit_test(what_jobs_say_survives_the_wire),
		cmocka_unit_test(no_changed_byte_crashes_the_decoder),
		cmocka_unit_test(jobs_are_written_as_squeue_shows_them),
		cmocka_unit_test(cutting_a_message_anywhere_is_malformed),
		cmocka_unit_test(a_frame_head_is_four_bytes_big_endian),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
