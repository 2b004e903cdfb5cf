/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OGASched's learner and the paper's baselines (Zhao et al.; SPEC section 5).
 */
#include <math.h>
#include <string.h>

#include "testsuite/unit/ogas_world.h"

static const uint32_t golden_x[4][2] = {{1, 1}, {1, 0}, {0, 1}, {1, 1}};

static void assert_rewards(const struct ogas_world *w, const double want[4])
{
	struct astra_ogas *o = ogas_build(w);

	for (int t = 0; t < 4; t++)
		assert_close(astra_ogas_step(o, golden_x[t]), want[t], 1e-9);
	astra_ogas_destroy(o);
}

/* Definition 2: slot t earns with y(t), which was chosen before. */
static void golden_rewards_when_committed(void **state)
{
	const double want[] = {0, 1.952608725882, 1.718334746402,
			       5.607330901524};
	struct ogas_world w = ogas_golden();

	(void)state;
	assert_rewards(&w, want);
}

static void golden_rewards_when_reactive(void **state)
{
	const double want[] = {3.670943472284, 3.384164697102, 2.223166204422,
			       6.198894098061};
	struct ogas_world w = ogas_golden();

	(void)state;
	w.options.reactive = true;
	assert_rewards(&w, want);
}

static void golden_rewards_at_the_theory_rate(void **state)
{
	const double want[] = {0, 2.488994509077, 2.119020486836,
			       6.968219017461};
	struct ogas_world w = ogas_golden();

	(void)state;
	w.options.rate = ASTRA_OGAS_THEORY;
	assert_rewards(&w, want);
}

/* diam = sqrt(2 (4 * 8 + 5 * 7)) = sqrt(134);
 * G^2 = 3 * .25 + 2 * (1.44 + 1 + 1.44) = 8.51. */
static void golden_rewards_at_the_constant_rate(void **state)
{
	const double want[] = {0, 1.943740771328, 1.707185770824,
			       7.698913627105};
	struct ogas_world w = ogas_golden();
	struct astra_ogas *o = ogas_build(&w);

	(void)state;
	assert_close(astra_ogas_diameter(o), 11.575836902790, 1e-9);
	assert_close(astra_ogas_slope(o), 2.917190429163, 1e-9);
	astra_ogas_destroy(o);
	w.options.rate = ASTRA_OGAS_CONST;
	assert_rewards(&w, want);
}

/* Where no bound binds, a step at rate .1 is .1 of the gradient (Eq. 30). */
static void golden_gradient_at_zero(void **state)
{
	const double want[] = {.7, 1.2, .45, 1, .7, 1.2, 0, 0};
	struct ogas_world w = ogas_golden();
	struct astra_ogas *o;
	double *y;

	(void)state;
	w.options.eta0 = .1;
	o = ogas_build(&w);
	astra_ogas_step(o, golden_x[0]);
	y = ogas_all(o);
	for (size_t i = 0; i < ASTRA_COUNT_OF(want); i++)
		assert_close(y[i] / .1, want[i], 1e-9);
	free(y);
	astra_ogas_destroy(o);
}

static void golden_rewards_of_the_baselines(void **state)
{
	const double greedy[] = {7.401412370823, 5.083077624422, 2.931325494921,
				 7.401412370823};
	const enum astra_ogas_algo algos[] = {
		ASTRA_OGAS_DRF, ASTRA_OGAS_BINPACKING, ASTRA_OGAS_SPREADING};
	struct ogas_world w = ogas_golden();
	struct astra_ogas *o = ogas_build(&w);

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(algos); i++)
		for (int t = 0; t < 4; t++) {
			astra_ogas_allocate(o, algos[i], golden_x[t]);
			assert_close(astra_ogas_reward(o, golden_x[t]),
				     greedy[t], 1e-9);
			ogas_assert_feasible(&w, o);
		}
	astra_ogas_allocate(o, ASTRA_OGAS_FAIRNESS, golden_x[0]);
	assert_close(astra_ogas_reward(o, golden_x[0]), 7.242080143672, 1e-9);
	astra_ogas_destroy(o);
}

/* c a / sum of a: 6 * 4/7 and 6 * 3/7 of type 0 on node 0, where port 1 asks
 * for 3; on node 1, where it is alone, port 0 gets all 2 of 4. */
static void fair_shares_go_by_request(void **state)
{
	const double want[] = {24. / 7, 8. / 7, 2, 2, 18. / 7, 20. / 7, 0, 0};
	struct ogas_world w = ogas_golden();
	struct astra_ogas *o = ogas_build(&w);
	double *y;

	(void)state;
	astra_ogas_allocate(o, ASTRA_OGAS_FAIRNESS, NULL);
	y = ogas_all(o);
	for (size_t i = 0; i < ASTRA_COUNT_OF(want); i++)
		assert_close(y[i], want[i], 1e-12);
	free(y);
	astra_ogas_destroy(o);
}

/* One type, nodes of 4 and 2, port 0 wants 2 a node, port 1 3. Ports in turn;
 * packing takes the fullest node that has something: p0 n0 (2 of 4), p1 n0 (2
 * left of its 3), p0 n1 (2), p1 nothing. Spreading: p0 n0 (ties: index), p1 n1
 * (2), then p0 has n1 left, which is full, p1 n0 (2). */
static void packing_and_spreading_differ(void **state)
{
	const double packed[] = {2, 2, 2, 0}, spread[] = {2, 0, 2, 2};
	struct ogas_world w = {
		.ports = 2,
		.nodes = 2,
		.types = 1,
		.a = {{2}, {3}},
		.c = {{4}, {2}},
		.edge = {{true, true}, {true, true}},
	};
	struct astra_ogas *o = ogas_build(&w);
	double *y;

	(void)state;
	astra_ogas_allocate(o, ASTRA_OGAS_BINPACKING, NULL);
	y = ogas_all(o);
	assert_memory_equal(y, packed, sizeof(packed));
	free(y);
	astra_ogas_allocate(o, ASTRA_OGAS_SPREADING, NULL);
	y = ogas_all(o);
	assert_memory_equal(y, spread, sizeof(spread));
	free(y);
	astra_ogas_destroy(o);
}

/* Dominant shares 4/6 and 3/6: port 1 first. */
static void drf_serves_the_smallest_dominant_share_first(void **state)
{
	struct ogas_world w = {
		.ports = 2,
		.nodes = 1,
		.types = 2,
		.a = {{4, 1}, {3, 2}},
		.c = {{6, 5}},
		.edge = {{true}, {true}},
	};
	const double want[] = {3, 1, 3, 2};
	struct astra_ogas *o = ogas_build(&w);
	double *y;

	(void)state;
	astra_ogas_allocate(o, ASTRA_OGAS_DRF, NULL);
	y = ogas_all(o);
	assert_memory_equal(y, want, sizeof(want));
	free(y);
	astra_ogas_destroy(o);
}

static void capacity_is_never_exceeded(void **state)
{
	struct astra_random random = astra_random_seed(11);
	uint32_t x[WORLD_PORTS];

	(void)state;
	for (int i = 0; i < 300; i++) {
		struct ogas_world w = ogas_random(&random);
		struct astra_ogas *o;

		w.options.rate = (enum astra_ogas_rate)(i % 3);
		w.options.reactive = i % 2;
		for (size_t l = 0; l < w.ports; l++)
			w.copies[l] =
				1 + (uint32_t)astra_random_below(&random, 3);
		o = ogas_build(&w);
		for (int t = 0; t < 30; t++) {
			ogas_arrivals(&random, x);
			assert_true(isfinite(astra_ogas_step(o, x)));
			ogas_assert_feasible(&w, o);
		}
		for (int algo = 1; algo <= ASTRA_OGAS_SPREADING; algo++) {
			ogas_arrivals(&random, x);
			astra_ogas_allocate(o, (enum astra_ogas_algo)algo, x);
			ogas_assert_feasible(&w, o);
		}
		astra_ogas_destroy(o);
	}
}

/* A port with J copies is J ports that are alike. */
static void copies_are_ports(void **state)
{
	struct astra_random random = astra_random_seed(13);

	(void)state;
	for (int i = 0; i < 50; i++) {
		struct ogas_world w = ogas_random(&random), split;
		struct astra_ogas *o, *s;

		w.ports = w.ports > 4 ? 4 : w.ports;
		split = w;
		split.ports = 2 * w.ports;
		for (size_t l = 0; l < w.ports; l++) {
			w.copies[l] = 2;
			memcpy(split.a[2 * l], w.a[l], sizeof(w.a[l]));
			memcpy(split.a[2 * l + 1], w.a[l], sizeof(w.a[l]));
			memcpy(split.edge[2 * l], w.edge[l], sizeof(w.edge[l]));
			memcpy(split.edge[2 * l + 1], w.edge[l],
			       sizeof(w.edge[l]));
		}
		o = ogas_build(&w);
		s = ogas_build(&split);
		for (int t = 0; t < 20; t++) {
			uint32_t x[WORLD_PORTS], xs[WORLD_PORTS];

			for (size_t l = 0; l < w.ports; l++) {
				x[l] = (uint32_t)astra_random_below(&random, 3);
				xs[2 * l] = x[l] >= 1;
				xs[2 * l + 1] = x[l] >= 2;
			}
			assert_true(astra_ogas_step(o, x) ==
				    astra_ogas_step(s, xs));
			astra_ogas_allocate(o, (enum astra_ogas_algo)(t % 5),
					    x);
			astra_ogas_allocate(s, (enum astra_ogas_algo)(t % 5),
					    xs);
			assert_true(astra_ogas_reward(o, x) ==
				    astra_ogas_reward(s, xs));
		}
		astra_ogas_destroy(o);
		astra_ogas_destroy(s);
	}
}

/* Both components want what only node 0 has; the second has no node. */
static void a_gang_without_enough_components_earns_nothing(void **state)
{
	struct ogas_world w = {
		.ports = 2,
		.nodes = 1,
		.types = 1,
		.options = {.eta0 = 1, .decay = 1},
		.a = {{2}, {2}},
		.c = {{2}},
		.alpha = {{1}},
		.edge = {{true}, {false}},
		.gang = {1, 1},
		.need = {2, 2},
	};
	const uint32_t x[] = {1, 1};
	struct astra_ogas *o = ogas_build(&w);
	uint32_t units[2];
	double *y;

	(void)state;
	astra_ogas_step(o, x);
	assert_true(astra_ogas_step(o, x) == 0);
	y = ogas_all(o);
	assert_true(y[0] == 2 && y[1] == 0); /* it learned all the same */
	free(y);
	assert_int_equal(astra_ogas_round(o, x, 0, 1, units), 0);
	assert_int_equal(units[0], 0);
	astra_ogas_destroy(o);

	w.edge[1][0] = true;
	o = ogas_build(&w);
	astra_ogas_step(o, x);
	assert_true(astra_ogas_step(o, x) == 2);
	assert_int_equal(astra_ogas_round(o, x, 0, 1, units), 0);
	assert_int_equal(units[0], 1);
	assert_int_equal(units[1], 1);
	astra_ogas_destroy(o);
}

static void without_arrivals_nothing_changes(void **state)
{
	const uint32_t none[] = {0, 0};
	struct ogas_world w = ogas_golden();

	(void)state;
	for (int rate = 0; rate < 3; rate++) {
		struct astra_ogas *o;
		double *before, *after;

		w.options.rate = (enum astra_ogas_rate)rate;
		o = ogas_build(&w);
		for (int t = 0; t < 4; t++)
			astra_ogas_step(o, golden_x[t]);
		before = ogas_all(o);
		assert_true(astra_ogas_step(o, none) == 0);
		after = ogas_all(o);
		assert_memory_equal(before, after, 8 * sizeof(*before));
		free(before);
		free(after);
		astra_ogas_destroy(o);
	}
}

static void empty_and_worthless_worlds_are_legal(void **state)
{
	const uint32_t x[] = {1, 1};
	struct ogas_world nothing = {.ports = 0}, w = ogas_golden();
	struct astra_ogas *o = ogas_build(&nothing);

	(void)state;
	assert_true(astra_ogas_step(o, x) == 0);
	assert_true(astra_ogas_diameter(o) == 0);
	astra_ogas_destroy(o);
	for (int rate = 0; rate < 3; rate++) {
		w = ogas_golden();
		w.options.rate = (enum astra_ogas_rate)rate;
		memset(w.utility, 0, sizeof(w.utility));
		memset(w.alpha, 0, sizeof(w.alpha));
		memset(w.beta, 0, sizeof(w.beta));
		o = ogas_build(&w);
		for (int t = 0; t < 3; t++)
			assert_true(astra_ogas_step(o, x) == 0);
		astra_ogas_destroy(o);
		w = ogas_golden();
		memset(w.c, 0, sizeof(w.c));
		o = ogas_build(&w);
		for (int t = 0; t < 3; t++)
			assert_true(astra_ogas_step(o, x) == 0);
		for (int algo = 1; algo <= ASTRA_OGAS_SPREADING; algo++) {
			astra_ogas_allocate(o, (enum astra_ogas_algo)algo, x);
			assert_true(astra_ogas_reward(o, x) == 0);
		}
		astra_ogas_destroy(o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_rewards_when_committed),
		cmocka_unit_test(golden_rewards_when_reactive),
		cmocka_unit_test(golden_rewards_at_the_theory_rate),
		cmocka_unit_test(golden_rewards_at_the_constant_rate),
		cmocka_unit_test(golden_gradient_at_zero),
		cmocka_unit_test(golden_rewards_of_the_baselines),
		cmocka_unit_test(fair_shares_go_by_request),
		cmocka_unit_test(packing_and_spreading_differ),
		cmocka_unit_test(drf_serves_the_smallest_dominant_share_first),
		cmocka_unit_test(capacity_is_never_exceeded),
		cmocka_unit_test(copies_are_ports),
		cmocka_unit_test(
			a_gang_without_enough_components_earns_nothing),
		cmocka_unit_test(without_arrivals_nothing_changes),
		cmocka_unit_test(empty_and_worthless_worlds_are_legal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
