/* SPDX-License-Identifier: GPL-2.0-or-later */
/* U and L of a pool (SPEC section 4), by the jobs of late: kept over restarts,
 * not set by one absurd worth, forgotten in time. */
#include <math.h>
#include <string.h>

#include "src/policies/oasis/recent.h"
#include "testsuite/unit/unit.h"

#define SLOTS 20
#define GPUS 8

static const double one_gpu[OASIS_POOL_RESOURCES] = {1};
static const double nothing[OASIS_POOL_RESOURCES];

/* Two GPUs for 10 slots, worth so much if it ends within them. */
static struct astra_oasis_job job_worth(double worth)
{
	struct astra_oasis_job job = {
		.epochs = 10,
		.workers = 2,
		.workers_min = 1,
		.batches = 1,
		.batch_slots = 1,
		.worker = one_gpu,
		.ps = nothing,
		.utility = {.kind = ASTRA_UTILITY_SIGMOID},
	};

	job.utility.sigmoid.g1 = worth;
	job.utility.sigmoid.g2 = 1;
	job.utility.sigmoid.g3 = 10;
	return job;
}

static void add(struct oasis_recent *recent, double worth, unsigned times)
{
	const struct astra_oasis_job job = job_worth(worth);

	while (times--)
		oasis_recent_add(recent, &job, SLOTS - 1);
}

static struct astra_oasis_range range_of(const struct oasis_recent *recent)
{
	struct astra_oasis_range range;

	oasis_recent_range(recent, SLOTS, GPUS, &range);
	return range;
}

/* U1 = max f(D - 1) / w with D = ceil(E p) = 10, f(9) = g / (1 + e^-1);
 * L1 = eta / 4 min f(19) / W with W = 20, eta = W / (T c) = 1 / 8,
 * f(19) = g / (1 + e^9). */
static void u_and_l_are_as_the_paper_has_them(void **state)
{
	struct oasis_recent recent;
	struct astra_oasis_range range;

	(void)state;
	oasis_recent_init(&recent);
	add(&recent, 30, 1);
	add(&recent, 2, 1);
	add(&recent, 100, 1);
	range = range_of(&recent);
	assert_close(range.u1[0], 100 / (1 + exp(-1)), 1e-9);
	assert_close(range.l1, 2 / (1 + exp(9)) / 20 / 8 / 4, 1e-15);
}

/* Whether it comes first, last or alone beside one other. */
static void one_absurd_worth_does_not_set_u(void **state)
{
	(void)state;
	for (unsigned before = 0; before < 3; before++) {
		struct oasis_recent recent;

		oasis_recent_init(&recent);
		add(&recent, 4, before);
		add(&recent, 1e300, 1);
		add(&recent, 4, 3 - before);
		assert_true(range_of(&recent).u1[0] <= 4 * 0x1p21);
		assert_true(range_of(&recent).u1[0] >= 4);
	}
}

static void worth_that_is_no_number_is_none(void **state)
{
	static const double odd[] = {NAN, -1e300, 0, 1e300};
	struct oasis_recent recent;

	(void)state;
	oasis_recent_init(&recent);
	for (size_t i = 0; i < ASTRA_COUNT_OF(odd); i++) {
		struct astra_oasis_range range;

		add(&recent, odd[i], 1);
		range = range_of(&recent);
		assert_true(range.l1 >= ASTRA_OASIS_PRICE_MIN);
		assert_true(range.u1[0] >= range.l1);
		assert_true(range.u1[0] <= ASTRA_OASIS_PRICE_MAX);
	}
	add(&recent, 4, 4);
	assert_true(range_of(&recent).u1[0] <= 4 * 0x1p21);
}

/* A job of one slot: f(D - 1) = (1 / 0)^2. */
static void an_infinite_worth_is_that_of_a_slot_later(void **state)
{
	struct astra_oasis_job job = job_worth(1);
	struct oasis_recent recent;

	(void)state;
	job.epochs = 1;
	job.utility = (struct astra_utility){.kind = ASTRA_UTILITY_CONVEX};
	job.utility.convex.e = 3;
	job.utility.convex.kappa = 2;
	oasis_recent_init(&recent);
	oasis_recent_add(&recent, &job, SLOTS - 1);
	assert_close(range_of(&recent).u1[0], 9, 1e-9);
}

static void what_is_long_ago_is_forgotten(void **state)
{
	struct oasis_recent recent;

	(void)state;
	oasis_recent_init(&recent);
	add(&recent, 5000, 1);
	add(&recent, 4, OASIS_GENERATION_JOBS);
	assert_close(range_of(&recent).u1[0], 5000 / (1 + exp(-1)), 1e-6);
	add(&recent, 4, OASIS_GENERATION_JOBS);
	assert_close(range_of(&recent).u1[0], 4 / (1 + exp(-1)), 1e-9);
}

static void assert_same_range(const struct oasis_recent *a,
			      const struct oasis_recent *b)
{
	const struct astra_oasis_range x = range_of(a), y = range_of(b);

	assert_close(x.u1[0], y.u1[0], 0);
	assert_close(x.l1, y.l1, 0);
}

static void it_is_kept(void **state)
{
	struct oasis_recent recent, again;
	struct astra_bytes saved = {0};

	(void)state;
	oasis_recent_init(&recent);
	add(&recent, 1e300, 1);
	add(&recent, 4, OASIS_GENERATION_JOBS + 3);
	add(&recent, -1, 1);
	oasis_recent_save(&recent, &saved);
	for (size_t size = 0; size <= saved.size; size++) {
		struct astra_reader in = {.data = saved.data, .size = size};

		assert_int_equal(oasis_recent_restore(&again, &in),
				 size < saved.size ? -1 : 0);
	}
	assert_same_range(&again, &recent);
	add(&again, 7, OASIS_GENERATION_JOBS);
	add(&recent, 7, OASIS_GENERATION_JOBS);
	assert_same_range(&again, &recent);
	astra_bytes_clear(&saved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(u_and_l_are_as_the_paper_has_them),
		cmocka_unit_test(one_absurd_worth_does_not_set_u),
		cmocka_unit_test(worth_that_is_no_number_is_none),
		cmocka_unit_test(an_infinite_worth_is_that_of_a_slot_later),
		cmocka_unit_test(what_is_long_ago_is_forgotten),
		cmocka_unit_test(it_is_kept),
	};

	return cmocka_run_group_tests_name("oasis_recent", tests, NULL, NULL);
}
