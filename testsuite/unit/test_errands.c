/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that tell people something: what they get, and what they may not
 * cost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "src/slurm/out/errands.h"
#include "testsuite/unit/unit.h"

static const struct astra_errand_bounds wide = {
	.waiting = 8,
	.seconds = 60,
	.burst = 100,
	.rate = 100,
};

static int failures;
static char failure[512];

static void note_failure(const char *text)
{
	failures++;
	snprintf(failure, sizeof(failure), "%s", text);
}

static void put(struct astra_errands *errands, const char *program,
		const char *first, const char *second)
{
	struct astra_errand errand = {.words = 0};

	astra_errand_add(&errand, "%s", program);
	if (first)
		astra_errand_add(&errand, "%s", first);
	if (second)
		astra_errand_add(&errand, "%s", second);
	errand.words = errand.count;
	astra_errand_add(&errand, "PATH=%s", "/usr/bin:/bin");
	astra_errand_add(&errand, "WHOM=%s", "a b;c");
	astra_errands_put(errands, &errand);
}

static uint64_t settled(struct astra_errands *errands)
{
	struct astra_errand_counts c = astra_errands_count(errands);

	return c.done + c.failed + c.lost;
}

static struct astra_errand_counts wait_for(struct astra_errands *errands,
					   uint64_t count)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	while (settled(errands) < count)
		nanosleep(&pause, NULL);
	return astra_errands_count(errands);
}

static struct astra_errands *begin(const struct astra_errand_bounds *bounds)
{
	struct astra_errands *errands = astra_errands_new(bounds, note_failure);

	failures = 0;
	*failure = '\0';
	assert_non_null(errands);
	return errands;
}

/* The words of its command line, and of the environment these alone. */
static void a_program_gets_its_words(void **state)
{
	struct astra_errands *errands = begin(&wide);

	(void)state;
	assert_int_equal(setenv("SECRET", "1", 1), 0);
	put(errands, "/bin/sh", "-c",
	    "[ \"$WHOM\" = 'a b;c' ] && [ -z \"$SECRET\" ] && "
	    "[ \"$(readlink /proc/self/fd/0)\" = /dev/null ]");
	assert_int_equal(wait_for(errands, 1).done, 1);
	assert_int_equal(failures, 0);
	astra_errands_free(errands);
}

/* Of a file that is open here it has nothing. */
static void nothing_is_inherited(void **state)
{
	struct astra_errands *errands = begin(&wide);
	FILE *file = tmpfile();
	int fd = file ? dup(fileno(file)) : -1;
	char text[64];

	(void)state;
	assert_true(fd > 2);
	snprintf(text, sizeof(text), "[ ! -e /proc/self/fd/%d ]", fd);
	put(errands, "/bin/sh", "-c", text);
	assert_int_equal(wait_for(errands, 1).done, 1);
	close(fd);
	fclose(file);
	astra_errands_free(errands);
}

/* Neither where few files may be open. */
static void few_files_may_be_open(void **state)
{
	struct astra_errands *errands = begin(&wide);
	struct rlimit before, few;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 32;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	put(errands, "/bin/true", NULL, NULL);
	assert_int_equal(wait_for(errands, 1).done, 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	astra_errands_free(errands);
}

/* Half of a word may say something else. */
static void what_is_too_long_is_lost(void **state)
{
	struct astra_errands *errands = begin(&wide);
	char word[16000];

	(void)state;
	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	put(errands, "/bin/true", word, NULL);
	assert_int_equal(astra_errands_count(errands).lost, 1);
	astra_errands_free(errands);
}

static void a_failure_is_told(void **state)
{
	struct astra_errands *errands = begin(&wide);

	(void)state;
	put(errands, "/bin/sh", "-c", "exit 3");
	assert_int_equal(wait_for(errands, 1).failed, 1);
	assert_string_equal(failure, "/bin/sh: exited with 3");
	/* Within a minute no other is. */
	put(errands, "/nowhere/at/all", NULL, NULL);
	assert_int_equal(wait_for(errands, 2).failed, 2);
	assert_int_equal(failures, 1);
	astra_errands_free(errands);
	errands = begin(&wide);
	put(errands, "/nowhere/at/all", NULL, NULL);
	wait_for(errands, 1);
	assert_string_equal(failure,
			    "/nowhere/at/all: No such file or directory");
	astra_errands_free(errands);
}

/* Its process group goes with it. */
static void one_that_hangs_is_killed(void **state)
{
	struct astra_errand_bounds bounds = wide;
	struct astra_errands *errands;

	(void)state;
	bounds.seconds = 0.2;
	errands = begin(&bounds);
	put(errands, "/bin/sh", "-c", "trap '' TERM; sleep 1000 & wait");
	put(errands, "/bin/true", NULL, NULL);
	assert_int_equal(wait_for(errands, 2).failed, 1);
	assert_int_equal(astra_errands_count(errands).done, 1);
	assert_string_equal(failure, "/bin/sh: killed, for it had not ended "
				     "within 0.2 s");
	astra_errands_free(errands);
}

/* While one runs so many wait; the others are lost, at once. */
static void too_many_are_lost(void **state)
{
	struct astra_errands *errands = begin(&wide);

	(void)state;
	for (int i = 0; i < 30; i++)
		put(errands, "/bin/sleep", "1000", NULL);
	/* The first may have left the queue before the last came, or not. */
	assert_in_range(astra_errands_count(errands).lost, 21, 22);
	astra_errands_free(errands); /* and does not wait for a sleep */
}

/* 2 at once and then 20 a second: the fifth waits 3/20 s at least. */
static void the_rate_is_kept(void **state)
{
	const struct astra_errand_bounds bounds = {
		.waiting = 8,
		.seconds = 60,
		.burst = 2,
		.rate = 20,
	};
	struct astra_errands *errands = begin(&bounds);
	struct timespec from, to;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < 5; i++)
		put(errands, "/bin/true", NULL, NULL);
	assert_int_equal(wait_for(errands, 5).done, 5);
	clock_gettime(CLOCK_MONOTONIC, &to);
	assert_true((double)(to.tv_sec - from.tv_sec) +
			    (double)(to.tv_nsec - from.tv_nsec) / 1e9 >=
		    0.15);
	astra_errands_free(errands);
}

static void a_huge_one_is_lost(void **state)
{
	struct astra_errand errand = {.words = 0};
	struct astra_errands *errands = begin(&wide);

	(void)state;
	for (int i = 0; i < 1000; i++)
		astra_errand_add(&errand, "%s", "a word that takes its room");
	errand.words = errand.count;
	astra_errands_put(errands, &errand);
	assert_int_equal(astra_errands_count(errands).lost, 1);
	astra_errands_free(errands);
	astra_errands_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_gets_its_words),
		cmocka_unit_test(nothing_is_inherited),
		cmocka_unit_test(few_files_may_be_open),
		cmocka_unit_test(what_is_too_long_is_lost),
		cmocka_unit_test(a_failure_is_told),
		cmocka_unit_test(one_that_hangs_is_killed),
		cmocka_unit_test(too_many_are_lost),
		cmocka_unit_test(the_rate_is_kept),
		cmocka_unit_test(a_huge_one_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
