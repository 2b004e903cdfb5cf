/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast the jobs of a phase run on GPUs here and there. (Mahajan et al.,
 * NSDI'20, section 5.2, Eq. 2; SPEC section 2)
 *
 * S(G_j) is of each job's own GPUs. A job on one machine is not slowed by where
 * others of its app run; one across machines is. The app's scheduler divides
 * its GPUs G among its jobs as is best, so these are worth as many GPUs next to
 * each other as
 *
 *   e(G) = max over divisions of sum over jobs j of |G_j| / S(G_j).
 */
#ifndef ASTRA_THEMIS_SPREAD_H
#define ASTRA_THEMIS_SPREAD_H

#include <stdint.h>

#include "src/model/auction.h"
#include "src/policies/themis/place.h"

/* Jobs that run side by side. */
struct astra_themis_crew {
	uint32_t jobs;		/* >= 1 */
	uint32_t gpus_min;	/* fewer are of no use to one of them; >= 1 */
	uint32_t gpus_max;	/* d: more are of no use to one of them */
	const double *slowdown; /* S by level, > 0; borrowed */
};

/* In GPUs next to each other. */
struct astra_themis_pace {
	double gpus;	/* e(G) */
	double fastest; /* the most of it that one job can have */
};

/* The pace on what is held and what is offered together, at least one GPU. If
 * each piece of them, at most d GPUs of one machine, can be a job's own, it is
 * that of the best division. Else some are tried, at most 19: with up to 16
 * jobs that span machines and the others on the largest pieces, with as many as
 * these leave, and with as many as no GPU idles for; and of those likewise that
 * span racks. The fastest job may be another division's. */
struct astra_themis_pace
astra_themis_pace_on(const struct astra_themis_crew *crew,
		     const struct astra_themis_machine *machines,
		     struct astra_themis_shares held,
		     struct astra_themis_shares offered);

/* No k >= 1 GPUs of that level are worth less, each on a machine of its own
 * from level RACK on. Where a job needs more than k they are worth nothing. */
struct astra_themis_pace
astra_themis_pace_least(const struct astra_themis_crew *crew, uint32_t k,
			enum astra_level level);

/* What there is room for. */
struct astra_themis_room {
	uint32_t largest; /* GPUs of the largest machine */
	uint64_t whole;	  /* jobs of d GPUs, each on one machine */
};

/* None of that level are worth more. */
struct astra_themis_pace
astra_themis_pace_most(const struct astra_themis_crew *crew, uint32_t k,
		       enum astra_level level, struct astra_themis_room room);

#endif
