/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An elastic job that runs on fewer GPUs than it can use, at its lease's end.
 *
 * It goes on with more GPUs if a lease on these gives twice the GPU time that
 * the start-up costs. These are neither GPUs that others of its app run on nor
 * the fewest that waiting jobs of its app need.
 */
#ifndef ASTRA_THEMIS_GROWTH_H
#define ASTRA_THEMIS_GROWTH_H

#include "src/policies/themis/parties.h"

struct themis_growth {
	const struct astra_offer *offer;
	const struct themis_party *party; /* its app's jobs */
	const uint32_t *awarded;	  /* copies of each demand */
	/* What its app may be awarded at the moment. Used meanwhile, and left
	 * as it was. */
	struct astra_space *space;
	bool *aside; /* for each demand; false, and left so */
};

/* More GPUs for a job that could stay where it is: neither what others of its
 * app run on, nor the fewest of those that wait. It has to be worth a start-up,
 * and a checkpoint before. shares: room for one a node.
 * Returns how many shares the job is to have instead, or 0. */
size_t astra_themis_grow(const struct themis_growth *growth, uint32_t demand,
			 struct astra_share *shares);

#endif
