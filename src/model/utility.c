/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/utility.h"

#include <math.h>

double astra_utility_value(const struct astra_utility *u, double x)
{
	switch (u->kind) {
	case ASTRA_UTILITY_LINEAR:
		return u->linear.k * x + u->linear.g;
	case ASTRA_UTILITY_CONVEX:
		return pow(u->convex.e / fmax(x, 0), u->convex.kappa);
	case ASTRA_UTILITY_SIGMOID:
		return u->sigmoid.g1 /
		       (1 + exp(u->sigmoid.g2 * (x - u->sigmoid.g3)));
	case ASTRA_UTILITY_NONE:
		break;
	}
	return 0;
}

bool astra_utility_falls(const struct astra_utility *u)
{
	switch (u->kind) {
	case ASTRA_UTILITY_LINEAR:
		return u->linear.k <= 0;
	case ASTRA_UTILITY_CONVEX:
		return u->convex.e >= 0 && u->convex.kappa >= 0;
	case ASTRA_UTILITY_SIGMOID:
		return u->sigmoid.g1 >= 0 && u->sigmoid.g2 >= 0;
	case ASTRA_UTILITY_NONE:
		break;
	}
	return true;
}

struct astra_utility astra_utility_scaled(const struct astra_utility *u,
					  double unit)
{
	struct astra_utility scaled = *u;

	switch (u->kind) {
	case ASTRA_UTILITY_LINEAR:
		scaled.linear.k *= unit;
		break;
	case ASTRA_UTILITY_CONVEX:
		scaled.convex.e /= unit;
		break;
	case ASTRA_UTILITY_SIGMOID:
		scaled.sigmoid.g2 *= unit;
		scaled.sigmoid.g3 /= unit;
		break;
	case ASTRA_UTILITY_NONE:
		break;
	}
	return scaled;
}

struct astra_utility astra_utility_times(const struct astra_utility *u,
					 double factor)
{
	struct astra_utility times = *u;

	switch (u->kind) {
	case ASTRA_UTILITY_LINEAR:
		times.linear.k *= factor;
		times.linear.g *= factor;
		break;
	case ASTRA_UTILITY_CONVEX:
		if (u->convex.kappa > 0)
			times.convex.e *= pow(factor, 1 / u->convex.kappa);
		break;
	case ASTRA_UTILITY_SIGMOID:
		times.sigmoid.g1 *= factor;
		break;
	case ASTRA_UTILITY_NONE:
		break;
	}
	return times;
}
