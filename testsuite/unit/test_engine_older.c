/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A policy whose part of the state is damaged: it is told, and goes on with
 * what an older state has of it, while leases are those of the last one. */
#include <math.h>
#include <stdlib.h>

#include "testsuite/unit/incentive_pool.h"

static void save_into(const struct vcluster *vc, struct astra_bytes *out)
{
	assert_int_equal(astra_engine_save(vc->engine, out), 0);
}

/* The window's origin, a time, becomes none. */
static void damage(struct astra_bytes *state)
{
	static const char name[] = "incentive";
	uint8_t *at = memmem(state->data, state->size, name, strlen(name));

	assert_non_null(at);
	at += strlen(name) + 4 + 8; /* its size, SlotLength */
	memset(at, 0xff, 8);
}

static struct astra_engine *restored(const struct vcluster *vc,
				     const struct astra_bytes *state)
{
	struct astra_engine *e = astra_engine_restore(&vc->options, state->data,
						      state->size, NULL);

	assert_non_null(e);
	return e;
}

static double paid(const struct astra_engine *e)
{
	struct astra_policy_report sums;

	assert_true(astra_engine_policy_report(e, NULL, &sums));
	return sums.paid;
}

struct states {
	struct vcluster vc;
	struct astra_bytes older, last;
};

/* b pays for a GPU of a's share, in each window anew. */
static void make_states(struct states *s)
{
	*s = (struct states){0};
	begin(&s->vc, 1, 4);
	vc_tenant(&s->vc, "b", 1);
	submit(&s->vc, 1, 2, 40, 10);
	submit(&s->vc, 1, 1, 40, 10);
	vc_run(&s->vc, AT(250));
	save_into(&s->vc, &s->older);
	vc_run(&s->vc, AT(450));
	save_into(&s->vc, &s->last);
}

static void drop_states(struct states *s)
{
	astra_bytes_clear(&s->older);
	astra_bytes_clear(&s->last);
	vc_fini(&s->vc);
}

static void a_whole_state_is_not_lost(void **state)
{
	struct states s;
	struct astra_engine *e;

	(void)state;
	make_states(&s);
	e = restored(&s.vc, &s.last);
	assert_false(astra_engine_policy_lost(e));
	assert_close(paid(e), paid(s.vc.engine), 0);
	assert_true(paid(e) > 0);
	astra_engine_destroy(e);
	drop_states(&s);
}

static void a_damaged_part_is_told_and_the_older_one_used(void **state)
{
	struct states s;
	struct astra_engine *e, *older;

	(void)state;
	make_states(&s);
	damage(&s.last);
	e = restored(&s.vc, &s.last);
	assert_true(astra_engine_policy_lost(e));
	assert_close(paid(e), 0, 0);
	assert_close(astra_engine_time(e), astra_engine_time(s.vc.engine), 0);
	older = restored(&s.vc, &s.older);
	assert_true(paid(older) > 0);
	assert_true(astra_engine_policy_from(e, s.older.data, s.older.size));
	assert_false(astra_engine_policy_lost(e));
	assert_close(paid(e), paid(older), 0);
	assert_close(astra_engine_time(e), astra_engine_time(s.vc.engine), 0);
	astra_engine_destroy(older);
	/* It goes on. */
	astra_engine_destroy(s.vc.engine);
	s.vc.engine = e;
	vc_run(&s.vc, AT(900));
	assert_true(paid(e) > 0);
	assert_int_equal(vc_running_gpus(&s.vc), 3);
	drop_states(&s);
}

static void an_older_one_that_is_no_better_is_not_used(void **state)
{
	struct states s;
	struct astra_engine *e;

	(void)state;
	make_states(&s);
	damage(&s.last);
	e = restored(&s.vc, &s.last);
	/* But one that ends before the blockers, the holds, or the budget, is
	 * whole. */
	for (size_t size = 0; size < s.older.size; size += 7)
		if (size + 4 != s.older.size && size + 4 + 8 != s.older.size &&
		    size + 4 + 8 + 8 * (3 + 60) != s.older.size)
			assert_false(astra_engine_policy_from(e, s.older.data,
							      size));
	damage(&s.older);
	assert_false(astra_engine_policy_from(e, s.older.data, s.older.size));
	assert_true(astra_engine_policy_lost(e));
	assert_close(paid(e), 0, 0);
	astra_engine_destroy(e);
	drop_states(&s);
}

static void one_of_other_tenants_is_not_used(void **state)
{
	struct states s;
	struct astra_engine *e;
	uint8_t *at;

	(void)state;
	make_states(&s);
	damage(&s.last);
	e = restored(&s.vc, &s.last);
	at = memmem(s.older.data, s.older.size, "b", 1);
	assert_non_null(at);
	*at = 'x';
	assert_false(astra_engine_policy_from(e, s.older.data, s.older.size));
	astra_engine_destroy(e);
	drop_states(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_state_is_not_lost),
		cmocka_unit_test(a_damaged_part_is_told_and_the_older_one_used),
		cmocka_unit_test(an_older_one_that_is_no_better_is_not_used),
		cmocka_unit_test(one_of_other_tenants_is_not_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
