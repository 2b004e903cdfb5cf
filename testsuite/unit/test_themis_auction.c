/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exact auction. (SPEC section 2, "Allocation" and "Payments") */
#include "testsuite/unit/themis_auctions.h"
#include "testsuite/unit/unit.h"

static struct astra_themis_auction solve(const struct auction *auction)
{
	struct astra_themis_auction pf;
	struct astra_error err;

	assert_int_equal(astra_themis_auction_run(
				 auction->machines, auction->machine_count,
				 auction->bidders, auction->count, &pf, &err),
			 0);
	return pf;
}

/* log V of bidder i in pf. */
static double log_v_in(const struct auction *auction,
		       const struct astra_themis_auction *pf, size_t i)
{
	uint32_t gpus[AUCTION_MACHINES] = {0};

	auction_given(pf, i, gpus);
	return auction_log_v(auction, i, gpus);
}

/* All but `without`, who may be AUCTION_EVERYBODY. */
static struct outcome outcome_of(const struct auction *auction,
				 const struct astra_themis_auction *pf,
				 size_t without)
{
	struct outcome is = {0};

	for (size_t i = 0; i < auction->count; i++) {
		double v = log_v_in(auction, pf, i);

		if (i == without || isinf(v))
			continue;
		is.served++;
		is.sum += v;
	}
	return is;
}

static void expect_dealt_once(const struct auction *auction,
			      const struct astra_themis_auction *pf)
{
	assert_true(auction_has_room(auction, pf));
	for (size_t i = 0; i < auction->count; i++) {
		struct astra_themis_shares shares = astra_themis_pf(pf, i);
		uint32_t x = 0;

		for (size_t k = 0; k < shares.count; k++) {
			x += shares.share[k].gpus;
			assert_true(shares.share[k].gpus > 0);
			assert_true(k == 0 || shares.share[k - 1].machine <
						      shares.share[k].machine);
		}
		assert_int_equal(x % auction->bidders[i].quantum, 0);
	}
}

static void expect_optimum(const struct auction *auction)
{
	struct outcome best = auction_optimum(auction, AUCTION_EVERYBODY);
	struct astra_themis_auction pf = solve(auction);
	struct outcome is = outcome_of(auction, &pf, AUCTION_EVERYBODY);

	expect_dealt_once(auction, &pf);
	assert_true(pf.exact);
	assert_int_equal(pf.served, best.served);
	assert_int_equal(pf.served_bound, best.served);
	assert_int_equal(is.served, best.served);
	assert_true(fabs(is.sum - best.sum) < 1e-9);
	assert_true(fabs(pf.log_product - best.sum) < 1e-9);
	assert_true(fabs(astra_themis_auction_gap(&pf)) < 1e-9);
	for (size_t i = 0; i < auction->count; i++) {
		struct outcome alone = auction_optimum(auction, i);
		struct outcome others = outcome_of(auction, &pf, i);
		double c = exp(others.sum - alone.sum);

		if (others.served < alone.served)
			c = 0.0;
		assert_true(pf.c[i] >= 0.0 && pf.c[i] <= 1.0);
		assert_true(fabs(pf.c[i] - c) < 1e-9);
	}
	astra_themis_auction_clear(&pf);
}

static void pf_and_payments_are_those_of_brute_force(void **state)
{
	struct astra_random random = astra_random_seed(1);

	(void)state;
	for (size_t round = 0; round < 40; round++)
		for (size_t k = 0; k < ASTRA_COUNT_OF(auction_small); k++) {
			struct auction auction = {0};

			auction_make(&auction, &auction_small[k], &random);
			expect_optimum(&auction);
		}
}

/* No bidder can have more of what pf leaves. */
static void pf_leaves_nothing_that_anybody_wants(void **state)
{
	struct astra_random random = astra_random_seed(2);

	(void)state;
	for (size_t round = 0; round < 100; round++) {
		uint32_t left[AUCTION_MACHINES] = {0};
		struct astra_themis_auction pf;
		struct auction auction = {0};

		auction_make(&auction, &auction_small[round % 3], &random);
		pf = solve(&auction);
		for (size_t i = 0; i < auction.count; i++)
			auction_given(&pf, i, left);
		for (size_t m = 0; m < auction.machine_count; m++)
			left[m] = auction.machines[m].free - left[m];
		for (size_t i = 0; i < auction.count; i++) {
			uint32_t own[AUCTION_MACHINES] = {0},
				 gpus[AUCTION_MACHINES] = {0};

			auction_given(&pf, i, own);
			while (auction_next(gpus, left,
					    auction.machine_count)) {
				uint32_t more[AUCTION_MACHINES], x = 0;

				for (size_t m = 0; m < auction.machine_count;
				     m++) {
					more[m] = own[m] + gpus[m];
					x += more[m];
				}
				if (x % auction.bidders[i].quantum == 0)
					assert_true(auction_log_v(&auction, i,
								  more) <=
						    auction_log_v(&auction, i,
								  own) +
							    1e-9);
			}
		}
		astra_themis_auction_clear(&pf);
	}
}

/* The paper's theorem for the value c V: c V is the product of all valuations
 * by something that i's bid has no part in, and pf maximises that product. */
static void nobody_gains_by_lying(void **state)
{
	struct astra_random random = astra_random_seed(3);

	(void)state;
	for (size_t round = 0; round < 400; round++) {
		const struct auction_shape *shape = &auction_small[round % 5];
		struct auction honest = {0}, lying;
		struct astra_themis_auction pf, other;
		size_t i = round % shape->bidders;
		double value, with_lie;

		auction_make(&honest, shape, &random);
		lying = honest;
		lying.bidders[i].bid = &lying.bids[i];
		lying.bids[i].log_v = lying.log_v[i];
		auction_bid(&lying, i, shape, &random);
		lying.bidders[i].quantum = honest.bidders[i].quantum;
		pf = solve(&honest);
		other = solve(&lying);
		value = pf.c[i] * exp(log_v_in(&honest, &pf, i));
		with_lie = other.c[i] * exp(log_v_in(&honest, &other, i));
		assert_true(with_lie <= value * (1 + 1e-9) + 1e-12);
		astra_themis_auction_clear(&pf);
		astra_themis_auction_clear(&other);
	}
}

/* SPEC section 2, golden: n identical apps, one machine of 12 GPUs. */
static void identical_apps_get_the_same(void **state)
{
	static const double c[] = {1.0, 1.0 / 2, 4.0 / 9, 27.0 / 64};

	(void)state;
	for (size_t n = 1; n <= 4; n++) {
		struct auction auction = {.machine_count = 1, .count = n};
		struct astra_themis_auction pf;

		auction.machines[0] =
			(struct astra_themis_machine){.free = 12, .slot = 12};
		for (size_t i = 0; i < n; i++) {
			auction_enter(&auction, i, 12, 1);
			for (uint32_t k = 0; k < 4 * 13; k++)
				auction.log_v[i][k] = log(k % 13);
		}
		pf = solve(&auction);
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(astra_themis_pf(&pf, i).share[0].gpus,
					 12 / n);
			assert_true(fabs(pf.c[i] - c[n - 1]) < 1e-12);
		}
		astra_themis_auction_clear(&pf);
	}
}

/* SPEC section 2, golden: Fig. 5, instance 2. rho = S 2 100/k / (2 100/4), so
 * V = k / (4 S). */
static void who_minds_machines_gets_one(void **state)
{
	static const struct astra_themis_machine machines[] = {
		{.free = 4, .slot = 4},
		{.free = 2, .slot = 4},
		{.free = 2, .slot = 4},
	};
	struct auction auction = {.machine_count = 3, .count = 2};
	struct astra_themis_auction pf;

	(void)state;
	for (size_t m = 0; m < 3; m++)
		auction.machines[m] = machines[m];
	for (size_t i = 0; i < 2; i++) {
		auction_enter(&auction, i, 4, 1);
		for (uint32_t k = 0; k < 4 * 5; k++)
			auction.log_v[i][k] =
				log(k % 5 / (i == 1 && k >= 10 ? 4.0 : 2.0));
	}
	pf = solve(&auction);
	assert_int_equal(pf.served, 2);
	assert_true(fabs(pf.log_product - 2 * log(2)) < 1e-12);
	assert_int_equal(astra_themis_pf(&pf, 0).count, 2);
	assert_int_equal(astra_themis_pf(&pf, 1).count, 1);
	assert_int_equal(astra_themis_pf(&pf, 1).share[0].machine, 0);
	assert_true(pf.c[0] == 1.0 && pf.c[1] == 1.0);
	astra_themis_auction_clear(&pf);
}

static void nothing_to_deal_or_nobody_is_legal(void **state)
{
	struct astra_random random = astra_random_seed(4);
	struct auction_shape none = auction_small[1];
	struct auction auction = {0};
	struct astra_themis_auction pf;

	(void)state;
	pf = solve(&auction);
	assert_int_equal(pf.served, 0);
	assert_true(astra_themis_auction_gap(&pf) == 0.0);
	astra_themis_auction_clear(&pf);
	none.free_max = 0;
	auction_make(&auction, &none, &random);
	expect_optimum(&auction);
	auction.machine_count = 0;
	for (size_t i = 0; i < auction.count; i++)
		auction.bidders[i].held.count = 0;
	expect_optimum(&auction);
	auction_make(&auction, &auction_small[1], &random);
	auction.count = 0;
	expect_optimum(&auction);
}

/* All rho are infinite; all are 1. */
static void everything_may_be_worth_the_same(void **state)
{
	struct astra_random random = astra_random_seed(5);

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct auction auction = {0};

		auction_make(&auction, &auction_small[1], &random);
		for (size_t i = 0; i < auction.count; i++)
			for (size_t v = 0; v < ASTRA_COUNT_OF(auction.log_v[i]);
			     v++)
				auction.log_v[i][v] =
					k ? 0.0 : -(double)INFINITY;
		expect_optimum(&auction);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pf_and_payments_are_those_of_brute_force),
		cmocka_unit_test(pf_leaves_nothing_that_anybody_wants),
		cmocka_unit_test(nobody_gains_by_lying),
		cmocka_unit_test(identical_apps_get_the_same),
		cmocka_unit_test(who_minds_machines_gets_one),
		cmocka_unit_test(nothing_to_deal_or_nobody_is_legal),
		cmocka_unit_test(everything_may_be_worth_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
