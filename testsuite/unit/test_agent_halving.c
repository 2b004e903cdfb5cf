/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Successive halving and single jobs. (Themis, NSDI'20, section 5.2; SPEC
 * section 2) */
#include "testsuite/unit/agent_search.h"

static struct search s;

static void say(uint32_t job, double done, double loss)
{
	for (size_t i = 0; i < s.offer.job_count; i++)
		if (s.jobs[i].id == job) {
			s.jobs[i].done = done;
			s.jobs[i].loss = loss;
		}
}

/* All jobs are at an iteration, with the loss of their number. */
static void say_all(double done)
{
	for (size_t i = 0; i < s.offer.job_count; i++)
		say(s.jobs[i].id, done, s.jobs[i].id);
}

static void totals(double total)
{
	for (size_t i = 0; i < s.offer.job_count; i++)
		s.jobs[i].total = total;
}

/* 16 GPUs; 4 jobs of 8 iterations, 2 of 16, 1 of 36, of up to 8 GPUs. */
static void worked_example(void)
{
	static const double gpu_sec[] = {80, 100, 100, 120};

	search_begin(&s, "halving:eta=2,rungs=8/24/60", 4, 8);
	s.offer.gpus_max = 16;
	s.offer.navg = 4;
	for (size_t i = 0; i < 4; i++)
		s.jobs[i].iter_sec = gpu_sec[i] / 8;
}

static void the_worked_example_is_bid(void **state)
{
	static const uint32_t gpus[] = {1, 2, 4, 8, 16};
	static const double rho[] = {4, 2, 1, .5, .34};

	(void)state;
	worked_example();
	search_decide(&s);
	assert_int_equal(s.bid.gpus_max, 16);
	for (size_t i = 0; i < ASTRA_COUNT_OF(gpus); i++)
		assert_close(search_rho(&s, gpus[i], ASTRA_LEVEL_SLOT), rho[i],
			     1e-9);
	search_end(&s);
}

/* The first phase took 1600 s on 2 GPUs and left jobs of 100 and 120 s. These
 * do 16 iterations each, one of them 36, at the median of 110 s. T_id = 4 *
 * (3200 + 3520 + 3960) / 16 = 2670. */
static void jobs_that_are_kept_count_with_their_own_times(void **state)
{
	(void)state;
	worked_example();
	search_decide(&s);
	say(1, 8, 9);
	say(2, 8, 8);
	say(3, 8, 2);
	say(4, 8, 1);
	s.offer.elapsed_sec = 1600;
	search_decide(&s);
	assert_string_equal(search_stops(&s), "1 2");
	search_remove(&s, 1);
	search_remove(&s, 2);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "");
	assert_close(search_rho(&s, 2, ASTRA_LEVEL_SLOT),
		     (1600 + 1760 + 1980) / 2670., 1e-9);
	search_end(&s);
}

/* Two GPUs do in a minute what one does in two. In the first two phases, of four
 * and two jobs, each GPU is a job's own; the last job spans racks: 1600 + 1600 +
 * 1.3 * 1800. (Eq. 2) */
static void slowdown_and_time_that_passed_count(void **state)
{
	(void)state;
	worked_example();
	s.offer.slowdown[ASTRA_LEVEL_CROSS] = 1.3;
	s.offer.elapsed_sec = 500;
	search_decide(&s);
	assert_close(search_rho(&s, 2, ASTRA_LEVEL_RACK), 5500 / 2500., 1e-9);
	assert_close(search_rho(&s, 2, ASTRA_LEVEL_CROSS), 6040 / 2500., 1e-9);
	search_end(&s);
}

/* Eq. 1's golden numbers: 60 of 100 iterations of 8 GPU-seconds are left. */
static void a_single_job_by_equation_1(void **state)
{
	static const struct {
		uint32_t k;
		enum astra_level level;
		double rho;
	} cases[] = {
		{1, 0, 1.325}, {2, 1, .725}, {2, 2, .785},
		{2, 3, .905},  {4, 1, .425}, {4, 2, .455},
	};

	(void)state;
	search_begin(&s, "single", 1, 4);
	s.offer.slowdown[ASTRA_LEVEL_RACK] = 1.1;
	s.offer.slowdown[ASTRA_LEVEL_CROSS] = 1.3;
	s.offer.navg = 2;
	s.offer.elapsed_sec = 50;
	s.jobs[0].total = 100;
	s.jobs[0].done = 40;
	s.jobs[0].iter_sec = 2;
	search_decide(&s);
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++)
		assert_close(search_rho(&s, cases[i].k, cases[i].level),
			     cases[i].rho, 1e-9);
	search_end(&s);
}

/* What is not known of a job is taken from the plugin, or from its fellows. */
static void who_tells_nothing_is_estimated(void **state)
{
	double left[] = {300, 150};

	(void)state;
	search_begin(&s, "single", 2, 1);
	search_decide(&s);
	assert_null(s.bid.rho);
	s.offer.left_sec = left;
	s.offer.left_count = 2;
	s.offer.ideal_sec = 100;
	s.offer.elapsed_sec = 50;
	search_decide(&s);
	assert_close(search_rho(&s, 1, ASTRA_LEVEL_SLOT), 3.5, 1e-9);
	assert_close(search_rho(&s, 2, ASTRA_LEVEL_SLOT), 2, 1e-9);
	s.jobs[0].total = 100;
	s.jobs[0].done = 50;
	s.jobs[0].iter_sec = 1;
	search_decide(&s);
	/* 50 and 100 s are left of 200, which is T_id on one GPU, 100 on two.
	 */
	assert_close(search_rho(&s, 1, ASTRA_LEVEL_SLOT), 2, 1e-9);
	assert_close(search_rho(&s, 2, ASTRA_LEVEL_SLOT), 1.5, 1e-9);
	search_end(&s);
}

static void a_rung_is_decided_when_all_have_reached_it(void **state)
{
	(void)state;
	search_begin(&s, "halving:eta=3", 9, 1);
	totals(81);
	say_all(9);
	say(2, 8, 2);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "");
	assert_string_equal(search_order(&s), "2 1 3 4 5 6 7 8 9");
	say(2, 9, 2);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "4 5 6 7 8 9");
	assert_string_equal(search_order(&s), "1 2 3");
	for (uint32_t job = 4; job <= 9; job++)
		search_remove(&s, job);
	say_all(26);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "");
	say_all(27);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "2 3");
	search_end(&s);
}

/* Job 1 is far ahead and better by now, but was the worst at the rung. */
static void losses_are_compared_at_the_rung(void **state)
{
	(void)state;
	search_begin(&s, "halving:eta=3,first=10,total=90", 3, 1);
	say(1, 10, 5);
	search_decide(&s);
	say(1, 80, 1);
	say(2, 10, 3);
	say(3, 11, 4);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "1 3");
	search_end(&s);
}

static void a_loss_that_is_no_number_is_the_worst(void **state)
{
	(void)state;
	search_begin(&s, "halving:eta=2,rungs=10/20/40", 4, 1);
	search_decide(&s);
	say_all(10);
	say(1, 10, (double)NAN);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "1 4");
	search_end(&s);
}

static void without_losses_nobody_is_given_up(void **state)
{
	(void)state;
	search_begin(&s, "halving:eta=2,rungs=10/20/40", 4, 1);
	search_decide(&s);
	for (uint32_t job = 1; job <= 4; job++)
		say(job, 15, (double)NAN);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "");
	say(3, 16, 1);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "2 4");
	search_end(&s);
}

/* One failed: one less is given up. Another is through: it is one of those
 * that are kept. */
static void jobs_that_ended_count(void **state)
{
	(void)state;
	search_begin(&s, "halving:eta=2,rungs=10/20/40", 4, 1);
	search_decide(&s);
	search_remove(&s, 1);
	say(2, 12, 2);
	search_decide(&s);
	search_remove(&s, 2);
	say_all(10);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "4");
	search_remove(&s, 3);
	search_remove(&s, 4);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "");
	assert_int_equal(s.bid.order_count, 0);
	search_end(&s);
}

/* Who joins a search in the middle gives nobody up twice, unless it knows how
 * many jobs there were. */
static void an_agent_that_starts_anew_is_careful(void **state)
{
	(void)state;
	search_begin(&s, "halving:eta=3,rungs=10/30/90", 3, 1);
	say_all(15);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "");
	say_all(30);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "2 3");
	search_end(&s);

	search_begin(&s, "halving:eta=3,rungs=10/30/90,jobs=9", 3, 1);
	say_all(15);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "");
	search_end(&s);

	search_begin(&s, "halving:eta=3,rungs=10/30/90,jobs=9", 5, 1);
	say_all(15);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "4 5");
	search_end(&s);
}

/* An array of which one task runs: the record of the others stands for them. */
static void tasks_that_wait_are_waited_for(void **state)
{
	(void)state;
	search_begin(&s, "halving:eta=3,rungs=10/90", 2, 1);
	s.jobs[0].copies = 2;
	say(2, 10, 2);
	search_decide(&s);
	assert_int_equal(s.memory.jobs, 3);
	assert_string_equal(search_stops(&s), "");
	s.jobs[0].copies = 1;
	s.jobs[2] = (struct agent_job){.id = 3, .copies = 1, .gpus = 1};
	s.offer.job_count = 3;
	say(1, 10, 3);
	say(3, 10, 1);
	search_decide(&s);
	assert_int_equal(s.memory.jobs, 3);
	assert_string_equal(search_stops(&s), "1 2");
	search_end(&s);
}

static void a_job_that_stays_is_stopped_again(void **state)
{
	(void)state;
	search_begin(&s, "halving:eta=2,rungs=10/20", 2, 1);
	search_decide(&s);
	say_all(10);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "2");
	search_decide(&s);
	assert_string_equal(search_stops(&s), "");
	s.offer.now_sec += 60;
	search_decide(&s);
	assert_string_equal(search_stops(&s), "2");
	search_end(&s);
}

/* A requeued job begins at its last checkpoint again. */
static void what_is_done_twice_is_seen_once(void **state)
{
	(void)state;
	search_begin(&s, "halving:eta=2,rungs=10/20", 2, 1);
	say(1, 10, 7);
	search_decide(&s);
	say(1, 4, 9);
	search_decide(&s);
	say(1, 12, 1);
	say(2, 10, 2);
	search_decide(&s);
	assert_string_equal(search_stops(&s), "1");
	search_end(&s);
}

static void long_histories_are_thinned(void **state)
{
	const struct agent_record *r;

	(void)state;
	search_begin(&s, "single", 1, 1);
	for (int i = 1; i <= 100000; i++) {
		say(1, i, 1. / i);
		search_decide(&s);
	}
	r = agent_memory_find(&s.memory, 1);
	assert_in_range(r->count, AGENT_POINTS_MAX / 2 - 1, AGENT_POINTS_MAX);
	assert_close(r->points[0].done, 1, 0);
	assert_true(r->points[r->count - 1].done > 97000);
	assert_close(agent_record_loss(r, 50000), 1 / 50000., .05);
	search_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worked_example_is_bid),
		cmocka_unit_test(jobs_that_are_kept_count_with_their_own_times),
		cmocka_unit_test(slowdown_and_time_that_passed_count),
		cmocka_unit_test(a_single_job_by_equation_1),
		cmocka_unit_test(who_tells_nothing_is_estimated),
		cmocka_unit_test(a_rung_is_decided_when_all_have_reached_it),
		cmocka_unit_test(losses_are_compared_at_the_rung),
		cmocka_unit_test(a_loss_that_is_no_number_is_the_worst),
		cmocka_unit_test(without_losses_nobody_is_given_up),
		cmocka_unit_test(jobs_that_ended_count),
		cmocka_unit_test(an_agent_that_starts_anew_is_careful),
		cmocka_unit_test(tasks_that_wait_are_waited_for),
		cmocka_unit_test(a_job_that_stays_is_stopped_again),
		cmocka_unit_test(what_is_done_twice_is_seen_once),
		cmocka_unit_test(long_histories_are_thinned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
