/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slowdown profiles from iterations' times: S(G) of Themis, section 5.2. */
#include "src/model/speed.h"
#include "testsuite/unit/unit.h"

#define SLOT ASTRA_LEVEL_SLOT
#define MACHINE ASTRA_LEVEL_MACHINE
#define RACK ASTRA_LEVEL_RACK
#define CROSS ASTRA_LEVEL_CROSS

/* Two racks of two nodes with 4 GPUs each; the last knows no slots. */
static const struct astra_node nodes[] = {
	{.rack = 5, .slot_gpus = 2},
	{.rack = 5, .slot_gpus = 2},
	{.rack = 9, .slot_gpus = 2},
	{.rack = 9},
};

static void a_level_is_how_far_apart_gpus_are(void **state)
{
	static const struct {
		struct astra_share shares[3];
		size_t count;
		enum astra_level level;
	} cases[] = {
		{{{0}}, 0, SLOT},
		{{{.node = 0, .gpus = 2}}, 1, SLOT},
		{{{.node = 0, .gpus = 3}}, 1, MACHINE},
		{{{.node = 3, .gpus = 4}}, 1, SLOT},
		{{{.node = 0, .gpus = 1}, {.node = 1, .gpus = 1}}, 2, RACK},
		{{{.node = 0, .gpus = 4},
		  {.node = 1, .gpus = 4},
		  {.node = 2, .gpus = 1}},
		 3,
		 CROSS},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++)
		assert_int_equal(
			astra_level_of(nodes, cases[i].shares, cases[i].count),
			cases[i].level);
}

/* One time at each of the levels, 0: none; what it makes of a slowdown. */
static void assert_refined(const double times[4], const double before[4],
			   const double after[4])
{
	struct astra_speed speed = {0};
	double slowdown[4];

	for (int l = 0; l < 4; l++) {
		slowdown[l] = before[l];
		if (times[l] > 0)
			astra_speed_note(&speed, (enum astra_level)l, times[l]);
	}
	astra_speed_refine(&speed, slowdown);
	for (int l = 0; l < 4; l++)
		assert_close(slowdown[l], after[l], 1e-12);
}

static const double usual[] = {1, 1, 1.1, 1.3};

static void levels_that_were_not_seen_keep_their_ratio(void **state)
{
	static const struct {
		double times[4], after[4];
	} cases[] = {
		{{0, 0, 0, 0}, {1, 1, 1.1, 1.3}},
		{{3, 0, 0, 0}, {1, 1, 1.1, 1.3}},
		{{0, 0, 7, 0}, {1, 1, 1.1, 1.3}},
		/* 4 / 2; a rack lies between as stated: 1.1 */
		{{2, 0, 0, 4}, {1, 1, 1.1, 2}},
		/* a machine 1.5; above it 1.5 * 1.1 and 1.5 * 1.3 */
		{{2, 3, 0, 0}, {1, 1.5, 1.65, 1.95}},
		/* 6 at a machine: so at a slot; 9 / 6 */
		{{0, 6, 0, 9}, {1, 1, 1.1, 1.5}},
		/* 11 in a rack stands for 10 at a slot; 20 / 10 */
		{{0, 0, 11, 20}, {1, 1, 1.1, 2}},
		{{1, 2, 3, 4}, {1, 2, 3, 4}},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++)
		assert_refined(cases[i].times, usual, cases[i].after);
}

static void what_was_stated_holds_where_nothing_was_seen(void **state)
{
	static const double stated[] = {1, 2, 4, 8};

	(void)state;
	/* 3 instead of 2; 6 and 12 are as far above it as 4 and 8 were */
	assert_refined((double[]){1, 3, 0, 0}, stated, (double[]){1, 3, 6, 12});
}

static void no_level_is_faster_than_the_one_before(void **state)
{
	(void)state;
	assert_refined((double[]){4, 2, 3, 8}, usual, (double[]){1, 1, 1, 2});
	assert_refined((double[]){4, 0, 0, 2}, usual,
		       (double[]){1, 1, 1.1, 1.1});
}

static void a_slowdown_is_bounded(void **state)
{
	(void)state;
	assert_refined((double[]){1e-300, 0, 0, 1e14}, usual,
		       (double[]){1, 1, 1.1, 1000});
}

/* 60 (the first iteration compiles), 10, 11, 9, 10: the median is 10. */
static void a_slow_first_iteration_is_forgotten(void **state)
{
	static const double at_slot[] = {60, 10, 11, 9, 10};
	struct astra_speed speed = {0};
	double slowdown[] = {1, 1, 1.1, 1.3};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(at_slot); i++)
		astra_speed_note(&speed, SLOT, at_slot[i]);
	astra_speed_note(&speed, CROSS, 25);
	assert_int_equal(astra_speed_seen(&speed), 1 << SLOT | 1 << CROSS);
	astra_speed_refine(&speed, slowdown);
	assert_close(slowdown[CROSS], 2.5, 1e-12);
}

/* Six times 20 after five times 10: it has become slower. */
static void old_times_are_forgotten(void **state)
{
	struct astra_speed speed = {0};
	double slowdown[] = {1, 1, 1.1, 1.3};

	(void)state;
	astra_speed_note(&speed, SLOT, 10);
	for (int i = 0; i < 11; i++)
		astra_speed_note(&speed, RACK, i < 5 ? 10 : 20);
	astra_speed_refine(&speed, slowdown);
	assert_close(slowdown[RACK], 2, 1e-12);
}

static void a_slowdown_is_written_as_it_is_stated(void **state)
{
	char text[ASTRA_SLOWDOWN_TEXT];

	(void)state;
	astra_slowdown_text(usual, text);
	assert_string_equal(text, "1,1,1.1,1.3");
	astra_slowdown_text((double[]){0, 0, 0, 0}, text);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_level_is_how_far_apart_gpus_are),
		cmocka_unit_test(levels_that_were_not_seen_keep_their_ratio),
		cmocka_unit_test(what_was_stated_holds_where_nothing_was_seen),
		cmocka_unit_test(no_level_is_faster_than_the_one_before),
		cmocka_unit_test(a_slowdown_is_bounded),
		cmocka_unit_test(a_slow_first_iteration_is_forgotten),
		cmocka_unit_test(old_times_are_forgotten),
		cmocka_unit_test(a_slowdown_is_written_as_it_is_stated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
