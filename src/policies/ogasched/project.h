/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nearest allocation of one resource of one node that its capacity allows:
 * the Euclidean projection onto {0 <= y <= a, sum of y <= c}.
 *
 * Where clip(z, 0, a) fits it is the answer; else y = clip(z - rho, 0, a) with
 * the rho > 0 for which the sum is c. The published fast projection (Zhao et
 * al., in Algorithm 1) is wrong where capacity is slack or several
 * caps bind, so it is not used.
 */
#ifndef ASTRA_OGAS_PROJECT_H
#define ASTRA_OGAS_PROJECT_H

#include <stddef.h>

/* Numbers of scratch that a projection of n ports needs. */
static inline size_t astra_ogas_scratch(size_t n)
{
	return 2 * n;
}

/* z: finite; a, c: finite, >= 0. n may be 0.
 * y: in: any point, from whose bounds the search for rho begins, so that it
 *   ends after a pass or two when they are those of the answer; out: the
 *   answer, to a few units in the last place of the largest z, the same bits
 *   for the same arguments.
 * scratch: room for astra_ogas_scratch(n). */
void astra_ogas_project(const double *z, const double *a, double c, size_t n,
			double *y, double *scratch);

/* The same by sorting the 2n points where the sum has a corner, without a
 * guess: O(n log n) for any input. Used where the search above does not end
 * soon. */
void astra_ogas_project_sorted(const double *z, const double *a, double c,
			       size_t n, double *y, double *scratch);

#endif
