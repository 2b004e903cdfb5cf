/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobs ran before tells how long the next runs, after a restart too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/foresee/runtimes_priv.h"
#include "testsuite/unit/unit.h"

/* A user's jobs of a name ran 100, 110, 120 s: the next one is taken to run
 * 110, though its limit is an hour; one that has run 115 s, 120. */
static void test_runtimes(void **state)
{
	struct astra_runtimes r = {0};
	struct astra_runtime_job job = {
		.uid = 7, .name = "train", .limit_sec = 3600};
	const struct astra_forecast nothing = {0};
	struct astra_run_guess guess;

	(void)state;
	for (uint32_t i = 1; i <= 3; i++) {
		job.id = i;
		job.over = true;
		job.start_sec = 1000;
		job.end_sec = 1090 + 10 * i;
		astra_runtimes_see(&r, &job);
		astra_runtimes_see(&r, &job); /* seen twice counts once */
	}
	astra_runtimes_seen(&r, 2000);
	job = (struct astra_runtime_job){
		.id = 9, .uid = 7, .name = "train", .limit_sec = 3600};
	guess = astra_runtimes_guess(&r, &job, &nothing, ASTRA_GUESS_LIKELY, 0);
	assert_true(guess.total_sec == 110);
	guess = astra_runtimes_guess(&r, &job, &nothing, ASTRA_GUESS_EARLY, 0);
	assert_true(guess.total_sec == 100);
	guess = astra_runtimes_guess(&r, &job, &nothing, ASTRA_GUESS_LATE, 0);
	assert_true(guess.total_sec == 120);
	job.running = true;
	job.start_sec = 2000;
	guess = astra_runtimes_guess(&r, &job, &nothing, ASTRA_GUESS_LIKELY,
				     2115);
	assert_true(guess.total_sec == 120 && guess.left_sec == 5);
	/* Longer than any before: the limit is what is known. */
	guess = astra_runtimes_guess(&r, &job, &nothing, ASTRA_GUESS_LATE,
				     2200);
	assert_true(guess.total_sec == 3600 && guess.left_sec == 3400);
	/* Another user, another name: its limit; what a job says goes first. */
	job = (struct astra_runtime_job){
		.id = 10, .uid = 8, .name = "x", .limit_sec = 1000};
	guess = astra_runtimes_guess(&r, &job, &nothing, ASTRA_GUESS_LIKELY, 0);
	assert_true(guess.total_sec == 500);
	guess = astra_runtimes_guess(&r, &job,
				     &(struct astra_forecast){.work_sec = 300,
							      .done_sec = 100,
							      .measured = true},
				     ASTRA_GUESS_LIKELY, 0);
	assert_true(guess.left_sec == 200);
	astra_runtimes_clear(&r);
}

/* Two runs of one job count together. */
static void test_requeued(void **state)
{
	struct astra_runtimes r = {0};
	struct astra_runtime_job job = {.id = 1, .uid = 7, .name = "train"};
	const struct astra_forecast nothing = {0};

	(void)state;
	job.running = true;
	job.start_sec = 1000;
	astra_runtimes_see(&r, &job);
	astra_runtimes_seen(&r, 1050);
	job.running = false; /* requeued, waits */
	job.end_sec = 1060;
	job.run = 1;
	astra_runtimes_see(&r, &job);
	astra_runtimes_seen(&r, 1061);
	job.running = true;
	job.start_sec = 1100;
	job.end_sec = 0;
	assert_true(
		astra_runtimes_guess(&r, &job, &nothing, ASTRA_GUESS_LATE, 1140)
			.left_sec == 3600 - 100);
	job.running = false;
	job.over = true;
	job.end_sec = 1150;
	astra_runtimes_see(&r, &job);
	job = (struct astra_runtime_job){.id = 2, .uid = 7, .name = "train"};
	assert_true(
		astra_runtimes_guess(&r, &job, &nothing, ASTRA_GUESS_LIKELY, 0)
			.total_sec == 110);
	astra_runtimes_clear(&r);
}

/* A job of a user and a name that is over. */
static void learn(struct astra_runtimes *r, uint32_t id, uint32_t uid,
		  const char *name, double ran_sec)
{
	const struct astra_runtime_job job = {
		.id = id,
		.uid = uid,
		.name = name,
		.over = true,
		.start_sec = 1000,
		.end_sec = 1000 + ran_sec,
	};

	assert_int_equal(astra_runtimes_see(r, &job), 0);
}

static double likely_of(const struct astra_runtimes *r, uint32_t uid,
			const char *name)
{
	const struct astra_runtime_job job = {
		.id = 900000, .uid = uid, .name = name};
	const struct astra_forecast nothing = {0};

	return astra_runtimes_guess(r, &job, &nothing, ASTRA_GUESS_LIKELY, 0)
		.total_sec;
}

static double left_of(const struct astra_runtimes *r, uint32_t uid,
		      double limit_sec, enum astra_guess_kind kind,
		      double ran_sec)
{
	const struct astra_runtime_job job = {
		.id = 900000,
		.uid = uid,
		.name = "x",
		.limit_sec = limit_sec,
		.running = true,
		.start_sec = 5000,
	};

	return astra_runtimes_guess_other(r, &job, kind, 5000 + ran_sec)
		.left_sec;
}

/* A job that the engine does not know, of a user whose last ones ran 100, 200
 * and 300 s. It has run 150 s of its hour: of those that ran longer the least
 * is 200, the one in the middle 300, so it stays 50 or 150 s more; late, 3600 -
 * 150 s. Of a user of whom nothing is known it is a tenth and a half of what is
 * left of the limit. */
static void test_others(void **state)
{
	static const struct {
		uint32_t uid;
		double limit_sec, ran_sec;
		double left_sec[3]; /* early, likely, late */
	} cases[] = {
		{7, 3600, 150, {50, 150, 3450}},
		{7, 250, 150, {50, 100, 100}}, /* not longer than its limit */
		{7, 0, 150, {50, 150, 150}},   /* without: as its user's */
		{8, 1100, 100, {100, 500, 1000}},
		{7,
		 0,
		 400,
		 {HUGE_VAL, HUGE_VAL, HUGE_VAL}}, /* longer than any */
		{8,
		 0,
		 100,
		 {HUGE_VAL, HUGE_VAL, HUGE_VAL}}, /* unknown: stays */
		{7, 100, 150, {1, 1, 1}},	  /* its limit has passed */
	};
	struct astra_runtimes r = {0};

	(void)state;
	for (uint32_t i = 1; i <= 3; i++)
		learn(&r, i, 7, "y", 100 * i);
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++)
		for (int kind = 0; kind < 3; kind++)
			if (left_of(&r, cases[i].uid, cases[i].limit_sec,
				    (enum astra_guess_kind)kind,
				    cases[i].ran_sec) !=
			    cases[i].left_sec[kind])
				fail_msg("case %zu, guess %d", i, kind);
	astra_runtimes_clear(&r);
}

/* Twelve jobs of a name, of which eight are kept; one that runs again after 60
 * s, and one that is over: after a restart all of it is as before, and who was
 * counted is not counted again. */
static void test_restart(void **state)
{
	const struct astra_runtime_job again = {.id = 20,
						.run = 1,
						.uid = 7,
						.running = true,
						.start_sec = 1100};
	const struct astra_forecast nothing = {0};
	struct astra_runtimes r = {0}, back = {0};
	struct astra_bytes bytes = {0};
	struct astra_error err = {""};

	(void)state;
	for (uint32_t i = 1; i <= 12; i++)
		learn(&r, i, 7, "train", 10 * i);
	assert_true(r.changed);
	r.changed = false;
	astra_runtimes_see(&r, &(struct astra_runtime_job){
				       .id = 20, .uid = 7, .running = true});
	assert_false(r.changed);
	astra_runtimes_see(&r, &(struct astra_runtime_job){.id = 20,
							   .run = 1,
							   .uid = 7,
							   .start_sec = 1000,
							   .end_sec = 1060});
	assert_true(r.changed);
	assert_int_equal(astra_runtimes_save(&r, &bytes), 0);
	assert_int_equal(
		astra_runtimes_restore(&back, bytes.data, bytes.size, &err), 0);
	/* 50 to 120 s are kept: the middle is 90. */
	assert_true(likely_of(&r, 7, "train") == 90);
	assert_true(likely_of(&back, 7, "train") == 90);
	learn(&back, 12, 7, "train", 1e6); /* seen again */
	assert_true(likely_of(&back, 7, "train") == 90);
	learn(&back, 13, 7, "train", 1e6); /* 60 to 120 and this: 100 */
	assert_true(likely_of(&back, 7, "train") == 100);
	assert_true(astra_runtimes_guess(&back, &again, &nothing,
					 ASTRA_GUESS_EARLY, 1101)
			    .total_sec == 70); /* 61 s of it have been run */
	astra_runtimes_clear(&r);
	astra_runtimes_clear(&back);
	astra_bytes_clear(&bytes);
}

/* A limit of an hour, 3000 s of run 0 and 600 s of run 1: Slurm lets it run for
 * 3000 s more. What the pool itself requeues goes on from a checkpoint: an hour
 * is for all its runs, until that is over. */
static void test_limit_of_a_run(void **state)
{
	struct astra_runtimes r = {0};
	struct astra_runtime_job job = {
		.id = 1, .name = "x", .limit_sec = 3600, .running = true};
	const struct astra_forecast nothing = {0};

	(void)state;
	job.start_sec = 1000;
	astra_runtimes_see(&r, &job);
	astra_runtimes_seen(&r, 1000);
	job.run = 1;
	job.running = false;
	job.end_sec = 4000;
	astra_runtimes_see(&r, &job);
	job.running = true;
	job.start_sec = 5000;
	assert_true(astra_runtimes_guess_other(&r, &job, ASTRA_GUESS_LATE, 5600)
			    .left_sec == 3000);
	assert_true(
		astra_runtimes_guess_other(&r, &job, ASTRA_GUESS_LIKELY, 5600)
			.left_sec == 1500);
	assert_true(
		astra_runtimes_guess(&r, &job, &nothing, ASTRA_GUESS_LATE, 5500)
			.left_sec == 100);
	assert_true(
		astra_runtimes_guess(&r, &job, &nothing, ASTRA_GUESS_LATE, 5600)
			.left_sec == 3000);
	astra_runtimes_clear(&r);
}

/* A new slurmctld shows what ended long ago: it was learned before the restart,
 * though the job itself was forgotten; what ended meanwhile was not. */
static void test_shown_again(void **state)
{
	struct astra_runtimes r = {0}, back = {0};
	struct astra_bytes bytes = {0};
	struct astra_error err = {""};

	(void)state;
	learn(&r, 1, 7, "train", 100);
	astra_runtimes_seen(&r, 1200);
	astra_runtimes_seen(&r, 1300); /* no longer shown */
	assert_int_equal(r.job_count, 0);
	assert_int_equal(astra_runtimes_save(&r, &bytes), 0);
	assert_int_equal(
		astra_runtimes_restore(&back, bytes.data, bytes.size, &err), 0);
	learn(&back, 1, 7, "train", 10); /* its last run */
	assert_true(likely_of(&back, 7, "train") == 100);
	learn(&back, 2, 7, "train", 301);
	assert_true(likely_of(&back, 7, "train") == 301); /* of 100 and 301 */
	astra_runtimes_clear(&r);
	astra_runtimes_clear(&back);
	astra_bytes_clear(&bytes);
}

/* What is damaged is refused whole, wherever it is cut or changed; another
 * version is, too, and says so. */
static void test_damage(void **state)
{
	struct astra_runtimes r = {0}, back = {0};
	struct astra_bytes bytes = {0};
	struct astra_error err = {""};

	(void)state;
	for (uint32_t i = 1; i <= 3; i++)
		learn(&r, i, i, "train", 10 * i);
	assert_int_equal(astra_runtimes_save(&r, &bytes), 0);
	for (size_t size = 0; size < bytes.size; size++) {
		assert_int_equal(
			astra_runtimes_restore(&back, bytes.data, size, &err),
			-1);
		assert_string_equal(err.text, "damaged");
		assert_true(!back.rows && !back.jobs && !back.learned);
	}
	/* Whatever a byte becomes, nothing is read past the end, and what is
	 * taken can be searched and saved. */
	for (size_t at = 4; at < bytes.size; at++) {
		bytes.data[at] ^= 0xff;
		if (astra_runtimes_restore(&back, bytes.data, bytes.size,
					   &err) == 0)
			assert_true(likely_of(&back, 1, "train") > 0);
		astra_runtimes_clear(&back);
		bytes.data[at] ^= 0xff;
	}
	astra_put_u32(&bytes, 0); /* more than there is to be */
	assert_int_equal(
		astra_runtimes_restore(&back, bytes.data, bytes.size, &err),
		-1);
	bytes.data[0]++;
	assert_int_equal(
		astra_runtimes_restore(&back, bytes.data, bytes.size, &err),
		-1);
	assert_string_equal(err.text, "version 2, this release reads 1");
	astra_runtimes_clear(&r);
	astra_bytes_clear(&bytes);
}

/* Each job of another name: what was learned last is known, and what is kept
 * has a bound, here and in a file. */
static void test_room(void **state)
{
	struct astra_runtimes r = {0}, back = {0};
	struct astra_bytes bytes = {0};
	struct astra_error err = {""};
	char name[16];

	(void)state;
	for (uint32_t i = 1; i <= RUNTIME_ROWS_MAX + 10; i++) {
		snprintf(name, sizeof(name), "job%u", i);
		learn(&r, i, 7, name, i);
		astra_runtimes_seen(&r, 0);
		assert_true(r.count <= RUNTIME_ROWS_MAX);
		assert_true(likely_of(&r, 7, name) == i);
	}
	/* Half of the rows that there may be, and each job fills two: the
	 * name's and the user's. */
	for (uint32_t i = 0; i < RUNTIME_ROWS_MAX / 4; i++) {
		snprintf(name, sizeof(name), "job%u",
			 RUNTIME_ROWS_MAX + 10 - i);
		assert_true(likely_of(&r, 7, name) ==
			    RUNTIME_ROWS_MAX + 10 - i);
	}
	assert_int_equal(astra_runtimes_save(&r, &bytes), 0);
	assert_true(bytes.size < 2 << 20);
	assert_int_equal(
		astra_runtimes_restore(&back, bytes.data, bytes.size, &err), 0);
	assert_int_equal(back.count, r.count);
	assert_true(likely_of(&back, 7, name) == likely_of(&r, 7, name));
	astra_runtimes_clear(&r);
	astra_runtimes_clear(&back);
	astra_bytes_clear(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runtimes),
		cmocka_unit_test(test_requeued),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_restart),
		cmocka_unit_test(test_limit_of_a_run),
		cmocka_unit_test(test_shown_again),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
