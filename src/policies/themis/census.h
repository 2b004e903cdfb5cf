/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many apps were active over an app's life: N_avg, by which T_id is
 * stretched. (Mahajan et al., NSDI'20, section 3; SPEC section 2) */
#ifndef ASTRA_THEMIS_CENSUS_H
#define ASTRA_THEMIS_CENSUS_H

#include <stdint.h>

/* One for all apps; plain numbers, to be saved and restored as they are. Zeroed
 * it stands for "nobody since time 0". */
struct astra_themis_census {
	double clock_sec;
	double app_sec; /* integral of the number of active apps until then */
	uint32_t active;
};

/* The integral at a time; not before the clock. */
double astra_themis_census_sum(const struct astra_themis_census *census,
			       double now_sec);

/* From now on so many are active. A time before the clock is the clock's. */
void astra_themis_census_set(struct astra_themis_census *census, double now_sec,
			     uint32_t active);

/* N_avg of an app: the mean number of active apps since its start, when the
 * integral was start_app_sec; the present number if that is now. */
double astra_themis_navg(const struct astra_themis_census *census,
			 double start_sec, double start_app_sec,
			 double now_sec);

#endif
