/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/ogasched/value.h"

#include <math.h>

#include "src/policies/ogasched/pair.h"

/* utility is a constant wherever this is inlined. */
static inline pair value_value(enum astra_ogas_utility utility, pair alpha,
			       pair y)
{
	const pair one = pair_both(1);

	switch (utility) {
	case ASTRA_OGAS_LINEAR:
		return pair_mul(alpha, y);
	case ASTRA_OGAS_LOG:
		y = pair_add(one, y);
		y = pair_set(log(pair_first(y)), log(pair_second(y)));
		return pair_mul(alpha, y);
	case ASTRA_OGAS_RECIPROCAL: /* 1/alpha - 1/(y + alpha) */
		return pair_div(y, pair_mul(alpha, pair_add(y, alpha)));
	case ASTRA_OGAS_POLY:
		y = pair_sqrt(pair_add(y, one));
		return pair_mul(alpha, pair_sub(y, one));
	}
	return one;
}

static inline pair value_slope(enum astra_ogas_utility utility, pair alpha,
			       pair y)
{
	const pair one = pair_both(1);

	switch (utility) {
	case ASTRA_OGAS_LINEAR:
		return alpha;
	case ASTRA_OGAS_LOG:
		return pair_div(alpha, pair_add(one, y));
	case ASTRA_OGAS_RECIPROCAL:
		y = pair_add(y, alpha);
		return pair_div(one, pair_mul(y, y));
	case ASTRA_OGAS_POLY:
		y = pair_sqrt(pair_add(y, one));
		return pair_div(alpha, pair_add(y, y));
	}
	return one;
}

#define EACH(f, utility)                                                 \
	do {                                                             \
		for (size_t i = 0; i < n; i += 2)                        \
			pair_store(out + i, f(utility, pair_both(alpha), \
					      pair_load(y + i)));        \
		return;                                                  \
	} while (0)

void ogas_values(enum astra_ogas_utility utility, double alpha, const double *y,
		 size_t n, double *out)
{
	switch (utility) {
	case ASTRA_OGAS_LINEAR:
		EACH(value_value, ASTRA_OGAS_LINEAR);
	case ASTRA_OGAS_LOG:
		EACH(value_value, ASTRA_OGAS_LOG);
	case ASTRA_OGAS_RECIPROCAL:
		EACH(value_value, ASTRA_OGAS_RECIPROCAL);
	case ASTRA_OGAS_POLY:
		EACH(value_value, ASTRA_OGAS_POLY);
	}
}

void ogas_slopes(enum astra_ogas_utility utility, double alpha, const double *y,
		 size_t n, double *out)
{
	switch (utility) {
	case ASTRA_OGAS_LINEAR:
		EACH(value_slope, ASTRA_OGAS_LINEAR);
	case ASTRA_OGAS_LOG:
		EACH(value_slope, ASTRA_OGAS_LOG);
	case ASTRA_OGAS_RECIPROCAL:
		EACH(value_slope, ASTRA_OGAS_RECIPROCAL);
	case ASTRA_OGAS_POLY:
		EACH(value_slope, ASTRA_OGAS_POLY);
	}
}
