/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole rounds of the engine: accounts, policy, placement, reclaim, hold,
 * reasons. Three rounds of each size: every job is new; nothing happens (the
 * steady state); every lease is over and all GPUs change hands. The peer is
 * qsort() of as many entries as there are jobs, in the same run. Medians;
 * nothing is asserted.
 * Then rounds as a day has them: of a hundred leases one ends, of a thousand
 * jobs one is new. The host says what changed, or does not; reasons are asked
 * for, or are not. */
#include "src/policies/options.h"
#include "testsuite/bench/bench_world.h"

enum { REPEATS = 7, TENANTS = 50 };

static const size_t sizes[][2] = {
	{1000, 100}, {10000, 1000}, {30000, 3000}, {100000, 10000}};

enum { SIZES = sizeof(sizes) / sizeof(*sizes) };

static void make_sizes(struct bench_world *w)
{
	static const uint32_t gpus[] = {1, 1, 1, 2, 4, 8, 8, 16};

	for (size_t i = 0; i < w->snap.job_count; i++)
		bench_set_gpus(&w->jobs[i], gpus[(uint32_t)rand() % 8]);
}

static double sort_ms(size_t count)
{
	double *keys = bench_must(calloc(count, sizeof(*keys)));
	double begin;

	for (size_t i = 0; i < count; i++)
		keys[i] = rand();
	begin = bench_cpu_ms();
	qsort(keys, count, sizeof(*keys), bench_compare);
	begin = bench_cpu_ms() - begin;
	free(keys);
	return begin;
}

static double run_size(size_t jobs, size_t nodes)
{
	double fresh[REPEATS], idle[REPEATS], over[REPEATS], sort[REPEATS];
	struct astra_options options;
	double median, peer;

	astra_options_init(&options);
	for (int i = 0; i < REPEATS; i++) {
		struct bench_world w;

		bench_world_init(&w, &options, jobs, nodes, TENANTS);
		make_sizes(&w);
		fresh[i] = bench_round_ms(&w, 0);
		idle[i] = bench_round_ms(&w, 10);
		over[i] = bench_round_ms(&w, 1000);
		sort[i] = sort_ms(jobs);
		bench_world_fini(&w);
	}
	median = bench_median(over, REPEATS);
	peer = bench_median(sort, REPEATS);
	printf("%7zu %6zu %9.2f %9.2f %9.2f %8.2f %6.1f\n", jobs, nodes,
	       bench_median(fresh, REPEATS), bench_median(idle, REPEATS),
	       median, peer, median / peer);
	return median;
}

/* A day's rounds: jobs that were to come do, one of a hundred of those that run
 * has its lease's end in each. */

enum { DAY_ROUNDS = 50 };

struct day {
	double mean, worst, first;
};

static struct day run_day(size_t jobs, size_t nodes, bool told, bool terse)
{
	size_t later = jobs / 1000 * DAY_ROUNDS;
	struct astra_options options;
	struct bench_world w;
	struct day day = {0};

	astra_options_init(&options);
	options.lease_sec = 100;
	options.lease_said = true;
	bench_world_init(&w, &options, jobs + later, nodes, TENANTS);
	make_sizes(&w);
	w.told = told;
	w.plan.terse = terse;
	w.snap.job_count = jobs;
	day.first = bench_round_ms(&w, 0);
	bench_spread_leases(&w, 100);
	bench_round_ms(&w, 1);
	for (int i = 0; i < DAY_ROUNDS; i++) {
		double ms;

		bench_arrive(&w, jobs / 1000);
		ms = bench_round_ms(&w, 1);
		day.mean += ms / DAY_ROUNDS;
		day.worst = ms > day.worst ? ms : day.worst;
	}
	bench_world_fini(&w);
	return day;
}

static void print_day(size_t jobs, size_t nodes)
{
	for (int i = 0; i < 4; i++) {
		struct day day = run_day(jobs, nodes, i & 1, i & 2);

		printf("%7zu %6zu %-8s %-8s %9.2f %9.2f %9.2f\n", jobs, nodes,
		       i & 1 ? "told" : "", i & 2 ? "" : "reasons", day.first,
		       day.mean, day.worst);
	}
}

int main(void)
{
	double jobs[SIZES], times[SIZES];

	srand(1);
	printf("one round of the engine in ms, medians of %d; peer: qsort() of "
	       "as many entries\n\n"
	       "   jobs  nodes   all new    steady  all over    qsort     x=\n",
	       REPEATS);
	for (int i = 0; i < SIZES; i++) {
		jobs[i] = (double)sizes[i][0];
		times[i] = run_size(sizes[i][0], sizes[i][1]);
	}
	printf("\nround ~ jobs^%.2f (n log n over these sizes: %.2f)\n"
	       "engine state: %zu bytes a job\n",
	       bench_exponent(jobs, times, SIZES),
	       1 + log(log(1e5) / log(1e3)) / log(100),
	       astra_engine_bytes_per_job());
	printf("\nwhere 1 %% of the leases end and 0.1 %% of the jobs come in each "
	       "round, ms\n\n"
	       "   jobs  nodes                     all new      mean     worst\n");
	print_day(10000, 1000);
	print_day(100000, 12500);
	return 0;
}
