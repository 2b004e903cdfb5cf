/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was foreseen is what happens, where jobs run as long as was guessed and
 * nobody submits more; and what jobs ran before tells how long the next runs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/foresee/foresee.h"
#include "src/foresee/runtimes.h"
#include "src/policy/engine_image.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

static double started[VC_JOBS], until_sec;
static bool asked;

/* Look ahead in the first round that is held. */
static void look(struct vcluster *vc, const struct astra_snapshot *snapshot)
{
	static struct astra_run_guess guesses[VC_JOBS];
	struct astra_bytes image = {0};
	struct astra_error err = {""};
	struct astra_foresee question = {
		.options = &vc->options,
		.snapshot = snapshot,
		.guesses = guesses,
		.horizon_sec = 1e5,
		.checkpoint_part = 0.4,
	};

	if (!asked) {
		asked = true;
		for (size_t i = 0; i < vc->job_count; i++)
			guesses[i] = (struct astra_run_guess){
				.total_sec = vc->jobs[i]->work_sec,
				.left_sec = vc->jobs[i]->work_sec -
					    vc->jobs[i]->done_sec};
		assert_int_equal(astra_engine_image(vc->engine, &image), 0);
		question.image = image.data;
		question.image_size = image.size;
		if (astra_foresee(&question, started, &until_sec, &err) < 0)
			fail_msg("%s", err.text);
		astra_bytes_clear(&image);
	}
	if (astra_engine_round(vc->engine, snapshot, &vc->plan, &err) < 0)
		fail_msg("%s", err.text);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct vcluster *busy(uint64_t seed)
{
	static const uint32_t gpus[] = {1, 1, 2, 4, 8, 12};
	struct vcluster *vc = malloc(sizeof(*vc));
	struct astra_random random = astra_random_seed(seed);

	assert_non_null(vc);
	vc_init(vc, 4, 8);
	vc->options.lease_sec = 60;
	vc->options.grace_sec = 5;
	vc->options.min_run_sec = 10;
	vc_tenant(vc, "a", 1);
	vc_tenant(vc, "b", 2);
	vc_begin(vc);
	for (int i = 0; i < 80; i++) {
		uint32_t size =
			gpus[astra_random_below(&random, ASTRA_COUNT_OF(gpus))];
		struct vjob *v = vc_submit(
			vc, (uint32_t)astra_random_below(&random, 2), size,
			20 + (double)astra_random_below(&random, 200));

		v->checkpoint_sec = 2;
		v->job.checkpoints = true;
		v->job.time_limit_sec = 1000;
	}
	return vc;
}

/* One cluster: what was foreseen of those that waited, and what came. */
static size_t watch(uint64_t seed, double *errors, double *waits)
{
	struct vcluster *vc = busy(seed);
	double first[VC_JOBS] = {0}, asked_sec;
	size_t count = 0;

	vc_run(vc, 1100);
	asked = false;
	asked_sec = vc->now_sec;
	vc->round = look;
	for (size_t i = 0; i < vc->job_count; i++)
		first[i] = vc->jobs[i]->starts ? -1 : 0;
	while (vc->now_sec < 1000 + 5000) {
		vc_step(vc);
		for (size_t i = 0; i < vc->job_count; i++)
			if (!first[i] && vc->jobs[i]->starts)
				first[i] = vc->jobs[i]->job.start_sec;
	}
	for (size_t i = 0; i < vc->job_count; i++) {
		if (first[i] <= 0)
			continue;
		assert_true(started[i] > 0);
		waits[count] = first[i] - asked_sec;
		errors[count++] = fabs(first[i] - started[i]);
	}
	vc_fini(vc);
	free(vc);
	return count;
}

static void test_it_happens_so(void **state)
{
	double errors[8 * VC_JOBS], waits[8 * VC_JOBS];
	size_t count = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++)
		count += watch(seed, errors + count, waits + count);
	assert_true(count > 200);
	qsort(errors, count, sizeof(*errors), compare);
	qsort(waits, count, sizeof(*waits), compare);
	print_message("%zu jobs, median wait %.0f s, error %.0f s, 90 %% below "
		      "%.0f s\n",
		      count, waits[count / 2], errors[count / 2],
		      errors[count * 9 / 10]);
	assert_true(errors[count / 2] <= 0.1 * waits[count / 2]);
}

static bool at_most_five(void *arg)
{
	return (*(int *)arg)++ < 5;
}

/* It stops when it is told, and says how far it looked; what was not reached
 * is not known. */
static void test_bounds(void **state)
{
	struct vcluster *vc = busy(5);
	static struct astra_run_guess guesses[VC_JOBS];
	struct astra_bytes image = {0};
	struct astra_error err = {""};
	struct astra_snapshot snapshot;
	int rounds = 0;
	size_t unknown = 0;
	struct astra_foresee question = {
		.options = &vc->options,
		.snapshot = &snapshot,
		.guesses = guesses,
		.horizon_sec = 1e5,
		.go_on = at_most_five,
		.arg = &rounds,
	};

	(void)state;
	vc_run(vc, 1050);
	snapshot = (struct astra_snapshot){
		.now_sec = vc->now_sec,
		.nodes = vc->nodes,
		.node_count = vc->node_count,
		.tenants = vc->tenants,
		.tenant_count = vc->tenant_count,
		.jobs = vc->snapshot_jobs,
		.job_count = vc->job_count,
	};
	for (size_t i = 0; i < vc->job_count; i++) {
		vc->snapshot_jobs[i] = vc->jobs[i]->job;
		guesses[i] = (struct astra_run_guess){100, 100};
	}
	assert_int_equal(astra_engine_image(vc->engine, &image), 0);
	question.image = image.data;
	question.image_size = image.size;
	assert_int_equal(astra_foresee(&question, started, &until_sec, &err),
			 0);
	assert_int_equal(rounds, 6);
	assert_true(until_sec > vc->now_sec && until_sec < vc->now_sec + 1e5);
	for (size_t i = 0; i < vc->job_count; i++)
		unknown += vc->jobs[i]->job.state == ASTRA_JOB_PENDING &&
			   !started[i];
	assert_true(unknown > 5);
	question.image_size--;
	assert_int_equal(astra_foresee(&question, started, &until_sec, &err),
			 -1);
	astra_bytes_clear(&image);
	vc_fini(vc);
	free(vc);
}

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
	astra_runtimes_seen(&r);
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
	astra_runtimes_seen(&r);
	job.running = false; /* requeued, waits */
	job.end_sec = 1060;
	job.run = 1;
	astra_runtimes_see(&r, &job);
	astra_runtimes_seen(&r);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_happens_so),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_runtimes),
		cmocka_unit_test(test_requeued),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
