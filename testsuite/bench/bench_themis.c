/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Themis: an app's bids, for every number of GPUs and each locality level, and
 * whole rounds: filter, bids, auction, payments, rounding, leftovers. Peer of
 * the bids in the same run: rho computed for one number and level at a time. */
#include <stdint.h>
#include <stdio.h>

#include "src/common/random.h"
#include "src/policies/themis/themis.h"
#include "testsuite/bench/bench.h"

enum { REPEATS = 7, PHASES = 8, JOBS = 64, MACHINE = 8, RACK = 16 };

/* An app, and the memory of its work: with `jobs` > 1 successive halving of so
 * many jobs, half of them going on to the next phase. */
struct app {
	struct astra_themis_app *app;
	struct astra_themis_phase phases[PHASES];
	double work[PHASES][JOBS];
};

static double sink;

static double uniform(struct astra_random *random, double from, double to)
{
	return from + (to - from) * astra_random_uniform(random);
}

static void fill_app(struct app *a, uint32_t jobs, uint32_t gpus_max,
		     struct astra_random *random)
{
	struct astra_themis_app *app = a->app;
	size_t count = 0;

	*app = (struct astra_themis_app){
		.kind = jobs > 1 ? ASTRA_THEMIS_PHASES : ASTRA_THEMIS_SINGLE,
		.elapsed_sec = uniform(random, 0, 7200),
		.navg = 8,
		.slowdown = {1, 1, uniform(random, 1, 1.5),
			     uniform(random, 1.5, 2.5)},
		.rho_current = -1,
		.rho_empty = HUGE_VAL,
		.gpus_max = gpus_max,
		.quantum = 1,
		.iter_total = 1000,
		.iter_left = uniform(random, 100, 1000),
		.iter_sec = uniform(random, 10, 100),
		.budget_sec = 1e5,
		.phases = a->phases,
	};
	for (; jobs > 1; jobs /= 2) {
		for (uint32_t j = 0; j < jobs; j++)
			a->work[count][j] = uniform(random, 80, 120) * 16;
		a->phases[count] = (struct astra_themis_phase){
			.work_sec = a->work[count],
			.job_count = jobs,
			.job_gpus_max = 8,
		};
		count++;
	}
	app->phase_count = count;
}

static double bid_ms(const struct astra_themis_app *app, uint32_t gpus)
{
	struct astra_themis_bid bid;
	double since = bench_now_ms();

	if (astra_themis_bid_init(&bid, app, gpus, NULL, 0, gpus) < 0)
		exit(1);
	since = bench_now_ms() - since;
	sink += bid.log_v[gpus];
	astra_themis_bid_clear(&bid);
	return since;
}

static double peer_ms(const struct astra_themis_app *app, uint32_t gpus)
{
	double since = bench_now_ms(), rho;

	for (int level = 0; level < ASTRA_LEVEL_COUNT; level++)
		for (uint32_t k = 0; k <= gpus; k++) {
			if (astra_themis_rho(app, gpus, k,
					     (enum astra_level)level, &rho) < 0)
				exit(1);
			sink += rho > 0 ? log(rho) : 0;
		}
	return bench_now_ms() - since;
}

static void bench_bids(void)
{
	static const struct {
		const char *name;
		uint32_t jobs;
		bool rigid;
	} kinds[] = {{"single job", 1, false},
		     {"8 jobs, fluid", 8, false},
		     {"64 jobs, fluid", 64, false},
		     {"8 jobs, rigid", 8, true},
		     {"16 jobs, rigid", 16, true}};
	static const uint32_t gpus[] = {16, 64, 256, 1024};
	struct astra_random random = astra_random_seed(1);

	printf("bids of one app, medians of %d; peer: rho by rho\n\n"
	       "app               GPUs        ms   peer ms     x=\n",
	       REPEATS);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		for (size_t g = 0; g < sizeof(gpus) / sizeof(*gpus); g++) {
			struct astra_themis_app core;
			struct app app = {.app = &core};
			double bid[REPEATS], peer[REPEATS];

			fill_app(&app, kinds[i].jobs, gpus[g], &random);
			core.rigid = kinds[i].rigid;
			for (int r = 0; r < REPEATS; r++) {
				bid[r] = bid_ms(&core, gpus[g]);
				peer[r] = peer_ms(&core, gpus[g]);
			}
			printf("%-15s %6u %9.4f %9.4f %6.1f\n", kinds[i].name,
			       gpus[g], bench_median(bid, REPEATS),
			       bench_median(peer, REPEATS),
			       bench_median(peer, REPEATS) /
				       bench_median(bid, REPEATS));
		}
}

/* Machines of 8 GPUs in racks of 16, all free, and apps of all kinds that
 * could use a few times their share. */
static void bench_round(uint32_t gpus, size_t count)
{
	struct astra_random random = astra_random_seed(2);
	size_t machine_count = gpus / MACHINE;
	struct astra_themis_machine *machines =
		calloc(machine_count, sizeof(*machines));
	struct astra_themis_app *apps = calloc(count, sizeof(*apps));
	struct app *memory = calloc(count, sizeof(*memory));
	struct astra_themis_market market = {
		.cluster_gpus = gpus,
		.seed = 1,
		.machines = machines,
		.machine_count = machine_count,
		.apps = apps,
		.app_count = count,
	};
	double ms[REPEATS], gap = 0;

	if (!machines || !apps || !memory)
		exit(1);
	for (uint32_t m = 0; m < machine_count; m++)
		machines[m] =
			(struct astra_themis_machine){MACHINE, m / RACK, 4};
	for (size_t i = 0; i < count; i++) {
		memory[i].app = &apps[i];
		fill_app(&memory[i], 1u << astra_random_below(&random, 7),
			 1 + (uint32_t)astra_random_below(
				     &random, 4 * gpus / (uint32_t)count),
			 &random);
	}
	for (int r = 0; r < REPEATS; r++) {
		struct astra_themis_round round;

		ms[r] = bench_now_ms();
		if (astra_themis_round_run(&market, &round, NULL) < 0)
			exit(1);
		ms[r] = bench_now_ms() - ms[r];
		gap = astra_themis_auction_gap(&round.auction);
		astra_themis_round_clear(&round);
	}
	printf("%6u %6zu %10.3f %9.4f %%\n", gpus, count,
	       bench_median(ms, REPEATS), gap * 100);
	free(machines);
	free(apps);
	free(memory);
}

int main(void)
{
	bench_bids();
	printf("\nwhole rounds with payments, medians of %d\n\n"
	       "  GPUs   apps         ms         gap\n",
	       REPEATS);
	bench_round(64, 16);
	bench_round(256, 40);
	bench_round(10000, 200);
	return sink < 0 && sink > 0;
}
