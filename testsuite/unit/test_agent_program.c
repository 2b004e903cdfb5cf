/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that sfair-agent asks: good ones, and those that are slow, crash or
 * never stop talking. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/agent/bid.h"
#include "src/cmd/sfair-agent/program.h"
#include "testsuite/unit/unit.h"

static struct astra_error err;

/* Run a shell's words. Returns its output, for free(), or NULL. */
static char *run(const char *script, const char *input, double seconds)
{
	const struct agent_limits limits = {seconds, 10000, 0};
	char *words[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
			 (char *)(uintptr_t)script, NULL};
	char *output;
	int rc;

	*err.text = '\0';
	rc = agent_program_run(words, input, &limits, &output, &err);
	assert_int_equal(rc, output ? 0 : -1);
	return output;
}

static void fails(const char *script, double seconds, const char *reason)
{
	assert_null(run(script, "input", seconds));
	if (!strstr(err.text, reason))
		fail_msg("%s: \"%s\"", script, err.text);
}

static void a_program_answers_its_input(void **state)
{
	char *output = run("tr a-z A-Z", "hello", 60);

	(void)state;
	assert_non_null(output);
	assert_string_equal(output, "HELLO");
	free(output);
	output = run(":", "", 60);
	assert_non_null(output);
	assert_string_equal(output, "");
	free(output);
}

/* More than a pipe holds; it may read it all, some of it, or nothing. */
static void much_input_is_no_obstacle(void **state)
{
	static char input[300001];
	char *output;

	(void)state;
	memset(input, 'x', sizeof(input) - 1);
	output = run("wc -c", input, 60);
	assert_non_null(output);
	assert_int_equal(atoi(output), 300000);
	free(output);
	output = run("head -c 1", input, 60);
	assert_non_null(output);
	assert_string_equal(output, "x");
	free(output);
	free(run("exit 0", input, 60));
	assert_string_equal(err.text, "");
}

static void what_goes_wrong_is_said(void **state)
{
	(void)state;
	fails("echo x; exit 3", 60, "sh: exited with 3");
	fails("kill -SEGV $$", 60, "sh: died of signal 11");
	fails("exec yes", 60, "sh: answers with more than 10000 bytes");
	fails("sleep 1000", .2, "has not ended within 0.2 s");
	fails("exec >&-; sleep 1000", .2, "has not ended within 0.2 s");
}

static void no_program_is_an_error(void **state)
{
	const struct agent_limits limits = {60, 10000, 0};
	char name[] = "/nonexistent/program", *words[] = {name, NULL};
	char *output;

	(void)state;
	assert_int_equal(agent_program_run(words, "", &limits, &output, &err),
			 -1);
	assert_null(output);
	assert_string_equal(err.text, "/nonexistent/program: cannot be run: No "
				      "such file or directory");
}

/* Running, sleeping: not gone, and no zombie that waits for init either. */
static int alive(int pid)
{
	char path[40], state = 'Z';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%*d %*s %c", &state) != 1)
		state = 'Z';
	fclose(file);
	return state != 'Z' && state != 'X';
}

static void what_it_started_dies_with_it(void **state)
{
	char path[] = "/tmp/agent.XXXXXX", script[100];
	int fd = mkstemp(path), pid = 0;
	FILE *file;

	(void)state;
	assert_true(fd >= 0);
	snprintf(script, sizeof(script), "sleep 1000 & echo $! >%s; exec yes",
		 path);
	fails(script, 60, "answers with more");
	file = fdopen(fd, "re");
	assert_int_equal(fscanf(file, "%d", &pid), 1);
	fclose(file);
	unlink(path);
	for (int i = 0; i < 1000 && alive(pid); i++)
		usleep(10000);
	assert_false(alive(pid));
}

static void words_are_between_blanks(void **state)
{
	char text
		[] = "  ./a  -b 'c d'\t",
	    many[] =
		    "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 "
		    "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 "
		    "1 2 3 4 5 6";
	char *words[AGENT_WORDS_MAX + 1];

	(void)state;
	agent_program_split(text, words);
	assert_string_equal(words[0], "./a");
	assert_string_equal(words[1], "-b");
	assert_string_equal(words[2], "'c");
	assert_string_equal(words[3], "d'");
	assert_null(words[4]);
	agent_program_split(many, words);
	assert_string_equal(words[63], "4");
	assert_null(words[64]);
}

static const char offer_text[] =
	"{\"now_sec\":1,\"app\":{\"elapsed_sec\":60,\"ideal_sec\":100,"
	"\"gpus_max\":2,\"slowdown\":[1,1,1,2]},\"jobs\":["
	"{\"job\":1,\"gpus\":1,\"copies\":1,\"progress\":{\"done\":150,"
	"\"total\":200,\"iter_sec\":1,\"loss\":2}},"
	"{\"job\":2,\"gpus\":1,\"copies\":1,\"progress\":{\"done\":120,"
	"\"total\":200,\"iter_sec\":1,\"loss\":1}},"
	"{\"job\":3,\"gpus\":1,\"copies\":1,\"progress\":{\"done\":100,"
	"\"total\":200,\"iter_sec\":1,\"loss\":3}}]}";

static const char *top(void)
{
	const char *folder = getenv("top_srcdir");

	return folder ? folder : ".";
}

/* What a program in Python, with or without options, bids. */
static void ask(const char *path, struct agent_bid *bid)
{
	const struct agent_limits limits = {60, 1 << 20, 0};
	char command[4096], *words[AGENT_WORDS_MAX + 1], *output;
	struct agent_offer offer;

	snprintf(command, sizeof(command), "python3 %s", path);
	agent_program_split(command, words);
	if (agent_program_run(words, offer_text, &limits, &output, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(agent_offer_read(&offer, offer_text, &err), 0);
	if (agent_bid_read(bid, &offer, output, &err) < 0)
		fail_msg("%s", err.text);
	agent_offer_destroy(&offer);
	free(output);
}

/* Job 3 is given up; 130 GPU-seconds remain. */
static void the_example_is_a_scheduler(void **state)
{
	struct agent_bid bid;
	char path[4000];

	(void)state;
	snprintf(path, sizeof(path),
		 "%s/contrib/examples/app-scheduler.py --factor 2", top());
	ask(path, &bid);
	assert_int_equal(bid.stop_count, 1);
	assert_int_equal(bid.stop[0], 3);
	assert_int_equal(bid.order_count, 2);
	assert_int_equal(bid.order[0], 2);
	assert_int_equal(bid.gpus_max, 2);
	assert_close(bid.rho[0], 1.9, 1e-9);
	assert_close(bid.rho[1], 1.25, 1e-9);
	assert_close(bid.rho[7], 1.9, 1e-9);
	agent_bid_destroy(&bid);
}

/* The program that the manual page shows, into a file of its own. */
static void extract_manual(const char *path)
{
	static char page[65536];
	char name[4096], *begin, *end;
	FILE *file;

	snprintf(name, sizeof(name), "%s/doc/man1/sfair-agent.1", top());
	file = fopen(name, "re");
	assert_non_null(file);
	page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
	fclose(file);
	begin = strstr(page, "#!/usr/bin/env python3\n");
	assert_non_null(begin);
	end = strstr(begin, "\n.Ed");
	assert_non_null(end);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(begin, 1, (size_t)(end - begin), file),
			 end - begin);
	fclose(file);
}

static void the_manual_shows_a_scheduler(void **state)
{
	char path[] = "/tmp/agent.XXXXXX";
	int fd = mkstemp(path);
	struct agent_bid bid;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	extract_manual(path);
	ask(path, &bid);
	unlink(path);
	assert_int_equal(bid.stop_count, 0);
	assert_int_equal(bid.order_count, 3);
	assert_int_equal(bid.order[0], 2);
	assert_int_equal(bid.order[1], 1);
	agent_bid_destroy(&bid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_answers_its_input),
		cmocka_unit_test(much_input_is_no_obstacle),
		cmocka_unit_test(what_goes_wrong_is_said),
		cmocka_unit_test(no_program_is_an_error),
		cmocka_unit_test(what_it_started_dies_with_it),
		cmocka_unit_test(the_example_is_a_scheduler),
		cmocka_unit_test(the_manual_shows_a_scheduler),
		cmocka_unit_test(words_are_between_blanks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
