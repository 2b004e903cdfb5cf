/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/ogasched/project.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "src/policies/ogasched/pair.h"

/* Newton's method has found rho within PASSES_MAX passes in over 99.9 % of
 * cases. */
enum { PASSES_MAX = 12, INSERTION_MAX = 32 };

/* The ports at one rho. part: how many are strictly between their bounds. held:
 * the sum of z of these ports and of the caps of capped ports. While no port
 * changes sides, sum of y = held - part * rho. */
struct piece {
	double held, part;
};

/* Two ports. If the number of ports is odd, the last pair has a port that wants
 * nothing. */
struct two {
	pair z, a;
};

static inline pair project_load(const double *x, size_t n, size_t i,
				double behind)
{
	return i + 1 < n ? pair_load(x + i) : pair_set(x[i], behind);
}

static inline struct two load_two(const double *z, const double *a, size_t n,
				  size_t i)
{
	return (struct two){project_load(z, n, i, -1),
			    project_load(a, n, i, 0)};
}

static inline pair project_clip(pair x, pair cap)
{
	return pair_min(pair_max(x, pair_both(0)), cap);
}

/* Sums whose chains of additions do not depend on each other. */
struct sums {
	pair inner, capped, part;
};

static inline struct sums sums_of_none(void)
{
	const pair zero = pair_both(0);

	return (struct sums){zero, zero, zero};
}

/* Add two ports. x decides on which side of its bounds a port is. Below 0 the
 * port adds nothing; from a on it adds its cap. */
static inline void project_add(struct sums *s, pair x, struct two t)
{
	const pair zero = pair_both(0), one = pair_both(1);
	pair z = pair_if_less(x, t.a, t.z), inner = pair_if_less(x, t.a, one);

	s->inner = pair_add(s->inner, pair_if_less(zero, x, z));
	s->capped =
		pair_add(s->capped, pair_sub(t.a, pair_if_less(x, t.a, t.a)));
	s->part = pair_add(s->part, pair_if_less(zero, x, inner));
}

static struct piece piece_of(const struct sums *s)
{
	return (struct piece){
		.held = pair_sum(s->inner) + pair_sum(s->capped),
		.part = pair_sum(s->part),
	};
}

static struct piece piece_at(const double *z, const double *a, size_t n,
			     double rho)
{
	struct sums even = sums_of_none(), odd = even;
	pair level = pair_both(rho);
	size_t i = 0;

	for (; i + 3 < n; i += 4) {
		struct two t = load_two(z, a, n, i);
		struct two u = load_two(z, a, n, i + 2);

		project_add(&even, pair_sub(t.z, level), t);
		project_add(&odd, pair_sub(u.z, level), u);
	}
	for (; i < n; i += 2) {
		struct two t = load_two(z, a, n, i);

		project_add(&even, pair_sub(t.z, level), t);
	}
	even.inner = pair_add(even.inner, odd.inner);
	even.capped = pair_add(even.capped, odd.capped);
	even.part = pair_add(even.part, odd.part);
	return piece_of(&even);
}

static double clipped_sum(const double *z, const double *a, size_t n,
			  double rho)
{
	pair sum = pair_both(0), level = pair_both(rho);

	for (size_t i = 0; i < n; i += 2) {
		struct two t = load_two(z, a, n, i);

		sum = pair_add(sum, project_clip(pair_sub(t.z, level), t.a));
	}
	return pair_sum(sum);
}

/* Compute y. If z is many orders of magnitude larger than c, the sum has an
 * error of z's last digit. Then y is scaled down to the capacity. */
static void project_finish(const double *z, const double *a, double c, size_t n,
			   double rho, double *y)
{
	pair sum = pair_both(0), level = pair_both(rho);
	double total;

	for (size_t i = 0; i < n; i += 2) {
		struct two t = load_two(z, a, n, i);
		pair x = project_clip(pair_sub(t.z, level), t.a);

		sum = pair_add(sum, x);
		if (i + 1 < n)
			pair_store(y + i, x);
		else
			y[i] = pair_first(x);
	}
	total = pair_sum(sum);
	if (total > c + 1e-12 * c)
		for (size_t i = 0; i < n; i++)
			y[i] *= c / total;
}

static int project_compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void project_sort(double *x, size_t n)
{
	if (n > INSERTION_MAX) {
		qsort(x, n, sizeof(*x), project_compare_numbers);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		double value = x[i];
		size_t k = i;

		for (; k && x[k - 1] > value; k--)
			x[k] = x[k - 1];
		x[k] = value;
	}
}

void astra_ogas_project_sorted(const double *z, const double *a, double c,
			       size_t n, double *y, double *scratch)
{
	size_t count = 0, low = 0, high;
	struct piece p;
	double left, rho;

	if (clipped_sum(z, a, n, 0) <= c) {
		project_finish(z, a, c, n, 0, y);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (z[i] > 0)
			scratch[count++] = z[i];
		if (z[i] - a[i] > 0)
			scratch[count++] = z[i] - a[i];
	}
	project_sort(scratch, count);
	/* Find the first corner at which the sum is at most c. At the last
	 * corner, the largest z, the sum is 0. */
	high = count - 1;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (clipped_sum(z, a, n, scratch[middle]) <= c)
			high = middle;
		else
			low = middle + 1;
	}
	left = high ? scratch[high - 1] : 0;
	p = piece_at(z, a, n, left + (scratch[high] - left) / 2);
	rho = p.part > 0 ? (p.held - c) / p.part : scratch[high];
	project_finish(z, a, c, n, rho, y);
}

/* Guess the piece on which y lies. Also compute the sum of clip(z, 0, a) and
 * the largest z. */
static struct piece guess(const double *z, const double *a, size_t n,
			  const double *y, double *sum, double *largest)
{
	struct sums sums = sums_of_none();
	pair total = pair_both(0), top = total;

	for (size_t i = 0; i < n; i += 2) {
		struct two t = load_two(z, a, n, i);

		project_add(&sums, project_load(y, n, i, -1), t);
		total = pair_add(total, project_clip(t.z, t.a));
		top = pair_max(t.z, top);
	}
	*sum = pair_sum(total);
	*largest = fmax(pair_first(top), pair_second(top));
	return piece_of(&sums);
}

/* Find rho by Newton's method on sum(rho) - c, between two bounds. This
 * function has corners but never rises. On the right piece a step ends at the
 * answer. The next pass has the same sums in the same order, so it stays there.
 * Returns rho, or a negative number if it was not found soon. */
static double find_rho(const double *z, const double *a, double c, size_t n,
		       double rho, double largest)
{
	double low = 0, high = largest, slack = 4 * DBL_EPSILON * largest;

	for (int pass = 0; pass < PASSES_MAX; pass++) {
		struct piece p = piece_at(z, a, n, rho);
		double excess = p.held - p.part * rho - c;
		double next = p.part > 0 ? (p.held - c) / p.part : -1;

		if (p.part > 0 ? fabs(next - rho) <= slack
			       : fabs(excess) <= slack)
			return p.part > 0 ? fmax(next, 0) : rho;
		if (excess > 0)
			low = rho;
		else
			high = rho;
		if (!(next > low && next < high))
			next = low + (high - low) / 2;
		rho = next;
	}
	return -1;
}

void astra_ogas_project(const double *z, const double *a, double c, size_t n,
			double *y, double *scratch)
{
	double sum, largest, rho = 0;
	struct piece p = guess(z, a, n, y, &sum, &largest);

	if (sum > c) {
		if (p.part > 0)
			rho = (p.held - c) / p.part;
		rho = find_rho(z, a, c, n, rho > 0 && rho < largest ? rho : 0,
			       largest);
	}
	if (rho < 0)
		astra_ogas_project_sorted(z, a, c, n, y, scratch);
	else
		project_finish(z, a, c, n, rho, y);
}
