/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OGASched: whole units from fractions, and what survives a restart. */
#include <math.h>
#include <string.h>

#include "testsuite/unit/ogas_world.h"

/* Nodes of 1 GPU: each of two ports has learned half of each of four. */
static void halves_become_whole_gpus_on_different_nodes(void **state)
{
	struct ogas_world w = {
		.ports = 2,
		.nodes = 4,
		.types = 1,
		.a = {{1}, {1}},
		.c = {{1}, {1}, {1}, {1}},
		.edge = {{true, true, true, true}, {true, true, true, true}},
	};
	const uint32_t x[] = {1, 1}, want[] = {1, 1, 0, 0, 0, 0, 1, 1};
	struct astra_ogas *o = ogas_build(&w);
	uint32_t units[8];

	(void)state;
	astra_ogas_allocate(o, ASTRA_OGAS_FAIRNESS, NULL);
	assert_int_equal(astra_ogas_round(o, x, 0, 1, units), 0);
	assert_memory_equal(units, want, sizeof(want));
	astra_ogas_destroy(o);
}

/* 8 GPUs by 4 : 3 : 2 are 3.56, 2.67, 1.78: 3 + 2 + 1, and the last two have
 * the largest rests. In eighths: 28.4, 21.3, 14.2: 28 + 21 + 14 and one. */
static void the_largest_rests_are_rounded_up(void **state)
{
	struct ogas_world w = {
		.ports = 3,
		.nodes = 1,
		.types = 1,
		.a = {{4}, {3}, {2}},
		.c = {{8}},
		.edge = {{true}, {true}, {true}},
	};
	const uint32_t x[] = {1, 1, 1}, whole[] = {3, 3, 2};
	const uint32_t eighths[] = {29, 21, 14};
	const uint32_t some[] = {1, 0, 1}, of_some[] = {3, 0, 2};
	struct astra_ogas *o = ogas_build(&w);
	uint32_t units[3];

	(void)state;
	astra_ogas_allocate(o, ASTRA_OGAS_FAIRNESS, NULL);
	assert_int_equal(astra_ogas_round(o, x, 0, 1, units), 0);
	assert_memory_equal(units, whole, sizeof(whole));
	assert_int_equal(astra_ogas_round(o, x, 0, 0.125, units), 0);
	assert_memory_equal(units, eighths, sizeof(eighths));
	/* 3.56 + 1.78 are 5 and a bit: the second has the larger rest. */
	assert_int_equal(astra_ogas_round(o, some, 0, 1, units), 0);
	assert_memory_equal(units, of_some, sizeof(of_some));
	astra_ogas_destroy(o);
}

static void assert_whole(const struct ogas_world *w, struct astra_ogas *o,
			 const uint32_t *x, size_t k, double unit)
{
	uint32_t units[WORLD_PORTS * WORLD_NODES], again[ASTRA_COUNT_OF(units)];
	double *y = ogas_all(o), total = 0, given = 0;

	assert_int_equal(astra_ogas_round(o, x, k, unit, units), 0);
	assert_int_equal(astra_ogas_round(o, x, k, unit, again), 0);
	assert_memory_equal(units, again, w->ports * w->nodes * sizeof(*units));
	for (size_t l = 0; l < w->ports; l++) {
		double fair = 0, got = 0;

		for (size_t r = 0; r < w->nodes; r++) {
			uint32_t u = units[l * w->nodes + r];
			double at = y[(l * w->nodes + r) * w->types + k];

			assert_true(u * unit <= w->a[l][k] + 1e-9);
			assert_true(x[l] || !u);
			assert_true(u < at / unit + 1 + 1e-6);
			fair += x[l] ? at / unit : 0;
			got += u;
		}
		assert_true(got < fair + 1 + 1e-6);
		total += fair;
		given += got;
	}
	assert_true(given <= total + 1e-6);
	for (size_t r = 0; r < w->nodes; r++) {
		double sum = 0;

		for (size_t l = 0; l < w->ports; l++)
			sum += units[l * w->nodes + r];
		assert_true(sum * unit <= w->c[r][k] + 1e-9);
	}
	free(y);
}

static void units_are_within_capacity_requests_and_learned_totals(void **state)
{
	struct astra_random random = astra_random_seed(21);

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct ogas_world w = ogas_random(&random);
		struct astra_ogas *o = ogas_build(&w);
		uint32_t x[WORLD_PORTS];

		for (int t = 0; t < 20; t++) {
			ogas_arrivals(&random, x);
			astra_ogas_step(o, x);
		}
		ogas_arrivals(&random, x);
		for (size_t k = 0; k < w.types; k++) {
			assert_whole(&w, o, x, k, 1);
			assert_whole(&w, o, x, k, 0.125);
		}
		astra_ogas_destroy(o);
	}
}

static struct astra_ogas *restored(const struct ogas_world *w,
				   const struct astra_bytes *bytes)
{
	struct astra_reader in = {.data = bytes->data, .size = bytes->size};
	struct astra_ogas *o =
		astra_ogas_create(&w->options, w->beta, w->types);
	struct astra_error err;

	assert_int_equal(astra_ogas_restore(o, &in, &err), 0);
	assert_int_equal(in.at, in.size);
	return o;
}

static void a_restored_learner_goes_on_bit_for_bit(void **state)
{
	struct astra_random random = astra_random_seed(22);

	(void)state;
	for (int i = 0; i < 60; i++) {
		struct ogas_world w = ogas_random(&random);
		struct astra_bytes bytes = {0};
		struct astra_ogas *o, *p;
		uint32_t x[WORLD_PORTS];
		double *a, *b;

		w.options.rate = (enum astra_ogas_rate)(i % 3);
		w.options.reactive = i % 2;
		w.options.lent_steps = (uint32_t)i % 4;
		o = ogas_build(&w);
		for (int t = 0; t < 10; t++) {
			ogas_arrivals(&random, x);
			astra_ogas_step(o, x);
		}
		astra_ogas_save(o, &bytes);
		p = restored(&w, &bytes);
		a = ogas_all(o);
		b = ogas_all(p);
		assert_memory_equal(a, b,
				    w.ports * w.nodes * w.types * sizeof(*a));
		free(a);
		free(b);
		for (int t = 0; t < 10; t++) {
			ogas_arrivals(&random, x);
			assert_true(astra_ogas_step(o, x) ==
				    astra_ogas_step(p, x));
		}
		astra_bytes_clear(&bytes);
		astra_ogas_destroy(o);
		astra_ogas_destroy(p);
	}
}

/* Lending leaves what is learned as it is: saved in a slot and restored by one
 * that does not lend, it is that of one that never did. So are the bytes of
 * version 1, which do not speak of lending. */
static void what_is_learned_is_as_without_lending(void **state)
{
	struct astra_random random = astra_random_seed(25);

	(void)state;
	for (int i = 0; i < 60; i++) {
		struct ogas_world w = ogas_random(&random), lends;
		struct astra_bytes bytes = {0}, plain = {0};
		struct astra_ogas *o, *p, *q, *old;
		uint32_t x[WORLD_PORTS];
		double *a, *b, *c;

		w.options.reactive = true;
		w.options.lent_steps = 0;
		lends = w;
		lends.options.lent_steps = 1 + (uint32_t)i % 4;
		o = ogas_build(&w);
		p = ogas_build(&lends);
		for (int t = 0; t < 10; t++) {
			if (t == 5 && !w.edge[0][0]) { /* in mid-slot */
				astra_ogas_connect(o, 0, 0);
				astra_ogas_connect(p, 0, 0);
				w.edge[0][0] = true;
			}
			ogas_arrivals(&random, x);
			astra_ogas_step(o, x);
			astra_ogas_step(p, x);
			ogas_assert_feasible(&w, p);
		}
		astra_ogas_save(p, &bytes);
		q = restored(&w, &bytes);
		astra_ogas_save(o, &plain);
		plain.data[0] = 1;
		memmove(plain.data + 16, plain.data + 20, plain.size - 20);
		plain.size -= 4;
		old = restored(&lends, &plain);
		a = ogas_all(o);
		b = ogas_all(q);
		c = ogas_all(old);
		assert_memory_equal(a, b,
				    w.ports * w.nodes * w.types * sizeof(*a));
		assert_memory_equal(a, c,
				    w.ports * w.nodes * w.types * sizeof(*a));
		free(a);
		free(b);
		free(c);
		astra_bytes_clear(&bytes);
		astra_bytes_clear(&plain);
		astra_ogas_destroy(o);
		astra_ogas_destroy(p);
		astra_ogas_destroy(q);
		astra_ogas_destroy(old);
	}
}

/* Ports without a job have nothing while the others have it. */
static void who_has_no_job_lends_all(void **state)
{
	struct ogas_world w = ogas_golden();
	const uint32_t both[] = {1, 1}, one[] = {1, 0};
	struct astra_ogas *o;
	double *y, before, after;

	(void)state;
	w.options.reactive = true;
	w.options.lent_steps = 3;
	o = ogas_build(&w);
	for (int t = 0; t < 20; t++)
		astra_ogas_step(o, both);
	before = astra_ogas_amount(o, 0, 1, 0);
	astra_ogas_step(o, one);
	after = astra_ogas_amount(o, 0, 1, 0);
	assert_true(after > before);
	y = ogas_all(o);
	for (size_t i = 0; i < w.nodes * w.types; i++)
		assert_close(y[w.nodes * w.types + i], 0, 0);
	free(y);
	/* What is learned is told all the same. */
	assert_close(astra_ogas_amount_at(o, 1, 1, 0, 0), 0, 0);
	assert_true(astra_ogas_learned_at(o, 1, 1, 0, 0) > 0);
	astra_ogas_step(o, both);
	assert_true(astra_ogas_amount(o, 1, 1, 0) > 0);
	astra_ogas_destroy(o);
}

/* Ports may come and be connected in any order: what counts is their number. */
static void the_order_of_connecting_does_not_matter(void **state)
{
	struct astra_random random = astra_random_seed(23);

	(void)state;
	for (int i = 0; i < 30; i++) {
		struct ogas_world w = ogas_random(&random), bare;
		struct astra_ogas *o, *p;
		uint32_t x[WORLD_PORTS];

		w.options.reactive = i % 2;
		w.options.lent_steps = (uint32_t)i % 4;
		o = ogas_build(&w);
		bare = w;
		memset(bare.edge, 0, sizeof(bare.edge));
		p = ogas_build(&bare);
		for (uint32_t l = (uint32_t)w.ports; l-- > 0;)
			for (uint32_t r = (uint32_t)w.nodes; r-- > 0;)
				if (w.edge[l][r])
					astra_ogas_connect(p, l, r);
		for (int t = 0; t < 10; t++) {
			ogas_arrivals(&random, x);
			assert_true(astra_ogas_step(o, x) ==
				    astra_ogas_step(p, x));
		}
		astra_ogas_destroy(o);
		astra_ogas_destroy(p);
	}
}

/* Node 1 is gone after the restart and node 0 has lost half: what was learned
 * of node 0 stays, projected. */
static void what_was_learned_survives_other_nodes(void **state)
{
	struct ogas_world w = ogas_golden(), after = ogas_golden();
	const uint32_t x[] = {1, 1};
	struct astra_ogas *o = ogas_build(&w), *p;
	struct astra_bytes bytes = {0};
	double *y;

	(void)state;
	for (int t = 0; t < 20; t++)
		astra_ogas_step(o, x);
	astra_ogas_save(o, &bytes);
	memset(after.c[1], 0, sizeof(after.c[1]));
	after.c[0][0] = 3;
	p = restored(&w, &bytes);
	ogas_set_node(p, &after, 0);
	ogas_set_node(p, &after, 1);
	y = ogas_all(p);
	assert_int_equal(astra_ogas_port_count(p), 2);
	assert_int_equal(astra_ogas_find_port(p, "p1"), 1);
	assert_string_equal(astra_ogas_port_name(p, 1), "p1");
	assert_string_equal(astra_ogas_node_name(p, 1), "n1");
	assert_close(y[0] + y[4], 3, 1e-12);
	assert_true(y[0] > 0 && y[1] > 0 && y[4] > 0);
	assert_true(y[2] == 0 && y[3] == 0);
	ogas_assert_feasible(&after, p);
	free(y);
	astra_bytes_clear(&bytes);
	astra_ogas_destroy(o);
	astra_ogas_destroy(p);
}

static void a_smaller_node_is_projected_at_once(void **state)
{
	struct ogas_world w = ogas_golden();
	const uint32_t x[] = {1, 1};
	struct astra_ogas *o = ogas_build(&w);

	(void)state;
	for (int t = 0; t < 20; t++)
		astra_ogas_step(o, x);
	w.c[0][0] = 1;
	w.c[0][1] = 0;
	ogas_set_node(o, &w, 0);
	ogas_assert_feasible(&w, o);
	astra_ogas_destroy(o);
}

static void try_damaged(const struct ogas_world *w, const uint8_t *data,
			size_t size)
{
	struct astra_reader in = {.data = data, .size = size};
	struct astra_ogas *o =
		astra_ogas_create(&w->options, w->beta, w->types);
	struct astra_error err = {.text = ""};
	const uint32_t x[WORLD_PORTS] = {1, 1};

	if (astra_ogas_restore(o, &in, &err) < 0)
		assert_true(*err.text != 0);
	else if (astra_ogas_port_count(o) == w->ports)
		assert_true(isfinite(astra_ogas_step(o, x)));
	astra_ogas_destroy(o);
}

/* Whatever the bytes are: an error, or a learner that works. */
static void damaged_state_is_refused(void **state)
{
	struct astra_random random = astra_random_seed(24);
	struct ogas_world w = ogas_golden();
	const uint32_t x[] = {1, 1};
	struct astra_bytes bytes = {0};
	struct astra_ogas *o;

	(void)state;
	w.options.reactive = true;
	w.options.lent_steps = 2;
	o = ogas_build(&w);
	for (int t = 0; t < 5; t++)
		astra_ogas_step(o, x);
	astra_ogas_save(o, &bytes);
	for (size_t size = 0; size < bytes.size; size++) {
		uint8_t *cut = malloc(size + 1);

		memcpy(cut, bytes.data, size);
		try_damaged(&w, cut, size);
		free(cut);
	}
	for (int i = 0; i < 3000; i++) {
		size_t at = astra_random_below(&random, bytes.size);
		uint8_t old = bytes.data[at];

		bytes.data[at] = (uint8_t)astra_random_below(&random, 256);
		try_damaged(&w, bytes.data, bytes.size);
		bytes.data[at] = old;
	}
	astra_bytes_clear(&bytes);
	astra_ogas_destroy(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(halves_become_whole_gpus_on_different_nodes),
		cmocka_unit_test(the_largest_rests_are_rounded_up),
		cmocka_unit_test(
			units_are_within_capacity_requests_and_learned_totals),
		cmocka_unit_test(a_restored_learner_goes_on_bit_for_bit),
		cmocka_unit_test(what_is_learned_is_as_without_lending),
		cmocka_unit_test(who_has_no_job_lends_all),
		cmocka_unit_test(the_order_of_connecting_does_not_matter),
		cmocka_unit_test(what_was_learned_survives_other_nodes),
		cmocka_unit_test(a_smaller_node_is_projected_at_once),
		cmocka_unit_test(damaged_state_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
