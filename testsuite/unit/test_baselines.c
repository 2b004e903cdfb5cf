/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The baselines, each on an example worked by hand from its paper's rule. */
#include <math.h>
#include <string.h>

#include "src/sim/baseline.h"
#include "testsuite/unit/step_world.h"
#include "testsuite/unit/unit.h"

#define HOUR 3600.0
#define DAY 86400.0

static struct world w;

static void begin(const char *scheduler, size_t nodes, uint32_t gpus)
{
	world_init(&w, scheduler, nodes, gpus, (const double[]){1, 1, -1});
}

/* Time passes, then rounds. */
static void until(double sec)
{
	world_pass(&w, sec - w.now_sec);
	world_rounds(&w);
}

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

/* 0 used 4,000 GPU seconds 14 days ago, two half-lives: 1,000. 1 used 2,000
 * just now. So 0 goes first, though its job came later. */
static void usage_decays_with_a_half_life_of_7_days(void **state)
{
	(void)state;
	begin("slurm", 1, 4);
	world_job(&w, 0, 4, 0, 1000);
	world_job(&w, 1, 4, 1000 + 14 * DAY, 500);
	world_job(&w, 1, 4, 1100 + 14 * DAY, 500);
	world_job(&w, 0, 4, 1200 + 14 * DAY, 500);
	until(0);
	until(1000);
	until(1000 + 14 * DAY);
	until(1200 + 14 * DAY);
	assert_true(world_runs(&w, "1"));
	until(1500 + 14 * DAY);
	assert_true(world_runs(&w, "3"));
	world_fini(&w);
}

/* Quotas 4 and 4. Tenant 0 gets no more though 1 is idle; its third job waits,
 * and a fourth that would fit waits behind it. */
static void static_quotas_are_never_lent(void **state)
{
	(void)state;
	begin("yarn-cs", 1, 8);
	world_job(&w, 0, 2, 0, 100);
	world_job(&w, 0, 1, 0, 100);
	world_job(&w, 0, 2, 0, 100);
	world_job(&w, 0, 1, 0, 100);
	world_job(&w, 1, 6, 50, 100);
	until(0);
	assert_true(world_runs(&w, "01"));
	until(50);
	assert_true(world_runs(&w, "01")); /* 6 > 5 free */
	until(100);
	assert_true(world_runs(&w, "24"));
	world_fini(&w);
}

/* Larger than its tenant's quota: alone in it. */
static void a_job_beyond_its_quota_runs_alone(void **state)
{
	(void)state;
	begin("yarn-cs", 1, 8);
	world_job(&w, 0, 6, 0, 100);
	world_job(&w, 0, 1, 0, 100);
	world_job(&w, 1, 2, 0, 100);
	until(0);
	assert_true(world_runs(&w, "02"));
	world_fini(&w);
}

/* Quotas 4 and 4. Tenant 0 lends tenant 1's half with its jobs 2 and 3, until
 * tenant 1 wants it; its own half is not touched. */
static void what_is_lent_is_taken_back(void **state)
{
	(void)state;
	begin("hived", 1, 8);
	for (int i = 0; i < 4; i++)
		world_job(&w, 0, 2, 0, 1000);
	world_job(&w, 1, 4, 100, 1000);
	until(0);
	assert_true(world_runs(&w, "0123"));
	until(100);
	assert_true(world_runs(&w, "014"));
	world_fini(&w);
}

/* A job of 3 takes a cell of 4, so tenant 0's second one is an opportunist: it
 * goes when tenant 1 wants 4, although 3 + 1 + 4 = 8. Here nobody needs its
 * GPU, so it is kept; with 1 more wanted it is the one that goes. */
static void quotas_are_counted_in_cells(void **state)
{
	(void)state;
	begin("hived", 1, 8);
	world_job(&w, 0, 3, 0, 1000);
	world_job(&w, 0, 1, 0, 1000);
	world_job(&w, 0, 2, 0, 1000);
	world_job(&w, 1, 2, 100, 1000);
	world_job(&w, 1, 2, 200, 1000);
	until(0);
	assert_true(world_runs(&w, "012"));
	until(100);
	assert_true(world_runs(&w, "0123"));
	until(200);
	assert_true(world_runs(&w, "0134"));
	world_fini(&w);
}

/* One tenant in ten, at least one, with the smallest share: 1 holds nothing.
 * Its long job goes before 0's short one; then 0, the shortest first. */
static void the_shortest_of_the_poorest_goes_first(void **state)
{
	(void)state;
	begin("allox", 1, 4);
	world_job(&w, 0, 2, 0, 1000);
	world_job(&w, 1, 2, 0, 10);
	world_job(&w, 0, 1, 5, 50);
	world_job(&w, 0, 2, 5, 20);
	world_job(&w, 1, 2, 5, 900);
	world_job(&w, 1, 2, 5, 800);
	until(0);
	assert_true(world_runs(&w, "01"));
	until(10);
	assert_true(world_runs(&w, "05"));
	until(810);
	assert_true(world_runs(&w, "04"));
	until(1000);
	assert_true(world_runs(&w, "34"));
	world_fini(&w);
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

/* Tickets 2 and 1 on 3 GPUs: 2 and 1 GPUs each quantum. */
static void tickets_are_tenants_shares(void **state)
{
	(void)state;
	world_init(&w, "gandiva-fair", 1, 3, (const double[]){2, 1, -1});
	for (uint32_t i = 0; i < 8; i++)
		world_job(&w, i / 4, 1, 0, 9000);
	until(0);
	assert_true(world_runs(&w, "014"));
	until(600);
	assert_true(world_runs(&w, "235"));
	until(1200);
	assert_true(world_runs(&w, "016"));
	world_fini(&w);
}

/* Equal tickets on 4 GPUs: tenant 0's gang of 4, tenant 1's four jobs. */
static void a_gang_pays_for_all_its_gpus(void **state)
{
	(void)state;
	begin("gandiva-fair", 2, 2);
	world_job(&w, 0, 4, 0, 9000);
	for (int i = 0; i < 4; i++)
		world_job(&w, 1, 1, 0, 9000);
	for (double at = 0; at < 3600; at += 1200) {
		until(at);
		assert_true(world_runs(&w, "0"));
		until(at + 600);
		assert_true(world_runs(&w, "1234"));
	}
	world_fini(&w);
}

/* Tenant 1 comes an hour late: it gets its half, not the hour. */
static void who_was_idle_has_not_saved_up(void **state)
{
	(void)state;
	begin("gandiva-fair", 1, 2);
	world_job(&w, 0, 2, 0, 90000);
	world_job(&w, 1, 2, HOUR, 90000);
	until(0);
	until(HOUR);
	for (double at = HOUR; at < 3 * HOUR; at += 1200) {
		until(at);
		assert_true(world_runs(&w, "0"));
		until(at + 600);
		assert_true(world_runs(&w, "1"));
	}
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

/* Algorithm 1 by hand, 0 has jobs of 2 GPUs, 1 of 1: 0 (2), 1 (1), 1 (2),
 * 0 (4); nothing is left. */
static void the_smallest_dominant_share_is_next(void **state)
{
	(void)state;
	begin("drf", 1, 6);
	for (uint32_t i = 0; i < 8; i++)
		world_job(&w, i / 4, i < 4 ? 2 : 1, 0, 100);
	until(0);
	assert_true(world_runs(&w, "0145"));
	world_fini(&w);
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
	w.leaving[1] = false;
	world_leave(&w); /* 0 has left, 1 has not */
	w.leaving[1] = true;
	world_pass(&w, 10);
	world_round(&w);
	assert_true(world_runs(&w, "1"));
	world_leave(&w);
	world_round(&w);
	assert_true(world_runs(&w, "2"));
	world_fini(&w);
}

/* Whose GPUs nobody needs is not stopped: 2 must have a node of its own, and
 * finds none, since 1 may not be stopped for it. */
static void nobody_is_stopped_in_vain(void **state)
{
	(void)state;
	begin("srtf", 2, 4);
	world_job(&w, 0, 2, 0, 900);
	world_job(&w, 0, 2, 0, 500);
	world_job(&w, 0, 4, 1, 600);
	w.jobs[0].revocable = false;
	w.jobs[0].request.allowed = (const uint64_t[]){1};
	w.jobs[1].request.allowed = (const uint64_t[]){2};
	w.jobs[2].request.nodes_max = 1;
	until(0);
	until(1);
	assert_true(world_runs(&w, "01"));
	until(500);
	assert_true(world_runs(&w, "02"));
	world_fini(&w);
}

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(*seed >> 33) % limit;
}

/* Every 37 s, 3 tenants, jobs up to the whole cluster. Returns a hash of all
 * plans. */
static uint64_t run_random(const char *scheduler, uint64_t seed)
{
	uint64_t hash = 0;
	double submit = 0;

	world_init(&w, scheduler, 4, 4, (const double[]){2, 1, 0, -1});
	w.checkpoints = random_below(&seed, 2);
	for (int i = 0; i < 60; i++) {
		uint32_t gpus = 1u << random_below(&seed, 5);

		submit += random_below(&seed, 200);
		world_job(&w, random_below(&seed, 3), gpus, submit,
			  1 + random_below(&seed, 2000));
	}
	for (int i = 0; i < 20000; i++) {
		world_round(&w);
		for (size_t k = 0; k < w.plan.decision_count; k++)
			hash = hash * 31 + w.plan.decisions[k].job +
			       1000 * w.plan.decisions[k].action;
		if (world_count(&w, ASTRA_JOB_ENDED) == 60)
			break;
		world_pass(&w, 37);
		world_leave(&w);
	}
	assert_int_equal(world_count(&w, ASTRA_JOB_ENDED), 60);
	world_fini(&w);
	return hash;
}

static void all_jobs_get_through_and_plans_repeat(void **state)
{
	(void)state;
	for (size_t i = 0; astra_baselines[i]; i++)
		for (uint64_t seed = 1; seed <= 10; seed++) {
			const char *name = astra_baselines[i]->name;

			assert_int_equal(run_random(name, seed),
					 run_random(name, seed));
		}
}

static void each_baseline_says_what_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; astra_baselines[i]; i++) {
		assert_non_null(astra_baselines[i]->source);
		assert_non_null(astra_baselines[i]->summary);
		assert_true(strlen(astra_baselines[i]->name) < 16);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_blocks_those_behind_it),
		cmocka_unit_test(backfill_does_not_delay_the_first),
		cmocka_unit_test(backfill_believes_the_time_limit),
		cmocka_unit_test(usage_decays_with_a_half_life_of_7_days),
		cmocka_unit_test(static_quotas_are_never_lent),
		cmocka_unit_test(a_job_beyond_its_quota_runs_alone),
		cmocka_unit_test(what_is_lent_is_taken_back),
		cmocka_unit_test(quotas_are_counted_in_cells),
		cmocka_unit_test(the_shortest_of_the_poorest_goes_first),
		cmocka_unit_test(least_attained_service_is_discrete),
		cmocka_unit_test(all_jobs_take_turns),
		cmocka_unit_test(tickets_are_tenants_shares),
		cmocka_unit_test(a_gang_pays_for_all_its_gpus),
		cmocka_unit_test(who_was_idle_has_not_saved_up),
		cmocka_unit_test(remaining_time_counts_each_interval),
		cmocka_unit_test(the_shortest_stops_others_at_once),
		cmocka_unit_test(the_smallest_dominant_share_is_next),
		cmocka_unit_test(finish_time_order_is_that_of_figure_6),
		cmocka_unit_test(who_was_granted_gpus_gets_them),
		cmocka_unit_test(nobody_is_stopped_in_vain),
		cmocka_unit_test(all_jobs_get_through_and_plans_repeat),
		cmocka_unit_test(each_baseline_says_what_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
