/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds for all baselines: everybody gets through, nothing is given
 * twice, and the same trace gives the same plans. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/policies/options.h"
#include "src/sim/generate.h"
#include "src/sim/simulate.h"
#include "testsuite/unit/step_world.h"
#include "testsuite/unit/unit.h"

#define JOBS 60
#define BASELINES 21

/* Those that stop nobody. */
static bool is_gentle(const struct astra_scheduler *baseline)
{
	static const char *const names[] = {
		"fifo", "slurm", "yarn-cs", "allox", "drf", "batchsche", "rrh"};

	for (size_t i = 0; i < ASTRA_COUNT_OF(names); i++)
		if (!strcmp(names[i], baseline->name))
			return true;
	return false;
}

/* 3 tenants, one without a weight, jobs up to the whole cluster, a part of them
 * elastic; a round every 37 s. The world fails when a plan cannot be carried
 * out. Returns a hash of all plans. */
static uint64_t step_through(const char *scheduler, uint64_t seed, bool elastic)
{
	static struct world w;
	struct astra_random random = astra_random_seed(seed);
	uint64_t hash = 0;
	double submit = 0;

	world_init(&w, scheduler, 4, 4, (const double[]){2, 1, 0, -1});
	w.checkpoints = astra_random_below(&random, 2);
	for (int i = 0; i < JOBS; i++) {
		uint32_t gpus = 1u << astra_random_below(&random, 5);
		uint32_t tenant = (uint32_t)astra_random_below(&random, 3);

		submit += astra_random_uniform(&random) * 200;
		world_job(&w, tenant, gpus, submit,
			  1 + astra_random_uniform(&random) * 2000);
		if (elastic && astra_random_below(&random, 2))
			w.jobs[i].request.gpus_min =
				1 + (uint32_t)astra_random_below(&random, gpus);
	}
	for (int i = 0; i < 20000; i++) {
		world_round(&w);
		for (size_t k = 0; k < w.plan.decision_count; k++)
			hash = hash * 31 + w.plan.decisions[k].job +
			       1000 * w.plan.decisions[k].action;
		if (world_count(&w, ASTRA_JOB_ENDED) == JOBS)
			break;
		world_pass(&w, 37);
		world_leave(&w);
	}
	assert_int_equal(world_count(&w, ASTRA_JOB_ENDED), JOBS);
	world_fini(&w);
	return hash;
}

static void plans_can_be_carried_out_and_repeat(void **state)
{
	const struct astra_scheduler *const *all = astra_scheduler_all();

	(void)state;
	for (size_t i = 0; all[i]; i++)
		for (uint64_t seed = 1; all[i]->source && seed <= draws(10); seed++) {
			const char *name = all[i]->name;

			assert_int_equal(step_through(name, seed, seed % 2),
					 step_through(name, seed, seed % 2));
		}
}

static void simulate(const struct astra_trace *trace, double round_sec,
		     bool elastic, const struct astra_scheduler *scheduler,
		     struct astra_sim_result *result)
{
	struct astra_cluster cluster = {0};
	struct astra_options policy;
	struct astra_sim_options options = {
		.round_sec = round_sec,
		.checkpoint_sec = 20,
		.cold_start_sec = 10,
		.slowdown = {1, 1, 1.1, 1.3},
		.runs = true,
		.elastic = elastic,
	};
	struct astra_error err = {""};

	astra_options_init(&policy);
	assert_int_equal(astra_cluster_make(&cluster, 20, 8, 5), 0);
	if (astra_simulate(trace, &cluster, scheduler, &policy, &options,
			   result, &err) < 0)
		fail_msg("%s: %s", scheduler->name, err.text);
	astra_cluster_clear(&cluster);
}

/* A job's GPU time is its work and what was lost. */
static void check_job(const struct astra_sim_result *r, size_t i)
{
	const struct astra_trace_job *t = &r->trace->jobs[i];
	const struct astra_sim_job *j = &r->jobs[i];
	double want = t->gpus * t->duration_sec + j->cold_gpu_sec +
		      j->checkpoint_gpu_sec + j->slow_gpu_sec;

	assert_true(j->start_sec >= t->submit_sec - 1e-6);
	assert_true(j->end_sec >= j->start_sec + t->duration_sec - 1e-6);
	assert_int_equal(j->starts, j->preemptions + 1);
	assert_true(fabs(j->alloc_gpu_sec - want) < 1e-6 * want);
}

struct change {
	double at_sec;
	double gpus;
};

static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (fabs(x->at_sec - y->at_sec) > 1e-6)
		return x->at_sec < y->at_sec ? -1 : 1;
	return x->gpus < y->gpus ? -1 : x->gpus > y->gpus;
}

static void check_capacity(const struct astra_sim_result *r)
{
	struct change *changes = calloc(2 * r->run_count, sizeof(*changes));
	double gpus = 0;

	assert_non_null(changes);
	for (size_t i = 0; i < r->run_count; i++) {
		const struct astra_sim_run *run = &r->runs[i];

		changes[2 * i] = (struct change){run->start_sec, run->gpus};
		changes[2 * i + 1] =
			(struct change){run->end_sec, -(double)run->gpus};
	}
	qsort(changes, 2 * r->run_count, sizeof(*changes), compare_changes);
	for (size_t i = 0; i < 2 * r->run_count; i++) {
		gpus += changes[i].gpus;
		assert_true(gpus <= (double)r->gpus);
	}
	free(changes);
}

static void check_run(const char *generator, double round_sec, bool elastic)
{
	const struct astra_generate_options options = {.seed = 3,
						       .jobs = draws(400)};
	const struct astra_scheduler *const *all = astra_scheduler_all();
	struct astra_trace trace;
	struct astra_error err = {""};

	astra_trace_init(&trace);
	if (astra_trace_generate(&trace, generator, &options, &err) < 0)
		fail_msg("%s", err.text);
	astra_trace_fit(&trace, 160);
	for (size_t i = 0; all[i]; i++) {
		bool refuses = !strcmp(all[i]->name, "rrh");
		struct astra_sim_result result;

		if (!all[i]->source)
			continue;
		simulate(&trace, round_sec, elastic, all[i], &result);
		for (size_t k = 0; k < trace.job_count; k++)
			if (result.jobs[k].starts || !refuses)
				check_job(&result, k);
		check_capacity(&result);
		assert_true(!is_gentle(all[i]) || !result.preemptions);
		astra_sim_result_clear(&result);
	}
	astra_trace_clear(&trace);
}

static void all_jobs_get_through_a_simulation(void **state)
{
	(void)state;
	check_run("venus", 0, false);
	check_run("philly", 10, false);
	check_run("apps", 0, false);
	check_run("venus", 10, true);
	check_run("apps", 0, true);
}

static void each_baseline_says_what_it_is(void **state)
{
	const struct astra_scheduler *const *all = astra_scheduler_all();
	size_t count = 0, gentle = 0;

	(void)state;
	for (size_t i = 0; all[i]; i++) {
		count += all[i]->source != NULL;
		gentle += is_gentle(all[i]);
		assert_non_null(all[i]->summary);
		assert_ptr_equal(astra_scheduler_find(all[i]->name, NULL),
				 all[i]);
	}
	assert_int_equal(count, BASELINES);
	assert_int_equal(gentle, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_can_be_carried_out_and_repeat),
		cmocka_unit_test(all_jobs_get_through_a_simulation),
		cmocka_unit_test(each_baseline_says_what_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
