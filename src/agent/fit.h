/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Learning curves: loss(n) = a + b n^-c, b >= 0. (A power law with an offset,
 * as in Domhan et al., IJCAI'15, and most that came after.) Pure. */
#ifndef AGENT_FIT_H
#define AGENT_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct agent_point {
	double done; /* iterations */
	double loss;
};

struct agent_fit {
	double a, b, c; /* of n / last */
	double last;	/* iteration of the last point; 0: there is no fit */
	double error;	/* root of the mean square of what is not explained */
};

/* Fit a curve by least squares: a and b are linear for each c, and c is looked
 * for from 0.05 to 4. A loss that does not fall is a flat line.
 * points: sorted by done; those at 0 are left out.
 * Returns false when there are fewer than three. */
bool agent_fit_curve(struct agent_fit *fit, const struct agent_point *points,
		     size_t count);

/* The loss at an iteration > 0. */
double agent_fit_loss(const struct agent_fit *fit, double iteration);

/* The iteration at which it gets down to a loss; infinite: never. */
double agent_fit_reaches(const struct agent_fit *fit, double loss);

#endif
