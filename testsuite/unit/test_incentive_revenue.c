/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the market of Wang et al. gains beside schedulers without one, and that
 * those keep to what there is. bench_incentive_revenue has the table. */
#include "testsuite/bench/incentive_slots.h"
#include "testsuite/unit/unit.h"

enum { SEEDS = 6 };

static struct world small(double load, uint64_t seed)
{
	struct world w = {
		.servers = 8,
		.users = 4,
		.intervals = 7,
		.load = load,
	};

	world_fill(&w, seed);
	return w;
}

/* The same as the core's own batches (SPEC section 3, lambda = 1). */
static void the_batches_are_those_of_the_paper(void **state)
{
	const struct astra_incentive_batches batches = {.lambda = 1,
							.intervals = 7};

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct world w = small(1.5, seed);
		struct world_result r = world_sell(&w, false);
		struct astra_market *market = world_market(&w);
		uint32_t *left = world_take(w.job_count, sizeof(*left));
		struct astra_market_book book = {0};
		struct astra_error err;
		size_t count;

		assert_int_equal(astra_incentive_run(market, &batches, w.jobs,
						     w.job_count, &book, left,
						     &count, &err),
				 0);
		for (uint32_t u = 0; u < w.users; u++)
			assert_true(astra_market_gain(astra_market_account(
					    market, u)) == r.gain[u]);
		free(left);
		astra_market_book_clear(&book);
		astra_market_destroy(market);
		world_clear(&w);
	}
}

/* (3a) to (3f): jobs that are there and have work left, at most d_max workers,
 * PSs for all of them, no more than there are of either. */
static void assert_allowed(const struct slots *s)
{
	uint32_t workers = 0, ps = 0;

	for (uint32_t i = 0; i < s->w->job_count; i++) {
		const struct astra_market_job *j = &s->w->jobs[i];

		workers += s->given[i];
		ps += world_ps(s->given[i]);
		assert_true(s->given[i] <= j->d_max);
		assert_true(!s->given[i] ||
			    (i < s->come && s->done[i] < j->work));
	}
	assert_true(workers <= world_workers(s->w));
	assert_int_equal(ps + s->ps_left, s->w->servers * WORLD_PS);
}

static void assert_room(const struct world *w, const struct slots *s,
			const uint32_t *room)
{
	uint32_t free_workers = 0, given = 0;

	for (uint32_t r = 0; r < w->servers; r++) {
		assert_true(room[r] <= WORLD_WORKERS);
		free_workers += room[r];
	}
	for (uint32_t i = 0; i < w->job_count; i++)
		given += s->given[i];
	assert_int_equal(given + free_workers, world_workers(w));
}

static void baselines_give_no_more_than_there_is(void **state)
{
	const slots_rule rules[] = {slots_fifo, slots_drf, slots_slaq};

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct world w = small(2, seed);
		struct world_result out = {0};
		uint32_t room[8];

		for (size_t k = 0; k < ASTRA_COUNT_OF(rules); k++) {
			struct slots s = {
				.w = &w,
				.given = world_take(w.job_count,
						    sizeof(*s.given)),
				.done = world_take(w.job_count,
						   sizeof(*s.done)),
			};

			for (uint32_t t = 1; t <= world_end(&w); t++) {
				while (s.come < w.job_count &&
				       w.jobs[s.come].arrival <= t - 1)
					s.come++;
				slots_share(&s, rules[k]);
				assert_allowed(&s);
				slots_work(&s, room, t, &out);
				assert_room(&w, &s, room);
			}
			free(s.given);
			free(s.done);
		}
		world_clear(&w);
	}
}

/* One slot: users 0 and 1 with quotas of 16 each, one job of either and a
 * second one of user 0, all for as many as 16. First come: 16 and 16 of user 0;
 * by DRF 16 each. */
static void drf_divides_by_user_and_fifo_by_arrival(void **state)
{
	struct astra_market_job jobs[] = {
		{.user = 0, .d_max = 16, .work = 100},
		{.user = 0, .d_max = 16, .work = 100},
		{.user = 1, .d_max = 16, .work = 100},
	};
	struct world w = {
		.servers = 4,
		.users = 2,
		.jobs = jobs,
		.job_count = 3,
		.quotas = {{16, 8}, {16, 8}},
	};
	uint32_t given[3];
	double done[3] = {0};
	struct slots s = {.w = &w, .come = 3, .given = given, .done = done};

	(void)state;
	slots_share(&s, slots_fifo);
	assert_int_equal(given[0], 16);
	assert_int_equal(given[1], 16);
	assert_int_equal(given[2], 0);
	slots_share(&s, slots_drf);
	assert_int_equal(given[0], 16);
	assert_int_equal(given[1], 0);
	assert_int_equal(given[2], 16);
	/* Loss falls most for who has done least: half of the work of job 0. */
	done[0] = 50;
	slots_share(&s, slots_slaq);
	assert_int_equal(given[0], 0);
	assert_int_equal(given[1], 16);
	assert_int_equal(given[2], 16);
}

/* Where there is work for three times what there is: more than the same batches
 * without a market, and more than schedulers that do not know what jobs are
 * worth. At twice what there is DRF is ahead in every other instance. */
static void under_load_the_market_gains_most(void **state)
{
	const slots_rule rules[] = {slots_fifo, slots_drf, slots_slaq};

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct world w = small(3, seed);
		double gained = world_sell(&w, false).utility;

		assert_true(gained > world_sell(&w, true).utility);
		for (size_t k = 0; k < ASTRA_COUNT_OF(rules); k++)
			assert_true(gained >
				    slots_run(&w, rules[k], true).utility);
		world_clear(&w);
	}
}

/* Where there is room for all at once, to wait for a batch costs. */
static void with_room_for_all_batches_lose(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct world w = small(0.3, seed);

		assert_true(world_sell(&w, false).utility <
			    slots_run(&w, slots_drf, false).utility);
		world_clear(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_batches_are_those_of_the_paper),
		cmocka_unit_test(baselines_give_no_more_than_there_is),
		cmocka_unit_test(drf_divides_by_user_and_fifo_by_arrival),
		cmocka_unit_test(under_load_the_market_gains_most),
		cmocka_unit_test(with_room_for_all_batches_lose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
