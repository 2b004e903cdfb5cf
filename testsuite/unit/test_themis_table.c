/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Auctions with bids on listed sets of GPUs. (Mahajan et al., NSDI'20, Fig. 4
 * and Pseudocode 1; SPEC section 2) */
#include "src/common/random.h"
#include "src/model/model.h"
#include "src/policies/themis/table.h"
#include "testsuite/unit/unit.h"

enum { BIDDERS = 5, LISTED = 12 };

/* Bids whose sets are words; several words a set is what the search is for. */
struct market {
	uint64_t sets[BIDDERS][LISTED][3];
	struct astra_themis_listed listed[BIDDERS][LISTED];
	struct astra_themis_table_bidder bidders[BIDDERS];
	size_t count;
	uint32_t gpus;
};

static void add(struct market *m, size_t bidder, uint64_t set, double rho)
{
	size_t at = m->bidders[bidder].listed_count++;

	m->bidders[bidder].listed = m->listed[bidder];
	m->sets[bidder][at][0] = set;
	m->listed[bidder][at] = (struct astra_themis_listed){
		.gpus = m->sets[bidder][at],
		.rho = rho,
	};
}

static void golden_table(void **state)
{
	struct market m = {.gpus = 3, .count = 2};
	struct astra_themis_table t;

	(void)state;
	m.bidders[0].rho_empty = m.bidders[1].rho_empty = HUGE_VAL;
	add(&m, 0, 1, 4);
	add(&m, 0, 2, 4);
	add(&m, 0, 4, 5);
	add(&m, 0, 3, 2);
	add(&m, 0, 5, 2.5);
	add(&m, 0, 7, 1.5);
	add(&m, 1, 1, 3);
	add(&m, 1, 4, 2);
	add(&m, 1, 6, 1);
	add(&m, 1, 7, .8);
	assert_int_equal(astra_themis_table_run(3, m.bidders, 2, &t), 0);
	assert_int_equal(t.served, 2);
	assert_close(t.log_product, log(.25), 1e-9);
	assert_int_equal(t.pf[0], 0);
	assert_int_equal(t.pf[1], 2);
	assert_close(t.c[0], .8, 1e-9);
	assert_close(t.c[1], .375, 1e-9);
	assert_int_equal(t.kept[0], 0);
	assert_int_equal(t.kept[1], 1);
	astra_themis_table_clear(&t);
}

static void nobody_and_nothing_are_legal(void **state)
{
	struct market m = {.count = 1};
	struct astra_themis_table t;

	(void)state;
	m.bidders[0].rho_empty = 2;
	assert_int_equal(astra_themis_table_run(0, m.bidders, 0, &t), 0);
	assert_int_equal(t.served, 0);
	astra_themis_table_clear(&t);
	assert_int_equal(astra_themis_table_run(0, m.bidders, 1, &t), 0);
	assert_int_equal(t.served, 1);
	assert_close(t.log_product, -log(2), 1e-12);
	assert_int_equal(t.pf[0], ASTRA_NONE);
	assert_int_equal(t.kept[0], ASTRA_NONE);
	assert_close(t.c[0], 1, 0);
	astra_themis_table_clear(&t);
}

struct best {
	int served;
	double log_v;
};

static bool better(struct best a, struct best b)
{
	return a.served != b.served ? a.served > b.served : a.log_v > b.log_v;
}

static struct best plus(struct best a, double rho)
{
	if (isinf(rho))
		return a;
	return (struct best){a.served + 1, a.log_v - log(rho)};
}

/* Every choice of the bidders from i on, of sets within `left`. */
static struct best brute_force(const struct market *m, size_t i, uint64_t left,
			       size_t absent)
{
	const struct astra_themis_table_bidder *b = &m->bidders[i];
	struct best best;

	if (i == m->count)
		return (struct best){0};
	best = brute_force(m, i + 1, left, absent);
	if (i == absent)
		return best;
	best = plus(best, b->rho_empty);
	for (size_t k = 0; k < b->listed_count; k++) {
		uint64_t set = b->listed[k].gpus[0];
		struct best one;

		if (set & ~left)
			continue;
		one = plus(brute_force(m, i + 1, left & ~set, absent),
			   b->listed[k].rho);
		if (better(one, best))
			best = one;
	}
	return best;
}

/* Lists from nothing to LISTED sets, some of no value. */
static void random_market(struct market *m, struct astra_random *random,
			  uint32_t gpus)
{
	*m = (struct market){
		.gpus = gpus,
		.count = 1 + astra_random_below(random, BIDDERS),
	};
	for (size_t i = 0; i < m->count; i++) {
		size_t listed = astra_random_below(random, LISTED);

		m->bidders[i].rho_empty =
			astra_random_below(random, 4) ? HUGE_VAL : 20;
		for (size_t k = 0; k < listed; k++) {
			uint64_t set = astra_random_bits(random) &
				       astra_random_bits(random);

			set &= (UINT64_C(1) << gpus) - 1;
			add(m, i, set ? set : 1,
			    astra_random_below(random, 8)
				    ? (double)(1 +
					       astra_random_below(random, 9))
				    : HUGE_VAL);
		}
	}
}

/* The sets are apart from each other, and served and log_product theirs. */
static void check_consistent(const struct market *m,
			     const struct astra_themis_table *t)
{
	struct best sum = {0};
	uint64_t left = (UINT64_C(1) << m->gpus) - 1;

	for (size_t i = 0; i < m->count; i++) {
		const struct astra_themis_table_bidder *b = &m->bidders[i];
		uint64_t set = 0;

		if (t->pf[i] != ASTRA_NONE)
			set = b->listed[t->pf[i]].gpus[0];
		if (t->kept[i] != ASTRA_NONE)
			assert_int_equal(b->listed[t->kept[i]].gpus[0] & ~set,
					 0);
		assert_int_equal(set & ~left, 0);
		left &= ~set;
		sum = plus(sum, t->pf[i] == ASTRA_NONE
					? b->rho_empty
					: b->listed[t->pf[i]].rho);
		assert_true(t->c[i] >= 0 && t->c[i] <= 1);
	}
	assert_int_equal(sum.served, t->served);
	assert_close(sum.log_v, t->log_product, 1e-9);
}

static double value(const struct market *m, size_t i, uint32_t choice)
{
	double rho = choice == ASTRA_NONE ? m->bidders[i].rho_empty
					  : m->bidders[i].listed[choice].rho;

	return isinf(rho) ? 0 : 1 / rho;
}

/* c V is the product of all over a constant: it does not depend on which of
 * several optima was found. */
static void check_payment(const struct market *m,
			  const struct astra_themis_table *t, size_t i,
			  struct best all)
{
	uint64_t gpus = (UINT64_C(1) << m->gpus) - 1;
	struct best without = brute_force(m, 0, gpus, i);
	double v = value(m, i, t->pf[i]);
	int others = all.served - (v > 0);

	if (others < without.served)
		assert_close(t->c[i], 0, 0);
	else if (v > 0)
		assert_close(t->c[i] * v, exp(all.log_v - without.log_v), 1e-9);
}

static void few_gpus_are_shared_as_brute_force_does(void **state)
{
	struct astra_random random = astra_random_seed(1);
	struct astra_themis_table t;
	struct market m;

	(void)state;
	for (int trial = 0; trial < 400; trial++) {
		struct best best;

		random_market(&m, &random,
			      1 + (uint32_t)astra_random_below(&random, 7));
		best = brute_force(&m, 0, (UINT64_C(1) << m.gpus) - 1, m.count);
		assert_int_equal(
			astra_themis_table_run(m.gpus, m.bidders, m.count, &t),
			0);
		check_consistent(&m, &t);
		assert_int_equal(t.served, best.served);
		assert_close(t.log_product, best.log_v, 1e-9);
		for (size_t i = 0; i < m.count; i++)
			check_payment(&m, &t, i, best);
		astra_themis_table_clear(&t);
	}
}

/* Beyond the exact size: never above the optimum, and rarely below. */
static void many_gpus_are_shared_well(void **state)
{
	struct astra_random random = astra_random_seed(2);
	struct astra_themis_table t;
	struct market m;
	int optimal = 0;

	(void)state;
	for (int trial = 0; trial < 200; trial++) {
		struct best best;

		random_market(&m, &random, 14);
		best = brute_force(&m, 0, (UINT64_C(1) << m.gpus) - 1, m.count);
		assert_int_equal(
			astra_themis_table_run(m.gpus, m.bidders, m.count, &t),
			0);
		check_consistent(&m, &t);
		assert_true((int)t.served <= best.served);
		if ((int)t.served == best.served) {
			assert_true(t.log_product <= best.log_v + 1e-9);
			optimal += t.log_product >= best.log_v - 1e-9;
		}
		astra_themis_table_clear(&t);
	}
	assert_true(optimal >= 175);
}

/* Sets beyond the first 64 GPUs. */
static void large_sets_are_apart(void **state)
{
	struct market m = {.gpus = 130, .count = 2};
	struct astra_themis_table t;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		m.bidders[i].rho_empty = HUGE_VAL;
		add(&m, i, 0, 1);
		add(&m, i, 0, 4);
		m.sets[i][0][1] = UINT64_MAX;
		m.sets[i][0][2] = 3;
		m.sets[i][1][2] = i ? 1 : 2;
	}
	assert_int_equal(astra_themis_table_run(130, m.bidders, 2, &t), 0);
	assert_int_equal(t.served, 2);
	assert_close(t.log_product, -2 * log(4), 1e-9);
	assert_close(t.c[0], .25, 1e-9);
	astra_themis_table_clear(&t);
}

/* A bidder that says its V is larger, or smaller, than it is by any factor for
 * any set gets no larger c V of its true V. (Theorem 3.2's value) */
static void lying_does_not_pay(void **state)
{
	struct astra_random random = astra_random_seed(3);
	struct astra_themis_table honest, lie;
	struct market m, told;

	(void)state;
	for (int trial = 0; trial < 300; trial++) {
		random_market(&m, &random, 5);
		told = m;
		for (size_t i = 0; i < m.count; i++)
			told.bidders[i].listed = told.listed[i];
		for (size_t k = 0; k < told.bidders[0].listed_count; k++)
			told.listed[0][k].rho =
				(double)(1 + astra_random_below(&random, 9));
		assert_int_equal(
			astra_themis_table_run(5, m.bidders, m.count, &honest),
			0);
		assert_int_equal(
			astra_themis_table_run(5, told.bidders, m.count, &lie),
			0);
		assert_true(lie.c[0] * value(&m, 0, lie.pf[0]) <=
			    honest.c[0] * value(&m, 0, honest.pf[0]) + 1e-9);
		astra_themis_table_clear(&honest);
		astra_themis_table_clear(&lie);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_table),
		cmocka_unit_test(nobody_and_nothing_are_legal),
		cmocka_unit_test(few_gpus_are_shared_as_brute_force_does),
		cmocka_unit_test(many_gpus_are_shared_well),
		cmocka_unit_test(large_sets_are_apart),
		cmocka_unit_test(lying_does_not_pay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
