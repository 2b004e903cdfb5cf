/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the servers of a window have beside GPUs, slot by slot, so that what is
 * sold can be started: CPUs, memory, whole nodes, the nodes that a job allows.
 * Slots are counted from the window's begin, from 0 on. */
#ifndef ASTRA_SEATS_H
#define ASTRA_SEATS_H

#include "src/policies/incentive/market.h"
#include "src/policies/policy.h"

struct astra_seats;

/* All slots alike: a node has what it would have if those had left it whose
 * GPUs are for sale; of others' CPUs and memory, what they leave.
 * offer: borrowed as long as it lives; its demands' jobs too.
 * servers: GPUs for sale, of each node.
 * NULL when out of memory; destroy accepts NULL. */
struct astra_seats *astra_seats_create(const struct astra_offer *offer,
				       const struct astra_market_room *servers,
				       uint32_t slots);
void astra_seats_destroy(struct astra_seats *seats);

/* Whether a job can be put wherever GPUs are free: whoever has them, its CPUs
 * and memory are there, too, and all nodes are alike to it. */
bool astra_seats_easy(const struct astra_seats *seats,
		      const struct astra_demand *d);

/* A place for a demand's job on just so many GPUs in slots first … end - 1:
 * where it runs, if `home`, it has as many and can stay, else anywhere. Returns
 * how many nodes that is, ascending, or 0; parts: borrowed until the next call.
 */
size_t astra_seats_find(struct astra_seats *seats, const struct astra_demand *d,
			uint32_t gpus, bool home, uint32_t first, uint32_t end,
			const struct astra_market_part **parts);

/* Take these GPUs for it, with the CPUs and memory that go with them. */
void astra_seats_take(struct astra_seats *seats, const struct astra_demand *d,
		      uint32_t first, uint32_t end,
		      const struct astra_market_part *parts, size_t count);

#endif
