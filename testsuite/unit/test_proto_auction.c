/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is answered of apps and auctions, and what a request of them survives.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "src/proto/answer.h"
#include "testsuite/unit/auction_sample.h"
#include "testsuite/unit/unit.h"

static const struct astra_viewer root = {.all = true, .now_sec = SAMPLE_NOW};
static const struct astra_viewer alice = {.uid = 1001, .now_sec = SAMPLE_NOW};
static const struct astra_viewer bob = {.uid = 1002, .now_sec = SAMPLE_NOW};

#define OFFER "{\"astraea\":1,\"request\":\"offer\","
#define BID "{\"astraea\":1,\"request\":\"bid\","
#define AUCTION "{\"astraea\":1,\"request\":\"auction\""
#define WHY "{\"astraea\":1,\"request\":\"why\",\"job\":"

static struct astra_query decode(const char *text)
{
	struct astra_error err = {""};
	struct astra_query query;

	if (astra_query_decode(text, strlen(text), &query, &err))
		fail_msg("%s: %s", text, err.text);
	return query;
}

/* The reply, or NULL with the fault's name in code. */
static json_t *ask(const struct astra_report *report, const char *request,
		   const struct astra_viewer *viewer, const char **code)
{
	const struct astra_socket_stats stats = {0};
	struct astra_text text = {.limit = ASTRA_REPLY_MAX};
	struct astra_error err = {""};
	struct astra_query query = decode(request);
	enum astra_fault fault =
		astra_answer(report, &query, viewer, &stats, &text, &err);
	json_t *reply = NULL;

	*code = astra_fault_name(fault);
	if (!fault) {
		reply = json_loadb(text.bytes, text.size,
				   JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(reply);
	}
	astra_text_clear(&text);
	astra_query_destroy(&query);
	return reply;
}

static void expect(const struct astra_report *report, const char *request,
		   const struct astra_viewer *viewer, const char *wanted)
{
	const char *code;

	json_decref(ask(report, request, viewer, &code));
	assert_string_equal(code, wanted);
}

static void an_agent_is_told_how_its_app_stands(void **state)
{
	const char *code, *name, *bid;
	json_t *app, *jobs, *left, *reply;
	double rho, bid_sec, factor;
	int gpus, won, kept, paid, auction, number, exact;

	reply = ask(*state, OFFER "\"app\":\"search\"}", &alice, &code);
	assert_non_null(reply);
	assert_int_equal(json_unpack(reply, "{s:o,s:o,s:{s:i,s:b}}", "app",
				     &app, "jobs", &jobs, "auction", "number",
				     &number, "exact", &exact),
			 0);
	assert_int_equal(
		json_unpack(app,
			    "{s:s,s:F,s:s,s:F,s:F,s:i,s:i,s:i,s:i,s:i,s:o}",
			    "app", &name, "rho", &rho, "bid", &bid, "bid_sec",
			    &bid_sec, "factor", &factor, "gpus_max", &gpus,
			    "won", &won, "kept", &kept, "paid", &paid,
			    "auction", &auction, "left_sec", &left),
		0);
	assert_string_equal(name, "search");
	assert_string_equal(bid, "agent");
	assert_close(rho, 2.4, 0);
	assert_close(bid_sec, SAMPLE_NOW - 30, 0);
	assert_true(gpus == 4 && won == 4 && kept == 3 && paid == 1);
	assert_true(auction == 7 && number == 7 && exact);
	assert_int_equal(json_array_size(left), 4);
	assert_int_equal(json_array_size(jobs), 2);
	assert_true(json_is_number(json_object_get(reply, "report_sec")));
	json_decref(reply);
}

static void by_any_of_its_jobs_an_app_is_found(void **state)
{
	static const char *const asked[] = {
		OFFER "\"job\":30}", OFFER "\"job\":33}", OFFER "\"job\":32}",
		OFFER "\"app\":\"search\",\"user\":\"1001\"}"};
	const char *code;

	for (size_t i = 0; i < ASTRA_COUNT_OF(asked); i++) {
		json_t *reply = ask(*state, asked[i], &alice, &code);
		const char *name = NULL;

		json_unpack(reply, "{s:{s:s}}", "app", "app", &name);
		assert_string_equal(name, "search");
		json_decref(reply);
	}
	expect(*state, OFFER "\"job\":31}", &alice, "denied");
	expect(*state, OFFER "\"job\":31}", &bob, "none");
	expect(*state, OFFER "\"job\":31}", &root, "none");
	expect(*state, OFFER "\"job\":10}", &alice, "no_data");
	expect(*state, OFFER "\"app\":\"other\"}", &alice, "not_found");
}

static void an_app_has_the_keys_asked_for(void **state)
{
	const char *code;
	json_t *reply =
		ask(*state, AUCTION ",\"fields\":[\"bid_sec\",\"app\"]}",
		    &alice, &code);
	json_t *app = json_array_get(json_object_get(reply, "apps"), 1);
	double bid_sec = 0;
	const char *name = "";

	assert_int_equal(json_object_size(app), 2);
	json_unpack(app, "{s:s,s:F}", "app", &name, "bid_sec", &bid_sec);
	assert_string_equal(name, "search");
	assert_close(bid_sec, SAMPLE_NOW - 30, 0);
	json_decref(reply);
}

static void an_accepted_bid_is_dated_now(void **state)
{
	const char *code;
	json_t *reply = ask(*state, BID "\"job\":30,\"rho\":{\"slot\":[1]}}",
			    &alice, &code);
	double bid_sec = 0;

	json_unpack(reply, "{s:{s:F}}", "app", "bid_sec", &bid_sec);
	assert_close(bid_sec, SAMPLE_NOW, 0);
	json_decref(reply);
}

static size_t apps(const struct astra_report *report, const char *filter,
		   const struct astra_viewer *viewer)
{
	char text[100];
	const char *code;
	json_t *reply;
	size_t count;

	(void)snprintf(text, sizeof(text), AUCTION "%s}", filter);
	reply = ask(report, text, viewer, &code);
	count = json_array_size(json_object_get(reply, "apps"));
	json_decref(reply);
	return count;
}

static void all_see_auctions_unless_privatedata_hides_them(void **state)
{
	struct astra_report *report = *state;

	assert_int_equal(apps(report, "", &alice), 2);
	assert_int_equal(apps(report, ",\"users\":[\"bob\"]", &alice), 1);
	assert_int_equal(apps(report, ",\"accounts\":[\"physics\"]", &bob), 1);
	assert_int_equal(apps(report, ",\"pools\":[\"gpu\"]", &bob), 0);
	report->privacy.usage = true;
	assert_int_equal(apps(report, "", &alice), 1);
	assert_int_equal(apps(report, "", &root), 2);
	report->privacy.usage = false;
	report->privacy.jobs = true;
	assert_int_equal(apps(report, "", &bob), 1);
}

static void expect_says(const struct astra_report *report, const char *request,
			const char *wanted)
{
	const char *code, *text;
	json_t *reply = ask(report, request, &root, &code);

	text = json_string_value(json_object_get(reply, "text"));
	assert_non_null(text);
	if (!strstr(text, wanted))
		fail_msg("\"%s\" lacks \"%s\"", text, wanted);
	json_decref(reply);
}

static void why_tells_of_auctions(void **state)
{
	struct astra_report *report = *state;

	expect_says(report, WHY "30}", "Its app, search, has a rho of 2.400");
	expect_says(report, WHY "30}",
		    "In the last auction, 20 s ago, it was number 1 of 2 by "
		    "rho: it was one of the worst off and bid with its "
		    "agent's numbers, and won 4 GPUs, of which it left 1 to "
		    "others as its payment; it got 1 GPU of what was left "
		    "over.");
	expect_says(report, WHY "31}", "It was in no auction yet.");
	expect_says(report, WHY "31}", "auctions do not go by it");
	expect_says(report, WHY "10}", "the lowest goes first");
}

static void estimates_of_many_apps_are_bounded(void **state)
{
	struct astra_report *report = astra_report_create();
	struct astra_report_auction auction = {.pool = "auc"};
	double left[ASTRA_REPORT_LEFT_GPUS + 1] = {1};
	struct astra_report_app app = sample_apps[0];

	(void)state;
	app.of.left_sec = left;
	app.of.left_count = ASTRA_COUNT_OF(left);
	astra_report_add_auction(report, &auction);
	for (uint32_t i = 1; i <= ASTRA_REPORT_LEFT_APPS + 1; i++) {
		app.of.app = i;
		assert_int_equal(astra_report_add_app(report, &app), 0);
	}
	assert_int_equal(report->apps[0].of.left_count, ASTRA_REPORT_LEFT_GPUS);
	assert_int_equal(report->apps[ASTRA_REPORT_LEFT_APPS].of.left_count, 0);
	assert_ptr_equal(astra_report_app(report, "auc", 77),
			 &report->apps[76]);
	assert_null(astra_report_app(report, "gpu", 77));
	astra_report_put(report);
}

static void requests_survive_the_wire(void **state)
{
	static const char *const texts[] = {
		OFFER "\"app\":\"search\",\"user\":\"alice\"}",
		OFFER "\"job\":12}",
		AUCTION ",\"users\":[\"a\"],\"pools\":[\"p\"]}",
		BID "\"app\":\"a\",\"rho\":{\"slot\":[0.5,\"inf\"],"
		    "\"rack\":[1.25]},\"rho_now\":\"inf\",\"jobs\":[7,8]}",
		BID "\"job\":12,\"jobs\":[7]}",
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(texts); i++) {
		struct astra_query query = decode(texts[i]);
		char *text = astra_query_encode(&query);
		json_t *before = json_loads(texts[i], 0, NULL);
		json_t *after = json_loads(text, 0, NULL);

		if (!json_equal(before, after))
			fail_msg("%s became %s", texts[i], text);
		json_decref(before);
		json_decref(after);
		free(text);
		astra_query_destroy(&query);
	}
}

static int setup(void **state)
{
	struct astra_report *report = sample_report();

	sample_report_auction(report);
	*state = report;
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
		TEST(an_agent_is_told_how_its_app_stands),
		TEST(by_any_of_its_jobs_an_app_is_found),
		TEST(an_app_has_the_keys_asked_for),
		TEST(an_accepted_bid_is_dated_now),
		TEST(all_see_auctions_unless_privatedata_hides_them),
		TEST(why_tells_of_auctions),
		TEST(estimates_of_many_apps_are_bounded),
		TEST(requests_survive_the_wire),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
