/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an auction leaves goes at random, whatever was bid. (Mahajan et al.,
 * NSDI'20, Pseudocode 1, line 15; SPEC section 2, "Leftovers") */
#ifndef ASTRA_THEMIS_LEFTOVERS_H
#define ASTRA_THEMIS_LEFTOVERS_H

#include "src/policies/themis/app.h"

struct astra_themis_taker {
	uint32_t room;	  /* GPUs below its demand */
	uint32_t quantum; /* so many at a time; >= 1 */
	bool participant; /* served when no other one has room left */
};

struct astra_themis_gift {
	uint32_t taker;
	struct astra_themis_share share;
};

/* Hand out what is free, in the order of the machines, each GPU to one of those
 * that have room, all of them equally likely. Only what is less than a quantum
 * of everybody with room stays.
 * free_gpus: of each machine; reduced by what is given.
 * gifts: gets what was given by taker and machine, each pair once; to be freed
 *   with free(). Its size is gift_count.
 * Returns 0, or -1 when memory is out; then nothing has changed. */
int astra_themis_give(uint32_t *free_gpus, size_t machine_count,
		      const struct astra_themis_taker *takers,
		      size_t taker_count, uint64_t seed,
		      struct astra_themis_gift **gifts, size_t *gift_count);

#endif
