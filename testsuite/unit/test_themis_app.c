/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rho of apps. (Mahajan et al., NSDI'20, section 5; SPEC section 2) */
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/policies/themis/app.h"
#include "src/policies/themis/phase.h"
#include "testsuite/unit/unit.h"

#define DEFAULT_S              \
	{                      \
		1, 1, 1.1, 1.3 \
	}

/* Four jobs of 8 iterations, two of 16, one of 36. (section 5.2's example) */
static const double first[] = {640, 800, 800, 960}, second[] = {1600, 1600},
		    third[] = {3600}, kept[] = {120 * 16, 100 * 16},
		    kept_last[] = {120 * 36};
#define PHASE(jobs, count)                                                  \
	{                                                                   \
		.work_sec = (jobs), .job_count = (count), .job_gpus_max = 8 \
	}
static const struct astra_themis_phase halving[] = {PHASE(first, 4),
						    PHASE(second, 2),
						    PHASE(third, 1)},
				       kept_phases[] = {PHASE(first, 4),
							PHASE(kept, 2),
							PHASE(kept_last, 1)};

static struct astra_themis_app worked_example(void)
{
	return (struct astra_themis_app){
		.kind = ASTRA_THEMIS_PHASES,
		.navg = 4,
		.slowdown = {1, 1, 1, 1},
		.rho_current = -1,
		.rho_empty = HUGE_VAL,
		.gpus_max = 16,
		.quantum = 1,
		.budget_sec = 10000,
		.phases = halving,
		.phase_count = 3,
	};
}

static const struct astra_themis_app single = {
	.kind = ASTRA_THEMIS_SINGLE,
	.elapsed_sec = 50,
	.navg = 2,
	.slowdown = DEFAULT_S,
	.rho_current = -1,
	.rho_empty = HUGE_VAL,
	.gpus_max = 4,
	.quantum = 1,
	.iter_total = 100,
	.iter_left = 60,
	.iter_sec = 8,
};

static double rho(const struct astra_themis_app *app, uint32_t k,
		  enum astra_level level)
{
	double value;

	assert_int_equal(astra_themis_rho(app, 16, k, level, &value), 0);
	return value;
}

static void successive_halving_by_the_worked_example(void **state)
{
	static const uint32_t gpus[] = {1, 2, 4, 8, 16};
	static const double fluid[] = {4, 2, 1, .5, .34};
	static const double rigid[] = {4, 2, 1.064, .532, 2590. / 7500};
	struct astra_themis_app app = worked_example();

	(void)state;
	assert_close(astra_themis_ideal(&app, 16), 2500, 1e-9);
	for (size_t i = 0; i < ASTRA_COUNT_OF(gpus); i++) {
		app.rigid = false;
		assert_close(rho(&app, gpus[i], 0), fluid[i], 1e-9);
		app.rigid = true;
		assert_close(rho(&app, gpus[i], 0), rigid[i], 1e-9);
	}
}

/* What it could use at most, not what its last job can: T_id is of the whole
 * app. */
static void an_app_that_shrinks_is_due_as_much_as_before(void **state)
{
	struct astra_themis_app app = worked_example();

	(void)state;
	app.gpus_ever = app.gpus_max;
	app.gpus_max = 1;
	assert_close(astra_themis_ideal(&app, 16), 2500, 1e-9);
	assert_close(astra_themis_ideal(&app, 2), 20000, 1e-9);
}

/* With (120, 100) and then 120 retained, on 2 GPUs. */
static void slower_jobs_that_are_kept_take_longer(void **state)
{
	struct astra_themis_app app = worked_example();

	(void)state;
	app.phases = kept_phases;
	assert_close(rho(&app, 2, 0), 2.208, 1e-9);
	app.rigid = true;
	assert_close(rho(&app, 2, 0), 2.272, 1e-9);
}

static void a_single_job_by_equation_1(void **state)
{
	static const struct {
		uint32_t k;
		enum astra_level level;
		double rho;
	} cases[] = {
		{1, 0, 1.325}, {2, 1, .725}, {2, 2, .785},
		{2, 3, .905},  {4, 1, .425}, {8, 2, .455},
	};

	(void)state;
	assert_close(astra_themis_ideal(&single, 16), 400, 1e-9);
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++)
		assert_close(rho(&single, cases[i].k, cases[i].level),
			     cases[i].rho, 1e-9);
}

static void no_gpu_is_unbounded_unless_the_bid_says_otherwise(void **state)
{
	struct astra_themis_app app = single;

	(void)state;
	assert_true(isinf(rho(&app, 0, 0)));
	app.rho_empty = 7;
	assert_close(rho(&app, 0, 0), 7, 0);
}

/* Nothing left to do, nothing waited for, no cluster, no demand: numbers. */
static void degenerate_apps_have_a_rho(void **state)
{
	struct astra_themis_app app = single;

	(void)state;
	app.iter_left = app.elapsed_sec = 0;
	assert_close(rho(&app, 1, 0), 0, 0);
	app.navg = 0;
	assert_close(rho(&app, 1, 0), 0, 0);
	app.elapsed_sec = 1;
	assert_true(isinf(rho(&app, 1, 0)));
	app = single;
	app.gpus_max = 0;
	assert_true(isinf(rho(&app, 1, 0)));
	app = worked_example();
	app.phase_count = 0;
	assert_close(rho(&app, 1, 0), 0, 0);
	app.budget_sec = 0;
	assert_close(rho(&app, 1, 0), 0, 0);
}

static void a_level_is_of_what_is_held_and_offered_together(void **state)
{
	static const struct astra_themis_machine machines[] = {
		{8, 0, 4}, {8, 0, 4}, {8, 1, 4}};
	static const struct {
		struct astra_themis_share held, offered;
		enum astra_level level;
	} cases[] = {
		{{0, 0}, {0, 0}, ASTRA_LEVEL_SLOT},
		{{0, 4}, {0, 0}, ASTRA_LEVEL_SLOT},
		{{0, 0}, {2, 4}, ASTRA_LEVEL_SLOT},
		{{0, 5}, {0, 0}, ASTRA_LEVEL_MACHINE},
		{{1, 3}, {1, 2}, ASTRA_LEVEL_MACHINE},
		{{0, 1}, {1, 1}, ASTRA_LEVEL_RACK},
		{{1, 1}, {2, 1}, ASTRA_LEVEL_CROSS},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_themis_shares held = {&cases[i].held,
						   cases[i].held.gpus > 0};
		struct astra_themis_shares offered = {
			&cases[i].offered, cases[i].offered.gpus > 0};

		assert_int_equal(astra_themis_level(machines, held, offered),
				 cases[i].level);
	}
}

static int longer_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x > y ? -1 : x < y;
}

/* Every assignment of the jobs from i on. */
static double brute_force(const double *work, size_t count, uint32_t gpus,
			  double *load, size_t i)
{
	double best = HUGE_VAL, last = 0;

	for (uint32_t g = 0; g < gpus; g++) {
		if (i < count) {
			load[g] += work[i];
			best = fmin(best, brute_force(work, count, gpus, load,
						      i + 1));
			load[g] -= work[i];
		} else {
			last = fmax(last, load[g]);
		}
	}
	return i < count ? best : last;
}

static void a_rigid_phase_is_the_least_makespan(void **state)
{
	struct astra_random random = astra_random_seed(1);
	double work[8], load[8];

	(void)state;
	for (int trial = 0; trial < 400; trial++) {
		size_t count = 1 + astra_random_below(&random, 7);
		uint32_t gpus = 1 + (uint32_t)astra_random_below(&random, 4);
		uint64_t values = trial % 2 ? 8 : 100000;
		double least;

		for (size_t i = 0; i < count; i++)
			work[i] = (double)astra_random_below(&random, values);
		qsort(work, count, sizeof(*work), longer_first);
		memset(load, 0, sizeof(load));
		least = brute_force(work, count, gpus, load, 0);
		assert_close(astra_themis_makespan(work, count, gpus, load),
			     least, 1e-9);
	}
}

/* All ways to give each of the jobs from i on 1..left GPUs, at most d. */
static double best_bundles(const struct astra_themis_phase *phase, uint32_t i,
			   uint32_t left)
{
	double best = HUGE_VAL;

	if (i == phase->job_count)
		return 0;
	for (uint32_t g = 1; g <= left && g <= phase->job_gpus_max; g++)
		best = fmin(best, fmax(phase->work_sec[i] / g,
				       best_bundles(phase, i + 1, left - g)));
	return best;
}

static void bundles_of_whole_gpus_are_the_best(void **state)
{
	struct astra_random random = astra_random_seed(2);
	double work[4], seconds[9];

	(void)state;
	for (int trial = 0; trial < 200; trial++) {
		struct astra_themis_phase phase = {
			.work_sec = work,
			.job_count =
				1 + (uint32_t)astra_random_below(&random, 4),
			.job_gpus_max =
				1 + (uint32_t)astra_random_below(&random, 5),
		};

		for (uint32_t i = 0; i < phase.job_count; i++)
			work[i] = (double)astra_random_below(&random, 50);
		memset(seconds, 0, sizeof(seconds));
		assert_int_equal(astra_themis_phase_add(&phase, true,
							phase.job_count, 9,
							NULL, seconds),
				 0);
		for (uint32_t k = phase.job_count; k <= 9; k++)
			assert_close(seconds[k - phase.job_count],
				     best_bundles(&phase, 0, k), 1e-9);
	}
}

static double uniform(struct astra_random *random, double below)
{
	return astra_random_uniform(random) * below;
}

/* An app out of anything; work: memory for its phases. */
static struct astra_themis_app random_app(struct astra_random *random,
					  struct astra_themis_phase phases[3],
					  double work[3][6])
{
	struct astra_themis_app app = single;

	app.elapsed_sec = uniform(random, 1000);
	app.gpus_max = 1 + (uint32_t)astra_random_below(random, 12);
	app.kind = astra_random_below(random, 2) ? ASTRA_THEMIS_SINGLE
						 : ASTRA_THEMIS_PHASES;
	app.rigid = astra_random_below(random, 2);
	app.budget_sec = uniform(random, 1e5);
	app.phases = phases;
	app.phase_count = astra_random_below(random, 4);
	for (size_t i = 0; i < app.phase_count; i++) {
		phases[i] = (struct astra_themis_phase){
			.work_sec = work[i],
			.job_count = (uint32_t)astra_random_below(random, 7),
			.job_gpus_max =
				1 + (uint32_t)astra_random_below(random, 4),
		};
		for (uint32_t j = 0; j < phases[i].job_count; j++)
			work[i][j] = uniform(random, 500);
	}
	return app;
}

/* What the auction relies on. */
static void a_bid_is_the_logarithm_of_rho_and_never_falls(void **state)
{
	struct astra_random random = astra_random_seed(3);
	struct astra_themis_phase phases[3];
	double work[3][6];

	(void)state;
	for (int trial = 0; trial < 300; trial++) {
		struct astra_themis_app app = random_app(&random, phases, work);
		struct astra_themis_bid bid;

		assert_int_equal(astra_themis_bid_init(&bid, &app, 16, NULL, 0,
						       app.gpus_max),
				 0);
		for (int at = 0; at < ASTRA_LEVEL_COUNT; at++) {
			enum astra_level level = (enum astra_level)at;

			double r = HUGE_VAL; /* some of k may idle */

			assert_true(isinf(astra_themis_log_v(&bid, level, 0)));
			for (uint32_t k = 1; k <= app.gpus_max; k++) {
				double v = astra_themis_log_v(&bid, level, k);

				r = fmin(r, rho(&app, k, level));
				assert_close(v, -log(fmax(r, 1e-307)), 1e-2);
				assert_true(r <= 0 || fabs(v + log(r)) < 1e-9);
				assert_true(v >= astra_themis_log_v(&bid, level,
								    k - 1));
			}
		}
		astra_themis_bid_clear(&bid);
	}
}

static void a_median_is_the_mean_of_the_middle(void **state)
{
	double even[] = {120, 80, 100, 90}, odd[] = {5, 1, 9};

	(void)state;
	assert_close(astra_themis_median(even, 4), 95, 0);
	assert_close(astra_themis_median(odd, 3), 5, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(successive_halving_by_the_worked_example),
		cmocka_unit_test(an_app_that_shrinks_is_due_as_much_as_before),
		cmocka_unit_test(slower_jobs_that_are_kept_take_longer),
		cmocka_unit_test(a_single_job_by_equation_1),
		cmocka_unit_test(
			no_gpu_is_unbounded_unless_the_bid_says_otherwise),
		cmocka_unit_test(degenerate_apps_have_a_rho),
		cmocka_unit_test(
			a_level_is_of_what_is_held_and_offered_together),
		cmocka_unit_test(a_rigid_phase_is_the_least_makespan),
		cmocka_unit_test(bundles_of_whole_gpus_are_the_best),
		cmocka_unit_test(a_bid_is_the_logarithm_of_rho_and_never_falls),
		cmocka_unit_test(a_median_is_the_mean_of_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
