/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each tenant that always has work has the share of GPU time that its weight
 * gives it, whatever the shapes of its jobs and of the others': random tenants,
 * weights and gangs of up to half of the cluster, each tenant asks for more than
 * all of it, for forty terms of ltgf with the default options. A turn is a
 * packet: the error is at most one turn of the largest job, and 4 % of the GPU
 * time. And no first start is later than it was promised. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/sim/metrics.h"
#include "src/sim/simulate.h"
#include "testsuite/unit/unit.h"

#define SEEDS 24
#define NODES 4
#define NODE_GPUS 8
#define GPUS (NODES * NODE_GPUS)
#define TENANTS 3
#define USERS 2 /* of each tenant */
#define JOBS 6000
#define TERM 900.0
#define TERMS 40
#define SHARE_ERROR 0.04 /* of the GPU time, beside one turn */

struct crowd {
	struct astra_trace trace;
	struct astra_trace_job jobs[JOBS];
	char names[JOBS][24];
	struct astra_trace_tenant tenants[TENANTS];
	const char *users[TENANTS * USERS];
	uint32_t gpus[TENANTS];
	double weights;
	struct astra_cluster cluster;
	struct astra_options policy;
	struct astra_sim_options options;
};

static int by_time(const void *a, const void *b)
{
	const struct astra_trace_job *x = a, *y = b;

	return (x->submit_sec > y->submit_sec) -
	       (x->submit_sec < y->submit_sec);
}

/* A tenant's jobs: of one size, at 1.2 times the cluster's capacity. */
static void flood(struct crowd *w, uint32_t tenant, struct astra_random *random)
{
	static const uint32_t sizes[] = {2, 4, 8, 16};
	uint32_t gpus = sizes[astra_random_below(random, 4)];
	double mean = TERM * (1 + (double)astra_random_below(random, 8));
	double at = 0, until = TERM * TERMS;

	w->gpus[tenant] = gpus;
	while (at < until && w->trace.job_count < JOBS) {
		struct astra_trace_job *job = &w->jobs[w->trace.job_count];

		*job = (struct astra_trace_job){
			.tenant = tenant,
			.user = tenant * USERS +
				(uint32_t)astra_random_below(random, USERS),
			.app = (uint32_t)w->trace.job_count + 1,
			.gpus = gpus,
			.submit_sec = floor(at),
			.duration_sec = mean,
			.start_sec = -1,
		};
		w->trace.job_count++;
		at += mean * gpus / GPUS / 1.2;
	}
}

static void crowd(struct crowd *w, uint64_t seed)
{
	static const char *const names[] = {"a", "b", "c"};
	static const char *const users[] = {"a1", "a2", "b1", "b2", "c1", "c2"};
	struct astra_random random = astra_random_seed(seed);

	memset(w, 0, sizeof(*w));
	for (uint32_t i = 0; i < TENANTS; i++) {
		double weight = 1 + (double)astra_random_below(&random, 3);

		w->tenants[i] = (struct astra_trace_tenant){names[i], weight};
		w->weights += weight;
		flood(w, i, &random);
	}
	memcpy(w->users, users, sizeof(users));
	qsort(w->jobs, w->trace.job_count, sizeof(*w->jobs), by_time);
	for (size_t i = 0; i < w->trace.job_count; i++) {
		snprintf(w->names[i], sizeof(w->names[i]), "j%zu", i);
		w->jobs[i].name = w->names[i];
	}
	w->trace.source = "crowd";
	w->trace.jobs = w->jobs;
	w->trace.app_count = (uint32_t)w->trace.job_count + 1;
	w->trace.tenants = w->tenants;
	w->trace.tenant_count = TENANTS;
	w->trace.users = w->users;
	w->trace.user_count = TENANTS * USERS;
	assert_int_equal(astra_cluster_make(&w->cluster, NODES, NODE_GPUS, 2),
			 0);
	astra_options_init(&w->policy);
	w->options = (struct astra_sim_options){
		.checkpoint_sec = 10,
		.cold_start_sec = 40,
		.slowdown = {1, 1, 1, 1},
		.until_sec = TERM * TERMS,
		.interval_sec = 3600,
		.seed = seed,
	};
}

static void check_shares(const struct crowd *w,
			 const struct astra_sim_result *r, uint64_t seed)
{
	uint32_t largest = 0;
	double all = GPUS * TERM * TERMS;

	for (uint32_t t = 0; t < TENANTS; t++)
		largest = w->gpus[t] > largest ? w->gpus[t] : largest;
	for (uint32_t t = 0; t < TENANTS; t++) {
		double share = r->tenants[t].alloc_gpu_sec / all;
		double due = w->tenants[t].weight / w->weights;

		if (fabs(share - due) >
		    SHARE_ERROR + (double)largest / GPUS / TERMS)
			fail_msg("seed %u: tenant %u with jobs of %u GPUs has "
				 "%.3f of the GPU time, not %.3f",
				 (unsigned)seed, t, w->gpus[t], share, due);
	}
}

static void each_tenant_has_its_share_whatever_its_jobs_are(void **state)
{
	static struct crowd w;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const struct astra_scheduler *ltgf =
			astra_scheduler_find("ltgf", NULL);
		struct astra_sim_result r;
		struct astra_error err = {""};

		crowd(&w, seed);
		if (astra_simulate(&w.trace, &w.cluster, ltgf, &w.policy,
				   &w.options, &r, &err) < 0)
			fail_msg("seed %u: %s", (unsigned)seed, err.text);
		check_shares(&w, &r, seed);
		for (size_t i = 0; i < w.trace.job_count; i++)
			assert_false(astra_is_over_bound(&r, i));
		astra_sim_result_clear(&r);
		astra_cluster_clear(&w.cluster);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_tenant_has_its_share_whatever_its_jobs_are),
	};

	return cmocka_run_group_tests_name("sim_shares", tests, NULL, NULL);
}
