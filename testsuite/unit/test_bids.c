/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bids on their way: from the request to what the engine is told. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/text.h"
#include "src/proto/bid_text.h"
#include "src/proto/select.h"
#include "src/slurm/note/bid_files.h"
#include "src/slurm/note/bids.h"
#include "testsuite/unit/auction_sample.h"
#include "testsuite/unit/unit.h"

#define BID "{\"astraea\":1,\"request\":\"bid\","

static const struct astra_viewer alice = {.uid = 1001, .now_sec = SAMPLE_NOW};
static const struct astra_viewer bob = {.uid = 1002, .now_sec = SAMPLE_NOW};
static const struct astra_viewer root = {.all = true, .now_sec = SAMPLE_NOW};

struct world {
	struct astra_report *report;
	struct astra_arena arena;
	struct astra_job jobs[3];
	struct astra_bids_view view;
};

/* As the server does it. Returns the fault. */
static enum astra_fault say(struct world *w, const char *request,
			    const struct astra_viewer *viewer,
			    struct astra_error *err)
{
	const struct astra_socket_stats stats = {0};
	struct astra_text text = {.limit = ASTRA_REPLY_MAX};
	struct astra_query query;
	enum astra_fault fault =
		astra_query_decode(request, strlen(request), &query, err);

	if (fault)
		return fault;
	fault = astra_answer(w->report, &query, viewer, &stats, &text, err);
	if (!fault && astra_bids_note(w->report, &query, viewer, err) < 0)
		fault = ASTRA_FAULT_BUSY;
	astra_text_clear(&text);
	astra_query_destroy(&query);
	return fault;
}

static void expect(struct world *w, const char *request,
		   const struct astra_viewer *viewer, enum astra_fault fault)
{
	struct astra_error err = {""};

	assert_string_equal(astra_fault_name(say(w, request, viewer, &err)),
			    astra_fault_name(fault));
	assert_int_equal(!*err.text, fault == ASTRA_FAULT_NONE);
}

static void look(struct world *w, double now_sec)
{
	astra_arena_reset(&w->arena);
	for (size_t i = 0; i < 3; i++)
		w->jobs[i].forecast.turn = 0;
	w->view = (struct astra_bids_view){
		.pool = "auc",
		.lease_sec = 600,
		.now_sec = now_sec,
		.jobs = w->jobs,
		.job_count = 3,
		.arena = &w->arena,
	};
	astra_bid_files_begin();
	astra_bids_begin();
	astra_bids_fill(&w->view);
	astra_bids_end();
	astra_bid_files_end();
}

static const struct astra_bid *only_bid(struct world *w)
{
	assert_int_equal(w->view.bid_count, 1);
	return &w->view.bids[0];
}

static void a_bid_reaches_the_engine(void **state)
{
	struct world *w = *state;
	const struct astra_bid *bid;

	look(w, SAMPLE_NOW);
	assert_int_equal(w->view.bid_count, 0);
	expect(w,
	       BID "\"app\":\"search\",\"rho\":{\"slot\":[8,4,\"inf\"],"
		   "\"rack\":[20]},\"rho_now\":3}",
	       &alice, ASTRA_FAULT_NONE);
	look(w, SAMPLE_NOW + 1);
	bid = only_bid(w);
	assert_true(bid->app == SAMPLE_APP && bid->kind == ASTRA_BID_RHO);
	assert_int_equal(bid->gpus_max, 3);
	assert_close(bid->time_sec, SAMPLE_NOW, 0);
	assert_close(bid->rho_now, 3, 0);
	assert_close(bid->table[0], 8, 0);
	assert_true(isinf(bid->table[2]));
	assert_close(bid->table[3 + 1], 4, 0);	   /* machine: as the slot */
	assert_close(bid->table[6 + 1], 20, 0);	   /* as it ends */
	assert_close(bid->table[9 + 1], 30, 1e-9); /* times 3 / 2 */
	assert_int_equal(w->jobs[0].forecast.turn, 0);
}

static void the_order_of_jobs_reaches_the_engine(void **state)
{
	struct world *w = *state;

	expect(w, BID "\"job\":30,\"jobs\":[32,30]}", &alice, ASTRA_FAULT_NONE);
	look(w, SAMPLE_NOW + 1);
	assert_int_equal(w->view.bid_count, 0);
	assert_int_equal(w->jobs[0].forecast.turn, 2);
	assert_int_equal(w->jobs[1].forecast.turn, 0);
	assert_int_equal(w->jobs[2].forecast.turn, 1); /* 32_1 */
	expect(w, BID "\"job\":32,\"rho\":{\"slot\":[1]}}", &alice,
	       ASTRA_FAULT_NONE);
	look(w, SAMPLE_NOW + 1);
	assert_int_equal(w->view.bid_count, 1);
	assert_int_equal(w->jobs[2].forecast.turn, 1); /* it stays */
}

static void what_is_no_bid_is_refused(void **state)
{
	static const char *const bad[] = {
		"\"app\":\"search\",\"rho\":{\"slot\":[1,1,1,1,1]}}",
		"\"app\":\"search\",\"rho\":{\"slot\":[1],\"cross\":[1,1,1,1,"
		"1]}}",
		"\"app\":\"search\",\"jobs\":[31]}",
		"\"app\":\"search\",\"jobs\":[30,4242]}",
	};
	struct world *w = *state;
	char text[256];

	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++) {
		(void)snprintf(text, sizeof(text), BID "%s", bad[i]);
		expect(w, text, &alice, ASTRA_FAULT_MALFORMED);
	}
	look(w, SAMPLE_NOW);
	assert_int_equal(w->view.bid_count, 0);
}

static void an_app_is_its_owners_to_bid_for(void **state)
{
	static const char named[] =
		BID "\"app\":\"search\",\"rho\":{\"slot\":[1]}}";
	static const char users[] = BID
		"\"app\":\"search\",\"user\":\"alice\",\"rho\":{\"slot\":[1]}}";
	static const char job[] = BID "\"job\":30,\"rho\":{\"slot\":[1]}}";
	struct world *w = *state;

	expect(w, named, &bob, ASTRA_FAULT_NOT_FOUND);
	expect(w, users, &bob, ASTRA_FAULT_DENIED);
	expect(w, job, &bob, ASTRA_FAULT_DENIED);
	expect(w, BID "\"job\":10,\"rho\":{\"slot\":[1]}}", &alice,
	       ASTRA_FAULT_NO_DATA);
	expect(w, BID "\"job\":4242,\"rho\":{\"slot\":[1]}}", &alice,
	       ASTRA_FAULT_NOT_FOUND);
	w->report->privacy.jobs = true;
	expect(w, users, &bob, ASTRA_FAULT_NOT_FOUND);
	expect(w, job, &bob, ASTRA_FAULT_NOT_FOUND);
	look(w, SAMPLE_NOW);
	assert_int_equal(w->view.bid_count, 0);
	expect(w, named, &root, ASTRA_FAULT_NOT_FOUND);
	expect(w, users, &root, ASTRA_FAULT_NONE);
	expect(w, job, &alice, ASTRA_FAULT_NONE);
}

static void a_bid_lapses_and_goes_with_its_app(void **state)
{
	struct world *w = *state;

	expect(w,
	       BID "\"app\":\"search\",\"rho\":{\"slot\":[1]},\"jobs\":[30]}",
	       &alice, ASTRA_FAULT_NONE);
	look(w, SAMPLE_NOW + 1200);
	assert_int_equal(w->view.bid_count, 1);
	assert_int_equal(w->jobs[0].forecast.turn, 1);
	look(w, SAMPLE_NOW + 1201);
	assert_int_equal(w->view.bid_count, 0);
	assert_int_equal(w->jobs[0].forecast.turn, 0);
	w->jobs[0].state = ASTRA_JOB_ENDED;
	w->jobs[2].state = ASTRA_JOB_ENDED;
	look(w, SAMPLE_NOW);
	w->jobs[0].state = ASTRA_JOB_RUNNING;
	look(w, SAMPLE_NOW);
	assert_int_equal(w->view.bid_count, 0); /* it was forgotten */
}

static void a_bid_lasts_as_long_when_the_clock_is_set(void **state)
{
	struct world *w = *state;

	expect(w,
	       BID "\"app\":\"search\",\"rho\":{\"slot\":[1]},\"jobs\":[30]}",
	       &alice, ASTRA_FAULT_NONE);
	astra_bids_shift(3600);
	look(w, SAMPLE_NOW + 3600 + 1200);
	assert_int_equal(w->view.bid_count, 1);
	assert_int_equal(w->jobs[0].forecast.turn, 1);
	astra_bids_shift(-7200);
	look(w, SAMPLE_NOW - 3600 + 1200);
	assert_int_equal(w->view.bid_count, 1);
	look(w, SAMPLE_NOW - 3600 + 1201);
	assert_int_equal(w->view.bid_count, 0);
	assert_int_equal(w->jobs[0].forecast.turn, 0);
}

static void one_user_cannot_take_all_the_room(void **state)
{
	struct world *w = *state;
	struct astra_report *report = astra_report_create();
	struct astra_report_auction auction = {.pool = "auc"};
	struct astra_report_app app = sample_apps[0];
	char text[100];
	int taken = 0;

	astra_report_add_auction(report, &auction);
	for (uint32_t i = 1; i <= ASTRA_BIDS_APPS_MAX; i++) {
		app.of.app = app.of.job = i;
		astra_report_add_app(report, &app);
	}
	app.of.app = app.of.job = ASTRA_BIDS_APPS_MAX + 1;
	app.uid = 1001;
	astra_report_add_app(report, &app);
	for (uint32_t i = 1; i <= ASTRA_BIDS_APPS_MAX + 1; i++) {
		struct astra_report_job job = {
			.of.id = i,
			.pool = "auc",
			.app = i,
			.uid = i > ASTRA_BIDS_APPS_MAX ? 1001 : 1002};
		astra_report_add_job(report, &job);
	}
	astra_report_put(w->report);
	w->report = report;
	for (int i = 1; i <= ASTRA_BIDS_APPS_MAX; i++) {
		struct astra_error err = {""};

		(void)snprintf(text, sizeof(text),
			       BID "\"job\":%d,\"rho\":{\"slot\":[1,2]}}", i);
		taken += say(w, text, &bob, &err) == ASTRA_FAULT_NONE;
	}
	assert_int_equal(taken, ASTRA_BIDS_APPS_MAX / ASTRA_BIDS_USER_PART);
	(void)snprintf(text, sizeof(text),
		       BID "\"job\":%d,\"rho\":{\"slot\":[1]}}",
		       ASTRA_BIDS_APPS_MAX + 1);
	expect(w, text, &alice, ASTRA_FAULT_NONE);
	/* One that is known is heard. */
	expect(w, BID "\"job\":1,\"rho\":{\"slot\":[3]}}", &bob,
	       ASTRA_FAULT_NONE);
}

/* A bid of so many GPUs, and an array of so many entries of an order. */
static char *large_bid(int job, int gpus, int order)
{
	struct astra_text text = {0};

	astra_text_printf(&text, BID "\"job\":%d,\"rho\":{\"slot\":[1", job);
	for (int i = 1; i < gpus; i++)
		astra_text_printf(&text, ",1");
	astra_text_printf(&text, "]},\"jobs\":[%d", job);
	for (int i = 1; i < order; i++)
		astra_text_printf(&text, ",%d", job);
	astra_text_printf(&text, "]}");
	assert_false(text.failed);
	return text.bytes;
}

static void at_the_bound_a_bid_can_be_replaced(void **state)
{
	enum { EACH = 4 * ASTRA_BID_GPUS_MAX + 4096 };
	const int room = ASTRA_BIDS_NUMBERS_MAX / ASTRA_BIDS_USER_PART / EACH;
	struct world *w = *state;
	struct astra_report *report = astra_report_create();
	struct astra_report_auction auction = {.pool = "auc"};

	astra_report_add_auction(report, &auction);
	for (int i = 1; i <= room + 1; i++) {
		struct astra_report_app app = sample_apps[0];

		app.of.app = app.of.job = (uint32_t)i;
		app.of.gpus_max = ASTRA_BID_GPUS_MAX;
		astra_report_add_app(report, &app);
	}
	for (int i = 1; i <= room + 1; i++) {
		struct astra_report_job job = {.of.id = (uint32_t)i,
					       .pool = "auc",
					       .app = (uint64_t)i,
					       .uid = 1002};

		astra_report_add_job(report, &job);
	}
	astra_report_put(w->report);
	w->report = report;
	for (int i = 1; i <= 2 * room; i++) { /* each twice */
		char *text = large_bid(i > room ? i - room : i,
				       ASTRA_BID_GPUS_MAX, 4096);

		expect(w, text, &bob, ASTRA_FAULT_NONE);
		free(text);
	}
	char *text = large_bid(room + 1, ASTRA_BID_GPUS_MAX, 4096);
	expect(w, text, &bob, ASTRA_FAULT_BUSY);
	free(text);
}

static void *bid_often(void *arg)
{
	struct world *w = arg;
	char text[120];

	for (int i = 1; i <= 500; i++) {
		(void)snprintf(text, sizeof(text),
			       BID "\"job\":30,\"rho\":{\"slot\":[%d,%d]},"
				   "\"jobs\":[%d]}",
			       i, i, i % 2 ? 30 : 32);
		expect(w, text, &alice, ASTRA_FAULT_NONE);
	}
	return NULL;
}

static void bids_come_while_rounds_run(void **state)
{
	struct world *w = *state;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, bid_often, w), 0);
	for (int i = 0; i < 500; i++) {
		look(w, SAMPLE_NOW);
		if (w->view.bid_count)
			assert_close(w->view.bids[0].table[0],
				     w->view.bids[0].table[1], 0);
	}
	pthread_join(thread, NULL);
	look(w, SAMPLE_NOW);
	assert_close(only_bid(w)->table[0], 500, 0);
}

/* --bid=FILE */

static const double slowdown[ASTRA_LEVEL_COUNT] = {1, 1.5, 3, 3};

static void learn(uint32_t job, const char *text)
{
	if (astra_bid_files_want(job))
		astra_bid_files_learn(job, 1001, text, slowdown);
}

static void a_file_counts_until_the_agent_speaks(void **state)
{
	struct world *w = *state;
	const struct astra_bid *bid;

	learn(32, "{\"seconds\":{\"slot\":[100,60]}}");
	learn(30, "{\"seconds\":{\"slot\":[80]}}");
	w->jobs[0].submit_sec = SAMPLE_NOW - 77;
	look(w, SAMPLE_NOW);
	bid = only_bid(w);
	assert_true(bid->app == SAMPLE_APP && bid->kind == ASTRA_BID_SECONDS);
	assert_int_equal(bid->gpus_max, 1); /* of job 30, which is lower */
	assert_close(bid->table[0], 80, 0);
	assert_close(bid->table[1], 120, 0);
	assert_close(bid->table[2], 240, 0);
	assert_close(bid->time_sec, SAMPLE_NOW - 77, 0);
	expect(w, BID "\"app\":\"search\",\"rho\":{\"slot\":[1]}}", &alice,
	       ASTRA_FAULT_NONE);
	look(w, SAMPLE_NOW);
	assert_true(only_bid(w)->kind == ASTRA_BID_RHO);
	look(w, SAMPLE_NOW + 1300);
	assert_true(only_bid(w)->kind == ASTRA_BID_SECONDS);
	w->jobs[0].state = ASTRA_JOB_ENDED;
	look(w, SAMPLE_NOW + 1300);
	assert_int_equal(only_bid(w)->gpus_max, 2);
	assert_true(astra_bid_files_want(30)); /* it was forgotten */
	assert_false(astra_bid_files_want(32));
}

static void a_file_is_read_once(void **state)
{
	struct world *w = *state;

	learn(30, "nonsense");
	look(w, SAMPLE_NOW);
	assert_int_equal(w->view.bid_count, 0);
	assert_false(astra_bid_files_want(30));
	for (uint32_t i = 0; i < ASTRA_BID_FILES_ROUND; i++)
		assert_true(astra_bid_files_want(1000 + i));
	assert_false(astra_bid_files_want(2000)); /* in the next round */
	look(w, SAMPLE_NOW);
	assert_true(astra_bid_files_want(2000));
}

static void spellings_of_a_file(void **state)
{
	static const char *const good[] = {
		"{\"seconds\":{\"slot\":[1]}}",
		" { \"seconds\" : { \"slot\" : [ 1e3 , \"inf\" ],\n"
		"\t\"cross\": [2.5] } } \n",
		"{\"seconds\":{\"cross\":[2],\"slot\":[1000000000]}}",
	};
	static const char *const bad[] = {
		"",
		"{}",
		"[1]",
		"{\"seconds\":{}}",
		"{\"seconds\":{\"slot\":[]}}",
		"{\"seconds\":{\"slot\":[0]}}",
		"{\"seconds\":{\"slot\":[-1]}}",
		"{\"seconds\":{\"slot\":[nan]}}",
		"{\"seconds\":{\"slot\":[NaN]}}",
		"{\"seconds\":{\"slot\":[inf]}}",
		"{\"seconds\":{\"slot\":[1e10]}}",
		"{\"seconds\":{\"slot\":[0x10]}}",
		"{\"seconds\":{\"slot\":[1,]}}",
		"{\"seconds\":{\"slot\":[1}}",
		"{\"seconds\":{\"slot\":[1]}",
		"{\"seconds\":{\"slot\":[1]}}x",
		"{\"seconds\":{\"slot\":[1],\"slot\":[1]}}",
		"{\"seconds\":{\"machine\":[1]}}",
		"{\"seconds\":{\"node\":[1],\"slot\":[1]}}",
		"{\"seconds\":{\"slot\":[[1]]}}",
		"{\"seconds\":{\"slot\":1}}",
		"{\"rho\":{\"slot\":[1]}}",
		"{\"seconds\":{\"slot\":[1]},\"seconds\":{\"slot\":[1]}}",
		"{\"seconds\":{\"slot\":[1",
		"{\"seconds",
	};
	struct astra_curves curves;
	struct astra_error err;
	char text[40];

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(good); i++) {
		if (astra_bid_text_read(good[i], &curves, &err) < 0)
			fail_msg("%s: %s", good[i], err.text);
		assert_true(curves.gpus[ASTRA_LEVEL_SLOT] > 0);
		astra_curves_clear(&curves);
	}
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++) {
		err.text[0] = '\0';
		if (!astra_bid_text_read(bad[i], &curves, &err))
			fail_msg("%s: taken", bad[i]);
		assert_true(*err.text && !curves.values);
	}
	assert_int_equal(astra_bid_text_compact(" {\n\t\"a\" : 1 }", text, 40),
			 7);
	assert_string_equal(text, "{\"a\":1}");
	assert_int_equal(astra_bid_text_compact("12345", text, 3), 5);
	assert_string_equal(text, "12");
}

static void a_file_has_a_bound(void **state)
{
	char *text = malloc(ASTRA_BID_TEXT_MAX + 100);
	struct astra_curves curves;
	struct astra_error err;
	size_t used;

	(void)state;
	assert_non_null(text);
	used = (size_t)sprintf(text, "{\"seconds\":{\"slot\":[1");
	while (used < ASTRA_BID_TEXT_MAX + 50)
		used += (size_t)sprintf(text + used, ",1");
	assert_int_equal(astra_bid_text_read(text, &curves, &err), -1);
	assert_non_null(strstr(err.text, "8192"));
	free(text);
}

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	if (!w)
		return -1;
	w->report = sample_report();
	sample_report_auction(w->report);
	w->jobs[0] = (struct astra_job){
		.id = 30, .state = ASTRA_JOB_RUNNING, .forecast = {.app = 5}};
	w->jobs[1] = (struct astra_job){.id = 31, .state = ASTRA_JOB_PENDING};
	w->jobs[2] = (struct astra_job){.id = 33,
					.array_id = 32,
					.state = ASTRA_JOB_PENDING,
					.forecast = {.app = 5}};
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	astra_bids_free();
	astra_bid_files_free();
	astra_arena_free(&w->arena);
	astra_report_put(w->report);
	free(w);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_bid_reaches_the_engine),
		TEST(the_order_of_jobs_reaches_the_engine),
		TEST(what_is_no_bid_is_refused),
		TEST(an_app_is_its_owners_to_bid_for),
		TEST(a_bid_lapses_and_goes_with_its_app),
		TEST(a_bid_lasts_as_long_when_the_clock_is_set),
		TEST(one_user_cannot_take_all_the_room),
		TEST(at_the_bound_a_bid_can_be_replaced),
		TEST(bids_come_while_rounds_run),
		TEST(a_file_counts_until_the_agent_speaks),
		TEST(a_file_is_read_once),
		TEST(spellings_of_a_file),
		TEST(a_file_has_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
