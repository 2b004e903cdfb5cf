/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The baselines that OASiS, Wang et al. and OGASched compare with, each on an
 * example worked by hand from its rule. */
#include <math.h>

#include "testsuite/unit/baseline_world.h"
#include "testsuite/unit/unit.h"

/* A job that runs on any number of GPUs up to these. */
static void elastic(uint32_t gpus, double submit_sec, double duration_sec)
{
	uint32_t n = world_job(&w, 0, gpus, submit_sec, duration_sec);

	w.jobs[n].request.gpus_min = 1;
}

static void assert_gpus(const uint32_t *gpus)
{
	for (uint32_t n = 0; n < w.trace.job_count; n++)
		if (world_gpus(&w, n) != gpus[n])
			fail_msg("at %g: job %u has %u GPUs, not %u", w.now_sec,
				 n, world_gpus(&w, n), gpus[n]);
}

#define ASSERT_GPUS(...) assert_gpus((const uint32_t[]){__VA_ARGS__})

/* Batches of 600 s, quotas 4 and 4. Who comes during a batch begins at its end;
 * 2 waits for its own tenant's GPUs though others idle. */
static void a_batch_begins_together_within_its_shares(void **state)
{
	(void)state;
	begin("batchsche", 1, 8);
	world_job(&w, 0, 2, 0, 1000);
	world_job(&w, 0, 2, 10, 1000);
	world_job(&w, 0, 2, 20, 1000);
	world_job(&w, 1, 2, 30, 1000);
	until(0);
	until(30);
	assert_true(world_runs(&w, "0"));
	assert_close(w.plan.wake_sec, WORLD_BEGIN + 600, 1e-9);
	until(600);
	assert_true(world_runs(&w, "013"));
	assert_true(isinf(w.plan.wake_sec));
	until(1000);
	assert_true(world_runs(&w, "123"));
	world_fini(&w);
}

static void set_linear(uint32_t n, double k, double g)
{
	w.jobs[n].forecast.utility = (struct astra_utility){
		.kind = ASTRA_UTILITY_LINEAR,
		.linear = {k, g},
	};
}

/* All 4 GPUs are taken for an hour, then two jobs of an hour want them. When
 * they end at hour 2, 1 is worth 80 and loses 10 an hour, 2 is worth 120:
 * (80 / 2 - 0) / 4 < (120 / 2 - 10 / 2) / 4 but for the discount. Where 1 is
 * worth 120, too, and loses 40 an hour, it goes first. */
static void value_is_weighed_against_what_others_lose(void **state)
{
	(void)state;
	for (int urgent = 0; urgent < 2; urgent++) {
		begin("rrh", 1, 4);
		world_job(&w, 0, 4, 0, HOUR);
		world_job(&w, 0, 4, 0, HOUR);
		world_job(&w, 0, 4, 0, HOUR);
		set_linear(0, 0, 1e6);
		set_linear(1, urgent ? -40 : -10, urgent ? 200 : 100);
		set_linear(2, 0, 120);
		until(0);
		assert_true(world_runs(&w, "0"));
		until(HOUR);
		assert_true(world_runs(&w, urgent ? "1" : "2"));
		world_fini(&w);
	}
}

/* When 1 and 2 come, GPUs are free in an hour. 1 would be worth 5 - 10 x 2 by
 * its end, so it never runs; 2 is worth 25 - 20. */
static void what_is_worth_nothing_by_its_end_is_refused(void **state)
{
	(void)state;
	begin("rrh", 1, 4);
	world_job(&w, 0, 4, 0, HOUR);
	world_job(&w, 0, 4, 0, HOUR);
	world_job(&w, 0, 4, 0, HOUR);
	set_linear(0, 0, 1e6);
	set_linear(1, -10, 5);
	set_linear(2, -10, 25);
	until(0);
	assert_int_equal(w.jobs[1].state, ASTRA_JOB_BLOCKED);
	until(HOUR);
	assert_true(world_runs(&w, "2"));
	until(2 * HOUR);
	assert_true(world_runs(&w, ""));
	world_fini(&w);
}

/* 10 GPUs, so a fairness loss of 2 is allowed, and one job may be changed at a
 * time. 0 has all, and half when 1 comes. Fair with 2, which wants 2, is 4, 4,
 * 2: off by 4. That 0 gives one is enough. When 1 ends, all get their share. */
static void fairness_and_changes_are_limited(void **state)
{
	(void)state;
	begin("dorm", 1, 10);
	elastic(10, 0, 1e5);
	elastic(10, 10, 300);
	elastic(2, 20, 1e5);
	until(0);
	ASSERT_GPUS(10, 0, 0);
	until(10);
	ASSERT_GPUS(5, 5, 0);
	until(20);
	ASSERT_GPUS(4, 5, 1);
	until(1000);
	ASSERT_GPUS(8, 0, 2);
	world_fini(&w);
}

static bool is_leaving(uint32_t n)
{
	return w.cluster.jobs[n].leaving;
}

/* When 2 ends both may have 6, but only one is changed for that. The other is
 * when it has left: a round in which nothing happens changes nobody. */
static void changes_are_for_what_happens(void **state)
{
	(void)state;
	begin("dorm", 1, 12);
	w.checkpoints = true;
	elastic(12, 0, 1e5);
	elastic(12, 0, 1e5);
	world_job(&w, 0, 8, 0, 100);
	until(0);
	ASSERT_GPUS(2, 2, 8);
	world_pass(&w, 100);
	world_round(&w);
	assert_true(is_leaving(0) && !is_leaving(1));
	world_pass(&w, 1);
	world_round(&w);
	assert_false(is_leaving(1));
	world_leave(&w);
	world_round(&w);
	ASSERT_GPUS(6, 2, 0);
	assert_true(is_leaving(1));
	world_fini(&w);
}

/* A rigid job is not stopped, nor is an elastic one for what would not do. */
static void a_rigid_job_is_left_alone(void **state)
{
	(void)state;
	begin("dorm", 1, 8);
	world_job(&w, 0, 6, 0, 1e5);
	elastic(2, 0, 1e5);
	world_job(&w, 0, 2, 10, 1e5);
	until(0);
	until(10);
	ASSERT_GPUS(6, 2, 0);
	world_fini(&w);
}

/* 0 has done a tenth of its work when 1 begins: its loss is 1 / 10.9, and a GPU
 * lowers it by at most 0.009 in the next 600 s, while the seventh one lowers
 * that of 1 by 0.015. */
static void gpus_go_where_the_loss_falls_most(void **state)
{
	(void)state;
	begin("slaq", 1, 8);
	elastic(8, 0, 6000);
	elastic(8, 600, 6000);
	until(0);
	ASSERT_GPUS(8, 0);
	until(600);
	ASSERT_GPUS(1, 7);
	world_fini(&w);
}

/* All of 0's GPUs lower its loss by 0.25 each, the one of 1 does by 0.5. */
static void a_rigid_job_counts_by_gpu(void **state)
{
	(void)state;
	begin("slaq", 1, 4);
	world_job(&w, 0, 4, 0, 600);
	world_job(&w, 0, 1, 0, 60000);
	until(0);
	ASSERT_GPUS(0, 1);
	world_fini(&w);
}

/* min(a, c a / sum of a); of the 9 GPUs a rigid job's 3 are of no use to it. */
static void fairness_is_in_proportion_to_demand(void **state)
{
	(void)state;
	begin("oga-fairness", 1, 9);
	elastic(6, 0, 1e5);
	elastic(12, 0, 1e5);
	world_job(&w, 0, 9, 600, 1e5);
	until(0);
	ASSERT_GPUS(3, 6, 0);
	until(600);
	ASSERT_GPUS(4, 5, 0);
	world_fini(&w);
}

static void the_smallest_demand_is_met_first(void **state)
{
	(void)state;
	begin("oga-drf", 1, 10);
	elastic(8, 0, 1e5);
	elastic(4, 0, 1e5);
	world_job(&w, 0, 3, 600, 1e5);
	until(0);
	ASSERT_GPUS(6, 4, 0);
	until(600);
	ASSERT_GPUS(3, 4, 3);
	world_fini(&w);
}

/* Two nodes of 4. Packed: 3 on the first, its last GPU for 1, 4 on the second.
 * Spread: 3 on the first, 4 on the second, the last GPU for 2. */
static void turns_go_from_node_to_node(void **state)
{
	static const struct {
		const char *name;
		uint32_t gpus[3], nodes[3];
	} cases[] = {
		{"oga-binpacking", {3, 1, 4}, {0, 0, 1}},
		{"oga-spreading", {3, 4, 1}, {0, 1, 0}},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		begin(cases[i].name, 2, 4);
		elastic(3, 0, 1e5);
		elastic(6, 0, 1e5);
		elastic(4, 0, 1e5);
		until(0);
		assert_gpus(cases[i].gpus);
		for (uint32_t n = 0; n < 3; n++)
			assert_int_equal(w.jobs[n].held[0].node,
					 cases[i].nodes[n]);
		world_fini(&w);
	}
}

/* A job that runs on no less takes its GPUs at once, from several nodes. */
static void a_rigid_job_spreads_over_nodes(void **state)
{
	(void)state;
	begin("oga-spreading", 3, 4);
	world_job(&w, 0, 1, 0, 1e5);
	world_job(&w, 0, 6, 0, 1e5);
	world_job(&w, 0, 6, 0, 1e5);
	until(0);
	ASSERT_GPUS(1, 6, 0);
	assert_int_equal(w.jobs[1].held_count, 2);
	assert_int_equal(w.jobs[1].held[0].node, 1);
	assert_int_equal(w.jobs[1].held[0].gpus, 4);
	assert_int_equal(w.jobs[1].held[1].node, 2);
	world_fini(&w);
}

/* Who is to have other GPUs leaves first; what it frees is kept for those that
 * were given it, and 2, which comes meanwhile, gets none of it. */
static void gpus_are_kept_for_those_that_were_given_them(void **state)
{
	(void)state;
	begin("oga-fairness", 1, 8);
	w.checkpoints = true;
	elastic(8, 0, 1e5);
	elastic(8, 600, 1e5);
	elastic(8, 605, 1e5);
	until(0);
	world_pass(&w, 600);
	world_round(&w);
	ASSERT_GPUS(8, 0, 0);
	world_pass(&w, 5);
	world_round(&w);
	world_leave(&w);
	world_round(&w);
	ASSERT_GPUS(4, 4, 0);
	world_fini(&w);
}

/* Two nodes of 4. 0 wants 8 on one of them, for which there is no place; 1 can
 * use 8, but on one node, too: what it was given beyond 4 is for 2. */
static void who_finds_no_place_keeps_nobody_from_gpus(void **state)
{
	static const char *const names[] = {"dorm",	      "slaq",
					    "oga-drf",	      "oga-fairness",
					    "oga-binpacking", "oga-spreading"};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(names); i++) {
		begin(names[i], 2, 4);
		w.jobs[world_job(&w, 0, 8, 0, 1e5)].request.nodes_max = 1;
		elastic(8, 0, 1e5);
		w.jobs[1].request.nodes_max = 1;
		elastic(4, 0, 1e5);
		until(0);
		ASSERT_GPUS(0, 4, 4);
		until(600);
		ASSERT_GPUS(0, 4, 4);
		world_fini(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_batch_begins_together_within_its_shares),
		cmocka_unit_test(value_is_weighed_against_what_others_lose),
		cmocka_unit_test(what_is_worth_nothing_by_its_end_is_refused),
		cmocka_unit_test(fairness_and_changes_are_limited),
		cmocka_unit_test(changes_are_for_what_happens),
		cmocka_unit_test(a_rigid_job_is_left_alone),
		cmocka_unit_test(gpus_go_where_the_loss_falls_most),
		cmocka_unit_test(a_rigid_job_counts_by_gpu),
		cmocka_unit_test(fairness_is_in_proportion_to_demand),
		cmocka_unit_test(the_smallest_demand_is_met_first),
		cmocka_unit_test(turns_go_from_node_to_node),
		cmocka_unit_test(a_rigid_job_spreads_over_nodes),
		cmocka_unit_test(gpus_are_kept_for_those_that_were_given_them),
		cmocka_unit_test(who_finds_no_place_keeps_nobody_from_gpus),
	};

	return cmocka_run_group_tests_name("baselines elastic", tests, NULL,
					   NULL);
}
