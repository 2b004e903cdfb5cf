/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was foreseen is what happens, where jobs run as long as was guessed and
 * nobody submits more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/engine/engine_image.h"
#include "src/foresee/foresee.h"
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

/* One node of 4 GPUs and 32 CPUs, of which jobs that the engine does not know
 * have 30: 20 of them for 95 s more, 10, with 1000 MiB, for 205 s. They are
 * cleaned up for half a second, and rounds are 10 s apart: 22 CPUs are free at
 * 10 * ceil(95.5 / 10) = 100 s, all 32 at 10 * ceil(205.5 / 10) = 210 s.
 * Nothing but GPUs is held together for a job, so the one of 10 CPUs goes
 * before that of 28; it runs 50 s. */
static void test_others_leave(void **state)
{
	static const struct astra_release releases[] = {
		{.at_sec = 1205, .share = {.cpus = 10, .mem_mib = 1000}},
		{.at_sec = 1095, .share = {.cpus = 20}},
	};
	static const struct astra_run_guess guesses[] = {
		{50, 50}, {50, 50}, {50, 50}};
	struct vcluster *vc = malloc(sizeof(*vc));
	struct astra_job jobs[3];
	struct astra_bytes image = {0};
	struct astra_error err = {""};
	struct astra_snapshot snapshot = {
		.now_sec = 1000,
		.node_count = 1,
		.tenant_count = 1,
		.jobs = jobs,
		.job_count = ASTRA_COUNT_OF(jobs),
	};
	struct astra_foresee question = {
		.snapshot = &snapshot,
		.guesses = guesses,
		.releases = releases,
		.release_count = ASTRA_COUNT_OF(releases),
		.horizon_sec = 1e4,
	};

	(void)state;
	assert_non_null(vc);
	vc_init(vc, 1, 4);
	vc_tenant(vc, "a", 1);
	vc_begin(vc);
	vc->nodes[0].cpus_free = 2;
	vc->nodes[0].mem_free_mib = 100;
	for (size_t i = 0; i < ASTRA_COUNT_OF(jobs); i++)
		jobs[i] = vc_submit(vc, 0, 1, 50)->job;
	jobs[0].request.cpus = 28;
	jobs[1].request.cpus = 10;
	jobs[2].request.mem_node_mib = 500;
	snapshot.nodes = vc->nodes;
	snapshot.tenants = vc->tenants;
	question.options = &vc->options;
	assert_true(vc->options.round_sec == 10);
	assert_int_equal(astra_engine_image(vc->engine, &image), 0);
	question.image = image.data;
	question.image_size = image.size;
	assert_int_equal(astra_foresee(&question, started, &until_sec, &err),
			 0);
	assert_true(started[0] == 1210);
	assert_true(started[1] == 1100);
	assert_true(started[2] == 1210);
	/* Those that stay are not among the releases: then nobody starts. */
	question.release_count = 0;
	assert_int_equal(astra_foresee(&question, started, &until_sec, &err),
			 0);
	for (size_t i = 0; i < ASTRA_COUNT_OF(jobs); i++)
		assert_true(started[i] == 0);
	assert_true(until_sec == 1000 + 1e4);
	astra_bytes_clear(&image);
	vc_fini(vc);
	free(vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_happens_so),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_others_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
