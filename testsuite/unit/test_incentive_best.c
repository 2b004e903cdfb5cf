/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The best schedule of incentive's market against every schedule there is
 * (problem (9)), and against the algorithm to the letter. */
#include <math.h>

#include "src/common/number.h"
#include "testsuite/unit/market_literal.h"
#include "testsuite/unit/market_random.h"
#include "testsuite/unit/unit.h"

struct brute {
	const struct astra_market *m;
	const struct astra_market_job *job;
	bool shared;
	uint32_t y[RANDOM_SERVERS], z[RANDOM_SERVERS];
	double best;
};

/* Constraint (3i): a server's PSs carry all workers that are elsewhere. */
static bool carried(const struct brute *b, uint32_t workers)
{
	for (size_t s = 0; s < b->m->server_count; s++) {
		double away = workers - b->y[s];

		if (b->z[s] && b->z[s] + 1e-9 < away * b->m->bandwidth)
			return false;
	}
	return true;
}

static bool fits(const struct brute *b, uint32_t slot, uint32_t workers,
		 uint32_t ps)
{
	const struct market_side *sides = b->m->sides;
	uint32_t user = b->job->user;

	for (size_t s = 0; s < b->m->server_count; s++)
		if (b->y[s] > astra_minima_row(&sides[0].free, slot)[s] ||
		    b->z[s] > astra_minima_row(&sides[1].free, slot)[s])
			return false;
	return market_literal_limit(b->m, 0, user, b->shared, slot) >=
		       workers &&
	       market_literal_limit(b->m, 1, user, b->shared, slot) >= ps;
}

static bool on_one_server(const struct brute *b, uint32_t workers, uint32_t ps)
{
	for (size_t s = 0; s < b->m->server_count; s++)
		if (b->y[s] == workers && b->z[s] == ps)
			return true;
	return false;
}

/* All starts of one y and z. */
static void time_them(struct brute *b)
{
	uint32_t workers = 0, ps = 0, slots = b->m->window.slots;
	double n, length;

	for (size_t s = 0; s < b->m->server_count; s++) {
		workers += b->y[s];
		ps += b->z[s];
	}
	if (workers < b->job->d_min || workers > b->job->d_max ||
	    !ps != b->job->no_ps || !carried(b, workers))
		return;
	n = on_one_server(b, workers, ps) ? b->job->n_cent : b->job->n_dist;
	length = n > 0 ? fmax(1, astra_ceil(b->job->work / (n * workers)))
		       : HUGE_VAL;
	for (uint32_t t = 0; t + length <= slots; t++) {
		uint32_t end = t + (uint32_t)length;
		double mu = astra_utility_value(&b->job->utility, end);
		bool ok = true;

		for (uint32_t i = t; ok && i < end; i++) {
			ok = fits(b, i, workers, ps);
			for (int kind = 0; kind < MARKET_KINDS; kind++)
				mu -= (kind ? ps : workers) *
				      market_literal_price(b->m, kind,
							   b->job->user,
							   b->shared, i);
		}
		if (ok && mu > b->best)
			b->best = mu;
	}
}

/* All y and z from server s on. */
static void spread(struct brute *b, size_t s)
{
	uint32_t most_y, most_z;

	if (s == b->m->server_count) {
		time_them(b);
		return;
	}
	most_y = b->m->capacity[MARKET_WORKERS][s];
	most_z = b->job->no_ps ? 0 : b->m->capacity[MARKET_PS][s];
	for (b->y[s] = 0; b->y[s] <= most_y; b->y[s]++)
		for (b->z[s] = 0; b->z[s] <= most_z; b->z[s]++)
			spread(b, s + 1);
}

static void expect_best(struct astra_market *m,
			const struct astra_market_job *job, bool shared)
{
	struct brute brute = {.m = m, .job = job, .shared = shared};
	struct market_best best, literal;
	bool found = market_search(m, job, shared, &best);

	assert_true(found == market_literal(m, job, shared, &literal));
	assert_close(best.mu, literal.mu, 1e-9);
	assert_int_equal(best.start, literal.start);
	assert_int_equal(best.slots, literal.slots);
	assert_int_equal(best.centralized, literal.centralized);
	assert_int_equal(best.server, literal.server);
	assert_int_equal(best.amount[0], literal.amount[0]);
	assert_int_equal(best.amount[1], literal.amount[1]);
	spread(&brute, 0);
	assert_close(best.mu, brute.best, 1e-9);
}

/* Jobs come one after another, so that the later find the market in use. */
static void try_market(struct astra_random *r)
{
	const struct astra_market_window window = {
		.begin = 0, .slots = 1 + random_to(r, 6)};
	struct astra_market_book book = {0};
	struct random_market random;
	struct astra_market *m;
	struct astra_error err;

	random_market(&random, r, 2 + random_to(r, 1));
	m = astra_market_create(&random.setup, &err);
	assert_non_null(m);
	assert_int_equal(astra_market_begin(m, &window, &err), 0);
	for (uint32_t i = 0; i < random.job_count; i++) {
		uint32_t offered = i;
		size_t count = 1;

		expect_best(m, &random.jobs[i], false);
		expect_best(m, &random.jobs[i], true);
		assert_int_equal(astra_market_offer(m, random.jobs, &offered,
						    &count, &book, &err),
				 0);
	}
	astra_market_book_clear(&book);
	astra_market_destroy(m);
}

static void the_schedule_is_an_optimum_of_problem_9(void **state)
{
	struct astra_random r = astra_random_seed(5);

	(void)state;
	for (int i = 0; i < 10000; i++)
		try_market(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_schedule_is_an_optimum_of_problem_9),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
