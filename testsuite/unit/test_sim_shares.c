/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each tenant that always has work has the share of GPU time that its weight
 * gives it, whatever the shapes of its jobs and of the others': random tenants,
 * weights and gangs of up to half of the cluster, each tenant asks for more
 * than all of it, for forty terms of ltgf with the default options. A turn is a
 * packet: the error is at most one turn of the largest job, and 4 % of the GPU
 * time. And no first start is later than it was promised.
 * The same for gangs of a tenant that was alone for forty terms: what nobody
 * else could use is no debt of the tenant, so its only user is owed the
 * tenant's turns (share.c). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/policies/options.h"
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

static void add(struct crowd *w, uint32_t user, uint32_t gpus, double at_sec,
		double duration_sec)
{
	struct astra_trace_job *job = &w->jobs[w->trace.job_count++];

	*job = (struct astra_trace_job){
		.tenant = user / USERS,
		.user = user,
		.app = (uint32_t)w->trace.job_count,
		.gpus = gpus,
		.submit_sec = floor(at_sec),
		.duration_sec = duration_sec,
		.start_sec = -1,
	};
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
		uint32_t user = (uint32_t)astra_random_below(random, USERS);

		add(w, tenant * USERS + user, gpus, at, mean);
		at += mean * gpus / GPUS / 1.2;
	}
}

static void add_tenant(struct crowd *w, double weight)
{
	static const char *const names[] = {"a", "b", "c"};

	w->tenants[w->trace.tenant_count] = (struct astra_trace_tenant){
		names[w->trace.tenant_count],
		weight,
	};
	w->trace.tenant_count++;
	w->weights += weight;
}

static void finish(struct crowd *w, double terms, uint64_t seed)
{
	static const char *const users[] = {"a1", "a2", "b1", "b2", "c1", "c2"};

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
	w->trace.users = w->users;
	w->trace.user_count = w->trace.tenant_count * USERS;
	assert_int_equal(astra_cluster_make(&w->cluster, NODES, NODE_GPUS, 2),
			 0);
	astra_options_init(&w->policy);
	w->options = (struct astra_sim_options){
		.checkpoint_sec = 10,
		.cold_start_sec = 40,
		.slowdown = {1, 1, 1, 1},
		.until_sec = TERM * terms,
		.interval_sec = 3600,
		.seed = seed,
	};
}

static void crowd(struct crowd *w, uint64_t seed)
{
	struct astra_random random = astra_random_seed(seed);

	memset(w, 0, sizeof(*w));
	for (uint32_t i = 0; i < TENANTS; i++) {
		add_tenant(w, 1 + (double)astra_random_below(&random, 3));
		flood(w, i, &random);
	}
	finish(w, TERMS, seed);
}

/* Gangs of a1 have all GPUs for forty terms; for as many terms after that b
 * floods the cluster with jobs of one GPU. rivals: gangs of a2, from then on.
 */
static void gifts(struct crowd *w, uint32_t gpus, uint32_t rivals)
{
	double from = TERM * TERMS, until = 2 * from;

	memset(w, 0, sizeof(*w));
	add_tenant(w, 1);
	add_tenant(w, 1);
	for (uint32_t i = 0; i < GPUS / gpus; i++)
		add(w, 0, gpus, 0, 2 * until);
	for (uint32_t i = 0; i < rivals; i++)
		add(w, 1, gpus, from, 2 * until);
	for (double at = from; at < until; at += 2 * TERM / GPUS / 1.2)
		add(w, USERS, 1, at, 2 * TERM);
	finish(w, 2 * TERMS, 1);
}

/* a has gangs for just what it is due, and jobs of b, of one GPU and two terms,
 * come as fast as all GPUs could begin them.
 */
static void half(struct crowd *w, uint32_t gpus)
{
	double until = TERM * TERMS;

	memset(w, 0, sizeof(*w));
	add_tenant(w, 1);
	add_tenant(w, 1);
	for (uint32_t i = 0; i < GPUS / 2 / gpus; i++)
		add(w, 0, gpus, 1000, 2 * until);
	for (double at = 0; at < until; at += TERM / GPUS)
		add(w, USERS, 1, at, 2 * TERM);
	finish(w, TERMS, 1);
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

static void simulate(struct crowd *w, struct astra_sim_result *r, uint64_t seed)
{
	const struct astra_scheduler *ltgf = astra_scheduler_find("ltgf", NULL);
	struct astra_error err = {""};

	if (astra_simulate(&w->trace, &w->cluster, ltgf, &w->policy,
			   &w->options, r, &err) < 0)
		fail_msg("seed %u: %s", (unsigned)seed, err.text);
	for (size_t i = 0; i < w->trace.job_count; i++)
		assert_false(astra_is_over_bound(r, i));
}

static void each_tenant_has_its_share_whatever_its_jobs_are(void **state)
{
	static struct crowd w;

	(void)state;
	for (uint64_t seed = 1; seed <= draws(SEEDS); seed++) {
		struct astra_sim_result r;

		crowd(&w, seed);
		simulate(&w, &r, seed);
		check_shares(&w, &r, seed);
		astra_sim_result_clear(&r);
		astra_cluster_clear(&w.cluster);
	}
}

/* How long a job waits once a run of it has ended. */
static double gap_after(const struct crowd *w, const struct astra_sim_result *r,
			const struct astra_sim_run *run)
{
	double next = w->options.until_sec;

	for (size_t i = 0; i < r->run_count; i++)
		if (r->runs[i].job == run->job &&
		    r->runs[i].start_sec >= run->end_sec)
			next = fmin(next, r->runs[i].start_sec);
	return next - run->end_sec;
}

/* A gang waits two terms, eight if it fits a node, and while leases end for it.
 */
static void check_gaps(const struct crowd *w, const struct astra_sim_result *r,
		       uint32_t gpus)
{
	double most = TERM * (gpus > NODE_GPUS ? 2 + 2 : 8 + 2);

	for (size_t i = 0; i < r->run_count; i++)
		if (!w->jobs[r->runs[i].job].tenant &&
		    gap_after(w, r, &r->runs[i]) > most)
			fail_msg("a gang of %u GPUs waits for %.0f s", gpus,
				 gap_after(w, r, &r->runs[i]));
}

/* b has no more than its half, and an eighth of its half. */
static void a_gift_costs_no_turn(void **state)
{
	static const uint32_t sizes[] = {8, 16, 32};
	static struct crowd w;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct astra_sim_result r;
		double share;

		gifts(&w, sizes[i], 0);
		w.options.runs = true;
		simulate(&w, &r, 1);
		check_gaps(&w, &r, sizes[i]);
		share = r.tenants[1].alloc_gpu_sec / (GPUS * TERM * TERMS);
		if (share > 0.5 + 0.5 / 8)
			fail_msg("beside gangs of %u GPUs b has %.3f", sizes[i],
				 share);
		astra_sim_result_clear(&r);
		astra_cluster_clear(&w.cluster);
	}
}

/* Neither b's first starts, which can wait for b's own leases, nor its jobs that
 * ran once, of which there are ever more, take what a is due. */
static void who_has_just_its_due_keeps_it(void **state)
{
	static const uint32_t sizes[] = {2, 4, 8};
	static struct crowd w;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct astra_sim_result r;
		double share;

		half(&w, sizes[i]);
		simulate(&w, &r, 1);
		share = r.tenants[0].alloc_gpu_sec / (GPUS * TERM * TERMS);
		if (share < 0.45)
			fail_msg("gangs of %u GPUs have %.3f", sizes[i], share);
		astra_sim_result_clear(&r);
		astra_cluster_clear(&w.cluster);
	}
}

/* What a1 has had is no debt of its tenant, and no right of a1's beside a2. */
static void a_gift_is_no_right_beside_siblings(void **state)
{
	static struct crowd w;
	struct astra_sim_result r;
	double had[USERS] = {0};

	(void)state;
	gifts(&w, 8, 4);
	simulate(&w, &r, 1);
	for (size_t i = 0; i < w.trace.job_count; i++)
		if (!w.jobs[i].tenant)
			had[w.jobs[i].user] += r.jobs[i].alloc_gpu_sec;
	had[0] -= GPUS * TERM * TERMS;
	if (had[1] < had[0])
		fail_msg("a1 has %.0f GPU seconds, a2 %.0f", had[0], had[1]);
	astra_sim_result_clear(&r);
	astra_cluster_clear(&w.cluster);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_tenant_has_its_share_whatever_its_jobs_are),
		cmocka_unit_test(a_gift_costs_no_turn),
		cmocka_unit_test(who_has_just_its_due_keeps_it),
		cmocka_unit_test(a_gift_is_no_right_beside_siblings),
	};

	return cmocka_run_group_tests_name("sim_shares", tests, NULL, NULL);
}
