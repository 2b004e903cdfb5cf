/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nearest allocation of one resource of one node that its capacity allows:
 * the Euclidean projection onto {0 <= y <= a, sum of y <= c}. If clip(z, 0, a)
 * fits, it is the answer. Otherwise the answer is y = clip(z - rho, 0, a), with
 * the rho > 0 for which the sum is c. The published fast projection (Zhao et
 * al., in Algorithm 1) is wrong if capacity is slack or several caps bind, so
 * it is not used. */
#ifndef ASTRA_OGAS_PROJECT_H
#define ASTRA_OGAS_PROJECT_H

#include <stddef.h>

/* Return how many doubles of scratch space a projection of n ports needs. */
static inline size_t astra_ogas_scratch(size_t n)
{
	return 2 * n;
}

/* Project z. z: finite; a, c: finite, >= 0. n may be 0. y: in: any point. The
 * search for rho begins with the ports that are at their bounds there. If these
 * are right, it takes a pass or two. out: the answer, to a few units in the
 * last place of the largest z. The same arguments give the same bits.
 * scratch: room for astra_ogas_scratch(n). */
void astra_ogas_project(const double *z, const double *a, double c, size_t n,
			double *y, double *scratch);

/* Project by sorting the 2n points at which the sum has a corner, without a
 * guess: O(n log n) for any input. Used if Newton's method takes too long. */
void astra_ogas_project_sorted(const double *z, const double *a, double c,
			       size_t n, double *y, double *scratch);

#endif
