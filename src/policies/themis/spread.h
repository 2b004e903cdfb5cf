/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast the jobs of a phase run on distributed GPUs. (Mahajan et al.,
 * NSDI'20, section 5.2, Eq. 2; SPEC section 2)
 *
 * S(G_j) depends on each job's own GPUs. A job on one machine is not slowed by
 * other jobs of its app elsewhere; a job across machines is slowed. The app's
 * scheduler divides its GPUs G among its jobs in the best way. So these GPUs
 * are worth as many adjacent GPUs as
 *
 *   e(G) = max over divisions of sum over jobs j of |G_j| / S(G_j). */
#ifndef ASTRA_THEMIS_SPREAD_H
#define ASTRA_THEMIS_SPREAD_H

#include <stdint.h>

#include "src/model/auction.h"
#include "src/policies/themis/place.h"

/* Jobs that run side by side. */
struct astra_themis_crew {
	uint32_t jobs;		/* >= 1 */
	uint32_t gpus_min;	/* a job cannot use fewer; >= 1 */
	uint32_t gpus_max;	/* d: a job cannot use more */
	const double *slowdown; /* S by level, > 0; borrowed */
};

/* A pace, in adjacent GPUs that are worth as much. */
struct astra_themis_pace {
	double gpus;	/* e(G) */
	double fastest; /* the largest part of e(G) that one job can have */
};

/* Returns the pace on held and offered GPUs together, at least one. A piece is
 * at most d GPUs of one machine. If each piece can be a job's own, the result
 * is the pace of the best division. Otherwise it is the best of at most 19
 * divisions. In these, up to 16 jobs span machines and the others get the
 * largest pieces. Two larger numbers of spanning jobs are also tried: as many
 * as the largest pieces leave, and as many as keep every GPU busy. The same is
 * done for jobs that span racks. The fastest job may come from another
 * division. */
struct astra_themis_pace
astra_themis_pace_on(const struct astra_themis_crew *crew,
		     const struct astra_themis_machine *machines,
		     struct astra_themis_shares held,
		     struct astra_themis_shares offered);

/* Returns a lower bound of the pace on k >= 1 GPUs of that level. From level
 * RACK on, each GPU is assumed to be on a machine of its own. If a job needs
 * more than k GPUs, the pace is 0. */
struct astra_themis_pace
astra_themis_pace_least(const struct astra_themis_crew *crew, uint32_t k,
			enum astra_level level);

/* What a list of machines has room for. */
struct astra_themis_room {
	uint32_t largest; /* GPUs of the largest machine */
	uint64_t whole;	  /* jobs of d GPUs, each on one machine */
};

/* Returns an upper bound of the pace on k GPUs of that level. */
struct astra_themis_pace
astra_themis_pace_most(const struct astra_themis_crew *crew, uint32_t k,
		       enum astra_level level, struct astra_themis_room room);

#endif
