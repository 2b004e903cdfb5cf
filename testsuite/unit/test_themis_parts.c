/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps of a round of Themis beside its auction: who takes part, what is
 * kept after the payment, who gets the rest. (SPEC section 2) */
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/policies/themis/memories.h"
#include "src/policies/themis/themis.h"
#include "testsuite/unit/unit.h"

#define NEVER HUGE_VAL

static void the_worst_off_take_part(void **state)
{
	static const struct astra_themis_claim claims[] = {
		{true, 2, 0},	 {true, NEVER, .5}, {false, NEVER, 9},
		{true, 3, 0},	 {true, NEVER, 1},  {true, 3 + 1e-12, 0},
		{false, 1e9, 0},
	};
	static const struct {
		double f;
		uint64_t gpus;
		size_t count;
	} cases[] = {{0, 99, 5}, {.2, 99, 4}, {.5, 99, 3}, {.61, 99, 2},
		     {1, 99, 1}, {0, 2, 2},   {0, 0, 0}};
	static const uint32_t order[] = {4, 1, 3, 5, 0};
	uint32_t chosen[7];

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		size_t count = astra_themis_filter(claims, 7, cases[i].f,
						   cases[i].gpus, chosen);

		assert_int_equal(count, cases[i].count);
		for (size_t k = 0; k < count; k++)
			assert_int_equal(chosen[k], order[k]);
	}
	assert_int_equal(astra_themis_filter(claims, 0, 0, 9, chosen), 0);
}

/* (1 - 0.9) * 10 is 0.99...: not a second one. */
static void a_share_of_apps_is_rounded_up_but_for_rounding(void **state)
{
	struct astra_themis_claim claims[10];
	uint32_t chosen[10];

	(void)state;
	for (int i = 0; i < 10; i++)
		claims[i] = (struct astra_themis_claim){true, 10 - i, 0};
	assert_int_equal(astra_themis_filter(claims, 10, .9, 99, chosen), 1);
	assert_int_equal(astra_themis_filter(claims, 10, .89, 99, chosen), 2);
	assert_int_equal(astra_themis_filter(claims, 10, .7, 99, chosen), 3);
}

static void rounding_by_the_golden_numbers(void **state)
{
	static const struct {
		struct astra_themis_share bundle[3];
		size_t machines;
		double c;
		uint32_t kept[3];
	} cases[] = {
		{{{0, 4}, {1, 2}, {2, 1}}, 3, .5, {1, 1, 1}},
		{{{0, 4}, {1, 2}, {2, 1}}, 3, .8, {3, 1, 1}},
		{{{0, 3}, {1, 3}}, 2, .5, {2, 1}},
		{{{0, 1}, {1, 1}, {2, 1}}, 3, .34, {1, 0, 0}},
		{{{0, 1}}, 1, .1, {1}},
		{{{0, 1}, {1, 5}, {2, 4}}, 3, .25, {0, 2, 0}},
		{{{0, 4}, {1, 2}, {2, 1}}, 3, 1, {4, 2, 1}},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_themis_shares bundle = {cases[i].bundle,
						     cases[i].machines};
		uint32_t gpus = astra_themis_gpus(bundle), kept[3];

		astra_themis_round_bundle(
			bundle, astra_themis_keep(cases[i].c, gpus, 1), kept);
		for (size_t m = 0; m < bundle.count; m++)
			assert_int_equal(kept[m], cases[i].kept[m]);
	}
}

static void kept_gpus_are_multiples_of_the_quantum(void **state)
{
	(void)state;
	assert_int_equal(astra_themis_keep(.5, 12, 4), 4);
	assert_int_equal(astra_themis_keep(.1, 12, 4), 4);
	assert_int_equal(astra_themis_keep(1, 12, 4), 12);
	assert_int_equal(astra_themis_keep(1 - 1e-12, 12, 4), 12);
	assert_int_equal(astra_themis_keep(0, 0, 4), 0);
}

/* On the same machines whenever there are GPUs enough for that. */
static void a_bundle_keeps_its_machines(void **state)
{
	struct astra_random random = astra_random_seed(1);
	struct astra_themis_share share[6];
	uint32_t kept[6];

	(void)state;
	for (int trial = 0; trial < 500; trial++) {
		struct astra_themis_shares bundle = {
			share, 1 + astra_random_below(&random, 6)};
		uint32_t k, sum = 0;

		for (uint32_t m = 0; m < bundle.count; m++)
			share[m] = (struct astra_themis_share){
				m,
				1 + (uint32_t)astra_random_below(&random, 8)};
		k = astra_themis_keep(astra_random_uniform(&random),
				      astra_themis_gpus(bundle), 1);
		astra_themis_round_bundle(bundle, k, kept);
		for (uint32_t m = 0; m < bundle.count; m++) {
			sum += kept[m];
			assert_true(kept[m] <= share[m].gpus);
			assert_true(kept[m] || k < bundle.count);
		}
		assert_int_equal(sum, k);
	}
}

/* Takers, and what each got; memory is the caller's. */
static void give(uint32_t *machines, const struct astra_themis_taker *takers,
		 size_t count, uint64_t seed, uint32_t *got)
{
	struct astra_themis_gift *gifts;
	size_t gift_count;

	for (size_t i = 0; i < count; i++)
		got[i] = 0;
	assert_int_equal(astra_themis_give(machines, 3, takers, count, seed,
					   &gifts, &gift_count),
			 0);
	for (size_t i = 0; i < gift_count; i++)
		got[gifts[i].taker] += gifts[i].share.gpus;
	for (size_t i = 1; i < gift_count; i++)
		assert_true(gifts[i - 1].taker < gifts[i].taker ||
			    gifts[i - 1].share.machine <
				    gifts[i].share.machine);
	free(gifts);
}

/* Four at a time: of the machine of 4, not of 2 + 2; and of the one of 5 rather
 * than of a larger one. */
static void a_quantum_is_of_one_machine(void **state)
{
	static const struct {
		uint32_t machines[3], left[3];
	} cases[] = {{{2, 4, 2}, {2, 0, 2}},
		     {{9, 5, 8}, {9, 1, 8}},
		     {{3, 2, 3}, {0, 1, 3}}};
	const struct astra_themis_taker taker = {.room = 4, .quantum = 4};
	uint32_t got;

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		uint32_t machines[3];

		memcpy(machines, cases[i].machines, sizeof(machines));
		give(machines, &taker, 1, 1, &got);
		assert_int_equal(got, 4);
		assert_memory_equal(machines, cases[i].left, sizeof(machines));
	}
}

static void participants_come_last(void **state)
{
	static const struct astra_themis_taker takers[] = {
		{9, 1, true}, {2, 1, false}, {1, 1, false}, {0, 1, false}};
	uint32_t few[] = {1, 0, 1}, some[] = {1, 2, 2}, many[] = {9, 9, 9};
	uint32_t got[4];

	(void)state;
	give(few, takers, 4, 1, got);
	assert_int_equal(got[1] + got[2], 2);
	give(some, takers, 4, 1, got);
	assert_int_equal(got[1], 2);
	assert_int_equal(got[2], 1);
	assert_int_equal(got[0], 2);
	give(many, takers, 4, 1, got);
	assert_int_equal(got[0], 9);
	assert_int_equal(many[0] + many[1] + many[2], 27 - 12);
}

static void leftovers_depend_on_the_seed_alone(void **state)
{
	static const struct astra_themis_taker takers[] = {{50, 1, false},
							   {50, 1, false}};
	uint32_t got[2], again[2];
	uint32_t sum = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		uint32_t machines[] = {5, 0, 5}, same[] = {5, 0, 5};

		give(machines, takers, 2, seed, got);
		give(same, takers, 2, seed, again);
		assert_int_equal(got[0], again[0]);
		assert_int_equal(got[0] + got[1], 10);
		sum += got[0];
	}
	/* 2,000 fair coins: five standard deviations are 112. */
	assert_in_range(sum, 1000 - 112, 1000 + 112);
}

static void a_quantum_is_given_whole_or_not_at_all(void **state)
{
	static const struct astra_themis_taker takers[] = {{7, 4, false},
							   {9, 2, true}};
	uint32_t machines[] = {3, 3, 3}, got[2];

	(void)state;
	give(machines, takers, 2, 1, got);
	assert_int_equal(got[0], 4);
	assert_int_equal(got[1], 4);
	assert_int_equal(machines[0] + machines[1] + machines[2], 1);
}

/* 2 apps for 10 s, 5 for 20 s, 1 for 10 s: 130 app-seconds in 40 s. */
static void navg_is_the_mean_over_an_apps_life(void **state)
{
	struct astra_themis_census census = {0};
	double early, late;

	(void)state;
	astra_themis_census_set(&census, 100, 2);
	early = astra_themis_census_sum(&census, 100);
	assert_close(astra_themis_navg(&census, 100, early, 100), 2, 0);
	astra_themis_census_set(&census, 110, 5);
	late = astra_themis_census_sum(&census, 110);
	astra_themis_census_set(&census, 130, 1);
	assert_close(astra_themis_navg(&census, 100, early, 140), 130. / 40,
		     1e-12);
	assert_close(astra_themis_navg(&census, 110, late, 130), 5, 1e-12);
	astra_themis_census_set(&census, 120, 7);
	assert_close(astra_themis_navg(&census, 130, 120, 130), 7, 0);
}

/* The most work and the most GPUs, saved and restored, until it is gone. */
static void what_an_app_once_was_is_remembered(void **state)
{
	static const struct themis_sight sights[] = {
		{.key = 7, .start_sec = 1, .budget_sec = 100, .gpus = 8},
		{.key = 7, .start_sec = 2, .budget_sec = 50, .gpus = 2},
		{.key = 8, .start_sec = 3, .budget_sec = 5, .gpus = 1},
	};
	struct themis_memories m = {0}, again = {0};
	struct astra_bytes bytes = {0};
	struct astra_reader in;
	const struct themis_memory *app;

	(void)state;
	assert_int_equal(astra_themis_remember(&m, sights, 1, 10), 0);
	assert_int_equal(astra_themis_remember(&m, sights + 1, 2, 20), 0);
	assert_int_equal(astra_themis_memories_save(&m, &bytes), 0);
	in = (struct astra_reader){.data = bytes.data, .size = bytes.size};
	assert_int_equal(astra_themis_memories_restore(&again, &in), 0);
	app = astra_themis_recall(&again, 7);
	assert_non_null(app);
	assert_close(app->start_sec, 1, 0);
	assert_close(app->budget_sec, 100, 0);
	assert_int_equal(app->gpus, 8);
	assert_int_equal(astra_themis_remember(&m, sights + 2, 1, 30), 0);
	assert_null(astra_themis_recall(&m, 7));
	astra_bytes_clear(&bytes);
	astra_themis_memories_clear(&m);
	astra_themis_memories_clear(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(navg_is_the_mean_over_an_apps_life),
		cmocka_unit_test(what_an_app_once_was_is_remembered),
		cmocka_unit_test(the_worst_off_take_part),
		cmocka_unit_test(
			a_share_of_apps_is_rounded_up_but_for_rounding),
		cmocka_unit_test(rounding_by_the_golden_numbers),
		cmocka_unit_test(kept_gpus_are_multiples_of_the_quantum),
		cmocka_unit_test(a_bundle_keeps_its_machines),
		cmocka_unit_test(a_quantum_is_of_one_machine),
		cmocka_unit_test(participants_come_last),
		cmocka_unit_test(leftovers_depend_on_the_seed_alone),
		cmocka_unit_test(a_quantum_is_given_whole_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
