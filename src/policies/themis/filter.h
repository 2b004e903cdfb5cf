/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which apps take part in an auction: those that are worst off. (Mahajan et
 * al., NSDI'20, section 4; SPEC section 2, "Participants") */
#ifndef ASTRA_THEMIS_FILTER_H
#define ASTRA_THEMIS_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct astra_themis_claim {
	bool wants;	/* holds less than it could use */
	double rho;	/* with what it holds; may be infinite */
	double waiting; /* elapsed time / T_id; may be infinite */
};

/* By rho, the largest first; unbounded ones by `waiting`, the largest first;
 * ties by index. Of the n that want GPUs max(1, ceil((1 - f) n)) take part, at
 * most one for each free GPU.
 * f: from 0 to 1. chosen: gets their indices in that order; has room for count.
 * Returns their number. */
size_t astra_themis_filter(const struct astra_themis_claim *claims,
			   size_t count, double f, uint64_t gpus_free,
			   uint32_t *chosen);

#endif
