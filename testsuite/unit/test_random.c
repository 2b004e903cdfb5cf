/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/random.h"
#include "testsuite/unit/unit.h"

#define DRAWS 200000

/* The first numbers for seed 1234567 of the authors' splitmix64.c, which
 * others test their own by. */
static void splitmix64_is_the_authors(void **state)
{
	static const uint64_t expected[] = {
		UINT64_C(6457827717110365317),	UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423),	UINT64_C(4593380528125082431),
		UINT64_C(16408922859458223821),
	};
	uint64_t seed = 1234567;

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(expected); i++)
		assert_true(astra_splitmix64(&seed) == expected[i]);
}

/* By hand from the definition, state {1, 2, 3, 4}: rotl(2 * 5, 7) * 9 = 11520;
 * then {7, 0, 262146, 6 << 45}, whose second word is 0. */
static void xoshiro_follows_its_definition(void **state)
{
	struct astra_random random = {{1, 2, 3, 4}};

	(void)state;
	assert_true(astra_random_bits(&random) == 11520);
	assert_true(random.state[0] == 7);
	assert_true(random.state[1] == 0);
	assert_true(random.state[2] == 262146);
	assert_true(random.state[3] == UINT64_C(6) << 45);
	assert_true(astra_random_bits(&random) == 0);
}

static void a_seed_gives_one_sequence(void **state)
{
	struct astra_random a = astra_random_seed(5);
	struct astra_random b = astra_random_seed(5);
	struct astra_random c = astra_random_seed(6);
	int same = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		uint64_t bits = astra_random_bits(&a);

		assert_true(bits == astra_random_bits(&b));
		same += bits == astra_random_bits(&c);
	}
	assert_int_equal(same, 0);
}

/* Means and variances within five standard errors. */
static void moments_are_those_of_the_distributions(void **state)
{
	struct astra_random random = astra_random_seed(1);
	double uniform = 0, exponential = 0, normal = 0, square = 0, below = 0;
	double error = 5 / sqrt(DRAWS);

	(void)state;
	for (int i = 0; i < DRAWS; i++) {
		double u = astra_random_uniform(&random);
		double n = astra_random_normal(&random);

		assert_true(u >= 0 && u < 1);
		uniform += u;
		exponential += astra_random_exponential(&random, 3);
		normal += n;
		square += n * n;
		below += astra_random_lognormal(&random, 100, 1.5) < 100;
	}
	assert_true(fabs(uniform / DRAWS - .5) < .29 * error);
	assert_true(fabs(exponential / DRAWS - 3) < 3 * error);
	assert_true(fabs(normal / DRAWS) < error);
	assert_true(fabs(square / DRAWS - 1) < 1.42 * error);
	assert_true(fabs(below / DRAWS - .5) < .5 * error);
}

static void below_meets_each_number_as_often(void **state)
{
	struct astra_random random = astra_random_seed(2);
	int met[7] = {0};

	(void)state;
	for (int i = 0; i < 7 * 10000; i++) {
		uint64_t at = astra_random_below(&random, 7);

		assert_true(at < 7);
		met[at]++;
	}
	for (int i = 0; i < 7; i++)
		assert_in_range(met[i], 9500, 10500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splitmix64_is_the_authors),
		cmocka_unit_test(xoshiro_follows_its_definition),
		cmocka_unit_test(a_seed_gives_one_sequence),
		cmocka_unit_test(moments_are_those_of_the_distributions),
		cmocka_unit_test(below_meets_each_number_as_often),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
