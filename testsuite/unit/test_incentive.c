/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The market of Wang et al. (incentive), by hand. */
#include <string.h>

#include "src/policies/incentive/market_priv.h"
#include "testsuite/unit/market_fixture.h"

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

	market_take(f->market, &(struct astra_market_job){.user = user}, &deal,
		    &part);
}

/* SPEC section 3, golden: the paper's example with its forced schedule. The
 * third job finds three workers and a PS on slots 9 to 12: 4 a slot. */
static void the_paper_example_splits_16_in_halves(void **state)
{
	static const struct astra_market_room quotas[] = {{4, 2}, {4, 2}};
	struct astra_market_setup setup = market_of(four_servers, 4, quotas, 2);
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

/* b_p = 0: a PS has no bandwidth, so only all on one server will do. */
static void ps_without_bandwidth_serve_their_own_server_only(void **state)
{
	static const struct astra_market_room quota = {8, 4};
	struct astra_market_setup setup = market_of(four_servers, 4, &quota, 1);
	struct astra_market_job job = gang(3, 1);
	struct fixture f;

	(void)state;
	setup.b_p = 0;
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
	struct astra_market_setup setup = market_of(servers, 3, &quota, 1);
	struct astra_market_job job = gang(3, 1);
	struct fixture f;

	(void)state;
	setup.b_w = 2;
	job.no_ps = false;
	open_market(&f, &setup, 0, 1);
	assert_int_equal(offer(&f, &job, 1), 0);
	assert_int_equal(f.book.deals[0].ps_server, 1);
	assert_int_equal(f.book.deals[0].ps, 2);
	close_market(&f);
}

static void a_market_may_have_nothing(void **state)
{
	struct astra_market_setup setup = market_of(NULL, 0, NULL, 0);
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

static void quotas_are_all_there_is(void **state)
{
	static const struct astra_market_room quota = {8, 3};
	struct astra_market_setup setup = market_of(four_servers, 4, &quota, 1);
	struct astra_error err;

	(void)state;
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
	struct astra_market_setup setup = market_of(&server, 1, &server, 1);
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
		cmocka_unit_test(
			ps_without_bandwidth_serve_their_own_server_only),
		cmocka_unit_test(the_ps_go_where_most_workers_are),
		cmocka_unit_test(a_market_may_have_nothing),
		cmocka_unit_test(quotas_are_all_there_is),
		cmocka_unit_test(windows_follow_each_other),
		cmocka_unit_test(
			jobs_are_scheduled_in_the_interval_after_theirs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
