/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Seating: which jobs of an app get the GPUs that the app won.
 *
 * Jobs that will be done within a term go first, the shortest at the front.
 * Then comes the job with the most remaining work, as an app is done when its
 * last job is. If none of its jobs can run on the GPUs that an app won, the app
 * exchanges these for as many other GPUs; the worst-off apps go first. */
#ifndef ASTRA_THEMIS_SEATS_H
#define ASTRA_THEMIS_SEATS_H

#include "src/policies/themis/division.h"

/* Awards each party's GPUs to its jobs. GPUs that these cannot use go to jobs
 * of any party that fit; parties that took no part in the auction go first.
 * Leases end together, at multiples of the term. So all GPUs are offered at
 * once, and a job that needs many GPUs need not wait for one lease after the
 * other. Returns 0, or -1 when out of memory. */
int astra_themis_seat(const struct themis_division *division,
		      const struct themis_parties *parties,
		      const struct astra_offer *offer,
		      struct astra_allocation *out);

/* Returns when a lease that begins now ends. term_sec: the job's own term; 0:
 * the pool's term. */
double astra_themis_lease_end(const struct astra_offer *offer, double term_sec);

#endif
