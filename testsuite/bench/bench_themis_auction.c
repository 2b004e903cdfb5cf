/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Themis' auctions with all payments, and the optimality gap that they certify.
 * Peer in the same run: one GPU after the other to whoever gains most, again
 * for each payment; "better by" is what the search adds to the geometric mean
 * of V. The paper has a median of 354 ms for 64 GPUs and 16 bidders, by Gurobi.
 */
#include <stdint.h>
#include <stdio.h>

#include "src/common/random.h"
#include "testsuite/bench/bench.h"
#include "testsuite/unit/themis_greedy.h"

enum { REPEATS = 7, MACHINE = 8, RACK = 16 };

struct market {
	const char *name;
	uint32_t machines, bidders, gpus_max;
	bool part_free; /* 0 to 8 GPUs of each machine, instead of all */
	bool held;	/* half of the bidders hold some */
	bool gangs;	/* they need up to 8 at once */
	bool peer;	/* takes too long beyond some size */
};

struct instance {
	struct astra_themis_machine *machines;
	struct astra_themis_bidder *bidders;
	struct astra_themis_bid *bids;
	struct astra_themis_share *held;
};

static void *allocate(size_t count, size_t size)
{
	void *p = calloc(count + 1, size);

	if (!p)
		exit(1);
	return p;
}

static uint32_t below(struct astra_random *random, uint32_t bound)
{
	return (uint32_t)astra_random_below(random, bound);
}

/* V = T_id / (elapsed + S work / k), as of a single job (Eq. 1). */
static void fill_bid(struct astra_themis_bid *bid, uint32_t quantum,
		     struct astra_random *random)
{
	const double slow[] = {1, 1, 1.1 + astra_random_uniform(random),
			       2.1 + astra_random_uniform(random)};
	double work = exp(8 + 2 * astra_random_uniform(random));
	double elapsed = 2000 * astra_random_uniform(random);
	uint32_t cells = bid->gpus_max + 1;

	bid->log_v = allocate((size_t)ASTRA_LEVEL_COUNT * cells,
			      sizeof(*bid->log_v));
	for (uint32_t level = 0; level < ASTRA_LEVEL_COUNT; level++)
		for (uint32_t k = 0; k < cells; k++)
			bid->log_v[level * cells + k] =
				k < quantum ? -HUGE_VAL
					    : -log(elapsed +
						   slow[level] * work / k);
}

static void fill(struct instance *is, const struct market *market)
{
	struct astra_random random = astra_random_seed(1);
	uint32_t n = market->bidders;

	is->machines = allocate(market->machines, sizeof(*is->machines));
	is->bidders = allocate(n, sizeof(*is->bidders));
	is->bids = allocate(n, sizeof(*is->bids));
	is->held = allocate(n, sizeof(*is->held));
	for (uint32_t m = 0; m < market->machines; m++)
		is->machines[m] = (struct astra_themis_machine){
			.free = market->part_free ? below(&random, MACHINE + 1)
						  : MACHINE,
			.rack = m / RACK,
			.slot = 4,
		};
	for (uint32_t i = 0; i < n; i++) {
		struct astra_themis_bidder *bidder = &is->bidders[i];

		bidder->bid = &is->bids[i];
		bidder->quantum = market->gangs ? 1u << below(&random, 4) : 1;
		is->bids[i].gpus_max =
			8 + below(&random, market->gpus_max / 8) * 8;
		fill_bid(&is->bids[i], bidder->quantum, &random);
		if (market->held && below(&random, 2)) {
			is->held[i].machine = below(&random, market->machines);
			is->held[i].gpus = 1 + below(&random, 4);
			bidder->held.share = &is->held[i];
			bidder->held.count = 1;
		}
	}
}

static void empty(struct instance *is, const struct market *market)
{
	for (uint32_t i = 0; i < market->bidders; i++)
		free(is->bids[i].log_v);
	free(is->machines);
	free(is->bidders);
	free(is->bids);
	free(is->held);
}

static double auction_ms(const struct instance *is, const struct market *market,
			 struct astra_themis_auction *pf)
{
	double since = bench_now_ms();

	if (astra_themis_auction_run(is->machines, market->machines,
				     is->bidders, market->bidders, pf, NULL))
		exit(1);
	return bench_now_ms() - since;
}

static void run_peer(const struct instance *is, const struct market *market,
		     const struct astra_themis_auction *pf)
{
	struct astra_themis_game game;
	double since = bench_now_ms(), sum;
	size_t served;

	if (astra_themis_game_init(&game, is->machines, market->machines,
				   is->bidders, market->bidders, NULL))
		exit(1);
	served = astra_themis_served(&game, greedy_sum(&game, SIZE_MAX), &sum);
	for (size_t i = 0; i < market->bidders; i++)
		greedy_sum(&game, i);
	printf(" %10.1f", bench_now_ms() - since);
	if (served == pf->served)
		printf(" %9.2f %%",
		       100 * expm1((pf->log_product - sum) / (double)served));
	else
		printf("  serves %zu", served);
	astra_themis_game_clear(&game);
}

static void run(const struct market *market)
{
	struct astra_themis_auction pf;
	struct instance is;
	double ms[REPEATS];

	fill(&is, market);
	for (int r = 0; r < REPEATS; r++) {
		ms[r] = auction_ms(&is, market, &pf);
		if (r < REPEATS - 1)
			astra_themis_auction_clear(&pf);
	}
	printf("%-22s %4u x %u %7u %10.3f %6zu %8.4f %%", market->name,
	       market->machines, MACHINE, market->bidders,
	       bench_median(ms, REPEATS), pf.served,
	       100 * astra_themis_auction_gap(&pf));
	if (market->peer)
		run_peer(&is, market, &pf);
	putchar('\n');
	astra_themis_auction_clear(&pf);
	empty(&is, market);
}

int main(void)
{
	static const struct market markets[] = {
		{"exact", 3, 8, 8, .peer = true},
		{"exact", 3, 16, 24, .peer = true},
		{"all free", 8, 16, 16, .peer = true},
		{"part free", 16, 16, 16, .part_free = true, .peer = true},
		{"part free, some held", 16, 16, 16, .part_free = true,
		 .held = true, .peer = true},
		{"gangs", 8, 16, 16, .gangs = true, .peer = true},
		{"all free", 32, 40, 16, .peer = true},
		{"part free", 64, 40, 16, .part_free = true, .peer = true},
		{"part free, some held", 64, 40, 16, .part_free = true,
		 .held = true, .peer = true},
		{"gangs", 32, 40, 16, .gangs = true, .peer = true},
		{"all free", 1250, 200, 128, .peer = false},
		{"part free", 2500, 200, 128, .part_free = true},
		{"part free, some held", 2500, 200, 128, .part_free = true,
		 .held = true},
		{"gangs", 1250, 200, 128, .gangs = true},
	};

	printf("auctions with payments, medians of %d; peer: greedy, again for "
	       "each payment\n\n"
	       "%-22s %8s %7s %10s %6s %10s %10s %11s\n",
	       REPEATS, "", "GPUs", "bidders", "ms", "served", "gap", "peer ms",
	       "better by");
	for (size_t k = 0; k < sizeof(markets) / sizeof(*markets); k++)
		run(&markets[k]);
	return 0;
}
