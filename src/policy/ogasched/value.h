/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The four utilities and their slopes. Inline, so that a loop for one utility
 * has no switch in it. */
#ifndef ASTRA_OGAS_VALUE_H
#define ASTRA_OGAS_VALUE_H

#include <math.h>

#include "src/policy/ogasched/ogasched.h"

/* f(y) */
static inline double ogas_value(enum astra_ogas_utility utility, double alpha,
				double y)
{
	switch (utility) {
	case ASTRA_OGAS_LINEAR:
		return alpha * y;
	case ASTRA_OGAS_LOG:
		return y > 0 ? alpha * log(1 + y) : 0;
	case ASTRA_OGAS_RECIPROCAL:
		return y / (alpha * (y + alpha));
	case ASTRA_OGAS_POLY:
		return alpha * (sqrt(y + 1) - 1);
	}
	return 0;
}

/* f'(y) */
static inline double ogas_slope(enum astra_ogas_utility utility, double alpha,
				double y)
{
	switch (utility) {
	case ASTRA_OGAS_LINEAR:
		return alpha;
	case ASTRA_OGAS_LOG:
		return alpha / (1 + y);
	case ASTRA_OGAS_RECIPROCAL:
		return 1 / ((y + alpha) * (y + alpha));
	case ASTRA_OGAS_POLY:
		return alpha / (2 * sqrt(y + 1));
	}
	return 0;
}

#endif
