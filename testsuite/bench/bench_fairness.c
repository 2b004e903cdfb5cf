/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events a second into the fairness account, and reads of a job's rho. Peer in
 * the same run: bringing every active job up to date at each event. */
#include <stdint.h>
#include <stdio.h>

#include "src/model/fairness.h"
#include "testsuite/bench/bench.h"

enum { REPEATS = 5, TENANTS = 50, EVENTS = 200000, NAIVE_EVENTS = 2000 };

static const uint32_t sizes[] = {1000, 10000, 30000, 100000};

enum { SIZES = sizeof(sizes) / sizeof(*sizes) };

static double sink;

static uint32_t pick(uint32_t below)
{
	return (uint32_t)rand() % below;
}

static struct astra_fairness *build(uint32_t jobs)
{
	const struct astra_fairness_options eq8 = {0};
	struct astra_fairness *f = astra_fairness_create(&eq8, 0);

	if (!f)
		exit(1);
	astra_fairness_set_capacity(f, 0, jobs);
	for (uint32_t i = 0; i < TENANTS; i++)
		astra_fairness_add_tenant(f, 0, 1 + i % 4);
	for (uint32_t i = 0; i < jobs; i++)
		astra_fairness_set_active(f, 0,
					  astra_fairness_add_job(f, i % TENANTS,
								 1,
								 1u << pick(7)),
					  1);
	return f;
}

/* One event at each second: a job starts, stops, comes or goes. */
static double play(struct astra_fairness *f, uint32_t jobs, uint32_t events,
		   double *clock, bool naive)
{
	double since = bench_now_ms();

	for (uint32_t i = 0; i < events; i++) {
		uint32_t job = pick(jobs);

		if (pick(2))
			astra_fairness_set_alloc(f, ++*clock, job, pick(3));
		else
			astra_fairness_set_active(f, ++*clock, job, pick(2));
		for (uint32_t k = 0; naive && k < jobs; k++)
			sink += astra_fairness_job(f, *clock, k).fair;
	}
	return (bench_now_ms() - since) * 1e6 / events;
}

static double read_all(struct astra_fairness *f, uint32_t jobs, double clock)
{
	double since = bench_now_ms();

	for (uint32_t k = 0; k < jobs; k++)
		sink += astra_fairness_job(f, clock + 1, k).fair;
	return (bench_now_ms() - since) * 1e6 / jobs;
}

int main(void)
{
	srand(1);
	printf("fairness account, %d tenants, medians of %d; peer: every job "
	       "brought up to\ndate at each event\n\n"
	       "   jobs  ns/event    events/s   ns/read  peer ns/event      "
	       "x=\n",
	       TENANTS, REPEATS);
	for (int i = 0; i < SIZES; i++) {
		struct astra_fairness *f = build(sizes[i]);
		double event[REPEATS], read[REPEATS], clock = 0, ns, peer;

		for (int k = 0; k < REPEATS; k++) {
			event[k] = play(f, sizes[i], EVENTS, &clock, false);
			read[k] = read_all(f, sizes[i], clock);
		}
		ns = bench_median(event, REPEATS);
		peer = play(f, sizes[i], 100 + NAIVE_EVENTS * 1000 / sizes[i],
			    &clock, true);
		printf("%7u %9.0f %11.0f %9.0f %14.0f %7.0f\n", sizes[i], ns,
		       1e9 / ns, bench_median(read, REPEATS), peer, peer / ns);
		astra_fairness_destroy(f);
	}
	return sink < 0;
}
