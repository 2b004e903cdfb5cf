/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growth of an elastic job that runs on fewer GPUs than it can use, at the end
 * of its lease.
 *
 * The job continues on more GPUs if a lease on these gives twice the GPU time
 * that the start-up costs. It gets neither GPUs on which other jobs of its app
 * run, nor the fewest GPUs that waiting jobs of its app need. */
#ifndef ASTRA_THEMIS_GROWTH_H
#define ASTRA_THEMIS_GROWTH_H

#include "src/policies/themis/parties.h"

struct themis_growth {
	const struct astra_offer *offer;
	const struct themis_party *party; /* its app's jobs */
	const uint32_t *awarded;	  /* awards of each demand */
	/* What the app may be awarded at present. Changed during the search,
	 * and restored. */
	struct astra_space *space;
	bool *aside; /* by demand: scratch; all false before and after */
};

/* Looks for more GPUs for a job that could stay where it is. It leaves alone
 * the GPUs on which other jobs of its app run, and the fewest GPUs of its
 * waiting jobs. The additional GPUs must be worth a checkpoint and a start-up.
 * shares: room for one per node. Returns the number of shares that the job gets
 * instead, or 0. */
size_t astra_themis_grow(const struct themis_growth *growth, uint32_t demand,
			 struct astra_share *shares);

#endif
