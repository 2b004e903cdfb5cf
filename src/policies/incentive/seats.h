/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the servers of a window have besides GPUs, slot by slot: CPUs, memory,
 * whole nodes, and the nodes that a job allows. So jobs can start on the GPUs
 * that they are sold. Slots count from the window's begin, from 0. */
#ifndef ASTRA_SEATS_H
#define ASTRA_SEATS_H

#include "src/policies/incentive/market.h"
#include "src/policies/policy.h"

struct astra_seats;

/* Make the seats, with all slots alike. A node has what it would have if the
 * jobs whose GPUs are for sale had left; other jobs keep their CPUs and memory.
 * offer: borrowed, with its demands' jobs, as long as the seats live. servers:
 * GPUs for sale on each node. Returns NULL when memory is out; destroy accepts
 * NULL. */
struct astra_seats *astra_seats_create(const struct astra_offer *offer,
				       const struct astra_market_room *servers,
				       uint32_t slots);
void astra_seats_destroy(struct astra_seats *seats);

/* Whether a job can run wherever GPUs are free: all nodes have the CPUs and
 * memory that it needs, and it accepts all nodes. */
bool astra_seats_easy(const struct astra_seats *seats,
		      const struct astra_demand *d);

/* Find a place for a demand's job on exactly `gpus` GPUs in slots first … end -
 * 1. With `home`, first try the place where the job runs, if it has as many
 * GPUs there. Returns the number of nodes, ascending, or 0. parts: borrowed
 * until the next call. */
size_t astra_seats_find(struct astra_seats *seats, const struct astra_demand *d,
			uint32_t gpus, bool home, uint32_t first, uint32_t end,
			const struct astra_market_part **parts);

/* Take these GPUs for the job, with their CPUs and memory. */
void astra_seats_take(struct astra_seats *seats, const struct astra_demand *d,
		      uint32_t first, uint32_t end,
		      const struct astra_market_part *parts, size_t count);

#endif
