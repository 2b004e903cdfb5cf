/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "src/proto/answer.h"
#include "src/proto/report.h"
#include "testsuite/unit/proto_sample.h"
#include "testsuite/unit/unit.h"

static const struct astra_viewer root = {.uid = 0, .all = true};
static const struct astra_viewer alice = {.uid = 1001};
static const struct astra_viewer eve = {.uid = 1666};

/* The answer to a request given as JSON; fault: what is expected. */
static json_t *ask_report(const struct astra_report *report,
			  const char *request,
			  const struct astra_viewer *viewer,
			  enum astra_fault fault)
{
	const struct astra_socket_stats stats = {.answered = 7};
	struct astra_text text = {.limit = ASTRA_REPLY_MAX};
	struct astra_error err = {""};
	struct astra_query query;
	json_t *reply = NULL;

	assert_int_equal(
		astra_query_decode(request, strlen(request), &query, &err),
		ASTRA_FAULT_NONE);
	assert_int_equal(
		astra_answer(report, &query, viewer, &stats, &text, &err),
		fault);
	if (!fault) {
		reply = json_loadb(text.bytes, text.size,
				   JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(reply);
	} else {
		assert_true(*err.text);
	}
	astra_text_clear(&text);
	astra_query_destroy(&query);
	return reply;
}

static json_t *ask(struct astra_report *report, const char *request,
		   const struct astra_viewer *viewer)
{
	return ask_report(report, request, viewer, ASTRA_FAULT_NONE);
}

static size_t count(struct astra_report *report, const char *request,
		    const char *key, const struct astra_viewer *viewer)
{
	json_t *reply = ask(report, request, viewer);
	size_t n = json_array_size(json_object_get(reply, key));

	json_decref(reply);
	return n;
}

#define TOP "{\"astraea\":1,\"request\":\"top\""
#define JOBS "{\"astraea\":1,\"request\":\"job\""
#define TENANTS "{\"astraea\":1,\"request\":\"tenant\""
#define WHY "{\"astraea\":1,\"request\":\"why\",\"job\":"

static enum astra_fault two_rows(const struct astra_query *query,
				 const struct astra_viewer *viewer,
				 const struct astra_report *report,
				 struct astra_text *out,
				 struct astra_error *err)
{
	(void)viewer;
	(void)report;
	(void)err;
	astra_text_printf(out, ",\"report\":\"%s\",\"rows\":[1,2]",
			  astra_report_row(query->past.report)->name);
	return ASTRA_FAULT_NONE;
}

static void a_report_is_what_history_says(void **state)
{
	const struct astra_query query = {
		.kind = ASTRA_QUERY_REPORT,
		.past = {ASTRA_TENANT_USAGE, 0, 60, 0},
	};
	struct astra_text out = {0};
	struct astra_error err = {""};
	json_t *reply;

	assert_int_equal(
		astra_answer_past(*state, &query, &eve, two_rows, &out, &err),
		ASTRA_FAULT_NONE);
	reply = json_loads(out.bytes, 0, NULL);
	assert_int_equal(json_array_size(json_object_get(reply, "rows")), 2);
	assert_string_equal(
		json_string_value(json_object_get(reply, "request")), "report");
	json_decref(reply);
	astra_text_clear(&out);
	assert_int_equal(
		astra_answer_past(*state, &query, &eve, NULL, &out, &err),
		ASTRA_FAULT_NO_DATA);
	assert_non_null(strstr(err.text, "History=no"));
	assert_int_equal(
		astra_answer_past(NULL, &query, &eve, two_rows, &out, &err),
		ASTRA_FAULT_NO_DATA);
	astra_text_clear(&out);
}

static void filters_pick_jobs(void **state)
{
	static const struct {
		const char *request;
		size_t jobs;
	} cases[] = {
		{JOBS "}", 4},
		{JOBS ",\"users\":[\"alice\"]}", 3},
		{JOBS ",\"users\":[\"1002\"]}", 1},
		{JOBS ",\"users\":[\"alice\",\"bob\"]}", 4},
		{JOBS ",\"users\":[]}", 4},
		{JOBS ",\"accounts\":[\"bio\"]}", 1},
		{JOBS ",\"pools\":[\"gpu\"]}", 4},
		{JOBS ",\"jobs\":[20]}", 2},
		{JOBS ",\"jobs\":[21]}", 1},
		{JOBS ",\"jobs\":[\"20_3\"]}", 1},
		{JOBS ",\"jobs\":[\"20_5\"]}", 1},
		{JOBS ",\"jobs\":[\"20_16\"]}", 1},
		{JOBS ",\"jobs\":[10,11,\"20_99\"]}", 2},
		{"{\"astraea\":1,\"request\":\"lease\"}", 0},
	};
	struct astra_report *report = *state;

	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++)
		assert_int_equal(count(report, cases[i].request, "jobs", &eve),
				 cases[i].jobs);
	assert_int_equal(count(report, cases[13].request, "leases", &eve), 3);
}

/* Root's test job of last year makes it no tenant of today's. */
static void who_is_only_remembered_is_asked_for_by_name(void **state)
{
	static const struct {
		const char *request;
		size_t tenants;
	} cases[] = {
		{TENANTS "}", 2},
		{TENANTS ",\"pools\":[\"gpu\"]}", 2},
		{TENANTS ",\"accounts\":[\"root\"]}", 1},
		{TENANTS ",\"accounts\":[\"root\",\"bio\"]}", 2},
	};
	const struct astra_report_tenant tenant = {
		.pool = "gpu",
		.of.name = "root",
		.of.usage.alloc = 60,
	};
	struct astra_report *report = *state;

	astra_report_add_tenant(report, &tenant);
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++)
		assert_int_equal(
			count(report, cases[i].request, "tenants", &root),
			cases[i].tenants);
}

/* The keys of a reply's first record, each after a comma. */
static void keys_are(struct astra_report *report, const char *request,
		     const char *list, const char *wanted)
{
	json_t *reply = ask(report, request, &root), *value;
	const char *key;
	char keys[1024] = "";

	json_object_foreach(json_array_get(json_object_get(reply, list), 0),
			    key, value)
	{
		strcat(keys, ",");
		strcat(keys, key);
	}
	json_decref(reply);
	assert_string_equal(keys, wanted);
}

static void records_have_the_keys_asked_for_in_their_order(void **state)
{
	struct astra_report *report = *state;

	keys_are(report,
		 JOBS ",\"fields\":[\"rho\",\"id\",\"progress\",\"id\"]}",
		 "jobs", ",id,progress,rho");
	keys_are(report,
		 "{\"astraea\":1,\"request\":\"lease\",\"fields\":[\"pool\"]}",
		 "leases", ",pool");
	keys_are(report, TENANTS ",\"fields\":[\"jobs_running\",\"name\"]}",
		 "tenants", ",name,jobs_running");
	keys_are(
		report, TENANTS ",\"fields\":[]}", "tenants",
		",pool,name,uid,listed,weight,quota_gpus,demand_gpus,alloc_gpus,"
		"alloc_gpu_sec,fair_gpu_sec,rho,jobs_waiting,jobs_running,"
		"used_gpu_sec,cap_gpu_sec,"
		"credits");
}

/* Whatever is asked for, it is what it is among all. */
static void a_record_asked_for_by_keys_has_the_same_values(void **state)
{
	struct astra_report *report = *state;
	json_t *whole, *jobs, *value;
	const char *key;
	char request[200];

	report->privacy.usage = true; /* of bob's job rho is hidden */
	whole = ask(report, JOBS "}", &alice);
	jobs = json_object_get(whole, "jobs");
	json_object_foreach(json_array_get(jobs, 0), key, value)
	{
		json_t *reply;

		snprintf(request, sizeof(request), JOBS ",\"fields\":[\"%s\"]}",
			 key);
		reply = ask(report, request, &alice);
		for (size_t i = 0; i < json_array_size(jobs); i++) {
			const json_t *job = json_array_get(
				json_object_get(reply, "jobs"), i);

			assert_int_equal(json_object_size(job), 1);
			assert_true(json_equal(
				json_object_get(job, key),
				json_object_get(json_array_get(jobs, i), key)));
		}
		json_decref(reply);
	}
	assert_true(json_object_size(json_array_get(jobs, 0)) > 0);
	json_decref(whole);
}

/* As pools have it for a viewer; -1 for null. */
static json_int_t hold_job(struct astra_report *report,
			   const struct astra_viewer *viewer)
{
	json_t *reply =
		ask(report, "{\"astraea\":1,\"request\":\"diag\"}", viewer);
	const json_t *job = json_object_get(
		json_array_get(json_object_get(reply, "pools"), 0), "hold_job");
	json_int_t id = json_is_integer(job) ? json_integer_value(job) : -1;

	assert_non_null(job);
	json_decref(reply);
	return id;
}

static void private_jobs_are_left_out_for_others(void **state)
{
	struct astra_report *report = *state;

	report->privacy.jobs = true;
	assert_int_equal(count(report, JOBS "}", "jobs", &alice), 3);
	assert_int_equal(count(report, JOBS "}", "jobs", &eve), 0);
	assert_int_equal(count(report, JOBS "}", "jobs", &root), 4);
	ask_report(report, WHY "11}", &alice, ASTRA_FAULT_NOT_FOUND);
	json_decref(ask(report, WHY "10}", &alice));
	json_decref(ask(report, WHY "11}", &root));
}

/* GPUs are collected for alice's job 20. */
static void a_hold_does_not_name_a_private_job(void **state)
{
	struct astra_report *report = *state;

	report->privacy.jobs = true;
	assert_int_equal(hold_job(report, &alice), 20);
	assert_int_equal(hold_job(report, &root), 20);
	assert_int_equal(hold_job(report, &eve), -1);
	report->privacy.jobs = false;
	assert_int_equal(hold_job(report, &eve), 20);
}

#define REMAINING "{\"astraea\":1,\"request\":\"remaining\",\"job\":"
#define PROGRESS(job, run)                                                     \
	"{\"astraea\":1,\"request\":\"progress\",\"job\":" job ",\"run\":" run \
	",\"done\":3}"
#define CHECKPOINTED(job)                                          \
	"{\"astraea\":1,\"request\":\"checkpointed\",\"job\":" job \
	",\"run\":0,\"step\":3}"

/* A member of the reply's lease; -1 for null. */
static double lease_value(json_t *reply, const char *key)
{
	const json_t *value =
		json_object_get(json_object_get(reply, "lease"), key);

	assert_non_null(value);
	return json_is_null(value) ? -1 : json_number_value(value);
}

static void a_job_is_told_what_remains_of_its_lease(void **state)
{
	const struct astra_viewer then = {.uid = 1001,
					  .now_sec = SAMPLE_NOW + 100.5};
	struct astra_report *report = *state;
	json_t *reply = ask(report, REMAINING "10}", &then);

	assert_close(lease_value(reply, "remaining_sec"), 199.5, 0);
	assert_close(lease_value(reply, "lease_end_sec"), SAMPLE_NOW + 300, 0);
	assert_close(lease_value(reply, "grace_end_sec"), -1, 0);
	assert_close(json_number_value(json_object_get(reply, "now_sec")),
		     SAMPLE_NOW + 100.5, 0);
	json_decref(reply);
	reply = ask(report, REMAINING "21}", &then); /* in its grace */
	assert_close(lease_value(reply, "remaining_sec"), 0, 0);
	assert_close(lease_value(reply, "grace_end_sec"), SAMPLE_NOW + 55, 0);
	assert_close(lease_value(reply, "grace_remaining_sec"), 0, 0);
	json_decref(reply);
	reply = ask(report, REMAINING "11}", &then); /* it has no end */
	assert_close(lease_value(reply, "remaining_sec"), -1, 0);
	json_decref(reply);
}

static void only_its_owner_reports_on_a_job(void **state)
{
	struct astra_report *report = *state;

	json_decref(ask(report, PROGRESS("10", "0"), &alice));
	json_decref(ask(report, PROGRESS("10", "0"), &root));
	ask_report(report, PROGRESS("10", "0"), &eve, ASTRA_FAULT_DENIED);
	ask_report(report, PROGRESS("11", "0"), &alice, ASTRA_FAULT_DENIED);
	ask_report(report, CHECKPOINTED("11"), &alice, ASTRA_FAULT_DENIED);
	ask_report(report, PROGRESS("99", "0"), &root, ASTRA_FAULT_NOT_FOUND);
	report->privacy.jobs = true;
	ask_report(report, PROGRESS("10", "0"), &eve, ASTRA_FAULT_NOT_FOUND);
	ask_report(report, REMAINING "10}", &eve, ASTRA_FAULT_NOT_FOUND);
	json_decref(ask(report, CHECKPOINTED("10"), &alice));
}

static void an_earlier_run_reports_nothing(void **state)
{
	struct astra_report *report = *state;

	report->jobs[0].run = 2;
	ask_report(report, PROGRESS("10", "0"), &alice, ASTRA_FAULT_STALE);
	ask_report(report, PROGRESS("10", "1"), &root, ASTRA_FAULT_STALE);
	json_decref(ask(report, PROGRESS("10", "2"), &alice));
	/* The report may be from before the last requeue. */
	json_decref(ask(report, PROGRESS("10", "3"), &alice));
	ask_report(report, PROGRESS("10", "4"), &alice, ASTRA_FAULT_MALFORMED);
}

static void what_a_job_said_is_shown(void **state)
{
	struct astra_report *report = *state;
	json_t *reply = ask(report, WHY "10}", &eve), *job, *said;

	job = json_object_get(reply, "job");
	assert_true(json_is_null(json_object_get(job, "progress")));
	assert_true(json_is_null(json_object_get(job, "checkpoint")));
	json_decref(reply);
	report->jobs[0].progress = (struct astra_report_progress){
		.time_sec = SAMPLE_NOW - 8,
		.done = 120,
		.total = 1000,
		.iter_sec = .5,
		.loss = NAN,
	};
	report->jobs[0].checkpoint = (struct astra_report_checkpoint){
		.time_sec = SAMPLE_NOW - 30, .step = 100};
	reply = ask(report, WHY "10}", &eve);
	said = json_object_get(json_object_get(reply, "job"), "progress");
	assert_int_equal(json_integer_value(json_object_get(said, "done")),
			 120);
	assert_true(json_is_null(json_object_get(said, "loss")));
	assert_non_null(
		strstr(json_string_value(json_object_get(reply, "text")),
		       "8 s ago it reported 120 of 1000 iterations (12 %), "
		       "0.5 s each. Its newest checkpoint is of iteration 100, "
		       "30 s old."));
	json_decref(reply);
}

static void private_usage_hides_tenants_and_gpu_time(void **state)
{
	struct astra_report *report = *state;
	json_t *reply, *job;

	report->privacy.usage = true;
	assert_int_equal(count(report, TENANTS "}", "tenants", &alice), 1);
	assert_int_equal(count(report, TENANTS "}", "tenants", &eve), 0);
	assert_int_equal(count(report, TENANTS "}", "tenants", &root), 2);
	reply = ask(report, WHY "11}", &alice);
	job = json_object_get(reply, "job");
	assert_true(json_is_null(json_object_get(job, "rho")));
	assert_true(json_is_null(json_object_get(job, "alloc_gpu_sec")));
	assert_null(strstr(json_string_value(json_object_get(reply, "text")),
			   "So far it had"));
	json_decref(reply);
}

static void tenants_are_found_by_their_users(void **state)
{
	struct astra_report *report = *state;

	assert_int_equal(count(report, TENANTS ",\"users\":[\"alice\"]}",
			       "tenants", &eve),
			 1);
	assert_int_equal(count(report, TENANTS ",\"users\":[\"nobody\"]}",
			       "tenants", &eve),
			 0);
	report->privacy.jobs = true; /* whose jobs are where is theirs */
	assert_int_equal(count(report, TENANTS ",\"users\":[\"alice\"]}",
			       "tenants", &eve),
			 0);
}

static void infinity_and_foreign_bytes_survive_json(void **state)
{
	json_t *reply = ask(*state, WHY "\"11\"}", &root);
	json_t *job = json_object_get(reply, "job");

	assert_string_equal(json_string_value(json_object_get(job, "rho")),
			    "inf");
	assert_string_equal(json_string_value(json_object_get(job, "name")),
			    "esc\033[2J?");
	assert_true(json_is_null(json_object_get(job, "array_task")));
	assert_true(json_is_null(json_object_get(job, "submit_sec")));
	json_decref(reply);
}

static json_t *encode_and_parse(const char *text)
{
	struct astra_text out = {0};
	json_t *value;

	astra_encode_text(&out, text);
	value = json_loadb(out.bytes, out.size, JSON_DECODE_ANY, NULL);
	astra_text_clear(&out);
	assert_true(json_is_string(value));
	return value;
}

static void waiting_tasks_are_written_as_squeue_does(void **state)
{
	static const char *const cases[][2] = {
		{"12", "12"},
		{"12_3", "12_3"},
		{"12_[4-9]", "12_[4-9]"},
		{"6_[0x7E]", "6_[1-6]"},
		{"6_[0x7e%2]", "6_[1-6%2]"},
		{"6_[0x1]", "6_[0]"},
		{"6_[0xF0]", "6_[4-7]"},
		{"6_[0x8005]", "6_[0,2,15]"},
		{"6_[0x0]", "6_[]"},
		{"6_[0x55555]", "6_[0,2,4,6,8,10,12,...]"},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		char out[36];

		astra_tasks_text(cases[i][0], out, sizeof(out));
		if (strncmp(out, cases[i][1], strlen(cases[i][1])) != 0)
			fail_msg("%s: %s", cases[i][0], out);
	}
}

static void any_bytes_become_a_json_text(void **state)
{
	static const char *const good[] = {"",
					   "a\"\\b/",
					   "gr\303\274n",
					   "\342\202\254",
					   "\360\237\230\200",
					   "\n\t\001\177",
					   "\355\237\277"};
	uint32_t random = 1;
	char text[9] = "";

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(good); i++) {
		json_t *value = encode_and_parse(good[i]);

		assert_string_equal(json_string_value(value), good[i]);
		json_decref(value);
	}
	for (int round = 0; round < 200000; round++) {
		json_t *value;

		for (int i = 0; i < 8; i++) {
			random = random * 1664525 + 1013904223;
			text[i] = (char)(round % 2 ? random >> 24
						   : random >> 24 | 0x80);
		}
		value = encode_and_parse(text);
		json_decref(value);
	}
}

static void why_tells_what_comes_next(void **state)
{
	static const struct {
		const char *request;
		const char *says[4];
	} cases[] = {
		{WHY "10}",
		 {"holds 8 GPUs on n[1-2]", "ends in 5 min 0 s",
		  "if not, it gets SIGUSR1, has 1 min 0 s",
		  "taken back 1 time"}},
		{WHY "11}",
		 {"never taken back (--no-requeue)", "rho is infinite", "",
		  ""}},
		{WHY "\"20_3\"}",
		 {"has 55 s left to write a checkpoint", "", "", ""}},
		{WHY "\"20_4\"}",
		 {"9 array tasks that wait", "number 3 of 17",
		  "Needier jobs use up the GPUs.",
		  "expected to start in about 12 min, at "}},
	};

	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		json_t *reply = ask(*state, cases[i].request, &alice);
		const char *text =
			json_string_value(json_object_get(reply, "text"));

		for (int s = 0; s < 4; s++)
			if (!strstr(text, cases[i].says[s]))
				fail_msg("\"%s\" lacks \"%s\"", text,
					 cases[i].says[s]);
		json_decref(reply);
	}
}

/* Job 20 waits, 10 and 21 run; 11 is another user's. */
static void why_mine_is_a_line_a_job(void **state)
{
	json_t *reply =
		ask(*state, "{\"astraea\":1,\"request\":\"why\",\"mine\":true}",
		    &alice);
	json_t *waiting, *running, *tenants;
	const char *id, *answer;
	int waits, runs;

	assert_int_equal(json_unpack(reply, "{s:o, s:o, s:o, s:i, s:i}",
				     "waiting", &waiting, "running", &running,
				     "tenants", &tenants, "waiting_count",
				     &waits, "running_count", &runs),
			 0);
	assert_true(waits == 1 && json_array_size(waiting) == 1);
	assert_true(runs == 2 && json_array_size(running) == 2);
	assert_int_equal(json_unpack(json_array_get(waiting, 0), "{s:s, s:s}",
				     "id_text", &id, "answer", &answer),
			 0);
	assert_string_equal(id, "20_[4-9,12-20:4%2]");
	assert_non_null(strstr(answer, "is expected to start in about 12 min, "
				       "at "));
	assert_int_equal(json_unpack(json_array_get(running, 0), "{s:s, s:s}",
				     "id_text", &id, "answer", &answer),
			 0);
	assert_string_equal(id, "10");
	assert_non_null(strstr(answer, "runs; its lease ends in 5 min, at "));
	assert_int_equal(json_array_size(tenants), 1);
	assert_int_equal(json_unpack(json_array_get(tenants, 0), "{s:s}",
				     "name", &answer),
			 0);
	assert_string_equal(answer, "physics");
	json_decref(reply);
}

static void why_of_an_array_shows_its_waiting_tasks(void **state)
{
	json_t *reply = ask(*state, WHY "20}", &alice);
	json_t *job = json_object_get(reply, "job");

	assert_int_equal(json_integer_value(json_object_get(job, "id")), 20);
	assert_int_equal(json_integer_value(json_object_get(reply, "others")),
			 1);
	json_decref(reply);
}

static void only_operators_reset(void **state)
{
	static const char reset[] =
		"{\"astraea\":1,\"request\":\"diag\",\"reset\":true}";

	ask_report(*state, reset, &alice, ASTRA_FAULT_DENIED);
	json_decref(ask(*state, reset, &root));
	assert_int_equal(count(*state, "{\"astraea\":1,\"request\":\"diag\"}",
			       "pools", &eve),
			 1);
}

#define METRICS "{\"astraea\":1,\"request\":\"metrics\"}"

/* jobs or gpus of the pool's jobs in a phase. */
static json_int_t sum_of(struct astra_report *report, size_t phase,
			 const char *key, const struct astra_viewer *viewer)
{
	json_t *reply = ask(report, METRICS, viewer);
	json_t *sum = json_array_get(json_object_get(reply, "jobs"), phase);
	json_int_t n = json_integer_value(json_object_get(sum, key));

	json_decref(reply);
	return n;
}

static void metrics_count_what_may_be_seen(void **state)
{
	enum { WAITING, LEASED, DOOMED, GRACE, PHASES = 6 };
	struct astra_report *report = *state;

	assert_int_equal(count(report, METRICS, "jobs", &eve), PHASES);
	assert_int_equal(count(report, METRICS, "tenants", &eve), 2);
	assert_int_equal(sum_of(report, WAITING, "jobs", &eve), 9);
	assert_int_equal(sum_of(report, LEASED, "gpus", &eve), 12);
	assert_int_equal(sum_of(report, GRACE, "jobs", &eve), 1);
	report->privacy.jobs = true;
	assert_int_equal(sum_of(report, WAITING, "jobs", &eve), 0);
	assert_int_equal(sum_of(report, LEASED, "gpus", &alice), 8);
	assert_int_equal(sum_of(report, LEASED, "gpus", &root), 12);
	report->privacy.usage = true;
	assert_int_equal(count(report, METRICS, "tenants", &eve), 0);
	assert_int_equal(count(report, METRICS, "tenants", &alice), 1);
	assert_int_equal(count(report, METRICS, "tenants", &root), 2);
}

/* The tenant of a node's first holder: "-" where it is hidden. */
static void holder_is(struct astra_report *report, size_t node,
		      const struct astra_viewer *viewer, const char *tenant)
{
	json_t *reply = ask(report, TOP "}", viewer);
	json_t *nodes = json_object_get(reply, "nodes");
	json_t *holders =
		json_object_get(json_array_get(nodes, node), "holders");
	json_t *name = json_object_get(json_array_get(holders, 0), "tenant");

	assert_string_equal(
		json_is_string(name) ? json_string_value(name) : "-", tenant);
	json_decref(reply);
}

static void top_has_all_of_one_round(void **state)
{
	struct astra_report *report = *state;

	assert_int_equal(count(report, TOP "}", "pools", &eve), 1);
	assert_int_equal(count(report, TOP "}", "tenants", &eve), 2);
	assert_int_equal(count(report, TOP "}", "nodes", &eve), 4);
	assert_int_equal(count(report, TOP "}", "jobs", &eve), 4);
	assert_int_equal(
		count(report, TOP ",\"users\":[\"bob\"]}", "jobs", &eve), 1);
	holder_is(report, 0, &eve, "physics");
	holder_is(report, 2, &eve, "bio");
}

static void top_hides_whose_gpus_they_are(void **state)
{
	struct astra_report *report = *state;

	report->privacy.jobs = true;
	assert_int_equal(count(report, TOP "}", "jobs", &eve), 0);
	assert_int_equal(count(report, TOP "}", "nodes", &eve), 4);
	holder_is(report, 0, &eve, "-");
	holder_is(report, 0, &alice, "physics");
	holder_is(report, 2, &alice, "-");
	holder_is(report, 2, &root, "bio");
}

/* Their states and GPUs, too; not where a job is that the viewer sees. */
static void top_has_no_nodes_where_they_are_private(void **state)
{
	struct astra_report *report = *state;
	char *named;
	json_t *reply;

	report->privacy.nodes = true;
	assert_int_equal(count(report, TOP "}", "nodes", &eve), 0);
	assert_int_equal(count(report, TOP "}", "nodes", &root), 4);
	assert_int_equal(count(report, TOP "}", "jobs", &eve), 4);
	for (size_t i = 0; i < report->job_count; i++)
		report->jobs[i].nodes = "";
	reply = ask(report, TOP "}", &eve);
	named = json_dumps(reply, 0);
	for (size_t i = 0; i < report->node_count; i++)
		assert_null(strstr(named, report->nodes[i].name));
	free(named);
	json_decref(reply);
}

static void before_the_first_round_there_is_no_data(void **state)
{
	(void)state;
	ask_report(NULL, JOBS "}", &root, ASTRA_FAULT_NO_DATA);
}

/* A misspelt name is no empty list. */
static void unknown_names_are_refused(void **state)
{
	static const char *const requests[] = {
		JOBS ",\"pools\":[\"cpu\"]}",
		JOBS ",\"accounts\":[\"nobody\"]}",
		TENANTS ",\"accounts\":[\"bio\",\"nobody\"]}",
		TOP ",\"pools\":[\"cpu\"]}",
		TOP ",\"accounts\":[\"nobody\"]}",
		JOBS ",\"jobs\":[4242]}",
		JOBS ",\"jobs\":[\"20_17\"]}",
		"{\"astraea\":1,\"request\":\"lease\",\"jobs\":[4242]}",
	};

	for (size_t i = 0; i < ASTRA_COUNT_OF(requests); i++)
		assert_null(ask_report(*state, requests[i], &root,
				       ASTRA_FAULT_NOT_FOUND));
}

static void a_reply_above_its_bound_is_refused(void **state)
{
	struct astra_report *report = *state;
	struct astra_text text = {.limit = 1000};
	struct astra_query query = {.kind = ASTRA_QUERY_JOB};
	struct astra_error err;

	assert_int_equal(astra_answer(report, &query, &root, NULL, &text, &err),
			 ASTRA_FAULT_TOO_LARGE);
	assert_true(text.size <= 1000);
	astra_text_clear(&text);
}

static void a_report_outlives_its_publisher(void **state)
{
	struct astra_report *report = sample_report();
	struct astra_report *mine = astra_report_get(report);

	(void)state;
	astra_report_put(report);
	assert_string_equal(mine->jobs[0].id_text, "10");
	assert_ptr_equal(mine->jobs[0].pool, mine->jobs[1].pool);
	astra_report_put(mine);
}

static int setup(void **state)
{
	*state = sample_report();
	return 0;
}

static int teardown(void **state)
{
	astra_report_put(*state);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_report_is_what_history_says),
		TEST(filters_pick_jobs),
		TEST(who_is_only_remembered_is_asked_for_by_name),
		TEST(records_have_the_keys_asked_for_in_their_order),
		TEST(a_record_asked_for_by_keys_has_the_same_values),
		TEST(private_jobs_are_left_out_for_others),
		TEST(a_hold_does_not_name_a_private_job),
		TEST(private_usage_hides_tenants_and_gpu_time),
		TEST(a_job_is_told_what_remains_of_its_lease),
		TEST(only_its_owner_reports_on_a_job),
		TEST(an_earlier_run_reports_nothing),
		TEST(what_a_job_said_is_shown),
		TEST(unknown_names_are_refused),
		TEST(tenants_are_found_by_their_users),
		TEST(infinity_and_foreign_bytes_survive_json),
		TEST(waiting_tasks_are_written_as_squeue_does),
		TEST(any_bytes_become_a_json_text),
		TEST(why_tells_what_comes_next),
		TEST(why_mine_is_a_line_a_job),
		TEST(why_of_an_array_shows_its_waiting_tasks),
		TEST(only_operators_reset),
		TEST(metrics_count_what_may_be_seen),
		TEST(top_has_all_of_one_round),
		TEST(top_hides_whose_gpus_they_are),
		TEST(top_has_no_nodes_where_they_are_private),
		TEST(before_the_first_round_there_is_no_data),
		TEST(a_reply_above_its_bound_is_refused),
		TEST(a_report_outlives_its_publisher),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
