/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The baselines that share between tenants, each on an example worked by hand
 * from its paper's rule. */
#include <math.h>
#include <string.h>

#include "testsuite/unit/baseline_world.h"
#include "testsuite/unit/unit.h"

#define DAY 86400.0

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

/* Job 0 is larger than the quota of 4: an opportunist. Job 1 takes a cell of 4
 * for its 3 GPUs, so there is none for 2, though 3 + 1 = 4: it may not stop 0.
 */
static void quotas_are_counted_in_cells(void **state)
{
	(void)state;
	begin("hived", 1, 8);
	world_job(&w, 0, 5, 0, 1000);
	world_job(&w, 0, 3, 0, 1000);
	world_job(&w, 0, 1, 100, 1000);
	world_job(&w, 1, 1, 200, 1000);
	until(0);
	assert_true(world_runs(&w, "01"));
	until(100);
	assert_true(world_runs(&w, "01"));
	until(200); /* 3 stops 0, and leaves room for 2 */
	assert_true(world_runs(&w, "123"));
	world_fini(&w);
}

/* 0 takes 2 of 4; 1 finds no cell of 4, so 2, behind it, is an opportunist,
 * too, and the one that goes. */
static void the_first_without_a_cell_blocks(void **state)
{
	(void)state;
	begin("hived", 1, 8);
	world_job(&w, 0, 2, 0, 1000);
	world_job(&w, 0, 4, 0, 1000);
	world_job(&w, 0, 2, 0, 1000);
	world_job(&w, 1, 2, 100, 1000);
	until(0);
	until(100);
	assert_true(world_runs(&w, "013"));
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

/* Who comes an hour late gets its half, not the hour. */
static void come_late(uint32_t tenant)
{
	begin("gandiva-fair", 1, 2);
	world_job(&w, 0, 2, 0, 90000);
	world_job(&w, tenant, 2, HOUR, 90000);
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

static void who_was_idle_has_not_saved_up(void **state)
{
	(void)state;
	come_late(0);
	come_late(1);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usage_decays_with_a_half_life_of_7_days),
		cmocka_unit_test(static_quotas_are_never_lent),
		cmocka_unit_test(a_job_beyond_its_quota_runs_alone),
		cmocka_unit_test(what_is_lent_is_taken_back),
		cmocka_unit_test(quotas_are_counted_in_cells),
		cmocka_unit_test(the_first_without_a_cell_blocks),
		cmocka_unit_test(the_shortest_of_the_poorest_goes_first),
		cmocka_unit_test(tickets_are_tenants_shares),
		cmocka_unit_test(a_gang_pays_for_all_its_gpus),
		cmocka_unit_test(who_was_idle_has_not_saved_up),
		cmocka_unit_test(the_smallest_dominant_share_is_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
