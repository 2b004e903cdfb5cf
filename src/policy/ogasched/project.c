/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policy/ogasched/project.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Newton's method has found rho in more than 99.9 % of cases after so many
 * passes. */
enum { PASSES_MAX = 12, INSERTION_MAX = 32 };

/* Of the ports at one rho: how many lie strictly between their bounds, and the
 * sum of the capped ones' caps and of these ones' z. Where nothing changes
 * sides, sum of y = held - part * rho. */
struct piece {
	double held, part;
};

static inline double clip(double x, double cap)
{
	x = x > 0 ? x : 0;
	return x < cap ? x : cap;
}

static inline void add(struct piece *p, double x, double z, double cap)
{
	double inner = x > 0 ? z : 0, one = x > 0 ? 1 : 0;

	p->held += x < cap ? inner : cap;
	p->part += x < cap ? one : 0;
}

static struct piece piece_at(const double *z, const double *a, size_t n,
			     double rho)
{
	struct piece p = {0};

	for (size_t i = 0; i < n; i++)
		add(&p, z[i] - rho, z[i], a[i]);
	return p;
}

/* Where z is many orders larger than c, the sum is off by as much as z's last
 * place; capacity comes first then. */
static void finish(const double *z, const double *a, double c, size_t n,
		   double rho, double *y)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		y[i] = clip(z[i] - rho, a[i]);
		sum += y[i];
	}
	if (sum > c + 1e-12 * c)
		for (size_t i = 0; i < n; i++)
			y[i] *= c / sum;
}

static double sum_at(const double *z, const double *a, size_t n, double rho)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += clip(z[i] - rho, a[i]);
	return sum;
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void sort(double *x, size_t n)
{
	if (n > INSERTION_MAX) {
		qsort(x, n, sizeof(*x), compare_numbers);
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

	if (sum_at(z, a, n, 0) <= c) {
		finish(z, a, c, n, 0, y);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (z[i] > 0)
			scratch[count++] = z[i];
		if (z[i] - a[i] > 0)
			scratch[count++] = z[i] - a[i];
	}
	sort(scratch, count);
	/* The first corner at which the sum is at most c; at the last, the
	 * largest z, it is 0. */
	high = count - 1;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sum_at(z, a, n, scratch[middle]) <= c)
			high = middle;
		else
			low = middle + 1;
	}
	left = high ? scratch[high - 1] : 0;
	p = piece_at(z, a, n, left + (scratch[high] - left) / 2);
	rho = p.part > 0 ? (p.held - c) / p.part : scratch[high];
	finish(z, a, c, n, rho, y);
}

/* The piece on which y lies; the sum of clip(z, 0, a) and the largest z. */
static struct piece guess(const double *z, const double *a, size_t n,
			  const double *y, double *sum, double *largest)
{
	struct piece p = {0};
	double total = 0, top = 0;

	for (size_t i = 0; i < n; i++) {
		add(&p, y[i], z[i], a[i]);
		total += clip(z[i], a[i]);
		top = z[i] > top ? z[i] : top;
	}
	*sum = total;
	*largest = top;
	return p;
}

/* Newton's method on sum(rho) - c, which has corners but never rises, between
 * two bounds. On the right piece the step ends at the answer, and the next
 * pass has the same sums in the same order: it stays.
 * Returns rho, or a negative number when it was not found soon. */
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
		finish(z, a, c, n, rho, y);
}
