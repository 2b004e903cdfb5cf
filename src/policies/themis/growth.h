/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An elastic job that runs on fewer GPUs than it can use, at the end of its
 * lease.
 *
 * It continues on more GPUs if a lease on these gives twice the GPU time that
 * the start-up costs. It gets neither GPUs that other jobs of its app run on
 * nor the fewest that waiting jobs of its app need. */
#ifndef ASTRA_THEMIS_GROWTH_H
#define ASTRA_THEMIS_GROWTH_H

#include "src/policies/themis/parties.h"

struct themis_growth {
	const struct astra_offer *offer;
	const struct themis_party *party; /* its app's jobs */
	const uint32_t *awarded;	  /* awards of each demand */
	/* What the app may be awarded at the moment. Used as scratch, and
	 * restored. */
	struct astra_space *space;
	bool *aside; /* of each demand; all false, before and after */
};

/* Looks for more GPUs for a job that could stay where it is: neither those that
 * other jobs of its app run on, nor the fewest of its waiting jobs. They must
 * be worth a start-up and a checkpoint before it. shares: room for one per
 * node. Returns how many shares the job is to have instead, or 0. */
size_t astra_themis_grow(const struct themis_growth *growth, uint32_t demand,
			 struct astra_share *shares);

#endif
