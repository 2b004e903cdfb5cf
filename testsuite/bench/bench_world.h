/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cluster in memory whose engine is asked for rounds, and whose plans are
 * carried out at once. For benches; ends the program when memory is out. */
#ifndef ASTRA_BENCH_WORLD_H
#define ASTRA_BENCH_WORLD_H

#include <stdio.h>
#include <string.h>

#include "src/engine/engine.h"
#include "src/world/world.h"
#include "testsuite/bench/bench.h"

enum { BENCH_NODE_GPUS = 8, BENCH_NAME_MAX = 8 };

struct bench_world {
	struct astra_engine *engine;
	struct astra_snapshot snap; /* its first job_count jobs are there */
	struct astra_world world;   /* it shows them as they are */
	struct astra_node *nodes;
	struct astra_job *jobs; /* as they come */
	struct astra_tenant *tenants;
	char (*names)[BENCH_NAME_MAX];
	struct astra_plan plan;
	bool told; /* the engine is told what changed */
};

static inline void *bench_must(void *memory)
{
	if (!memory) {
		fputs("bench: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

static inline void bench_make_cluster(struct bench_world *w, size_t nodes,
				      size_t tenants)
{
	w->nodes = bench_must(calloc(nodes, sizeof(*w->nodes)));
	w->tenants = bench_must(calloc(tenants, sizeof(*w->tenants)));
	w->names = bench_must(calloc(tenants, sizeof(*w->names)));
	for (size_t i = 0; i < nodes; i++)
		w->nodes[i] = (struct astra_node){
			.usable = true,
			.gpus = BENCH_NODE_GPUS,
			.gpus_free = BENCH_NODE_GPUS,
			.cpus = 64,
			.cpus_free = 64,
			.mem_free_mib = 1 << 20,
		};
	for (size_t i = 0; i < tenants; i++) {
		snprintf(w->names[i], sizeof(w->names[i]), "t%zu", i);
		w->tenants[i] = (struct astra_tenant){
			.name = w->names[i],
			.weight = 1 + (double)(i % 4),
		};
	}
}

/* Jobs that wait, of no tenant's in particular, without GPUs yet. */
static inline void bench_make_jobs(struct bench_world *w, size_t jobs,
				   size_t tenants)
{
	w->jobs = bench_must(calloc(jobs, sizeof(*w->jobs)));
	for (size_t i = 0; i < jobs; i++)
		w->jobs[i] = (struct astra_job){
			.id = (uint32_t)i + 1,
			.tenant = (uint32_t)((uint32_t)rand() % tenants),
			.copies = 1,
			.weight = 1,
			.state = ASTRA_JOB_PENDING,
			.submit_sec = (double)i / 1000,
			.revocable = true,
		};
}

static inline void bench_set_gpus(struct astra_job *job, uint32_t gpus)
{
	job->request.gpus = job->request.cpus = gpus;
}

/* Who is told to leaves at once. */
static inline double bench_leaves(void *arg, uint32_t job,
				  const struct astra_decision *d)
{
	(void)arg;
	(void)job;
	(void)d;
	return 0;
}

static const struct astra_world_host bench_host = {
	.leaves = bench_leaves,
	.keeps_order = true,
	.dropped_state = ASTRA_JOB_BLOCKED,
};

/* The jobs have no GPUs to ask for yet: bench_set_gpus(). */
static inline void bench_world_init(struct bench_world *w,
				    const struct astra_options *options,
				    size_t jobs, size_t nodes, size_t tenants)
{
	memset(w, 0, sizeof(*w));
	w->engine = bench_must(astra_engine_create(options, 0, NULL));
	bench_make_cluster(w, nodes, tenants);
	bench_make_jobs(w, jobs, tenants);
	w->world = (struct astra_world){
		.host = &bench_host,
		.nodes = w->nodes,
		.node_count = nodes,
	};
	astra_plan_init(&w->plan);
	w->snap = (struct astra_snapshot){
		.now_sec = 1000,
		.nodes = w->nodes,
		.node_count = nodes,
		.tenants = w->tenants,
		.tenant_count = tenants,
		.job_count = jobs,
	};
}

static inline void bench_world_fini(struct bench_world *w)
{
	astra_engine_destroy(w->engine);
	astra_plan_destroy(&w->plan);
	free(w->nodes);
	free(w->tenants);
	free(w->names);
	free(w->jobs);
	astra_world_clear(&w->world);
}

/* So many more jobs are there. */
static inline void bench_arrive(struct bench_world *w, size_t jobs)
{
	for (size_t i = 0; i < jobs; i++)
		w->jobs[w->snap.job_count++].submit_sec = w->snap.now_sec;
}

/* Those that run began at any time of the last term_sec. */
static inline void bench_spread_leases(struct bench_world *w, double term_sec)
{
	size_t nth = 0;

	for (size_t i = 0; i < w->world.shown_count; i++)
		if (w->world.shown[i].state == ASTRA_JOB_RUNNING)
			w->world.shown[i].start_sec -=
				(double)(nth++ % (size_t)term_sec);
}

static inline void bench_check(int rc, const struct astra_error *err)
{
	if (rc < 0) {
		fprintf(stderr, "bench: %s\n", err->text);
		exit(1);
	}
}

/* The CPU time of a round so long after the one before. */
static inline double bench_round_ms(struct bench_world *w, double step_sec)
{
	struct astra_error err = {"out of memory"};
	struct astra_changes changes;
	double begin;

	w->snap.now_sec += step_sec;
	w->world.now_sec = w->snap.now_sec;
	w->world.noting = w->told;
	while (w->world.shown_count < w->snap.job_count)
		bench_check(astra_world_show(&w->world,
					     &w->jobs[w->world.shown_count]),
			    &err);
	w->snap.jobs = w->world.shown;
	changes = astra_world_changes(&w->world);
	w->snap.changes = w->told ? &changes : NULL;
	begin = bench_cpu_ms();
	bench_check(astra_engine_round(w->engine, &w->snap, &w->plan, &err),
		    &err);
	begin = bench_cpu_ms() - begin;
	bench_check(astra_world_apply(&w->world, &w->plan, &err), &err);
	return begin;
}

#endif
