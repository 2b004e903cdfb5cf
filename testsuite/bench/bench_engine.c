/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole rounds of the engine: accounts, policy, placement, reclaim, hold,
 * reasons. Three rounds of each size: every job is new; nothing happens (the
 * steady state); every lease is over and all GPUs change hands. The peer is
 * qsort() of as many entries as there are jobs, in the same run. Medians;
 * nothing is asserted. */
#include <stdio.h>
#include <string.h>

#include "src/policy/engine.h"
#include "testsuite/bench/bench.h"

enum { REPEATS = 7, TENANTS = 50, NODE_GPUS = 8, SHARES = 16 };

static const size_t sizes[][2] = {
	{1000, 100}, {10000, 1000}, {30000, 3000}, {100000, 10000}};

enum { SIZES = sizeof(sizes) / sizeof(*sizes) };

struct world {
	struct astra_engine *engine;
	struct astra_snapshot snap;
	struct astra_node *nodes;
	struct astra_job *jobs;
	struct astra_share *held; /* SHARES for each job */
	struct astra_tenant tenants[TENANTS];
	char names[TENANTS][8];
	struct astra_plan plan;
};

static void *must(void *memory)
{
	if (!memory) {
		fputs("bench_engine: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

static void make_cluster(struct world *w, size_t nodes)
{
	w->nodes = must(calloc(nodes, sizeof(*w->nodes)));
	for (size_t i = 0; i < nodes; i++)
		w->nodes[i] = (struct astra_node){
			.usable = true,
			.gpus = NODE_GPUS,
			.gpus_free = NODE_GPUS,
			.cpus = 64,
			.cpus_free = 64,
			.mem_free_mib = 1 << 20,
		};
	for (unsigned i = 0; i < TENANTS; i++) {
		snprintf(w->names[i], sizeof(w->names[i]), "t%u", i);
		w->tenants[i] = (struct astra_tenant){
			.name = w->names[i],
			.weight = 1 + i % 4,
		};
	}
}

static void make_jobs(struct world *w, size_t jobs)
{
	static const uint32_t gpus[] = {1, 1, 1, 2, 4, 8, 8, 16};

	w->jobs = must(calloc(jobs, sizeof(*w->jobs)));
	w->held = must(calloc(jobs * SHARES, sizeof(*w->held)));
	for (size_t i = 0; i < jobs; i++) {
		uint32_t wants = gpus[(uint32_t)rand() % 8];

		w->jobs[i] = (struct astra_job){
			.id = (uint32_t)i + 1,
			.tenant = (uint32_t)rand() % TENANTS,
			.copies = 1,
			.weight = 1,
			.request = {.gpus = wants, .cpus = wants},
			.state = ASTRA_JOB_PENDING,
			.submit_sec = (double)i / 1000,
			.revocable = true,
			.held = w->held + i * SHARES,
		};
	}
}

static void world_init(struct world *w, size_t jobs, size_t nodes)
{
	struct astra_options options;

	memset(w, 0, sizeof(*w));
	astra_options_init(&options);
	w->engine = must(astra_engine_create(&options, 0, NULL));
	make_cluster(w, nodes);
	make_jobs(w, jobs);
	astra_plan_init(&w->plan);
	w->snap = (struct astra_snapshot){
		.now_sec = 1000,
		.nodes = w->nodes,
		.node_count = nodes,
		.tenants = w->tenants,
		.tenant_count = TENANTS,
		.jobs = w->jobs,
		.job_count = jobs,
	};
}

static void world_fini(struct world *w)
{
	astra_engine_destroy(w->engine);
	astra_plan_destroy(&w->plan);
	free(w->nodes);
	free(w->jobs);
	free(w->held);
}

static void move(struct world *w, const struct astra_share *share, bool take)
{
	struct astra_node *node = &w->nodes[share->node];

	node->gpus_free += take ? -share->gpus : share->gpus;
	node->cpus_free += take ? -share->cpus : share->cpus;
}

/* Carry the plan out, as slurmctld would, all at once. */
static void carry_out(struct world *w)
{
	for (size_t i = 0; i < w->plan.decision_count; i++) {
		const struct astra_decision *d = &w->plan.decisions[i];
		struct astra_job *job = &w->jobs[d->job - 1];
		struct astra_share *held = w->held + (d->job - 1) * SHARES;

		if (d->action == ASTRA_START) {
			job->state = ASTRA_JOB_RUNNING;
			job->start_sec = w->snap.now_sec;
			job->held_count = d->share_count;
			memcpy(held, w->plan.shares + d->first_share,
			       d->share_count * sizeof(*held));
			for (size_t k = 0; k < job->held_count; k++)
				move(w, &held[k], true);
			continue;
		}
		for (size_t k = 0; k < job->held_count; k++)
			move(w, &held[k], false);
		job->state = ASTRA_JOB_PENDING;
		job->held_count = 0;
		job->restart_cnt++;
	}
}

static double round_ms(struct world *w, double step_sec)
{
	struct astra_error err = {""};
	double begin;

	w->snap.now_sec += step_sec;
	begin = bench_now_ms();
	if (astra_engine_round(w->engine, &w->snap, &w->plan, &err) < 0) {
		fprintf(stderr, "bench_engine: %s\n", err.text);
		exit(1);
	}
	begin = bench_now_ms() - begin;
	carry_out(w);
	return begin;
}

static double sort_ms(size_t count)
{
	double *keys = must(calloc(count, sizeof(*keys)));
	double begin;

	for (size_t i = 0; i < count; i++)
		keys[i] = rand();
	begin = bench_now_ms();
	qsort(keys, count, sizeof(*keys), bench_compare);
	begin = bench_now_ms() - begin;
	free(keys);
	return begin;
}

static double run_size(size_t jobs, size_t nodes)
{
	double fresh[REPEATS], idle[REPEATS], over[REPEATS], sort[REPEATS];
	double median, peer;

	for (int i = 0; i < REPEATS; i++) {
		struct world w;

		world_init(&w, jobs, nodes);
		fresh[i] = round_ms(&w, 0);
		idle[i] = round_ms(&w, 10);
		over[i] = round_ms(&w, 1000);
		sort[i] = sort_ms(jobs);
		world_fini(&w);
	}
	median = bench_median(over, REPEATS);
	peer = bench_median(sort, REPEATS);
	printf("%7zu %6zu %9.2f %9.2f %9.2f %8.2f %6.1f\n", jobs, nodes,
	       bench_median(fresh, REPEATS), bench_median(idle, REPEATS),
	       median, peer, median / peer);
	return median;
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
	return 0;
}
