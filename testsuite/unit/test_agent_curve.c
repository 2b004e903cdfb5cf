/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Learning curves, and performance curve stopping by them. */
#include "src/common/random.h"
#include "testsuite/unit/agent_search.h"

static struct search s;

static double power_law(double a, double b, double c, double n)
{
	return a + b * pow(n, -c);
}

static void a_curve_is_recovered(void **state)
{
	static const double exponents[] = {.1, .37, .5, 1, 2.3};
	struct agent_point points[40];
	struct agent_fit fit;

	(void)state;
	for (size_t e = 0; e < ASTRA_COUNT_OF(exponents); e++) {
		double c = exponents[e];

		for (int i = 0; i < 40; i++) {
			points[i].done = 10 * (i + 1);
			points[i].loss = power_law(.3, 4, c, points[i].done);
		}
		assert_true(agent_fit_curve(&fit, points, 40));
		assert_close(fit.c, c, 1e-3);
		assert_close(fit.a, .3, 1e-3);
		assert_close(agent_fit_loss(&fit, 10000),
			     power_law(.3, 4, c, 10000), 1e-3);
		assert_close(agent_fit_reaches(&fit, power_law(.3, 4, c, 800)) /
				     800,
			     1, 1e-2);
	}
}

static void noise_moves_a_forecast_little(void **state)
{
	struct astra_random random;
	struct agent_point points[100];
	struct agent_fit fit;

	(void)state;
	random = astra_random_seed(7);
	for (int i = 0; i < 100; i++) {
		points[i].done = 10 * (i + 1);
		points[i].loss = power_law(1, 5, .5, points[i].done) +
				 .02 * (astra_random_uniform(&random) - .5);
	}
	assert_true(agent_fit_curve(&fit, points, 100));
	assert_close(agent_fit_loss(&fit, 10000), power_law(1, 5, .5, 10000),
		     .03);
	assert_in_range(fit.error * 1e6, 2000, 10000);
}

static void a_loss_that_does_not_fall_is_flat(void **state)
{
	struct agent_point points[] = {{0, 99}, {1, 1}, {2, 2}, {3, 3}};
	struct agent_fit fit;

	(void)state;
	assert_true(agent_fit_curve(&fit, points, 4));
	assert_close(agent_fit_loss(&fit, 1000), 2, 1e-9);
	assert_true(isinf(agent_fit_reaches(&fit, 1)));
	assert_close(agent_fit_reaches(&fit, 3), 0, 0);
	assert_false(agent_fit_curve(&fit, points, 3));
	assert_false(agent_fit_curve(&fit, points, 0));
	for (int i = 0; i < 4; i++)
		points[i].loss = 5;
	assert_true(agent_fit_curve(&fit, points, 4));
	assert_close(agent_fit_loss(&fit, 7), 5, 1e-12);
	assert_close(fit.error, 0, 1e-12);
}

/* Jobs learn by power laws of their own from iteration `from` to `to`. */
static void learn(const double (*laws)[3], int from, int to)
{
	for (int n = from; n <= to; n += 10) {
		for (size_t i = 0; i < s.offer.job_count; i++) {
			const double *law = laws[s.jobs[i].id - 1];

			s.jobs[i].done = n;
			s.jobs[i].loss = power_law(law[0], law[1], law[2], n);
		}
		search_decide(&s);
		if (s.bid.stop_count)
			return;
	}
}

/* Job 2 gets down to 0.8 only, what job 1 is below already. */
static void who_will_end_worse_is_given_up(void **state)
{
	static const double laws[][3] = {
		{.1, 4, .5}, {.8, 4, .5}, {.105, 4, .5}};

	(void)state;
	search_begin(&s, "curve:margin=0.1,points=8,total=10000", 3, 1);
	learn(laws, 10, 2000);
	assert_string_equal(search_stops(&s), "2");
	search_remove(&s, 2);
	learn(laws, 2010, 10000);
	assert_string_equal(search_stops(&s), "");
	assert_string_equal(search_order(&s), "1 3");
	s.jobs[2] = (struct agent_job){
		.id = 4, .copies = 1, .gpus = 1, .loss = (double)NAN};
	s.offer.job_count = 3;
	search_decide(&s);
	assert_string_equal(search_order(&s), "4 1 3");
	search_end(&s);
}

/* Job 1, which was the best, is gone; what is left goes on. */
static void the_best_of_those_that_are_left_goes_on(void **state)
{
	static const double laws[][3] = {
		{.1, 4, .5}, {1.5, 4, .5}, {1.6, 4, .5}};

	(void)state;
	search_begin(&s, "curve:total=10000", 3, 1);
	learn(laws, 10, 70);
	search_remove(&s, 1);
	s.memory.best = .1;
	learn(laws, 80, 2000);
	assert_string_equal(search_stops(&s), "3");
	search_remove(&s, 3);
	learn(laws, 2010, 4000);
	assert_string_equal(search_stops(&s), "");
	search_end(&s);
}

/* a + b n^-1: job 1 gets to 0.2 at 100, job 2 at 400; 1 GPU-second each. */
static void the_target_is_what_remains(void **state)
{
	static const double laws[][3] = {{.1, 10, 1}, {.1, 40, 1}};

	(void)state;
	search_begin(&s, "curve:target=0.2", 2, 1);
	for (size_t i = 0; i < 2; i++) {
		s.jobs[i].iter_sec = 1;
		s.jobs[i].total = 1000;
	}
	learn(laws, 4, 94);
	assert_string_equal(search_stops(&s), "");
	/* 6 and 306 s are left of 500; T_id is 250 s on 2 GPUs. */
	assert_close(search_rho(&s, 1, ASTRA_LEVEL_SLOT), 312 / 250., .02);
	assert_close(search_rho(&s, 2, ASTRA_LEVEL_SLOT), 306 / 250., .02);
	learn(laws, 104, 104);
	assert_string_equal(search_stops(&s), "2");
	search_end(&s);
}

/* A job without a forecast takes as long as the longest. */
static void who_has_no_forecast_takes_the_longest(void **state)
{
	static const double laws[][3] = {{.1, 10, 1}, {.1, 40, 1}};

	(void)state;
	search_begin(&s, "curve:target=0.2", 3, 1);
	for (size_t i = 0; i < 2; i++)
		s.jobs[i].iter_sec = 1;
	s.jobs[2].copies = 2;
	s.offer.job_count = 2;
	learn(laws, 4, 94);
	s.offer.job_count = 3;
	search_decide(&s);
	/* 6, 306, 400 and 400 of 1300 GPU-seconds; 3 GPUs at most. */
	assert_close(search_rho(&s, 1, ASTRA_LEVEL_SLOT), 1112 / (1300 / 3.),
		     .02);
	search_end(&s);
}

static void nothing_told_is_no_bid(void **state)
{
	(void)state;
	search_begin(&s, "curve", 2, 1);
	search_decide(&s);
	assert_null(s.bid.rho);
	assert_string_equal(search_stops(&s), "");
	search_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_curve_is_recovered),
		cmocka_unit_test(noise_moves_a_forecast_little),
		cmocka_unit_test(a_loss_that_does_not_fall_is_flat),
		cmocka_unit_test(who_will_end_worse_is_given_up),
		cmocka_unit_test(the_best_of_those_that_are_left_goes_on),
		cmocka_unit_test(the_target_is_what_remains),
		cmocka_unit_test(who_has_no_forecast_takes_the_longest),
		cmocka_unit_test(nothing_told_is_no_bid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
