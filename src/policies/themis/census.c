/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/census.h"

#include <math.h>

double astra_themis_census_sum(const struct astra_themis_census *census,
			       double now_sec)
{
	return census->app_sec +
	       census->active * fmax(0, now_sec - census->clock_sec);
}

void astra_themis_census_set(struct astra_themis_census *census, double now_sec,
			     uint32_t active)
{
	census->app_sec = astra_themis_census_sum(census, now_sec);
	census->clock_sec = fmax(census->clock_sec, now_sec);
	census->active = active;
}

double astra_themis_navg(const struct astra_themis_census *census,
			 double start_sec, double start_app_sec, double now_sec)
{
	double life_sec = now_sec - start_sec;

	if (!(life_sec > 0))
		return census->active;
	return (astra_themis_census_sum(census, now_sec) - start_app_sec) /
	       life_sec;
}
