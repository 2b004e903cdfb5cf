/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Projection onto {0 <= y <= a, sum of y <= c} (OGASched; SPEC section 5). */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/policies/ogasched/project.h"
#include "testsuite/unit/unit.h"

enum { MOST = 64 };

struct problem {
	double z[MOST], a[MOST], c;
	size_t n;
};

struct golden {
	size_t n;
	double c, z[3], a[3], y[3];
};

static const struct golden goldens[] = {
	{3, 3, {5, 1, .5}, {2, 2, 2}, {2, .75, .25}},
	{2, 2, {3, 2.5}, {4, .5}, {1.5, .5}},
	{3, 2, {2, 1, -1}, {4, 4, 4}, {1.5, .5, 0}},
	{2, 0, {1, 2}, {1, 1}, {0, 0}},
	{3, 4.5, {4, 4, 4}, {1, 2, 3}, {1, 1.75, 1.75}},
	/* Where the published projection gives (7,3) and (1,2,0). */
	{2, 10, {1, 2}, {3, 3}, {1, 2}},
	{3, 3, {5, 4, 1}, {1, 1, 4}, {1, 1, 1}},
	/* Nothing wanted, nothing there. */
	{2, 4, {-1, 0}, {3, 3}, {0, 0}},
	{2, 4, {5, 5}, {0, 0}, {0, 0}},
	{0, 4, {0}, {0}, {0}},
	/* Corners all at one place. */
	{3, 1.5, {1, 1, 1}, {1, 1, 1}, {.5, .5, .5}},
	/* Between two corners the sum is 2 for a range of rho. */
	{3, 2, {5, 5, .5}, {1, 1, 1}, {1, 1, 0}},
};

static void golden_projections(void **state)
{
	double y[3], scratch[6];

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(goldens); i++) {
		const struct golden *g = &goldens[i];

		memset(y, 0, sizeof(y));
		astra_ogas_project(g->z, g->a, g->c, g->n, y, scratch);
		for (size_t k = 0; k < g->n; k++)
			assert_close(y[k], g->y[k], 1e-12);
		memset(y, 0, sizeof(y));
		astra_ogas_project_sorted(g->z, g->a, g->c, g->n, y, scratch);
		for (size_t k = 0; k < g->n; k++)
			assert_close(y[k], g->y[k], 1e-12);
	}
}

/* Of all kinds: slack and tight, whole numbers with many ties, caps of 0, and
 * steps much longer than the caps. */
static void make(struct astra_random *random, struct problem *p, size_t most)
{
	bool whole = astra_random_below(random, 2);
	double scale = pow(10, (double)astra_random_below(random, 4));

	p->n = astra_random_below(random, most + 1);
	p->c = 3 * (double)p->n * astra_random_uniform(random);
	p->c = whole ? floor(p->c) : p->c;
	for (size_t i = 0; i < p->n; i++) {
		p->z[i] = scale * (8 * astra_random_uniform(random) - 2);
		p->a[i] = 5 * astra_random_uniform(random);
		if (!whole)
			continue;
		p->z[i] = floor(p->z[i]);
		p->a[i] = floor(p->a[i]);
	}
}

static double sum_of(const double *y, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += y[i];
	return sum;
}

static double clipped_sum(const struct problem *p, double rho)
{
	double sum = 0;

	for (size_t i = 0; i < p->n; i++)
		sum += fmin(fmax(p->z[i] - rho, 0), p->a[i]);
	return sum;
}

/* By 200 bisections of rho. */
static void brute_force(const struct problem *p, double *y)
{
	double low = 0, high = 1e6, rho = 0;

	for (int i = 0; i < 200 && clipped_sum(p, 0) > p->c; i++) {
		rho = low + (high - low) / 2;
		if (clipped_sum(p, rho) > p->c)
			low = rho;
		else
			high = rho;
	}
	for (size_t i = 0; i < p->n; i++)
		y[i] = fmin(fmax(p->z[i] - rho, 0), p->a[i]);
}

static void assert_same(const double *got, const double *want, size_t n,
			double scale)
{
	for (size_t i = 0; i < n; i++)
		if (fabs(got[i] - want[i]) > 1e-12 * fmax(1, scale)) {
			print_error("y[%zu] = %.17g, expected %.17g\n", i,
				    got[i], want[i]);
			fail();
		}
}

static double largest(const struct problem *p)
{
	double most = 0;

	for (size_t i = 0; i < p->n; i++)
		most = fmax(most, fabs(p->z[i]));
	return most;
}

/* From whatever point the search begins. */
static void search_and_sorting_agree_with_bisection(void **state)
{
	struct astra_random random = astra_random_seed(5);
	double want[MOST], got[MOST], scratch[2 * MOST];
	struct problem p;

	(void)state;
	for (int round = 0; round < 60000; round++) {
		make(&random, &p, round % 50 ? 12 : MOST);
		brute_force(&p, want);
		for (size_t i = 0; i < p.n; i++)
			got[i] = fmin(p.a[i],
				      (double)astra_random_below(&random, 6));
		astra_ogas_project(p.z, p.a, p.c, p.n, got, scratch);
		assert_same(got, want, p.n, largest(&p));
		astra_ogas_project_sorted(p.z, p.a, p.c, p.n, got, scratch);
		assert_same(got, want, p.n, largest(&p));
	}
}

/* Karush, Kuhn, Tucker: y = clip(z - rho), rho >= 0, and rho > 0 only where
 * the capacity is used up. */
static void answers_satisfy_the_optimality_conditions(void **state)
{
	struct astra_random random = astra_random_seed(6);
	double y[MOST], scratch[2 * MOST];
	struct problem p;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		double low = 0, high = HUGE_VAL, eps;

		make(&random, &p, MOST);
		eps = 1e-12 * fmax(1, largest(&p));
		memset(y, 0, sizeof(y));
		astra_ogas_project(p.z, p.a, p.c, p.n, y, scratch);
		for (size_t i = 0; i < p.n; i++) {
			assert_true(y[i] >= 0 && y[i] <= p.a[i]);
			/* At 0 rho >= z, at a rho <= z - a. */
			if (y[i] < p.a[i])
				low = fmax(low, p.z[i] - y[i]);
			if (y[i] > 0)
				high = fmin(high, p.z[i] - y[i]);
		}
		assert_true(low <= high + eps);
		assert_true(sum_of(y, p.n) <= p.c + 1e-12 * p.c);
		assert_true(low <= eps || sum_of(y, p.n) >= p.c - eps * MOST);
	}
}

/* No point of a grid is nearer. */
static void no_point_of_a_grid_is_nearer(void **state)
{
	struct astra_random random = astra_random_seed(7);
	double y[2], scratch[4];
	struct problem p;

	(void)state;
	for (int round = 0; round < 300; round++) {
		double best;

		do
			make(&random, &p, 2);
		while (p.n != 2);
		memset(y, 0, sizeof(y));
		astra_ogas_project(p.z, p.a, p.c, 2, y, scratch);
		best = hypot(y[0] - p.z[0], y[1] - p.z[1]);
		for (int i = 0; i <= 100; i++)
			for (int k = 0; k <= 100; k++) {
				double u = p.a[0] * i / 100;
				double v = p.a[1] * k / 100;

				assert_true(u + v > p.c ||
					    hypot(u - p.z[0], v - p.z[1]) >=
						    best - 1e-9);
			}
	}
}

static void capacity_comes_first_however_large_the_numbers(void **state)
{
	struct astra_random random = astra_random_seed(8);
	double y[MOST], scratch[2 * MOST];
	struct problem p;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		double scale = pow(10, 30 * astra_random_uniform(&random));

		make(&random, &p, 10);
		for (size_t i = 0; i < p.n; i++)
			p.z[i] *= scale;
		memset(y, 0, sizeof(y));
		astra_ogas_project(p.z, p.a, p.c, p.n, y, scratch);
		for (size_t i = 0; i < p.n; i++)
			assert_true(y[i] >= 0 && y[i] <= p.a[i]);
		assert_true(sum_of(y, p.n) <= p.c + 1e-11 * p.c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_projections),
		cmocka_unit_test(search_and_sorting_agree_with_bisection),
		cmocka_unit_test(answers_satisfy_the_optimality_conditions),
		cmocka_unit_test(no_point_of_a_grid_is_nearer),
		cmocka_unit_test(
			capacity_comes_first_however_large_the_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
