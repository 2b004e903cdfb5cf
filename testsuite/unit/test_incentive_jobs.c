/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds of jobs in incentive's market: gangs without parameter servers, parts
 * of long jobs, jobs that can never run. */
#include "testsuite/unit/market_fixture.h"

static const struct astra_market_room four_servers[] = {
	{2, 1}, {2, 1}, {2, 1}, {2, 1}};

/* A rigid gang without PSs spans servers, the most free first. */
static void a_gang_takes_few_servers(void **state)
{
	static const struct astra_market_room servers[] = {
		{1, 0}, {4, 0}, {2, 0}};
	static const struct astra_market_room quota = {7, 0};
	struct astra_market_job job = gang(5, 2);
	struct astra_market_setup setup = market_of(servers, 3, &quota, 1);
	struct fixture f;

	(void)state;
	open_market(&f, &setup, 0, 2);
	assert_int_equal(offer(&f, &job, 1), 0);
	assert_int_equal(f.book.deals[0].part_count, 2);
	expect_part(&f, 0, 1, 4);
	expect_part(&f, 1, 2, 1);
	assert_int_equal(f.book.deals[0].ps, 0);
	close_market(&f);
}

/* The window has four slots: three workers in each, or it does not fit. */
static void a_rigid_job_runs_with_all_its_workers_or_not(void **state)
{
	static const struct astra_market_room server = {4, 0};
	struct astra_market_setup setup = market_of(&server, 1, &server, 1);
	struct astra_market_job jobs[] = {gang(3, 2), gang(3, 2), gang(2, 1)};
	struct fixture f;

	(void)state;
	open_market(&f, &setup, 0, 4);
	assert_int_equal(offer(&f, jobs, 3), 1);
	assert_int_equal(f.book.deals[0].workers, 3);
	assert_int_equal(f.book.deals[1].start, 3);
	close_market(&f);
}

/* The lowest server would do as well. A later start may be elsewhere. */
static void a_job_stays_at_home(void **state)
{
	static const struct astra_market_room quota = {8, 4};
	static const struct astra_market_part home[] = {{1, 1}, {3, 2}};
	struct astra_market_setup setup = market_of(four_servers, 4, &quota, 1);
	struct astra_market_job jobs[] = {gang(3, 1), gang(2, 1), gang(2, 1)};
	struct fixture f;

	(void)state;
	jobs[0].home = home;
	jobs[0].home_count = 2;
	jobs[1].home = home + 1; /* taken by the first */
	jobs[1].home_count = 1;
	open_market(&f, &setup, 0, 1);
	assert_int_equal(offer(&f, jobs, 3), 0);
	assert_int_equal(f.book.deals[0].part_count, 2);
	expect_part(&f, 0, 1, 1);
	expect_part(&f, 1, 3, 2);
	expect_part(&f, 2, 0, 2);
	expect_part(&f, 3, 2, 2);
	close_market(&f);
}

/* A half of a job of four slots: f(4) / 2. */
static void a_part_is_worth_its_part_when_the_whole_is_done(void **state)
{
	static const struct astra_market_room server = {1, 0};
	struct astra_market_setup setup = market_of(&server, 1, &server, 1);
	struct astra_market_job job = gang(1, 2);
	struct fixture f;

	(void)state;
	job.part = 0.5;
	job.later = 2;
	open_market(&f, &setup, 0, 2);
	assert_int_equal(offer(&f, &job, 1), 0);
	assert_true(f.book.deals[0].mu == 92.0 / 2);
	assert_true(gain(&f, 0) == 92.0 / 2);
	close_market(&f);
}

/* It is admitted for what it counts as, and gains what it is. */
static void the_least_worth_only_weighs(void **state)
{
	static const struct astra_market_room server = {1, 0};
	struct astra_market_setup setup = market_of(&server, 1, &server, 1);
	struct astra_market_job job = gang(1, 1);
	struct fixture f;

	(void)state;
	job.utility.linear.g = -5;
	job.least = 1;
	open_market(&f, &setup, 0, 1);
	assert_int_equal(offer(&f, &job, 1), 0);
	assert_true(f.book.deals[0].mu == 1);
	assert_true(gain(&f, 0) == -7);
	close_market(&f);
}

/* All prices times the unit. */
static void prices_have_a_unit(void **state)
{
	static const struct astra_market_room server = {4, 0};
	static const struct astra_market_room quotas[] = {{1, 0}, {3, 0}};
	struct astra_market_setup setup = market_of(&server, 1, quotas, 2);
	struct astra_market_job jobs[] = {gang(1, 1), gang(2, 1)};
	struct fixture f;

	(void)state;
	setup.unit = 0.25;
	open_market(&f, &setup, 0, 1);
	assert_int_equal(offer(&f, jobs, 2), 0);
	assert_true(f.book.deals[1].shared);
	assert_true(f.book.deals[1].pay_w == 2 * 0.25);
	close_market(&f);
}

/* A job without work takes one slot. */
static void no_work_takes_a_slot(void **state)
{
	static const struct astra_market_room server = {1, 1};
	struct astra_market_setup setup = market_of(&server, 1, &server, 1);
	struct astra_market_job job = gang(1, 0);
	struct fixture f;

	(void)state;
	open_market(&f, &setup, 4, 2);
	assert_int_equal(offer(&f, &job, 1), 0);
	assert_int_equal(f.book.deals[0].start, 5);
	assert_int_equal(f.book.deals[0].end, 5);
	close_market(&f);
}

static void jobs_that_can_never_run_are_left(void **state)
{
	static const struct astra_market_room server = {4, 4};
	struct astra_market_setup setup = market_of(&server, 1, &server, 1);
	struct astra_market_job jobs[5];
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(jobs); i++)
		jobs[i] = gang(1, 1);
	jobs[0].d_max = 0;
	jobs[1].n_cent = jobs[1].n_dist = 0;
	jobs[2].work = 1e15;
	jobs[3].utility.linear.g = 0;
	jobs[4].utility = (struct astra_utility){0};
	open_market(&f, &setup, 0, 4);
	assert_int_equal(offer(&f, jobs, 5), 5);
	assert_int_equal(f.book.count, 0);
	assert_true(gain(&f, 0) == 0);
	close_market(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gang_takes_few_servers),
		cmocka_unit_test(a_rigid_job_runs_with_all_its_workers_or_not),
		cmocka_unit_test(a_job_stays_at_home),
		cmocka_unit_test(
			a_part_is_worth_its_part_when_the_whole_is_done),
		cmocka_unit_test(the_least_worth_only_weighs),
		cmocka_unit_test(prices_have_a_unit),
		cmocka_unit_test(no_work_takes_a_slot),
		cmocka_unit_test(jobs_that_can_never_run_are_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
