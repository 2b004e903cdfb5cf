/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast the jobs of a phase run on distributed GPUs. (Mahajan et al.,
 * NSDI'20, section 5.2, Eq. 2; SPEC section 2)
 *
 * S(G_j) is of each job's own GPUs: a job on one machine is not slowed by other
 * jobs of its app elsewhere; a job across machines is slowed. The app's
 * scheduler divides its GPUs G among its jobs in the best way, so they are
 * worth as many GPUs next to each other as
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
	uint32_t gpus_min;	/* fewer are of no use to a job; >= 1 */
	uint32_t gpus_max;	/* d: more are of no use to a job */
	const double *slowdown; /* S by level, > 0; borrowed */
};

/* A pace, in GPUs next to each other. */
struct astra_themis_pace {
	double gpus;	/* e(G) */
	double fastest; /* the largest part of e(G) that one job can have */
};

/* Returns the pace on held and offered GPUs together, at least one. If each
 * piece of them, at most d GPUs of one machine, can be a job's own, it is the
 * pace of the best division. Otherwise the best of at most 19 divisions is
 * taken. They have up to 16 jobs that span machines, the others on the largest
 * pieces; or as many spanning jobs as these leave; or as many as no GPU idles
 * for. The same is tried for jobs that span racks. The fastest job may be of
 * another division. */
struct astra_themis_pace
astra_themis_pace_on(const struct astra_themis_crew *crew,
		     const struct astra_themis_machine *machines,
		     struct astra_themis_shares held,
		     struct astra_themis_shares offered);

/* Returns a lower bound of the pace on k >= 1 GPUs of that level. From level
 * RACK on, each GPU is assumed to be on a machine of its own. If a job needs
 * more than k GPUs they are worth nothing. */
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
