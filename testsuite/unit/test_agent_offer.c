/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent of an app reads: offers, settings, and a program's answers. */
#include <stdio.h>
#include <stdlib.h>

#include "src/common/random.h"
#include "testsuite/unit/agent_search.h"

static const char whole[] =
	"{\"astraea\":1,\"request\":\"offer\",\"now_sec\":1000,"
	"\"report_sec\":2.5,\"app\":{\"app\":\"search\",\"job\":7,"
	"\"pool\":\"gpu\",\"elapsed_sec\":50,\"apps_mean\":2,"
	"\"ideal_sec\":400,\"rho\":\"inf\",\"gpus_held\":1,\"gpus_max\":4,"
	"\"slowdown\":[1,1,1.1,1.3],\"left_sec\":[480,240,160,\"inf\"],"
	"\"bid_sec\":null,\"auction\":3},\"auction\":null,\"jobs\":["
	"{\"job\":9,\"id_text\":\"7_[2-4%2]\",\"copies\":3,\"gpus\":2,"
	"\"progress\":null,\"checkpoint\":null},"
	"{\"job\":8,\"id_text\":\"7_1\",\"gpus\":2,\"progress\":{\"done\":40,"
	"\"total\":100,\"iter_sec\":0.5,\"loss\":-1.5,\"run\":1}},"
	"{\"job\":7,\"gpus\":2,\"progress\":{\"done\":4,\"total\":null,"
	"\"iter_sec\":null,\"loss\":null}}]}";

static void an_offer_is_read(void **state)
{
	struct astra_error err = {""};
	struct agent_offer offer;

	(void)state;
	if (agent_offer_read(&offer, whole, &err) < 0)
		fail_msg("%s", err.text);
	assert_close(offer.now_sec, 1000, 0);
	assert_close(offer.report_sec, 2.5, 0);
	assert_close(offer.elapsed_sec, 50, 0);
	assert_close(offer.navg, 2, 0);
	assert_close(offer.ideal_sec, 400, 0);
	assert_int_equal(offer.gpus_held, 1);
	assert_int_equal(offer.gpus_max, 4);
	assert_close(offer.slowdown[ASTRA_LEVEL_CROSS], 1.3, 0);
	assert_int_equal(offer.left_count, 4);
	assert_true(isinf(offer.left_sec[3]));
	assert_int_equal(offer.job_count, 3);
	assert_int_equal(offer.jobs[0].id, 7);
	assert_close(offer.jobs[0].done, 4, 0);
	assert_true(isnan(offer.jobs[0].loss));
	assert_close(agent_offer_job(&offer, 8)->loss, -1.5, 0);
	assert_int_equal(agent_offer_job(&offer, 9)->copies, 3);
	assert_null(agent_offer_job(&offer, 10));
	assert_string_equal(offer.jobs[0].name, "");
	assert_string_equal(offer.jobs[1].name, "7_1");
	assert_string_equal(offer.jobs[2].name, "7_[2-4]");
	agent_offer_destroy(&offer);
}

#define APP "\"app\":{\"elapsed_sec\":0,\"gpus_max\":1}"
#define JOBS(list) "{\"now_sec\":1," APP ",\"jobs\":[" list "]}"

/* It becomes a word of scancel's command line. */
static void names_are_those_of_jobs(void **state)
{
	static const char *const cases[][2] = {
		{"12", "12"},
		{"12_[1-9:2]", "12_[1-9:2]"},
		{"12_[1,...]", ""},
		{"--user=root", ""},
		{"12 13", ""},
		{"12;reboot", ""},
		{"12_[1-3%2]", "12_[1-3]"},
		{"0", ""},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_error err = {""};
		struct agent_offer offer;
		char text[200];

		snprintf(text, sizeof(text),
			 JOBS("{\"job\":12,\"id_text\":\"%s\"}"), cases[i][0]);
		assert_int_equal(agent_offer_read(&offer, text, &err), 0);
		assert_string_equal(offer.jobs[0].name, cases[i][1]);
		agent_offer_destroy(&offer);
	}
}

static void what_is_no_offer_is_refused_with_a_reason(void **state)
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{"", "no JSON object"},
		{"[]", "no JSON object"},
		{"{\"now_sec\":1,\"now_sec\":1}", "no JSON object"},
		{"{}", "now_sec"},
		{"{\"now_sec\":1}", "app"},
		{"{\"now_sec\":1,\"app\":{}}", "elapsed_sec"},
		{"{\"now_sec\":1,\"app\":{\"elapsed_sec\":-1}}", "elapsed_sec"},
		{"{\"now_sec\":1,\"app\":{\"elapsed_sec\":0,"
		 "\"gpus_max\":1.5}}",
		 "gpus_max"},
		{"{\"now_sec\":1,\"app\":{\"elapsed_sec\":0,\"gpus_max\":1,"
		 "\"slowdown\":[1,1]}}",
		 "slowdown"},
		{"{\"now_sec\":1,\"app\":{\"elapsed_sec\":0,\"gpus_max\":1,"
		 "\"left_sec\":[-1]}}",
		 "left_sec"},
		{"{\"now_sec\":1," APP "}", "jobs"},
		{JOBS("7"), "jobs[0]"},
		{JOBS("{\"job\":0}"), "job"},
		{JOBS("{\"job\":1},{\"job\":1}"), "job 1 is there twice"},
		{JOBS("{\"job\":1,\"copies\":9000},"
		      "{\"job\":2,\"copies\":9000}"),
		 "more than 16384"},
		{JOBS("{\"job\":1,\"progress\":4}"), "progress"},
		{JOBS("{\"job\":1,\"progress\":{\"done\":-1}}"), "done"},
		{JOBS("{\"job\":1,\"progress\":{\"loss\":\"low\"}}"), "loss"},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_error err = {""};
		struct agent_offer offer;

		assert_int_equal(agent_offer_read(&offer, cases[i].text, &err),
				 -1);
		if (!strstr(err.text, cases[i].reason))
			fail_msg("%s: \"%s\"", cases[i].text, err.text);
		agent_offer_destroy(&offer);
	}
}

/* Some bytes of a good one are others. */
static void random_offers_do_no_harm(void **state)
{
	static const char bytes[] = "{}[]\":,0-9.eE\\nul \xff";
	static const char *const schedulers[] = {"single", "halving:eta=2",
						 "curve:target=1,points=3"};
	struct astra_random random;

	(void)state;
	random = astra_random_seed(1);
	for (int i = 0; i < 6000; i++) {
		struct astra_error err = {""};
		struct search s;
		char text[sizeof(whole)];

		search_begin(&s, schedulers[i % 3], 0, 0);
		memcpy(text, whole, sizeof(whole));
		for (int j = 0; j < 1 + i % 4; j++)
			text[astra_random_below(&random, sizeof(whole) - 1)] =
				bytes[astra_random_below(&random,
							 sizeof(bytes) - 1)];
		if (agent_offer_read(&s.offer, text, &err) < 0)
			assert_true(*err.text);
		else if (agent_decide(&s.settings, &s.memory, &s.offer, &s.bid,
				      &err) < 0)
			fail_msg("%s", err.text);
		agent_offer_destroy(&s.offer);
		search_end(&s);
	}
}

static void settings_are_read(void **state)
{
	struct astra_error err = {""};
	struct agent_settings s;

	(void)state;
	assert_int_equal(agent_settings_read(&s, "single", &err), 0);
	assert_ptr_equal(s.scheduler, &agent_single);
	assert_int_equal(agent_settings_read(&s, "halving", &err), 0);
	assert_close(s.eta, 3, 0);
	assert_int_equal(
		agent_settings_read(&s, "halving:eta=2,jobs=8,rungs=1/2.5/9",
				    &err),
		0);
	assert_close(s.eta, 2, 0);
	assert_int_equal(s.jobs, 8);
	assert_int_equal(s.rung_count, 3);
	assert_close(s.rungs[1], 2.5, 0);
	assert_int_equal(
		agent_settings_read(&s, "curve:target=-0.5,margin=0", &err), 0);
	assert_close(s.target, -.5, 0);
	assert_int_equal(agent_settings_read(&s, "exec: ./a:b c", &err), 0);
	assert_string_equal(s.program, "./a:b c");
}

static void wrong_settings_are_named(void **state)
{
	static const char *const cases[][2] = {
		{"", "single, halving, curve"},
		{"halvin", "single, halving, curve"},
		{"single:eta=2", "single has no setting \"eta\""},
		{"halving:eta", "KEY=VALUE"},
		{"halving:eta=1", "eta=1"},
		{"halving:eta=nan", "eta=nan"},
		{"halving:jobs=2.5", "whole number"},
		{"halving:target=1", "no setting \"target\""},
		{"halving:rungs=", "rungs"},
		{"halving:rungs=5/5", "above the one before"},
		{"halving:rungs=1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/"
		 "19/20/21/22/23/24/25/26/27/28/29/30/31/32/33",
		 "more than 32"},
		{"curve:points=2", "points=2"},
		{"exec:", "needs a program"},
		{"exec: ", "needs a program"},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_error err = {""};
		struct agent_settings s;

		assert_int_equal(agent_settings_read(&s, cases[i][0], &err),
				 -1);
		if (!strstr(err.text, cases[i][1]))
			fail_msg("%s: \"%s\"", cases[i][0], err.text);
	}
}

static struct agent_offer read_whole(void)
{
	struct agent_offer offer;

	assert_int_equal(agent_offer_read(&offer, whole, NULL), 0);
	return offer;
}

/* Levels that a program leaves out are as in doc/protocol.md. */
static void a_programs_answer_is_read_and_sent_on(void **state)
{
	struct agent_offer offer = read_whole();
	struct astra_error err = {""};
	struct agent_bid bid;
	char *text;

	(void)state;
	if (agent_bid_read(&bid, &offer,
			   "{\"rho\":{\"slot\":[2,1],\"rack\":[\"inf\",3]},"
			   "\"rho_now\":\"inf\",\"jobs\":[8,9],\"stop\":[7]}",
			   &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(search_list(bid.stop, bid.stop_count), "7");
	text = agent_bid_write(&bid);
	assert_string_equal(text, "{\"rho\":{\"slot\":[2,1],\"machine\":[2,1],"
				  "\"rack\":[\"inf\",3],"
				  "\"cross\":[\"inf\",3.54545455]},"
				  "\"rho_now\":\"inf\",\"jobs\":[8,9]}");
	free(text);
	agent_bid_destroy(&bid);
	assert_int_equal(agent_bid_read(&bid, &offer, "{}", &err), 0);
	text = agent_bid_write(&bid);
	assert_string_equal(text, "{}");
	free(text);
	agent_bid_destroy(&bid);
	agent_offer_destroy(&offer);
}

/* An app that should have taken no time at all. */
static void a_rho_beyond_all_numbers_is_infinite(void **state)
{
	double left[] = {1};
	struct search s;
	char *text;

	(void)state;
	search_begin(&s, "single", 1, 1);
	s.offer.left_sec = left;
	s.offer.left_count = 1;
	s.offer.ideal_sec = 1e-200;
	search_decide(&s);
	text = agent_bid_write(&s.bid);
	assert_string_equal(text, "{\"rho\":{\"slot\":[\"inf\"],"
				  "\"machine\":[\"inf\"],\"rack\":[\"inf\"],"
				  "\"cross\":[\"inf\"]}}");
	free(text);
	search_end(&s);
}

static void a_program_may_repeat_itself(void **state)
{
	static const char *const stops[] = {"7", "", "", "", "", "", "7"};
	struct agent_offer offer = read_whole();
	struct agent_memory memory = {0};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(stops); i++) {
		struct astra_error err = {""};
		struct agent_bid bid;

		assert_int_equal(
			agent_bid_read(&bid, &offer, "{\"stop\":[7]}", &err),
			0);
		assert_int_equal(agent_take_answer(&memory, &offer, &bid, &err),
				 0);
		assert_string_equal(search_list(bid.stop, bid.stop_count),
				    stops[i]);
		agent_bid_destroy(&bid);
		offer.now_sec += 10;
	}
	agent_memory_clear(&memory);
	agent_offer_destroy(&offer);
}

static void a_programs_mistakes_are_named(void **state)
{
	static const char *const cases[][2] = {
		{"", "no JSON object"},
		{"hello", "no JSON object"},
		{"{\"rho\":1}", "rho"},
		{"{\"rho\":{}}", "rho.slot"},
		{"{\"rho\":{\"slot\":[]}}", "1 to 4 GPUs"},
		{"{\"rho\":{\"slot\":[1,1,1,1,1]}}", "1 to 4 GPUs"},
		{"{\"rho\":{\"slot\":[-1]}}", "rho.slot"},
		{"{\"rho\":{\"slot\":[NaN]}}", "no JSON object"},
		{"{\"rho\":{\"slot\":[\"nan\"]}}", "rho.slot"},
		{"{\"rho\":{\"slot\":[1],\"rack\":[1,2]}}", "rho.rack"},
		{"{\"rho\":{\"slot\":[1],\"far\":[1]}}", "\"far\""},
		{"{\"rho_now\":-1}", "rho_now"},
		{"{\"jobs\":[10]}", "jobs: entry 0"},
		{"{\"jobs\":[8,8]}", "job 8 is there twice"},
		{"{\"jobs\":[7,8,9,9]}", "more jobs"},
		{"{\"stop\":[1]}", "stop: entry 0"},
		{"{\"stop\":\"all\"}", "stop"},
		{"{\"kill\":[7]}", "unknown key \"kill\""},
	};
	struct agent_offer offer = read_whole();

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_error err = {""};
		struct agent_bid bid;

		assert_int_equal(
			agent_bid_read(&bid, &offer, cases[i][0], &err), -1);
		if (!strstr(err.text, cases[i][1]))
			fail_msg("%s: \"%s\"", cases[i][0], err.text);
		agent_bid_destroy(&bid);
	}
	agent_offer_destroy(&offer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_offer_is_read),
		cmocka_unit_test(names_are_those_of_jobs),
		cmocka_unit_test(what_is_no_offer_is_refused_with_a_reason),
		cmocka_unit_test(random_offers_do_no_harm),
		cmocka_unit_test(settings_are_read),
		cmocka_unit_test(wrong_settings_are_named),
		cmocka_unit_test(a_programs_answer_is_read_and_sent_on),
		cmocka_unit_test(a_rho_beyond_all_numbers_is_infinite),
		cmocka_unit_test(a_program_may_repeat_itself),
		cmocka_unit_test(a_programs_mistakes_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
