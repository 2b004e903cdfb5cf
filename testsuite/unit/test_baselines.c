/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The baselines that do not look at tenants, each on an example worked by hand
 * from its paper's rule. */
#include <math.h>
#include <string.h>

#include "testsuite/unit/baseline_world.h"
#include "testsuite/unit/unit.h"

static bool wakes_at(double sec)
{
	return fabs(w.plan.wake_sec - WORLD_BEGIN - sec) < 1e-6;
}

static void the_first_blocks_those_behind_it(void **state)
{
	(void)state;
	begin("fifo", 1, 8);
	world_job(&w, 0, 6, 0, 100);
	world_job(&w, 0, 4, 0, 100);
	world_job(&w, 0, 2, 0, 100);
	until(0);
	assert_true(world_runs(&w, "0"));
	until(100);
	assert_true(world_runs(&w, "12"));
	world_fini(&w);
}

/* At 0, 6 of 8 GPUs are busy until 100. 1 wants all 8 then, or 7. */
static void backfill(uint32_t gpus, uint32_t other, double sec,
		     const char *expected)
{
	begin("slurm", 1, 8);
	world_job(&w, 0, 6, 0, 100);
	world_job(&w, 0, gpus, 1, 100);
	world_job(&w, 0, other, 1, sec);
	until(0);
	until(1);
	assert_true(world_runs(&w, expected));
	world_fini(&w);
}

/* EASY: who starts is through by the shadow time, 100, or uses GPUs that the
 * first one leaves. */
static void backfill_does_not_delay_the_first(void **state)
{
	(void)state;
	backfill(8, 2, 99, "02");
	backfill(8, 2, 100, "0");
	backfill(7, 1, 1000, "02");
	backfill(7, 2, 1000, "0");
}

/* The first one, of 7, leaves 1 GPU at 100, and only one job may use it. */
static void spare_gpus_are_given_once(void **state)
{
	(void)state;
	begin("slurm", 1, 8);
	world_job(&w, 0, 6, 0, 100);
	world_job(&w, 0, 7, 1, 100);
	world_job(&w, 0, 1, 1, 1000);
	world_job(&w, 0, 1, 1, 1000);
	until(0);
	until(1);
	assert_true(world_runs(&w, "02"));
	world_fini(&w);
}

/* What the user said counts, not what the trace knows. */
static void backfill_believes_the_time_limit(void **state)
{
	(void)state;
	begin("slurm", 1, 8);
	world_job(&w, 0, 6, 0, 100);
	world_job(&w, 0, 8, 1, 100);
	world_job(&w, 0, 2, 1, 10);
	w.jobs[2].time_limit_sec = HOUR;
	until(0);
	until(1);
	assert_true(world_runs(&w, "0"));
	world_fini(&w);
}

/* 1 of 5 GPUs, 2 of 6, sizes 625 and 750: 125 are 21 hours of age (of 7 days,
 * 1000). */
static void priority(double later_sec, const char *expected)
{
	begin("slurm", 1, 8);
	world_job(&w, 0, 8, 0, 172800);
	world_job(&w, 0, 5, 0, 100);
	world_job(&w, 0, 6, later_sec, 100);
	until(0);
	until(later_sec);
	until(172800);
	assert_true(world_runs(&w, expected));
	world_fini(&w);
}

static void priority_is_of_age_and_size(void **state)
{
	(void)state;
	priority(20.9 * HOUR, "2");
	priority(21.1 * HOUR, "1");
}

/* 0 has 3,250 GPU seconds after 812.5 s on 4 GPUs, and falls into the second
 * queue; only then 1 takes its place. 1 falls at 1625: both are in the second
 * queue, and who runs goes on. */
static void least_attained_service_is_discrete(void **state)
{
	(void)state;
	begin("tiresias", 1, 4);
	world_job(&w, 0, 4, 0, 2000);
	world_job(&w, 1, 4, 100, 2000);
	until(0);
	until(100);
	assert_true(world_runs(&w, "0"));
	assert_true(wakes_at(812.5));
	until(812.5);
	assert_true(world_runs(&w, "1"));
	assert_true(wakes_at(1625));
	until(1625);
	assert_true(world_runs(&w, "1"));
	assert_true(isinf(w.plan.wake_sec));
	world_fini(&w);
}

/* The same, where nobody else comes between its start and its demotion. */
static void who_starts_is_demoted_in_time(void **state)
{
	(void)state;
	begin("tiresias", 1, 4);
	world_job(&w, 0, 4, 0, 2000);
	world_job(&w, 1, 4, 0, 2000);
	until(0);
	assert_true(wakes_at(812.5));
	until(812.5);
	assert_true(world_runs(&w, "1"));
	world_fini(&w);
}

/* 2 GPUs, 3 jobs: who has waited longest enters, who has run longest leaves. */
static void all_jobs_take_turns(void **state)
{
	(void)state;
	begin("gandiva", 1, 2);
	for (int i = 0; i < 3; i++)
		world_job(&w, 0, 1, 0, HOUR);
	until(0);
	assert_true(world_runs(&w, "01"));
	until(300);
	assert_true(world_runs(&w, "01"));
	until(600);
	assert_true(world_runs(&w, "02"));
	until(1200);
	assert_true(world_runs(&w, "12"));
	until(1800);
	assert_true(world_runs(&w, "01"));
	until(2400);
	assert_true(world_runs(&w, "02"));
	world_fini(&w);
}

/* Each 10 minutes, not before. */
static void remaining_time_counts_each_interval(void **state)
{
	(void)state;
	begin("optimus", 1, 4);
	world_job(&w, 0, 4, 0, 5000);
	world_job(&w, 0, 4, 100, 100);
	until(0);
	until(100);
	assert_true(world_runs(&w, "0"));
	assert_true(wakes_at(600));
	until(600);
	assert_true(world_runs(&w, "1"));
	until(700);
	assert_true(world_runs(&w, "0"));
	world_fini(&w);
}

/* Nobody waited at 600: the next interval begins at 1200. */
static void an_interval_passes_unheeded(void **state)
{
	(void)state;
	begin("optimus", 1, 4);
	world_job(&w, 0, 4, 0, 5000);
	world_job(&w, 0, 4, 700, 100);
	until(0);
	until(600);
	until(700);
	assert_true(world_runs(&w, "0"));
	assert_true(wakes_at(1200));
	until(1200);
	assert_true(world_runs(&w, "1"));
	world_fini(&w);
}

/* 10 s on 4 GPUs: the shorter, but the larger service than 30 s on 1. */
static void shortest(const char *scheduler, const char *expected)
{
	begin(scheduler, 1, 4);
	world_job(&w, 0, 4, 0, 1000);
	world_job(&w, 0, 4, 100, 10);
	world_job(&w, 0, 1, 100, 30);
	until(0);
	until(100);
	assert_true(world_runs(&w, expected));
	world_fini(&w);
}

static void the_shortest_stops_others_at_once(void **state)
{
	(void)state;
	shortest("srtf", "1");
	shortest("srsf", "2");
}

/* ASTRAEA, Figure 6: 6 GPUs, 40 minutes of work each, rounds of 10. */
static void finish_time_order_is_that_of_figure_6(void **state)
{
	static const char *const rounds[] = {"0", "12", "0", "12",
					     "0", "12", "0", "12"};

	(void)state;
	begin("ftf", 1, 6);
	world_job(&w, 0, 6, 0, 2400);
	world_job(&w, 0, 3, 0, 2400);
	world_job(&w, 0, 3, 0, 2400);
	for (size_t i = 0; i < ASTRA_COUNT_OF(rounds); i++) {
		until(600 * (double)i);
		assert_true(world_runs(&w, rounds[i]));
	}
	until(4800);
	assert_int_equal(world_count(&w, ASTRA_JOB_ENDED), 3);
	world_fini(&w);
}

/* At 600, 0 was alone for 300 s of its 600, N = 1.5, and has 600 of 1200 s to
 * do: 1200 / 1200 / 1.5 = 2/3. 1 came at 300, N = 2: 1500 / 1200 / 2 = 5/8. */
static void n_is_that_of_a_jobs_life(void **state)
{
	(void)state;
	begin("ftf", 1, 1);
	world_job(&w, 0, 1, 0, 1200);
	world_job(&w, 0, 1, 300, 1200);
	until(0);
	until(300);
	until(600);
	assert_true(world_runs(&w, "0"));
	world_fini(&w);
}

/* What is being freed for one is not given to another. */
static void who_was_granted_gpus_gets_them(void **state)
{
	(void)state;
	begin("ftf", 2, 4);
	w.checkpoints = true;
	world_job(&w, 0, 4, 0, 9000);
	world_job(&w, 0, 4, 0, 9000);
	world_job(&w, 0, 8, 1, 3000);
	world_job(&w, 0, 4, 620, 10);
	until(0);
	until(1);
	world_pass(&w, 599);
	world_round(&w); /* 2 is granted all, 0 and 1 are to leave */
	assert_int_equal(w.plan.decision_count, 2);
	world_pass(&w, 10);
	world_round(&w); /* once */
	assert_int_equal(w.plan.decision_count, 0);
	w.cluster.jobs[1].leaving = false;
	world_leave(&w); /* 0 has left, 1 has not */
	w.cluster.jobs[1].leaving = true;
	world_pass(&w, 10);
	world_round(&w);
	assert_true(world_runs(&w, "1"));
	world_leave(&w);
	world_round(&w);
	assert_true(world_runs(&w, "2"));
	world_fini(&w);
}

/* By number 2 gets the GPUs of 1, but it can only use node 0, where 0 stays:
 * 1 goes on, and 3 has what is free. */
static void nobody_is_stopped_in_vain(void **state)
{
	(void)state;
	begin("srtf", 2, 4);
	world_job(&w, 0, 2, 0, 900);
	world_job(&w, 0, 4, 0, 900);
	world_job(&w, 0, 4, 1, 600);
	world_job(&w, 0, 2, 1, 9000);
	w.jobs[0].revocable = false;
	w.jobs[2].request.allowed = (const uint64_t[]){1};
	until(0);
	until(1);
	assert_true(world_runs(&w, "013"));
	world_fini(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_blocks_those_behind_it),
		cmocka_unit_test(backfill_does_not_delay_the_first),
		cmocka_unit_test(spare_gpus_are_given_once),
		cmocka_unit_test(backfill_believes_the_time_limit),
		cmocka_unit_test(priority_is_of_age_and_size),
		cmocka_unit_test(least_attained_service_is_discrete),
		cmocka_unit_test(who_starts_is_demoted_in_time),
		cmocka_unit_test(all_jobs_take_turns),
		cmocka_unit_test(remaining_time_counts_each_interval),
		cmocka_unit_test(an_interval_passes_unheeded),
		cmocka_unit_test(the_shortest_stops_others_at_once),
		cmocka_unit_test(finish_time_order_is_that_of_figure_6),
		cmocka_unit_test(n_is_that_of_a_jobs_life),
		cmocka_unit_test(who_was_granted_gpus_gets_them),
		cmocka_unit_test(nobody_is_stopped_in_vain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
