/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random traces on a small cluster, for statements about all of them. */
#ifndef ASTRA_SIM_RANDOM_H
#define ASTRA_SIM_RANDOM_H

#include <string.h>

#include "src/common/random.h"
#include "src/policies/options.h"
#include "src/sim/simulate.h"
#include "testsuite/unit/unit.h"

#define RANDOM_JOBS 200
#define RANDOM_TENANTS 4
#define RANDOM_NODES 4
#define RANDOM_NODE_GPUS 8

struct random_world {
	struct astra_trace trace;
	struct astra_trace_job jobs[RANDOM_JOBS];
	char names[RANDOM_JOBS][8];
	struct astra_trace_tenant tenants[RANDOM_TENANTS];
	const char *users[RANDOM_TENANTS];
	struct astra_cluster cluster;
	struct astra_options policy;
	struct astra_sim_options options;
};

static inline uint32_t draw(struct astra_random *random, uint32_t below)
{
	return (uint32_t)astra_random_below(random, below);
}

/* Jobs of all sizes up to half the cluster, in apps of one to four, some with a
 * limit; in the middle of it the load is above one. */
static inline void random_jobs(struct random_world *w,
			       struct astra_random *random)
{
	static const uint32_t gpus[] = {1, 1, 1, 1, 2, 2, 4, 8, 16};
	double at = 0;
	uint32_t app = 0;

	for (uint32_t i = 0; i < RANDOM_JOBS; i++) {
		struct astra_trace_job *job = &w->jobs[i];

		at += i ? draw(random, 100) : 0;
		app += draw(random, 4) == 0 || !app;
		snprintf(w->names[i], sizeof(w->names[i]), "j%u", i);
		*job = (struct astra_trace_job){
			.name = w->names[i],
			.tenant = app % RANDOM_TENANTS,
			.user = app % RANDOM_TENANTS,
			.app = app,
			.gpus = gpus[draw(random, ASTRA_COUNT_OF(gpus))],
			.submit_sec = at,
			.duration_sec = 1 + draw(random, 1500),
			.start_sec = -1,
		};
		if (draw(random, 2))
			job->limit_sec = 2 * job->duration_sec;
	}
}

/* A trace, and options of the simulation that differ with the seed. Call
 * astra_cluster_clear() at the end. */
static inline void random_world(struct random_world *w, uint64_t seed)
{
	static const char *const names[RANDOM_TENANTS] = {"a", "b", "c", "d"};
	struct astra_random random = astra_random_seed(seed);

	memset(w, 0, sizeof(*w));
	for (uint32_t i = 0; i < RANDOM_TENANTS; i++) {
		w->tenants[i] = (struct astra_trace_tenant){names[i], 1 + i};
		w->users[i] = names[i];
	}
	random_jobs(w, &random);
	w->trace = (struct astra_trace){
		.source = "random",
		.jobs = w->jobs,
		.job_count = RANDOM_JOBS,
		.tenants = w->tenants,
		.tenant_count = RANDOM_TENANTS,
		.users = w->users,
		.user_count = RANDOM_TENANTS,
		.app_count = w->jobs[RANDOM_JOBS - 1].app,
	};
	assert_int_equal(astra_cluster_make(&w->cluster, RANDOM_NODES,
					    RANDOM_NODE_GPUS, 2),
			 0);
	astra_options_init(&w->policy);
	w->policy.lease_sec = 120 + draw(&random, 600);
	w->policy.grace_sec = 30;
	w->policy.quota_entitlement = seed % 2;
	w->options = (struct astra_sim_options){
		.round_sec = seed % 3 ? 10 : 0,
		.checkpoint_sec = draw(&random, 2) * 5,
		.cold_start_sec = draw(&random, 2) * 20,
		.slowdown = {1, 1, 1.1, 1.3},
		.interval_sec = 1000,
		.runs = true,
		.seed = seed,
	};
}

#endif
