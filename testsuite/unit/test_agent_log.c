/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sfair-agent reads out of a log: lines, expressions, iteration times, and
 * files that are rotated. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cmd/sfair-agent/follow.h"
#include "testsuite/unit/unit.h"

static struct agent_window window;

static void begin(const char *text)
{
	window.size = 0;
	agent_window_add(&window, text, strlen(text), 0);
}

static void lines_come_from_new_to_old(void **state)
{
	char line[AGENT_LINE];
	size_t end = AGENT_WINDOW;

	(void)state;
	begin("one\ntwo\rthr");
	assert_true(agent_window_line(&window, &end, line));
	assert_string_equal(line, "two");
	assert_true(agent_window_line(&window, &end, line));
	assert_string_equal(line, "one");
	assert_false(agent_window_line(&window, &end, line));
	agent_window_trim(&window);
	agent_window_add(&window, "ee\n", 3, 0);
	end = AGENT_WINDOW;
	assert_true(agent_window_line(&window, &end, line));
	assert_string_equal(line, "three");
	assert_false(agent_window_line(&window, &end, line));
}

static void a_flood_leaves_its_end(void **state)
{
	char line[AGENT_LINE], text[32];
	size_t end = AGENT_WINDOW;

	(void)state;
	begin("");
	for (int i = 0; i < 20000; i++)
		agent_window_add(
			&window, text,
			(size_t)snprintf(text, sizeof(text), "line %d\n", i),
			0);
	assert_true(window.size <= AGENT_WINDOW);
	for (int i = 19999; i > 19000; i--) {
		snprintf(text, sizeof(text), "line %d", i);
		assert_true(agent_window_line(&window, &end, line));
		assert_string_equal(line, text);
	}
}

static void a_line_without_end_is_cut(void **state)
{
	static char much[3 * AGENT_WINDOW];
	char line[AGENT_LINE];
	size_t end = AGENT_WINDOW;

	(void)state;
	memset(much, 'x', sizeof(much));
	begin("");
	agent_window_add(&window, much, sizeof(much), 0);
	assert_false(agent_window_line(&window, &end, line));
	agent_window_add(&window, "\n", 1, 0);
	end = AGENT_WINDOW;
	assert_true(agent_window_line(&window, &end, line));
	assert_int_equal(strlen(line), AGENT_LINE - 1);
	assert_false(agent_window_line(&window, &end, line));
}

/* What built-in expressions see in lines, the newest first. */
struct sight {
	const char *name, *lines[3];
	double done, total, loss, sec, epoch;
};

static const struct sight sights[] = {
	{"tensorflow",
	 {"step = 100, loss = 2.3 (0.5 sec)"},
	 100,
	 NAN,
	 2.3,
	 NAN,
	 NAN},
	{"tensorflow",
	 {"INFO:tensorflow:global_step/sec: 20.0",
	  "INFO:tensorflow:loss = 1e-3, step = 7 (5.012 sec)"},
	 7,
	 NAN,
	 1e-3,
	 0.05,
	 NAN},
	{"tensorflow",
	 {"2017: step 10, loss = 4.66 (123.4 examples/sec; 0.104 "
	  "sec/batch)"},
	 10,
	 NAN,
	 4.66,
	 0.104,
	 NAN},
	{"tqdm",
	 {" 10%|#   | 10/100 [00:05<00:45,  2.00it/s]"},
	 10,
	 100,
	 NAN,
	 0.5,
	 NAN},
	{"tqdm",
	 {"3/9 [01:05<02:45, 4.5s/it, loss=0.25]"},
	 3,
	 9,
	 0.25,
	 4.5,
	 NAN},
	{"tqdm", {"0/9 [00:00<?, ?it/s]"}, 0, 9, NAN, NAN, NAN},
	{"lightning",
	 {"Epoch 2:  40%|####  | 4/10 [00:02<00:03,  2.0it/s, v_num=1, "
	  "train_loss=0.5]"},
	 4,
	 10,
	 0.5,
	 0.5,
	 2},
	{"huggingface",
	 {" 20%|##  | 20/100 [00:10<00:40,  2.00it/s]",
	  "{'loss': 0.125, 'learning_rate': 5e-05, 'epoch': 1.0}",
	  "{'loss': 7.5, 'learning_rate': 5e-05, 'epoch': 0.5}"},
	 20,
	 100,
	 0.125,
	 0.5,
	 NAN},
};

static void known_frameworks_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(sights); i++) {
		const struct sight *s = &sights[i];
		const double want[] = {s->done, s->total, s->loss, s->sec,
				       s->epoch};
		struct agent_patterns patterns = {.count = 0};
		struct agent_seen seen;

		agent_seen_clear(&seen);
		assert_int_equal(
			agent_patterns_add(&patterns, s->name, NULL, NULL), 0);
		for (size_t k = 0; k < 3 && s->lines[k]; k++)
			agent_patterns_match(&patterns, s->lines[k], &seen);
		for (size_t k = 0; k < ASTRA_COUNT_OF(want); k++)
			if (isnan(want[k]) != isnan(seen.value[k]) ||
			    fabs(want[k] - seen.value[k]) > 1e-9)
				fail_msg("%s: %s: %s is %g, not %g", s->name,
					 s->lines[0],
					 (const char *[]){"done", "total",
							  "loss", "sec",
							  "epoch"}[k],
					 seen.value[k], want[k]);
		agent_patterns_destroy(&patterns);
	}
}

static void ones_own_expression_has_its_fields(void **state)
{
	struct agent_patterns patterns = {.count = 0};
	struct agent_seen seen;

	(void)state;
	agent_seen_clear(&seen);
	assert_int_equal(agent_patterns_add(&patterns,
					    "^(it|iter) ([0-9]+) of ([0-9]+)",
					    "none,done,total", NULL),
			 0);
	assert_int_equal(
		agent_patterns_add(&patterns, "saved ([0-9]+)", "saved", NULL),
		0);
	assert_false(agent_patterns_match(&patterns, "it 3 of 10", &seen));
	assert_false(agent_patterns_match(&patterns, "it 2 of 9", &seen));
	assert_true(agent_patterns_match(&patterns, "saved 1", &seen));
	assert_close(seen.value[AGENT_DONE], 3, 0);
	assert_close(seen.value[AGENT_TOTAL], 10, 0);
	assert_close(seen.value[AGENT_SAVED], 1, 0);
	agent_patterns_destroy(&patterns);
}

static void what_is_wrong_with_an_expression_is_said(void **state)
{
	static const struct {
		const char *text, *fields, *why;
	} cases[] = {
		{"(a", NULL, "--progress=(a: "},
		{"a", NULL, "has 0 groups"},
		{"(a)", "done,total", "has 1 groups"},
		{"(a)", "rho", "\"rho\" is none of"},
		{"(a)", "", "\"\" is none of"},
		{"(a)", "done,done,done,done,done,done,done,done,done",
		 "at most 8"},
		{"tqdm", "done", "does not go with"},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct agent_patterns patterns = {.count = 0};
		struct astra_error err = {""};

		assert_int_equal(agent_patterns_add(&patterns, cases[i].text,
						    cases[i].fields, &err),
				 -1);
		if (!strstr(err.text, cases[i].why))
			fail_msg("%s: %s", cases[i].text, err.text);
		assert_int_equal(patterns.count, 0);
	}
}

static void a_pause_does_not_move_the_pace(void **state)
{
	struct agent_pace pace = {.count = 0};
	double at_sec = 0;

	(void)state;
	assert_close(agent_pace_sec(&pace), 0, 0);
	for (int i = 0; i < 40; i++) {
		at_sec += i == 30 ? 100 : 5;
		agent_pace_add(&pace, 10 * i, at_sec);
		agent_pace_add(&pace, 10 * i, at_sec + 1); /* seen again */
	}
	assert_close(agent_pace_sec(&pace), 0.5, 1e-9);
	agent_pace_add(&pace, 0, at_sec); /* it begins anew */
	assert_close(agent_pace_sec(&pace), 0, 0);
	agent_pace_add(&pace, 1, at_sec + 3);
	assert_close(agent_pace_sec(&pace), 3, 1e-9);
}

/* Looks a second apart see steps of 1.5 s after 1 s or 2 s. */
static void looks_that_are_late_do_not_matter(void **state)
{
	struct agent_pace pace = {.count = 0};

	(void)state;
	for (int i = 0; i < 30; i++)
		agent_pace_add(&pace, i, ceil(1.5 * i));
	assert_close(agent_pace_sec(&pace), 1.5, 1e-9);
}

static void epochs_count_up(void **state)
{
	struct agent_progress progress = {.epochs = 5};
	struct agent_report report;
	struct agent_seen seen;

	(void)state;
	agent_seen_clear(&seen);
	memcpy(progress.value, seen.value, sizeof(seen.value));
	assert_false(agent_progress_report(&progress, &report));
	seen.value[AGENT_DONE] = 4;
	seen.value[AGENT_TOTAL] = 10;
	seen.value[AGENT_EPOCH] = 2;
	agent_progress_see(&progress, &seen, 1);
	assert_true(agent_progress_report(&progress, &report));
	assert_int_equal(report.done, 24);
	assert_int_equal(report.total, 50);
	progress.epochs = 0;
	assert_true(agent_progress_report(&progress, &report));
	assert_int_equal(report.total, 0);
	agent_seen_clear(&seen);
	seen.value[AGENT_DONE] = -7;
	agent_progress_see(&progress, &seen, 2);
	seen.value[AGENT_EPOCH] = 0;
	agent_progress_see(&progress, &seen, 2);
	assert_false(agent_progress_report(&progress, &report));
}

static void append(const char *path, const char *text)
{
	FILE *out = fopen(path, "a");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static void reads(struct agent_tail *tail, const char *want)
{
	window.size = 0;
	agent_tail_read(tail, &window, 0);
	assert_int_equal(window.size, strlen(want));
	assert_memory_equal(window.bytes, want, window.size);
}

static void a_log_may_come_and_go(void **state)
{
	char folder[] = "/tmp/test_agent_log.XXXXXX", path[64], moved[64];
	struct agent_tail tail = AGENT_TAIL(path);

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/log", folder);
	snprintf(moved, sizeof(moved), "%s/log.1", folder);
	reads(&tail, ""); /* not there yet */
	append(path, "1\n");
	reads(&tail, "1\n");
	append(path, "2\n");
	assert_int_equal(rename(path, moved), 0);
	append(path, "3\n");
	reads(&tail, "2\n3\n");
	assert_int_equal(truncate(path, 0), 0);
	append(path, "4");
	reads(&tail, "4");
	unlink(path);
	reads(&tail, "");
	append(path, "5\n");
	reads(&tail, "5\n");
	close(tail.fd);
	tail = AGENT_TAIL(path); /* an earlier run's is not read */
	reads(&tail, "");
	append(path, "6\n");
	reads(&tail, "6\n");
	close(tail.fd);
	unlink(path);
	unlink(moved);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_from_new_to_old),
		cmocka_unit_test(a_flood_leaves_its_end),
		cmocka_unit_test(a_line_without_end_is_cut),
		cmocka_unit_test(known_frameworks_are_read),
		cmocka_unit_test(ones_own_expression_has_its_fields),
		cmocka_unit_test(what_is_wrong_with_an_expression_is_said),
		cmocka_unit_test(a_pause_does_not_move_the_pace),
		cmocka_unit_test(looks_that_are_late_do_not_matter),
		cmocka_unit_test(epochs_count_up),
		cmocka_unit_test(a_log_may_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
