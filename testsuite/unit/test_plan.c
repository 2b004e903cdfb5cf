/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/model/brief.h"
#include "src/model/plan.h"
#include "testsuite/unit/unit.h"

static void decisions_keep_their_shares(void **state)
{
	struct astra_plan plan;

	(void)state;
	astra_plan_init(&plan);
	for (uint32_t i = 1; i <= 100; i++) {
		struct astra_decision d = {.action = ASTRA_START, .job = i};
		struct astra_share shares[3] = {
			{.node = i, .gpus = 1},
			{.node = i, .gpus = 2},
			{.node = i, .gpus = 3},
		};

		assert_int_equal(astra_plan_add(&plan, &d, shares, i % 4), 0);
	}
	assert_int_equal(plan.decision_count, 100);
	for (uint32_t i = 1; i <= 100; i++) {
		const struct astra_decision *d = &plan.decisions[i - 1];

		assert_int_equal(d->job, i);
		assert_int_equal(d->share_count, i % 4);
		for (size_t k = 0; k < d->share_count; k++) {
			const struct astra_share *s =
				&plan.shares[d->first_share + k];

			assert_int_equal(s->node, i);
			assert_int_equal(s->gpus, k + 1);
		}
	}
	astra_plan_destroy(&plan);
}

static void a_cleared_plan_is_empty_and_usable(void **state)
{
	struct astra_reason reason = {.job = 1};
	struct astra_plan plan;

	(void)state;
	astra_plan_init(&plan);
	plan.wake_sec = 5;
	plan.changed = true;
	assert_int_equal(astra_plan_reason(&plan, &reason), 0);
	astra_plan_clear(&plan);
	assert_int_equal(plan.reason_count, 0);
	assert_int_equal(plan.decision_count, 0);
	assert_true(plan.wake_sec == 0 && !plan.changed);
	assert_int_equal(astra_plan_reason(&plan, &reason), 0);
	assert_int_equal(plan.reason_count, 1);
	astra_plan_destroy(&plan);
	astra_plan_destroy(&plan);
}

static void every_reason_has_words_that_fit(void **state)
{
	char texts[ASTRA_WAIT_PINNED + 1][64];

	(void)state;
	for (unsigned w = ASTRA_WAIT_NONE; w <= ASTRA_WAIT_PINNED; w++) {
		struct astra_reason r = {.wait = (enum astra_wait)w};

		astra_reason_text(&r, 0, texts[w], sizeof(texts[w]));
		assert_ptr_equal(strstr(texts[w], "Lease: "), texts[w]);
		assert_true(strlen(texts[w]) > 12);
		assert_true(strlen(texts[w]) < sizeof(texts[w]) - 1);
		for (unsigned v = 0; v < w; v++)
			assert_string_not_equal(texts[v], texts[w]);
	}
}

/* Programs that count jobs by squeue's reason get one kind for each. */
static void squeue_shows_few_fixed_texts(void **state)
{
	(void)state;
	assert_true(ASTRA_BRIEF_COUNT <= 12);
	for (unsigned i = 0; i < ASTRA_BRIEF_COUNT; i++) {
		const char *text = astra_brief_text((enum astra_brief)i);

		assert_ptr_equal(strstr(text, "Lease: "), text);
		assert_true(strlen(text) > strlen("Lease: "));
		assert_null(strpbrk(text, ",;%_0123456789"));
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(
				text, astra_brief_text((enum astra_brief)k));
	}
}

static void every_reason_has_one_of_them(void **state)
{
	static const struct {
		enum astra_wait wait;
		enum astra_brief brief;
	} cases[] = {
		{ASTRA_WAIT_RANK, ASTRA_BRIEF_TURN},
		{ASTRA_WAIT_PLANNED, ASTRA_BRIEF_TURN},
		{ASTRA_WAIT_HOLD, ASTRA_BRIEF_COLLECT},
		{ASTRA_WAIT_GRANTED, ASTRA_BRIEF_COLLECT},
		{ASTRA_WAIT_PLACE, ASTRA_BRIEF_ROOM},
		{ASTRA_WAIT_TOO_BIG, ASTRA_BRIEF_LARGE},
		{ASTRA_WAIT_PINNED, ASTRA_BRIEF_UNLEASED},
		{ASTRA_WAIT_CPUS, ASTRA_BRIEF_UNLEASED},
		{ASTRA_WAIT_DENIED, ASTRA_BRIEF_DENIED},
		{ASTRA_WAIT_CAP, ASTRA_BRIEF_CAP},
		{ASTRA_WAIT_REFUSED, ASTRA_BRIEF_REFUSED},
	};
	struct astra_reason r = {.wait = ASTRA_WAIT_PRICE, .price = 5};

	(void)state;
	assert_int_equal(astra_brief_of(&r), ASTRA_BRIEF_PRICE);
	r.price = INFINITY; /* there is no room for it at any price */
	assert_int_equal(astra_brief_of(&r), ASTRA_BRIEF_ROOM);
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_reason of = {.wait = cases[i].wait};
		enum astra_brief before = astra_brief_of(&of);

		assert_int_equal(before, cases[i].brief);
		of.rank = 3;
		of.ranks = 17;
		of.start_sec = 130;
		of.lack = ASTRA_LACK_CPUS;
		assert_int_equal(astra_brief_of(&of), before);
	}
}

static void rank_and_time_are_told(void **state)
{
	struct astra_reason r = {
		.wait = ASTRA_WAIT_RANK, .rank = 3, .ranks = 17};
	char text[64];

	(void)state;
	astra_reason_text(&r, 100, text, sizeof(text));
	assert_non_null(strstr(text, "rank 3 of 17"));
	r.wait = ASTRA_WAIT_HOLD;
	r.start_sec = 130;
	astra_reason_text(&r, 100, text, sizeof(text));
	assert_non_null(strstr(text, "about 30 s"));
	r.start_sec = 100;
	astra_reason_text(&r, 100, text, sizeof(text));
	assert_null(strstr(text, "about"));
}

static void a_long_text_is_cut(void **state)
{
	struct astra_reason r = {.wait = ASTRA_WAIT_PINNED, .start_sec = 1e300};
	char text[64];

	(void)state;
	memset(text, 'x', sizeof(text));
	astra_reason_text(&r, 0, text, sizeof(text));
	assert_int_equal(strlen(text), sizeof(text) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decisions_keep_their_shares),
		cmocka_unit_test(a_cleared_plan_is_empty_and_usable),
		cmocka_unit_test(every_reason_has_words_that_fit),
		cmocka_unit_test(squeue_shows_few_fixed_texts),
		cmocka_unit_test(every_reason_has_one_of_them),
		cmocka_unit_test(rank_and_time_are_told),
		cmocka_unit_test(a_long_text_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
