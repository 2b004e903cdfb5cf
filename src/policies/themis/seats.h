/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs of an app get the GPUs that it won.
 *
 * Jobs that are done within a term go first, the shortest at the front. Then
 * comes the job with the longest way to go, as an app is done when its last job
 * is. If none of its jobs can run on the GPUs that an app won, the app
 * exchanges these for as many others, the worst off first. */
#ifndef ASTRA_THEMIS_SEATS_H
#define ASTRA_THEMIS_SEATS_H

#include "src/policies/themis/division.h"

/* Awards each party's GPUs to its jobs. What they cannot use goes to jobs of
 * any party that fit, first of parties that took no part in the auction. Leases
 * end together, at multiples of the term: so all GPUs are offered at once, and
 * a job that needs many need not wait for one lease after the other. Returns 0,
 * or -1 when out of memory. */
int astra_themis_seat(const struct themis_division *division,
		      const struct themis_parties *parties,
		      const struct astra_offer *offer,
		      struct astra_allocation *out);

/* Returns when a lease that begins now ends. term_sec: the job's own term; 0:
 * the pool's. */
double astra_themis_lease_end(const struct astra_offer *offer, double term_sec);

#endif
