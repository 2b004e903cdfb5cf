/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small pool of nodes with four GPUs, in the order that the test sets, and a
 * few jobs of four GPUs whose lives it writes. Leases of 30 s, graces of 10. */
#ifndef SMALL_POOL_H
#define SMALL_POOL_H

#include <string.h>

#include "src/engine/engine.h"
#include "src/policies/options.h"
#include "testsuite/unit/unit.h"

#define POOL_NODES 6
#define POOL_JOBS 4

/* Each letter is a node's name; '.' is one without. */
static inline void pool_nodes(struct astra_node *nodes, const char *letters)
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};

	for (size_t i = 0; letters[i]; i++)
		nodes[i] = (struct astra_node){
			.name = letters[i] == '.' ? NULL
						  : names[letters[i] - 'a'],
			.usable = true,
			.gpus = 4,
			.gpus_free = 4,
			.cpus = 8,
			.cpus_free = 8,
			.mem_free_mib = ASTRA_UNCOUNTED_MIB,
		};
}

/* A small pool whose order of nodes the test sets. */
struct pool {
	struct astra_options options;
	struct astra_engine *engine;
	struct astra_plan plan;
	struct astra_node nodes[POOL_NODES];
	size_t node_count;
	struct astra_tenant tenants[2];
	struct astra_job jobs[POOL_JOBS];
	struct astra_share held[POOL_JOBS];
	size_t job_count;
	double kill_wait_sec;
};

static inline void pool_order(struct pool *p, const char *letters)
{
	p->node_count = strlen(letters);
	pool_nodes(p->nodes, letters);
}

static inline struct astra_job *pool_job(struct pool *p, uint32_t tenant)
{
	struct astra_job *job = &p->jobs[p->job_count++];

	*job = (struct astra_job){
		.id = 6 + (uint32_t)p->job_count,
		.tenant = tenant,
		.copies = 1,
		.weight = 1,
		.request.gpus = 4,
		.state = ASTRA_JOB_PENDING,
		.submit_sec = 1000,
		.revocable = true,
	};
	return job;
}

static inline void pool_begin(struct pool *p, const char *letters)
{
	*p = (struct pool){.tenants = {{.name = "a", .weight = 1},
				       {.name = "b", .weight = 1}}};
	astra_options_init(&p->options);
	astra_plan_init(&p->plan);
	p->options.lease_sec = 30;
	p->options.lease_said = true;
	p->options.grace_sec = 10;
	p->options.round_sec = 10;
	p->kill_wait_sec = 30;
	pool_order(p, letters);
}

static inline void pool_end(struct pool *p)
{
	astra_engine_destroy(p->engine);
	astra_plan_destroy(&p->plan);
}

/* A job runs on all GPUs of the node of this name, from now on or still. */
static inline void pool_run(struct pool *p, struct astra_job *job,
			    const char *name, double start_sec)
{
	struct astra_share *held = &p->held[job - p->jobs];

	for (uint32_t i = 0; i < p->node_count; i++)
		if (!strcmp(p->nodes[i].name, name)) {
			*held = (struct astra_share){.node = i, .gpus = 4};
			p->nodes[i].gpus_free = 0;
		}
	job->state = ASTRA_JOB_RUNNING;
	job->start_sec = start_sec;
	job->held = held;
	job->held_count = 1;
}

static inline void pool_stop(struct astra_job *job, enum astra_job_state state)
{
	job->state = state;
	job->held_count = 0;
}

/* The name of the node on which the job is to start now, or NULL. */
static inline const char *pool_round(struct pool *p, uint32_t job,
				     double now_sec)
{
	const struct astra_snapshot snap = {
		.now_sec = now_sec,
		.kill_wait_sec = p->kill_wait_sec,
		.nodes = p->nodes,
		.node_count = p->node_count,
		.tenants = p->tenants,
		.tenant_count = 2,
		.jobs = p->jobs,
		.job_count = p->job_count,
	};
	struct astra_error err = {""};

	if (!p->engine)
		p->engine = astra_engine_create(&p->options, now_sec, &err);
	if (!p->engine ||
	    astra_engine_round(p->engine, &snap, &p->plan, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < p->plan.decision_count; i++) {
		const struct astra_decision *d = &p->plan.decisions[i];

		if (d->action == ASTRA_START && d->job == job)
			return p->nodes[p->plan.shares[d->first_share].node]
				.name;
	}
	return NULL;
}

#endif
