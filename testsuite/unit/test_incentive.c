/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The market of Wang et al. (incentive), by hand. */
#include <string.h>

#include "src/policy/incentive/incentive.h"
#include "src/policy/incentive/market_priv.h"
#include "testsuite/unit/unit.h"

enum { MANY = 16 };

static const struct astra_utility falling = {
	.kind = ASTRA_UTILITY_LINEAR,
	.linear = {.k = -2, .g = 100},
};

struct fixture {
	struct astra_market *market;
	struct astra_market_book book;
	struct astra_error err;
};

static struct astra_market_setup plain_setup(void)
{
	return (struct astra_market_setup){
		.theta_w = 16, .theta_p = 16, .b_w = 1, .b_p = 1};
}

static void open_market(struct fixture *f,
			const struct astra_market_setup *setup, uint32_t begin,
			uint32_t slots)
{
	const struct astra_market_window window = {
		.begin = begin, .slots = slots, .interval = 1, .round = 1};

	*f = (struct fixture){0};
	f->market = astra_market_create(setup, &f->err);
	assert_non_null(f->market);
	assert_int_equal(astra_market_begin(f->market, &window, &f->err), 0);
}

/* Returns how many are left. */
static size_t offer(struct fixture *f, const struct astra_market_job *jobs,
		    size_t count)
{
	uint32_t offered[MANY];

	for (uint32_t i = 0; i < count; i++)
		offered[i] = i;
	assert_int_equal(astra_market_offer(f->market, jobs, offered, &count,
					    &f->book, &f->err),
			 0);
	return count;
}

static void close_market(struct fixture *f)
{
	astra_market_book_clear(&f->book);
	astra_market_destroy(f->market);
}

static double gain(const struct fixture *f, uint32_t user)
{
	return astra_market_gain(astra_market_account(f->market, user));
}

/* SPEC section 3, golden. */
static void a_quarter_used_costs_one(void **state)
{
	(void)state;
	assert_true(astra_market_price(16, 2, 8) == 1);
	assert_true(astra_market_price(16, 1, 4) == 1);
}

static void nothing_costs_nothing(void **state)
{
	(void)state;
	assert_true(astra_market_price(16, 0, 8) == 0);
	assert_true(astra_market_price(16, 0, 0) == 0);
	assert_true(astra_market_price(1, 8, 8) == 0);
	assert_true(astra_market_price(16, 8, 8) == 15);
}

static const struct astra_market_room four_servers[] = {
	{2, 1}, {2, 1}, {2, 1}, {2, 1}};

/* A forced own-phase deal: two workers and a PS for two slots. */
static void force(struct fixture *f, uint32_t user, uint32_t server,
		  uint32_t first)
{
	const struct astra_market_part part = {server, 2};
	const struct astra_market_deal deal = {
		.start = first,
		.end = first + 1,
		.workers = 2,
		.ps = 1,
		.ps_server = server,
		.part_count = 1,
	};

	market_take(f->market, user, &deal, &part);
}

/* SPEC section 3, golden: the paper's example with its forced schedule. The
 * third job finds three workers and a PS on slots 9 to 12: 4 a slot. */
static void the_paper_example_splits_16_in_halves(void **state)
{
	static const struct astra_market_room quotas[] = {{4, 2}, {4, 2}};
	struct astra_market_setup setup = plain_setup();
	struct astra_market_job j12 = {
		.d_min = 3,
		.d_max = 3,
		.arrival = 3,
		.work = 6,
		.n_dist = 0.5,
		.n_cent = 1,
		.utility = falling,
	};
	struct astra_market_deal *deal;
	struct fixture f;

	(void)state;
	setup.servers = four_servers;
	setup.server_count = 4;
	setup.quotas = quotas;
	setup.user_count = 2;
	open_market(&f, &setup, 8, 4);
	force(&f, 0, 0, 9);
	force(&f, 1, 1, 11);
	assert_int_equal(offer(&f, &j12, 1), 0);
	deal = &f.book.deals[0];
	assert_true(deal->shared && !deal->centralized);
	assert_int_equal(deal->start, 9);
	assert_int_equal(deal->end, 12);
	assert_true(deal->pay_w == 12 && deal->pay_p == 4);
	assert_true(deal->cost == 16 && deal->mu == 76);
	assert_close(f.book.incomes[0], 8, 1e-9);
	assert_close(f.book.incomes[1], 8, 1e-9);
	assert_close(gain(&f, 0), 82 - 16 + 8, 1e-9);
	assert_close(gain(&f, 1), 8, 1e-9);
	close_market(&f);
}

/* Two GPUs a node, no PS: theta = 1 makes everything free of charge. */
static struct astra_market_job gang(uint32_t workers, double slots)
{
	return (struct astra_market_job){
		.d_min = workers,
		.d_max = workers,
		.no_ps = true,
		.work = slots * workers,
		.n_dist = 1,
		.n_cent = 1,
		.utility = falling,
	};
}

/* A rigid gang without PSs spans servers, the most free first. */
static void a_gang_takes_few_servers(void **state)
{
	static const struct astra_market_room servers[] = {
		{1, 0}, {4, 0}, {2, 0}};
	static const struct astra_market_room quota = {7, 0};
	struct astra_market_job job = gang(5, 2);
	struct astra_market_setup setup = plain_setup();
	struct fixture f;

	(void)state;
	setup.servers = servers;
	setup.server_count = 3;
	setup.quotas = &quota;
	setup.user_count = 1;
	open_market(&f, &setup, 0, 2);
	assert_int_equal(offer(&f, &job, 1), 0);
	assert_int_equal(f.book.deals[0].part_count, 2);
	assert_int_equal(f.book.parts[0].server, 1);
	assert_int_equal(f.book.parts[0].workers, 4);
	assert_int_equal(f.book.parts[1].server, 2);
	assert_int_equal(f.book.parts[1].workers, 1);
	assert_int_equal(f.book.deals[0].ps, 0);
	close_market(&f);
}

/* The window has four slots: three workers in each, or it does not fit. */
static void a_rigid_job_runs_with_all_its_workers_or_not(void **state)
{
	static const struct astra_market_room server = {4, 0};
	struct astra_market_setup setup = plain_setup();
	struct astra_market_job jobs[] = {gang(3, 2), gang(3, 2), gang(2, 1)};
	struct fixture f;

	(void)state;
	setup.servers = &server;
	setup.server_count = 1;
	setup.quotas = &server;
	setup.user_count = 1;
	open_market(&f, &setup, 0, 4);
	assert_int_equal(offer(&f, jobs, 3), 1);
	assert_int_equal(f.book.deals[0].workers, 3);
	assert_int_equal(f.book.deals[1].start, 3);
	close_market(&f);
}

/* b_p = 0: a PS has no bandwidth, so only all on one server will do. */
static void ps_without_bandwidth_serve_their_own_server_only(void **state)
{
	static const struct astra_market_room quota = {8, 4};
	struct astra_market_setup setup = plain_setup();
	struct astra_market_job job = gang(3, 1);
	struct fixture f;

	(void)state;
	setup.b_p = 0;
	setup.servers = four_servers;
	setup.server_count = 4;
	setup.quotas = &quota;
	setup.user_count = 1;
	job.no_ps = false;
	open_market(&f, &setup, 0, 2);
	assert_int_equal(offer(&f, &job, 1), 1);
	job = gang(2, 1);
	job.no_ps = false;
	assert_int_equal(offer(&f, &job, 1), 0);
	assert_true(f.book.deals[0].centralized);
	close_market(&f);
}

/* (3i): a worker elsewhere needs two PSs; the server that has most of the
 * workers needs the fewest. */
static void the_ps_go_where_most_workers_are(void **state)
{
	static const struct astra_market_room servers[] = {
		{1, 4}, {2, 4}, {1, 4}};
	static const struct astra_market_room quota = {4, 12};
	struct astra_market_setup setup = plain_setup();
	struct astra_market_job job = gang(3, 1);
	struct fixture f;

	(void)state;
	setup.b_w = 2;
	setup.servers = servers;
	setup.server_count = 3;
	setup.quotas = &quota;
	setup.user_count = 1;
	job.no_ps = false;
	open_market(&f, &setup, 0, 1);
	assert_int_equal(offer(&f, &job, 1), 0);
	assert_int_equal(f.book.deals[0].ps_server, 1);
	assert_int_equal(f.book.deals[0].ps, 2);
	close_market(&f);
}

static void jobs_that_can_never_run_are_left(void **state)
{
	static const struct astra_market_room server = {4, 4};
	struct astra_market_setup setup = plain_setup();
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
	setup.servers = &server;
	setup.server_count = 1;
	setup.quotas = &server;
	setup.user_count = 1;
	open_market(&f, &setup, 0, 4);
	assert_int_equal(offer(&f, jobs, 5), 5);
	assert_int_equal(f.book.count, 0);
	assert_true(gain(&f, 0) == 0);
	close_market(&f);
}

/* A job without work takes one slot. */
static void no_work_takes_a_slot(void **state)
{
	static const struct astra_market_room server = {1, 1};
	struct astra_market_setup setup = plain_setup();
	struct astra_market_job job = gang(1, 0);
	struct fixture f;

	(void)state;
	setup.servers = &server;
	setup.server_count = 1;
	setup.quotas = &server;
	setup.user_count = 1;
	open_market(&f, &setup, 4, 2);
	assert_int_equal(offer(&f, &job, 1), 0);
	assert_int_equal(f.book.deals[0].start, 5);
	assert_int_equal(f.book.deals[0].end, 5);
	close_market(&f);
}

static void a_market_may_have_nothing(void **state)
{
	struct astra_market_setup setup = plain_setup();
	static const struct astra_market_room none = {0, 0};
	struct astra_market_job job = gang(1, 1);
	struct fixture f;

	(void)state;
	open_market(&f, &setup, 0, 1);
	assert_int_equal(offer(&f, NULL, 0), 0);
	close_market(&f);
	setup.servers = setup.quotas = &none;
	setup.server_count = setup.user_count = 1;
	open_market(&f, &setup, 0, 1);
	assert_int_equal(offer(&f, &job, 1), 1);
	close_market(&f);
}

/* The lowest server would do as well. A later start may be elsewhere. */
static void a_job_stays_at_home(void **state)
{
	static const struct astra_market_room quota = {8, 4};
	static const struct astra_market_part home[] = {{1, 1}, {3, 2}};
	struct astra_market_setup setup = plain_setup();
	struct astra_market_job jobs[] = {gang(3, 1), gang(2, 1), gang(2, 1)};
	struct fixture f;

	(void)state;
	setup.servers = four_servers;
	setup.server_count = 4;
	setup.quotas = &quota;
	setup.user_count = 1;
	jobs[0].home = home;
	jobs[0].home_count = 2;
	jobs[1].home = home + 1; /* taken by the first */
	jobs[1].home_count = 1;
	open_market(&f, &setup, 0, 1);
	assert_int_equal(offer(&f, jobs, 3), 0);
	assert_int_equal(f.book.deals[0].part_count, 2);
	assert_int_equal(f.book.parts[0].server, 1);
	assert_int_equal(f.book.parts[1].server, 3);
	assert_int_equal(f.book.parts[1].workers, 2);
	assert_int_equal(f.book.parts[2].server, 0);
	assert_int_equal(f.book.parts[3].server, 2);
	close_market(&f);
}

/* A half of a job of four slots: f(4) / 2. */
static void a_part_is_worth_its_part_when_the_whole_is_done(void **state)
{
	static const struct astra_market_room server = {1, 0};
	struct astra_market_setup setup = plain_setup();
	struct astra_market_job job = gang(1, 2);
	struct fixture f;

	(void)state;
	setup.servers = setup.quotas = &server;
	setup.server_count = setup.user_count = 1;
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
	struct astra_market_setup setup = plain_setup();
	struct astra_market_job job = gang(1, 1);
	struct fixture f;

	(void)state;
	setup.servers = setup.quotas = &server;
	setup.server_count = setup.user_count = 1;
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
	struct astra_market_setup setup = plain_setup();
	struct astra_market_job jobs[] = {gang(1, 1), gang(2, 1)};
	struct fixture f;

	(void)state;
	setup.unit = 0.25;
	setup.servers = &server;
	setup.server_count = 1;
	setup.quotas = quotas;
	setup.user_count = 2;
	open_market(&f, &setup, 0, 1);
	assert_int_equal(offer(&f, jobs, 2), 0);
	assert_true(f.book.deals[1].shared);
	assert_true(f.book.deals[1].pay_w == 2 * 0.25);
	close_market(&f);
}

static void quotas_are_all_there_is(void **state)
{
	static const struct astra_market_room quota = {8, 3};
	struct astra_market_setup setup = plain_setup();
	struct astra_error err;

	(void)state;
	setup.servers = four_servers;
	setup.server_count = 4;
	setup.quotas = &quota;
	setup.user_count = 1;
	assert_null(astra_market_create(&setup, &err));
	assert_non_null(strstr(err.text, "the quotas of parameter servers "
					 "sum to 3, the servers have 4"));
}

/* tau_l = 2^l; round i has ((lambda + i - 1) tau_l, (lambda + i) tau_l]. */
static void windows_follow_each_other(void **state)
{
	const struct astra_incentive_batches batches = {.lambda = 2};
	uint32_t end = 4;

	(void)state;
	for (uint32_t l = 1; l <= 5; l++)
		for (uint32_t i = 1; i <= 2; i++) {
			struct astra_market_window w =
				astra_incentive_window(&batches, l, i);

			assert_int_equal(w.begin, end);
			assert_int_equal(w.slots, 1 << l);
			end = w.begin + w.slots;
		}
}

/* One worker; arrivals 0, 2, 2.5, 4 and 4.5 belong to the intervals 1, 1, 2,
 * 2 and 3. The second misses its window and is offered again in the next. */
static void jobs_are_scheduled_in_the_interval_after_theirs(void **state)
{
	static const struct astra_market_room server = {1, 0};
	const struct astra_incentive_batches batches = {1, 3};
	struct astra_market_setup setup = plain_setup();
	struct astra_market_job jobs[5];
	static const double arrivals[] = {0, 2, 2.5, 4, 4.5};
	static const uint32_t starts[] = {3, 5, 7, 9, 11};
	uint32_t left[5];
	size_t left_count;
	struct fixture f = {0};

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		jobs[i] = gang(1, 2);
		jobs[i].arrival = arrivals[i];
	}
	setup.servers = setup.quotas = &server;
	setup.server_count = setup.user_count = 1;
	f.market = astra_market_create(&setup, &f.err);
	assert_int_equal(astra_incentive_run(f.market, &batches, jobs, 5,
					     &f.book, left, &left_count,
					     &f.err),
			 0);
	assert_int_equal(left_count, 0);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(f.book.deals[i].job, i);
		assert_int_equal(f.book.deals[i].start, starts[i]);
	}
	close_market(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quarter_used_costs_one),
		cmocka_unit_test(nothing_costs_nothing),
		cmocka_unit_test(the_paper_example_splits_16_in_halves),
		cmocka_unit_test(a_gang_takes_few_servers),
		cmocka_unit_test(a_rigid_job_runs_with_all_its_workers_or_not),
		cmocka_unit_test(
			ps_without_bandwidth_serve_their_own_server_only),
		cmocka_unit_test(the_ps_go_where_most_workers_are),
		cmocka_unit_test(jobs_that_can_never_run_are_left),
		cmocka_unit_test(no_work_takes_a_slot),
		cmocka_unit_test(a_market_may_have_nothing),
		cmocka_unit_test(a_job_stays_at_home),
		cmocka_unit_test(
			a_part_is_worth_its_part_when_the_whole_is_done),
		cmocka_unit_test(the_least_worth_only_weighs),
		cmocka_unit_test(prices_have_a_unit),
		cmocka_unit_test(quotas_are_all_there_is),
		cmocka_unit_test(windows_follow_each_other),
		cmocka_unit_test(
			jobs_are_scheduled_in_the_interval_after_theirs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
