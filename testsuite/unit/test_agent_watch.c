/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop of the agent of an app, against a plugin of the test's own. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/cmd/sfair-agent/options.h"
#include "src/proto/wire.h"
#include "testsuite/unit/unit.h"

#define NOT_FOUND \
	"{\"error\":{\"code\":\"not_found\",\"text\":\"no such app\"}}"
#define NO_DATA "{\"error\":{\"code\":\"no_data\",\"text\":\"no round yet\"}}"
#define DENIED "{\"error\":{\"code\":\"denied\",\"text\":\"not yours\"}}"
#define JOB(number, done, loss)                                          \
	"{\"job\":" #number ",\"id_text\":\"7_" #number "\",\"gpus\":1," \
	"\"progress\":{\"done\":" #done ",\"total\":40,\"iter_sec\":1,"  \
	"\"loss\":" #loss "}}"
#define OFFER(jobs)                                                    \
	"{\"astraea\":1,\"now_sec\":1000,\"app\":{\"elapsed_sec\":20," \
	"\"gpus_max\":2},\"jobs\":[" jobs "]}"
#define SEARCH OFFER(JOB(1, 10, 3) "," JOB(2, 10, 1))

/* What is answered to one offer after the other, NULL: nobody answers; and what
 * to bids. */
static const char *const *offers;
static bool refused;
static json_t *requests;

/* Of scancel, and of a user's scheduler. */
static char folder[] = "/tmp/agent.XXXXXX";

int astra_call_within(const char *path, const char *munge_socket,
		      const char *request, int wait_sec, char **reply,
		      struct astra_error *err)
{
	json_t *message = json_loads(request, 0, NULL);
	const char *text = refused ? DENIED : "{\"astraea\":1}";

	(void)munge_socket;
	assert_string_equal(path, "/the/socket");
	assert_int_not_equal(wait_sec, 0);
	assert_non_null(message);
	if (!strcmp(json_string_value(json_object_get(message, "request")),
		    "offer"))
		text = *offers++;
	json_array_append_new(requests, message);
	if (!text)
		return astra_error_set(err, "nobody answers");
	*reply = strdup(text);
	return 0;
}

/* Run the agent, with a shell's idea of arguments but without quotes. */
static int watch(const char *arguments, const char *const *replies,
		 struct astra_error *err)
{
	char text[1000], *words[50] = {text}, *next;
	const struct sfair_place place = {.reaches = true,
					  .socket = "/the/socket"};
	struct agent_options options;
	int count = 0;

	snprintf(text, sizeof(text), "sfair-agent %s", arguments);
	for (char *word = strtok_r(text, " ", &next); word;
	     word = strtok_r(NULL, " ", &next))
		words[count++] = word;
	if (agent_options_read(count, words, &options, err) < 0)
		fail_msg("%s", err->text);
	options.watch.interval_sec = .001;
	json_decref(requests);
	requests = json_array();
	offers = replies;
	return agent_watch_run(&options.watch, &place, err);
}

static const char *said(size_t request, const char *key)
{
	return json_string_value(
		json_object_get(json_array_get(requests, request), key));
}

static json_int_t asked_job(size_t request)
{
	return json_integer_value(
		json_object_get(json_array_get(requests, request), "job"));
}

static void it_bids_until_the_app_is_gone(void **state)
{
	static const char *const replies[] = {SEARCH, NOT_FOUND, SEARCH,
					      NOT_FOUND, NOT_FOUND};
	struct astra_error err = {""};
	json_t *bid;

	(void)state;
	assert_int_equal(watch("--app=a\"b", replies, &err), 0);
	assert_int_equal(json_array_size(requests), 7);
	assert_string_equal(said(0, "request"), "offer");
	assert_string_equal(said(0, "app"), "a\"b");
	assert_string_equal(said(1, "request"), "bid");
	assert_string_equal(said(1, "app"), "a\"b");
	bid = json_array_get(requests, 1);
	assert_int_equal(json_integer_value(json_object_get(bid, "astraea")),
			 1);
	assert_int_equal(json_array_size(json_object_get(
				 json_object_get(bid, "rho"), "cross")),
			 2);
}

static void an_app_may_be_new(void **state)
{
	static const char *const replies[] = {NO_DATA, NOT_FOUND, SEARCH,
					      NOT_FOUND, NOT_FOUND};
	struct astra_error err = {""};

	(void)state;
	assert_int_equal(watch("--job=7", replies, &err), 0);
	assert_int_equal(asked_job(3), 7);
}

/* --job=1 of the array 7, and of an app of the user's. */
static void the_app_may_outlive_the_job(void **state)
{
	static const char *const replies[] = {SEARCH, SEARCH, NOT_FOUND,
					      NOT_FOUND};
	char named[300];
	const char *const others[] = {named, NOT_FOUND, NOT_FOUND};
	struct astra_error err = {""};

	(void)state;
	assert_int_equal(watch("--job=1", replies, &err), 0);
	assert_int_equal(asked_job(0), 1);
	assert_int_equal(asked_job(1), 7);
	assert_int_equal(asked_job(2), 7);
	snprintf(named, sizeof(named),
		 "{\"astraea\":1,\"now_sec\":1,\"app\":{\"app\":\"mine\","
		 "\"uid\":%u,\"elapsed_sec\":0,\"gpus_max\":1},\"jobs\":[]}",
		 (unsigned)getuid());
	assert_int_equal(watch("--job=1", others, &err), 0);
	assert_string_equal(said(1, "app"), "mine");
	snprintf(named, sizeof(named),
		 "{\"astraea\":1,\"now_sec\":1,\"app\":{\"app\":\"other\","
		 "\"uid\":%u,\"elapsed_sec\":0,\"gpus_max\":1},\"jobs\":[]}",
		 (unsigned)getuid() + 1);
	assert_int_equal(watch("--job=1", others, &err), 0);
	assert_int_equal(asked_job(1), 1);
}

static void it_waits_for_slurmctld(void **state)
{
	static const char *const replies[] = {
		NULL,	 SEARCH,    NULL,
		NO_DATA, "hello",   "{\"astraea\":1}",
		SEARCH,	 NOT_FOUND, NOT_FOUND};
	struct astra_error err = {""};

	(void)state;
	assert_int_equal(watch("--app=a", replies, &err), 0);
	assert_int_equal(json_array_size(requests), 9 + 2);
}

static void who_is_refused_ends(void **state)
{
	static const char *const replies[] = {DENIED};
	struct astra_error err = {""};

	(void)state;
	assert_int_equal(watch("--app=a", replies, &err), 1);
	assert_string_equal(err.text, "not yours");
}

static void once_is_once(void **state)
{
	static const char *const good[] = {SEARCH}, *const bad[] = {NOT_FOUND},
				 *const none[] = {NULL};
	struct astra_error err = {""};

	(void)state;
	assert_int_equal(watch("--app=a --once", good, &err), 0);
	assert_int_equal(json_array_size(requests), 2);
	assert_int_equal(watch("--app=a --once", bad, &err), 1);
	assert_string_equal(err.text, "no such app");
	assert_int_equal(watch("--app=a --once", none, &err), 1);
	assert_string_equal(err.text, "nobody answers");
}

static void write_script(const char *name, const char *text)
{
	char path[200];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", text);
	fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
}

/* What scancel was called with since the last time. */
static const char *cancelled(void)
{
	static char text[1000];
	char path[200];
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/called", folder);
	file = fopen(path, "re");
	if (file) {
		size = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
		unlink(path);
	}
	text[size] = '\0';
	return text;
}

static void jobs_are_given_up_by_scancel(void **state)
{
	static const char *const replies[] = {
		OFFER(JOB(1, 4, 3) "," JOB(2, 5, 1)), SEARCH, SEARCH, NOT_FOUND,
		NOT_FOUND};
	static const char halving[] =
		"--app=a --scheduler=halving:eta=2,rungs=10/40";
	struct astra_error err = {""};
	char dry[100];

	(void)state;
	assert_int_equal(watch(halving, replies, &err), 0);
	assert_string_equal(cancelled(), "7_1\n");
	assert_int_equal(json_array_size(requests), 8);
	snprintf(dry, sizeof(dry), "%s --dry-run", halving);
	assert_int_equal(watch(dry, replies, &err), 0);
	assert_string_equal(cancelled(), "");
	assert_int_equal(json_array_size(requests), 5);
}

/* The first rho of the bid that was the nth request. */
static double first_rho(size_t n)
{
	json_t *rho = json_object_get(json_array_get(requests, n), "rho");

	return json_number_value(
		json_array_get(json_object_get(rho, "slot"), 0));
}

/* A job of 40 s with 30 to go, 20 s after its begin, and another: rho on one
 * GPU is (20 + 60) / 40 while the program fails. */
static void a_program_decides_unless_it_fails(void **state)
{
	static const char *const replies[] = {SEARCH, SEARCH, NOT_FOUND,
					      NOT_FOUND};
	struct astra_error err = {""};
	char arguments[200];

	(void)state;
	snprintf(arguments, sizeof(arguments),
		 "--app=a --scheduler=exec:%s/mine", folder);
	write_script("mine", "echo '{\"rho\":{\"slot\":[7]},\"stop\":[2]}'");
	assert_int_equal(watch(arguments, replies, &err), 0);
	assert_string_equal(cancelled(), "7_2\n");
	assert_close(first_rho(1), 7, 0);
	write_script("mine", "echo '{\"rho\":7,\"stop\":[2]}'");
	assert_int_equal(watch(arguments, replies, &err), 0);
	assert_string_equal(cancelled(), "");
	assert_close(first_rho(1), 2, 1e-9);
	write_script("mine", "exit 1");
	assert_int_equal(watch(arguments, replies, &err), 0);
	assert_close(first_rho(3), 2, 1e-9);
}

static void a_bid_that_is_refused_is_said(void **state)
{
	static const char *const replies[] = {SEARCH, SEARCH, NOT_FOUND,
					      NOT_FOUND};
	struct astra_error err = {""};

	(void)state;
	refused = true;
	assert_int_equal(watch("--app=a", replies, &err), 0);
	refused = false;
	assert_int_equal(json_array_size(requests), 6);
}

static void wrong_options_are_named(void **state)
{
	static const char *const cases[][2] = {
		{"--app=a --job=1", "not by both"},
		{"--app=a ls", "runs no command"},
		{"--app=", "--app=: a name"},
		{"--job=0", "--job=0"},
		{"--job=7_1", "--job=7_1"},
		{"--job=4294967295", "--job=4294967295"},
		{"--once", "which app?"},
		{"--scheduler=single", "which app?"},
		{"--app=a --interval=0", "--interval=0"},
		{"--app=a --interval=inf", "--interval=inf"},
		{"--app=a --scheduler=best", "--scheduler=best"},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		char text[200], *words[8] = {NULL}, *next;
		struct agent_options options;
		struct astra_error err = {""};
		int count = 0;

		snprintf(text, sizeof(text), "sfair-agent %s", cases[i][0]);
		for (char *word = strtok_r(text, " ", &next); word;
		     word = strtok_r(NULL, " ", &next))
			words[count++] = word;
		assert_int_equal(
			agent_options_read(count, words, &options, &err), -1);
		if (!strstr(err.text, cases[i][1]))
			fail_msg("%s: \"%s\"", cases[i][0], err.text);
	}
}

static int begin(void **state)
{
	char text[4096];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(text, sizeof(text), "%s:%s", folder, getenv("PATH"));
	setenv("PATH", text, 1);
	snprintf(text, sizeof(text), "echo \"$@\" >>%s/called", folder);
	write_script("scancel", text);
	return 0;
}

static int end(void **state)
{
	static const char *const names[] = {"scancel", "mine"};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(names); i++) {
		char path[200];

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
	json_decref(requests);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_bids_until_the_app_is_gone),
		cmocka_unit_test(an_app_may_be_new),
		cmocka_unit_test(the_app_may_outlive_the_job),
		cmocka_unit_test(it_waits_for_slurmctld),
		cmocka_unit_test(who_is_refused_ends),
		cmocka_unit_test(once_is_once),
		cmocka_unit_test(jobs_are_given_up_by_scancel),
		cmocka_unit_test(a_program_decides_unless_it_fails),
		cmocka_unit_test(a_bid_that_is_refused_is_said),
		cmocka_unit_test(wrong_options_are_named),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
