/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the servers of a window have besides GPUs, slot by slot, so that what is
 * sold can start: CPUs, memory, whole nodes, the nodes that a job allows. Slots
 * count from the window's begin, from 0. */
#ifndef ASTRA_SEATS_H
#define ASTRA_SEATS_H

#include "src/policies/incentive/market.h"
#include "src/policies/policy.h"

struct astra_seats;

/* Make the seats, with all slots alike: a node has what it would have if the
 * jobs whose GPUs are for sale had left; of other jobs' CPUs and memory, what
 * they leave. offer: borrowed as long as the seats live, with its demands'
 * jobs. servers: GPUs for sale on each node. NULL when memory is out; destroy
 * accepts NULL. */
struct astra_seats *astra_seats_create(const struct astra_offer *offer,
				       const struct astra_market_room *servers,
				       uint32_t slots);
void astra_seats_destroy(struct astra_seats *seats);

/* Whether a job can run wherever GPUs are free: the CPUs and memory it needs
 * are there too, and it accepts all nodes. */
bool astra_seats_easy(const struct astra_seats *seats,
		      const struct astra_demand *d);

/* Find a place for a demand's job on exactly so many GPUs in slots first … end
 * - 1: with `home`, where it runs if it has as many and can stay, else
 * anywhere. Returns the number of nodes, ascending, or 0; parts: borrowed until
 * the next call. */
size_t astra_seats_find(struct astra_seats *seats, const struct astra_demand *d,
			uint32_t gpus, bool home, uint32_t first, uint32_t end,
			const struct astra_market_part **parts);

/* Take these GPUs for the job, with their CPUs and memory. */
void astra_seats_take(struct astra_seats *seats, const struct astra_demand *d,
		      uint32_t first, uint32_t end,
		      const struct astra_market_part *parts, size_t count);

#endif
