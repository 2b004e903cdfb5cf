/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever a report has: `sfair why` says nothing that contradicts itself, and
 * has the time that `sfair when` shows, which reads the same reply. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/proto/answer.h"
#include "src/proto/report_pool.h"
#include "src/proto/why_priv.h"
#include "testsuite/unit/unit.h"

#define NOW 1700000000.0
#define WORLDS 3000
#define JOBS_MAX 8

static const char *const waits[] = {
	"none",	   "blocked", "rank",	 "hold_gpus", "granted",
	"place",   "reclaim", "refused", "cleanup",   "too_big",
	"pinned",  "auction", "batch",	 "planned",   "price",
	"learned", "cpus",    "denied",	 "cap",
};

static const struct astra_viewer root = {.uid = 0, .all = true};

static uint32_t below(uint32_t bound)
{
	return (uint32_t)rand() % bound;
}

/* 0, or a time from a minute ago to ten minutes on. */
static double moment(void)
{
	return below(2) ? NOW - 60 + below(660) : 0;
}

static void make_job(struct astra_report *report, uint32_t id, bool line,
		     struct astra_report_bind *bind)
{
	bool waiting = below(2);
	struct astra_report_job job = {
		.pool = "gpu",
		.tenant = "t",
		.of.id = id,
		.id_text = "",
		.array_task = UINT32_MAX,
		.of.copies = 1,
		.user = "u",
		.of.gpus = 1 + below(16),
		.state = waiting ? "PENDING" : "RUNNING",
		.phase = waiting ? ASTRA_REPORT_WAITING : ASTRA_REPORT_LEASED,
		.of.revocable = true,
		.signal = "",
		.of.leases = 1,
		.wait = waiting ? waits[below(ASTRA_COUNT_OF(waits))] : "",
		.of.lease_end_sec = waiting ? 0 : moment(),
		.of.reason.start_sec = moment(),
		.of.reason.bound_sec = moment(),
		.expected_early_sec = moment(),
		.expected_late_sec = moment(),
		.forecast_sec = moment(),
		.reason = "Lease: reason",
		.of.reason.worth = below(10),
		.of.reason.price = below(3) ? below(20) : HUGE_VAL,
		.of.reason.retry_sec = moment(),
		.of.reason.cap_hours = below(4),
		.of.reason.cap_asked = below(4),
		.lack = below(2) ? "CPUs" : "",
		.of.reason.ranks = line ? JOBS_MAX : 0,
		.of.reason.rank = line && waiting ? id : 0,
	};

	if (!strcmp(job.wait, "blocked")) {
		*bind = (struct astra_report_bind){
			.kind = (enum astra_bind_kind)below(ASTRA_BIND_OTHER +
							    1),
			.name = "Name",
			.limit = NAN,
			.used = NAN,
			.asked = NAN,
			.task = UINT32_MAX,
			.uid = ASTRA_REPORT_NO_UID,
		};
		job.binds = bind;
		job.bind_count = below(2);
	}
	assert_int_equal(astra_report_add_job(report, &job), 0);
}

static struct astra_report *make_world(uint32_t *count,
				       struct astra_report_bind *binds)
{
	struct astra_report *report = astra_report_create();
	bool line = below(2);
	const struct astra_report_pool pool = {
		.name = "gpu",
		.partitions = "gpu",
		.policy = line ? "ltgf" : "incentive",
		.variant = "eq8",
		.gpus = 64,
		.gpus_usable = 64,
		.gpus_free = below(12),
		.hold_job = below(2) ? 1 + below(JOBS_MAX) : 0,
		.hold_start_sec = moment(),
	};

	report->time_sec = NOW;
	astra_report_set_cluster(report, "test", "22.05.8");
	assert_int_equal(astra_report_add_pool(report, &pool), 0);
	*count = 1 + below(JOBS_MAX);
	for (uint32_t id = 1; id <= *count; id++)
		make_job(report, id, line, &binds[id - 1]);
	return report;
}

static json_t *ask(const struct astra_report *report, uint32_t id)
{
	const struct astra_socket_stats stats = {0};
	struct astra_text text = {.limit = ASTRA_REPLY_MAX};
	struct astra_error err = {""};
	struct astra_query query;
	char request[80];
	json_t *reply;

	snprintf(request, sizeof(request),
		 "{\"astraea\":1,\"request\":\"why\",\"job\":%u}", id);
	assert_int_equal(
		astra_query_decode(request, strlen(request), &query, &err), 0);
	assert_int_equal(
		astra_answer(report, &query, &root, &stats, &text, &err), 0);
	reply = json_loadb(text.bytes, text.size, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(reply);
	astra_text_clear(&text);
	astra_query_destroy(&query);
	return reply;
}

/* No two of a line are in one answer. */
static void assert_consistent(const char *text)
{
	static const char *const apart[][2] = {
		{" is expected to start", "would not fit even if"},
		{" is expected to start", "may start in the next round"},
		{" is expected to start", "asking for less"},
		{" is expected to start", " is held "},
		{" is expected to start", " It waits for "},
		{" is expected to start", " It waits until "},
		{"; its start is promised by", "Its first start is promised"},
		{"never starts as it is", "promised"},
		{" is expected to start", "keeps it:"},
		{"o end of a lease", "the end of the lease"},
		{"CPUs that it needs are used", "Where GPUs are free"},
		{"would not fit even if", "the end of the lease"},
		{"Nobody waits in line", "Others wait"},
		{"Nobody waits in line", "First in line"},
	};

	for (size_t i = 0; i < ASTRA_COUNT_OF(apart); i++)
		if (strstr(text, apart[i][0]) && strstr(text, apart[i][1]))
			fail_msg("\"%s\" and \"%s\" in: %s", apart[i][0],
				 apart[i][1], text);
}

/* The start that it tells is the one of the numbers, which sfair when shows. */
static void assert_one_time(const json_t *reply, const char *text)
{
	const json_t *job = json_object_get(reply, "job");
	const json_t *why = json_object_get(reply, "why");
	double when =
		json_number_value(json_object_get(job, "expected_start_sec"));
	double whys =
		json_number_value(json_object_get(why, "expected_start_sec"));
	char span[ASTRA_SPAN_BYTES], wanted[80];

	assert_true(fabs(when - whys) < 1e-6);
	if (!(when > 0)) {
		assert_null(strstr(text, "expected to start"));
		return;
	}
	assert_true(when > NOW);
	snprintf(wanted, sizeof(wanted), " is expected to start in about %s, ",
		 astra_why_rough_span(when - NOW, span));
	if (!strstr(text, wanted))
		fail_msg("not \"%s\" in: %s", wanted, text);
}

/* A lease that is offered would do, and not after the start that is told. */
static void assert_lease_does(const struct astra_report *report, uint32_t id,
			      const json_t *reply, const char *text)
{
	const struct astra_report_job *job = astra_report_find(report, id);
	const struct astra_report_pool *pool = &report->pools[0];
	const json_t *lease =
		json_object_get(json_object_get(reply, "why"), "next_lease");
	json_int_t gpus = json_integer_value(json_object_get(lease, "gpus"));
	double end = json_number_value(json_object_get(lease, "lease_end_sec"));

	if (!strstr(text, "the end of the lease"))
		return;
	assert_true((uint64_t)gpus + report->pools[0].gpus_free >=
		    job->of.gpus);
	assert_true(!(job->of.reason.start_sec > 0) ||
		    end <= job->of.reason.start_sec);
	assert_true(!pool->hold_job || pool->hold_job == id ||
		    (pool->hold_start_sec > 0 && end > pool->hold_start_sec));
}

/* Somebody waits for GPUs, beside that job. */
static bool anybody_waits(const struct astra_report *report, uint32_t but)
{
	for (size_t i = 0; i < report->job_count; i++)
		if (report->jobs[i].of.id != but &&
		    report->jobs[i].phase == ASTRA_REPORT_WAITING &&
		    strcmp(report->jobs[i].wait, "blocked") != 0)
			return true;
	return false;
}

static void an_answer_never_contradicts_itself(void **state)
{
	struct astra_report_bind binds[JOBS_MAX];

	(void)state;
	srand(11);
	for (int n = 0; n < WORLDS; n++) {
		uint32_t count;
		struct astra_report *report = make_world(&count, binds);

		for (uint32_t id = 1; id <= count; id++) {
			json_t *reply = ask(report, id);
			const char *text = json_string_value(
				json_object_get(reply, "text"));

			assert_non_null(text);
			assert_consistent(text);
			assert_one_time(reply, text);
			assert_lease_does(report, id, reply, text);
			if (anybody_waits(report, id))
				assert_null(strstr(text, "Nobody waits"));
			json_decref(reply);
		}
		astra_report_put(report);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_never_contradicts_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
