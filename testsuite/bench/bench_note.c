/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one note a job costs with 100,000 jobs: what a round tells of all of
 * them, a look at each as a snapshot has it, and a round's part of the sweep.
 * A peer in the same run: a map of the same jobs, made anew and looked up.
 * Nothing is asserted. */
#include <stdio.h>

#include "src/common/idmap.h"
#include "src/slurm/note/note.h"
#include "testsuite/bench/bench.h"

enum { JOBS = 100000, BATCH = 1000, RUNS = 21 };

static uint32_t found; /* so that nothing is left out */

static void tell(void)
{
	const struct astra_ledger_entry ledger = {.leases = 3};

	for (uint32_t job = 1; job <= JOBS; job++)
		astra_note_tell(job, NULL, &ledger);
	astra_note_tell_end();
}

static void look(void)
{
	for (uint32_t job = 1; job <= JOBS; job++)
		found += astra_note_of(job).limited;
}

static void leave(struct astra_note *note, void *arg)
{
	(void)arg;
	note->run_end_sec = 0;
}

static void sweep(void)
{
	static size_t at;

	astra_note_each(&at, BATCH, leave, NULL);
}

static void map_jobs(void)
{
	struct astra_idmap map = {0};

	for (uint32_t job = 1; job <= JOBS; job++)
		(void)astra_idmap_put(&map, job, job);
	for (uint32_t job = 1; job <= JOBS; job++)
		found += astra_idmap_get(&map, job);
	astra_idmap_clear(&map);
}

static void measure(const char *name, void (*run)(void))
{
	double samples[RUNS];

	for (int i = 0; i < RUNS; i++) {
		double begin = bench_cpu_ms();

		run();
		samples[i] = bench_cpu_ms() - begin;
	}
	printf("  %-28s %7.3f ms\n", name, bench_median(samples, RUNS));
}

int main(void)
{
	printf("%d notes of %zu bytes:\n", JOBS, sizeof(struct astra_note));
	measure("a round tells of all", tell);
	measure("a look at each", look);
	measure("a sweep of 1,000", sweep);
	measure("peer: a map, made and read", map_jobs);
	astra_note_free();
	return found == 1;
}
