/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random auctions, and their optima by trying everything. */
#ifndef ASTRA_THEMIS_AUCTIONS_H
#define ASTRA_THEMIS_AUCTIONS_H

#include <math.h>
#include <stdlib.h>

#include "src/common/random.h"
#include "src/policies/themis/auction.h"

enum {
	AUCTION_MACHINES = 32,
	AUCTION_BIDDERS = 40,
	AUCTION_GPUS = 32,
	AUCTION_EVERYBODY = AUCTION_BIDDERS /* who is left out: nobody */
};

struct auction {
	struct astra_themis_machine machines[AUCTION_MACHINES];
	size_t machine_count;
	struct astra_themis_bidder bidders[AUCTION_BIDDERS];
	struct astra_themis_bid bids[AUCTION_BIDDERS];
	double log_v[AUCTION_BIDDERS][ASTRA_LEVEL_COUNT * (AUCTION_GPUS + 1)];
	struct astra_themis_share held[AUCTION_BIDDERS][2];
	size_t count;
};

/* What random auctions are like. */
struct auction_shape {
	uint32_t machines, free_max, racks, bidders, gpus_max, quantum_max;
	bool held, wild; /* wild: levels in any order, V = 0 anywhere */
};

/* Those that can be solved by trying everything. */
static const struct auction_shape auction_small[] = {
	{.machines = 1,
	 .free_max = 9,
	 .racks = 1,
	 .bidders = 3,
	 .gpus_max = 8,
	 .quantum_max = 1},
	{.machines = 3,
	 .free_max = 3,
	 .racks = 2,
	 .bidders = 3,
	 .gpus_max = 6,
	 .quantum_max = 1,
	 .held = true},
	{.machines = 3,
	 .free_max = 3,
	 .racks = 2,
	 .bidders = 3,
	 .gpus_max = 6,
	 .quantum_max = 3},
	{.machines = 4,
	 .free_max = 2,
	 .racks = 3,
	 .bidders = 3,
	 .gpus_max = 5,
	 .quantum_max = 2,
	 .held = true,
	 .wild = true},
	{.machines = 2,
	 .free_max = 3,
	 .racks = 2,
	 .bidders = 4,
	 .gpus_max = 5,
	 .quantum_max = 2,
	 .wild = true},
};

/* A bidder that holds nothing; what it bids, log_v[i], is the caller's. */
static inline void auction_enter(struct auction *auction, size_t i,
				 uint32_t gpus_max, uint32_t quantum)
{
	struct astra_themis_bid *bid = &auction->bids[i];

	bid->log_v = auction->log_v[i];
	bid->gpus_max = gpus_max;
	auction->bidders[i] =
		(struct astra_themis_bidder){.bid = bid, .quantum = quantum};
}

/* A bid of its shape: V grows with k, and it is smaller, the farther apart the
 * GPUs are, unless it is wild. */
static inline void auction_bid(struct auction *auction, size_t i,
			       const struct auction_shape *shape,
			       struct astra_random *random)
{
	struct astra_themis_bid *bid = &auction->bids[i];
	uint32_t cells = bid->gpus_max + 1, quantum = 1, from;
	double power = astra_random_uniform(random), slow = 0.0;

	quantum += (uint32_t)astra_random_below(random, shape->quantum_max);
	auction->bidders[i].quantum = quantum;
	for (uint32_t level = 0; level < ASTRA_LEVEL_COUNT; level++) {
		slow += astra_random_uniform(random) - (shape->wild ? 0.5 : 0);
		from = shape->wild ? (uint32_t)astra_random_below(random, 4)
				   : quantum;
		for (uint32_t k = 1; k < cells; k++)
			bid->log_v[level * cells + k] =
				k < from ? -(double)INFINITY
					 : power * log(k) - slow;
		bid->log_v[level * cells] = -(double)INFINITY;
	}
}

static inline void auction_hold(struct auction *auction, size_t i,
				struct astra_random *random)
{
	struct astra_themis_share *held = auction->held[i];
	uint32_t m =
		(uint32_t)astra_random_below(random, auction->machine_count);

	held[0] = (struct astra_themis_share){.machine = m, .gpus = 1};
	held[1] = (struct astra_themis_share){.machine = m + 1, .gpus = 1};
	auction->bidders[i].held.share = held;
	auction->bidders[i].held.count = 1;
	if (m + 1 < auction->machine_count && astra_random_below(random, 2))
		auction->bidders[i].held.count = 2;
}

static inline void auction_make(struct auction *auction,
				const struct auction_shape *shape,
				struct astra_random *random)
{
	auction->machine_count = shape->machines;
	auction->count = shape->bidders;
	for (size_t m = 0; m < shape->machines; m++)
		auction->machines[m] = (struct astra_themis_machine){
			.free = (uint32_t)astra_random_below(
				random, (uint64_t)shape->free_max + 1),
			.rack = (uint32_t)astra_random_below(random,
							     shape->racks),
			.slot = 1 + (uint32_t)astra_random_below(random, 4),
		};
	for (size_t i = 0; i < shape->bidders; i++) {
		uint32_t gpus_max = 2 + (uint32_t)astra_random_below(
						random, shape->gpus_max - 1);

		auction_enter(auction, i, gpus_max, 1);
		auction_bid(auction, i, shape, random);
		if (shape->held && astra_random_below(random, 2))
			auction_hold(auction, i, random);
	}
}

/* log V of bidder i, who is offered gpus[m] of each machine. */
static inline double auction_log_v(const struct auction *auction, size_t i,
				   const uint32_t *gpus)
{
	const struct astra_themis_bidder *bidder = &auction->bidders[i];
	uint32_t all[AUCTION_MACHINES] = {0}, k = 0, used = 0, last = 0;
	enum astra_level level;
	bool apart = false;

	for (size_t m = 0; m < auction->machine_count; m++)
		all[m] = gpus[m];
	for (size_t h = 0; h < bidder->held.count; h++)
		all[bidder->held.share[h].machine] +=
			bidder->held.share[h].gpus;
	for (uint32_t m = 0; m < auction->machine_count; m++) {
		if (!all[m])
			continue;
		apart |= used && auction->machines[m].rack !=
					 auction->machines[last].rack;
		used++;
		k += all[m];
		last = m;
	}
	level = apart					   ? ASTRA_LEVEL_CROSS
		: used > 1				   ? ASTRA_LEVEL_RACK
		: used && k > auction->machines[last].slot ? ASTRA_LEVEL_MACHINE
							   : ASTRA_LEVEL_SLOT;
	if (k > bidder->bid->gpus_max)
		k = bidder->bid->gpus_max;
	return astra_themis_log_v(bidder->bid, level, k);
}

struct outcome {
	int served;
	double sum;
};

static inline bool outcome_less(struct outcome a, struct outcome b)
{
	return a.served < b.served || (a.served == b.served && a.sum < b.sum);
}

/* The next vector of at most `top` each; false after the last. */
static inline bool auction_next(uint32_t *gpus, const uint32_t *top,
				size_t count)
{
	for (size_t m = 0; m < count; m++) {
		if (gpus[m] < top[m]) {
			gpus[m]++;
			return true;
		}
		gpus[m] = 0;
	}
	return false;
}

/* The best that bidders i and above, but not `without`, can have of `free`. */
static inline struct outcome auction_best(const struct auction *auction,
					  size_t i, size_t without,
					  const uint32_t *free)
{
	uint32_t gpus[AUCTION_MACHINES] = {0}, held = 0;
	struct outcome best = {.served = -1};

	if (i == auction->count)
		return (struct outcome){0};
	if (i == without)
		return auction_best(auction, i + 1, without, free);
	for (size_t h = 0; h < auction->bidders[i].held.count; h++)
		held += auction->bidders[i].held.share[h].gpus;
	do {
		uint32_t rest[AUCTION_MACHINES] = {0}, x = 0;
		struct outcome got;
		double v;

		for (size_t m = 0; m < auction->machine_count; m++) {
			rest[m] = free[m] - gpus[m];
			x += gpus[m];
		}
		if (x % auction->bidders[i].quantum ||
		    (x > 0 && x + held > auction->bids[i].gpus_max))
			continue;
		got = auction_best(auction, i + 1, without, rest);
		v = auction_log_v(auction, i, gpus);
		if (isfinite(v)) {
			got.served++;
			got.sum += v;
		}
		if (outcome_less(best, got))
			best = got;
	} while (auction_next(gpus, free, auction->machine_count));
	return best;
}

static inline struct outcome auction_optimum(const struct auction *auction,
					     size_t without)
{
	uint32_t free[AUCTION_MACHINES] = {0};

	for (size_t m = 0; m < auction->machine_count; m++)
		free[m] = auction->machines[m].free;
	return auction_best(auction, 0, without, free);
}

/* GPUs of each machine that pf gives to bidder i. */
static inline void auction_given(const struct astra_themis_auction *pf,
				 size_t i, uint32_t *gpus)
{
	struct astra_themis_shares shares = astra_themis_pf(pf, i);

	for (size_t k = 0; k < shares.count; k++)
		gpus[shares.share[k].machine] += shares.share[k].gpus;
}

/* Whether no machine is to give more than what is free. */
static inline bool auction_has_room(const struct auction *auction,
				    const struct astra_themis_auction *pf)
{
	uint32_t gpus[AUCTION_MACHINES] = {0};

	for (size_t i = 0; i < auction->count; i++)
		auction_given(pf, i, gpus);
	for (size_t m = 0; m < auction->machine_count; m++)
		if (gpus[m] > auction->machines[m].free)
			return false;
	return true;
}

#endif
