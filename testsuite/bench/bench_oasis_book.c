/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The policy oasis under load: a round in which thousands of jobs wait that
 * are worth less than their price, all offered anew as a slot begins; and a
 * whole simulation of 2,000 jobs that come at once to 16 GPUs. The peer of the
 * round is one pass over the market, a power for each slot; of the simulation,
 * fifo in the same loop. Nothing is asserted. */
#include "src/policies/options.h"
#include "src/sim/generate.h"
#include "src/sim/simulate.h"
#include "testsuite/bench/bench_world.h"

enum { ROUNDS = 7, SLOT_SEC = 900, WEEK_SEC = 7 * 86400, TENANTS = 50 };

static const struct scene {
	size_t jobs, nodes;
	double horizon_sec;
	uint32_t least; /* GPUs of every second job; 0: gangs only */
	bool mixed;	/* jobs take CPUs and memory as they differ */
} scenes[] = {
	{1000, 16, 86400, 0, false},	{5000, 16, 86400, 0, false},
	{5000, 16, WEEK_SEC, 0, false}, {5000, 128, WEEK_SEC, 0, false},
	{5000, 16, WEEK_SEC, 1, false}, {5000, 16, WEEK_SEC, 2, false},
	{5000, 16, WEEK_SEC, 0, true},	{5000, 128, WEEK_SEC, 0, true},
	{5000, 16, WEEK_SEC, 1, true},	{5000, 16, WEEK_SEC, 2, true},
};

enum { SCENES = sizeof(scenes) / sizeof(*scenes) };

/* Of 1 to 16 GPUs, for minutes to two days. */
static void make_sizes(struct bench_world *w, uint32_t least)
{
	static const uint32_t gpus[] = {1, 1, 1, 2, 4, 8, 8, 16};

	for (size_t i = 0; i < w->snap.job_count; i++) {
		struct astra_job *job = &w->jobs[i];

		bench_set_gpus(job, gpus[(uint32_t)rand() % 8]);
		if (i % 2 && least && least <= job->request.gpus)
			job->request.gpus_min = least;
		job->time_limit_sec = 600 * pow(288, (double)rand() / RAND_MAX);
	}
}

/* From a CPU and a GiB a GPU to all of a node's CPUs beside one. */
static void make_mixed(struct bench_world *w)
{
	static const uint32_t cpus[] = {1, 2, 4, 6, 7, 8, 12, 64};

	for (size_t n = 0; n < w->snap.node_count; n++)
		w->nodes[n].mem_mib = w->nodes[n].mem_free_mib;
	for (size_t i = 0; i < w->snap.job_count; i++) {
		struct astra_request *q = &w->jobs[i].request;
		uint32_t each = cpus[(uint32_t)rand() % 8];

		q->cpus = each < 64 ? each * q->gpus : 64;
		q->mem_gpu_mib = UINT64_C(1024) << (uint32_t)rand() % 8;
	}
}

static void bench_rounds(const struct scene *s)
{
	double slot[ROUNDS], steady[ROUNDS], fresh;
	struct astra_options options;
	struct bench_world w;

	astra_options_init(&options);
	strcpy(options.policy, "oasis");
	options.slot_sec = SLOT_SEC;
	options.horizon_sec = s->horizon_sec;
	bench_world_init(&w, &options, s->jobs, s->nodes, TENANTS);
	make_sizes(&w, s->least);
	if (s->mixed)
		make_mixed(&w);
	fresh = bench_round_ms(&w, 0);
	for (int i = 0; i < ROUNDS; i++) {
		steady[i] = bench_round_ms(&w, 10);
		slot[i] = bench_round_ms(&w, SLOT_SEC - 10);
	}
	printf("%6zu %6zu %6.0f %6u %6s %9.1f %9.1f %9.1f\n", s->jobs, s->nodes,
	       s->horizon_sec / SLOT_SEC, s->least, s->mixed ? "yes" : "no",
	       fresh, bench_median(steady, ROUNDS), bench_median(slot, ROUNDS));
	bench_world_fini(&w);
}

static double simulate_sec(const char *name, uint64_t *rounds)
{
	const struct astra_sim_options sim = {
		.round_sec = 1,
		.checkpoint_sec = 10,
		.cold_start_sec = 40,
		.slowdown = {1, 1, 1, 1},
		.interval_sec = 3600,
		.seed = 1,
	};
	const struct astra_generate_options made = {
		.seed = 1, .jobs = 2000, .days = 1e-4};
	struct astra_sim_result result;
	struct astra_error err = {""};
	struct astra_options policy;
	struct astra_cluster cluster;
	struct astra_trace trace;
	double begin;

	astra_trace_init(&trace);
	astra_options_init(&policy);
	if (astra_trace_generate(&trace, "apps", &made, &err) < 0 ||
	    astra_cluster_make(&cluster, 2, 8, 0) < 0)
		bench_must(NULL);
	astra_trace_fit(&trace, cluster.gpus);
	begin = bench_cpu_ms();
	if (astra_simulate(&trace, &cluster, astra_scheduler_find(name, NULL),
			   &policy, &sim, &result, &err) < 0) {
		fprintf(stderr, "bench_oasis_book: %s\n", err.text);
		exit(1);
	}
	*rounds = result.rounds;
	return (bench_cpu_ms() - begin) / 1e3;
}

int main(void)
{
	uint64_t rounds = 0;
	double sec;

	srand(1);
	printf("one round under oasis in CPU ms, medians of %d\n\n"
	       "  jobs  nodes  slots  least  mixed   all new    steady  new slot\n",
	       ROUNDS);
	for (int i = 0; i < SCENES; i++)
		bench_rounds(&scenes[i]);
	printf("\n2,000 jobs at once on 16 GPUs, until all are done, CPU s:\n");
	sec = simulate_sec("oasis", &rounds);
	printf("oasis %.2f (%ju rounds)", sec, (uintmax_t)rounds);
	sec = simulate_sec("fifo", &rounds);
	printf(", fifo %.2f (%ju rounds)\n", sec, (uintmax_t)rounds);
	return 0;
}
