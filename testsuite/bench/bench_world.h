/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cluster in memory whose engine is asked for rounds, and whose plans are
 * carried out at once. For benches; ends the program when memory is out. */
#ifndef ASTRA_BENCH_WORLD_H
#define ASTRA_BENCH_WORLD_H

#include <stdio.h>
#include <string.h>

#include "src/engine/engine.h"
#include "testsuite/bench/bench.h"

enum { BENCH_NODE_GPUS = 8, BENCH_SHARES = 16, BENCH_NAME_MAX = 8 };

struct bench_world {
	struct astra_engine *engine;
	struct astra_snapshot snap;
	struct astra_node *nodes;
	struct astra_job *jobs;
	struct astra_share *held; /* BENCH_SHARES for each job */
	struct astra_tenant *tenants;
	char (*names)[BENCH_NAME_MAX];
	struct astra_plan plan;
	bool told; /* the engine is told what changed */
	struct astra_changes changes;
	uint32_t *changed_jobs, *changed_nodes; /* of all there are */
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
	w->held = bench_must(calloc(jobs * BENCH_SHARES, sizeof(*w->held)));
	for (size_t i = 0; i < jobs; i++)
		w->jobs[i] = (struct astra_job){
			.id = (uint32_t)i + 1,
			.tenant = (uint32_t)((uint32_t)rand() % tenants),
			.copies = 1,
			.weight = 1,
			.state = ASTRA_JOB_PENDING,
			.submit_sec = (double)i / 1000,
			.revocable = true,
			.held = w->held + i * BENCH_SHARES,
		};
}

static inline void bench_set_gpus(struct astra_job *job, uint32_t gpus)
{
	job->request.gpus = job->request.cpus = gpus;
}

/* The jobs have no GPUs to ask for yet: bench_set_gpus(). */
static inline void bench_world_init(struct bench_world *w,
				    const struct astra_options *options,
				    size_t jobs, size_t nodes, size_t tenants)
{
	memset(w, 0, sizeof(*w));
	w->engine = bench_must(astra_engine_create(options, 0, NULL));
	bench_make_cluster(w, nodes, tenants);
	bench_make_jobs(w, jobs, tenants);
	w->changed_jobs = bench_must(calloc(jobs, sizeof(uint32_t)));
	w->changed_nodes = bench_must(calloc(nodes, sizeof(uint32_t)));
	astra_plan_init(&w->plan);
	w->snap = (struct astra_snapshot){
		.now_sec = 1000,
		.nodes = w->nodes,
		.node_count = nodes,
		.tenants = w->tenants,
		.tenant_count = tenants,
		.jobs = w->jobs,
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
	free(w->held);
	free(w->changed_jobs);
	free(w->changed_nodes);
}

/* Marks, until they are listed before the next round. */
static inline void bench_move(struct bench_world *w,
			      const struct astra_share *share, bool take)
{
	struct astra_node *node = &w->nodes[share->node];

	w->changed_nodes[share->node] = 1;
	node->gpus_free += take ? -share->gpus : share->gpus;
	node->cpus_free += take ? -share->cpus : share->cpus;
	node->mem_free_mib += take ? -share->mem_mib : share->mem_mib;
}

/* Carry the plan out, as slurmctld would, all at once. */
static inline void bench_carry_out(struct bench_world *w)
{
	for (size_t i = 0; i < w->plan.decision_count; i++) {
		const struct astra_decision *d = &w->plan.decisions[i];
		struct astra_job *job = &w->jobs[d->job - 1];
		struct astra_share *held =
			w->held + (d->job - 1) * BENCH_SHARES;

		w->changed_jobs[d->job - 1] = 1;
		if (d->action == ASTRA_START) {
			job->state = ASTRA_JOB_RUNNING;
			job->start_sec = w->snap.now_sec;
			job->held_count = d->share_count;
			memcpy(held, w->plan.shares + d->first_share,
			       d->share_count * sizeof(*held));
			for (size_t k = 0; k < job->held_count; k++)
				bench_move(w, &held[k], true);
			continue;
		}
		for (size_t k = 0; k < job->held_count; k++)
			bench_move(w, &held[k], false);
		job->state = ASTRA_JOB_PENDING;
		job->held_count = 0;
		job->restart_cnt++;
	}
}

/* Marks become numbers. Returns how many there are. */
static inline size_t bench_list(uint32_t *list, size_t count)
{
	size_t listed = 0;

	for (uint32_t i = 0; i < count; i++)
		if (list[i])
			list[listed++] = i;
	return listed;
}

static inline void bench_tell(struct bench_world *w)
{
	w->changes = (struct astra_changes){
		.jobs = w->changed_jobs,
		.job_count = bench_list(w->changed_jobs, w->snap.job_count),
		.nodes = w->changed_nodes,
		.node_count = bench_list(w->changed_nodes, w->snap.node_count),
	};
	w->snap.changes = w->told ? &w->changes : NULL;
}

/* So many more jobs are there. */
static inline void bench_arrive(struct bench_world *w, size_t jobs)
{
	for (size_t i = 0; i < jobs; i++) {
		w->jobs[w->snap.job_count].submit_sec = w->snap.now_sec;
		w->changed_jobs[w->snap.job_count++] = 1;
	}
}

/* Those that run began at any time of the last term_sec. */
static inline void bench_spread_leases(struct bench_world *w, double term_sec)
{
	size_t nth = 0;

	for (size_t i = 0; i < w->snap.job_count; i++)
		if (w->jobs[i].state == ASTRA_JOB_RUNNING)
			w->jobs[i].start_sec -=
				(double)(nth++ % (size_t)term_sec);
}

/* The CPU time of a round so long after the one before. */
static inline double bench_round_ms(struct bench_world *w, double step_sec)
{
	struct astra_error err = {""};
	double begin;

	w->snap.now_sec += step_sec;
	bench_tell(w);
	begin = bench_cpu_ms();
	if (astra_engine_round(w->engine, &w->snap, &w->plan, &err) < 0) {
		fprintf(stderr, "bench: %s\n", err.text);
		exit(1);
	}
	begin = bench_cpu_ms() - begin;
	memset(w->changed_jobs, 0, w->snap.job_count * sizeof(uint32_t));
	memset(w->changed_nodes, 0, w->snap.node_count * sizeof(uint32_t));
	bench_carry_out(w);
	return begin;
}

#endif
