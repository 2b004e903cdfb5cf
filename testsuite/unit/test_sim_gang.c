/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A gang of the whole pool beside a flood of small jobs, under each policy but
 * the baselines: it starts within its bound, and so do all the others. Where
 * LTGF shares between tenants its tenant has about its share, too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/policies/options.h"
#include "src/policies/policy.h"
#include "src/sim/metrics.h"
#include "src/sim/simulate.h"
#include "testsuite/unit/unit.h"

#define NODES 4
#define NODE_GPUS 8
#define GPUS (NODES * NODE_GPUS)
#define TERM 1800.0
#define TERMS 30
#define SMALL_SEC 1800.0 /* a small job takes */
#define BIG_SEC 1000	 /* the gang comes */
#define JOBS 2500
#define SHARE_LEAST .4 /* of all GPU time, of half of it */

struct flood {
	struct astra_trace trace;
	struct astra_trace_job jobs[JOBS];
	char names[JOBS][16];
	struct astra_trace_tenant tenants[2];
	const char *users[2];
	struct astra_cluster cluster;
	struct astra_options policy;
	struct astra_sim_options options;
};

static void flood_add(struct flood *f, uint32_t tenant, uint32_t gpus,
		      double at_sec, double duration_sec)
{
	size_t i = f->trace.job_count++;

	assert_true(i < JOBS);
	snprintf(f->names[i], sizeof(f->names[i]), "j%zu", i);
	f->jobs[i] = (struct astra_trace_job){
		.name = f->names[i],
		.tenant = tenant,
		.user = tenant,
		.app = (uint32_t)i + 1,
		.gpus = gpus,
		.submit_sec = at_sec,
		.duration_sec = duration_sec,
		.start_sec = -1,
	};
}

/* Small jobs at twice what the cluster can do. Returns the gang's number. */
static size_t flood_make(struct flood *f)
{
	size_t gang = 0;

	memset(f, 0, sizeof(*f));
	f->trace.jobs = f->jobs;
	for (double at = 0; at < TERM * TERMS; at += SMALL_SEC / (2 * GPUS)) {
		if (!gang && at >= BIG_SEC) {
			gang = f->trace.job_count;
			flood_add(f, 1, GPUS, BIG_SEC, 2 * TERM * TERMS);
		}
		flood_add(f, 0, 1, at, SMALL_SEC);
	}
	f->tenants[0] = (struct astra_trace_tenant){"small", 1};
	f->tenants[1] = (struct astra_trace_tenant){"big", 1};
	f->users[0] = "ada";
	f->users[1] = "bob";
	f->trace.source = "flood";
	f->trace.app_count = (uint32_t)f->trace.job_count + 1;
	f->trace.tenants = f->tenants;
	f->trace.users = f->users;
	f->trace.tenant_count = f->trace.user_count = 2;
	assert_int_equal(astra_cluster_make(&f->cluster, NODES, NODE_GPUS, 2),
			 0);
	astra_options_init(&f->policy);
	f->policy.lease_sec = TERM;
	f->policy.lease_said = true;
	f->options = (struct astra_sim_options){
		.checkpoint_sec = 10,
		.cold_start_sec = 40,
		.slowdown = {1, 1, 1, 1},
		.until_sec = TERM * TERMS,
		.interval_sec = 3600,
		.seed = 1,
	};
	return gang;
}

static void check(const struct flood *f, size_t gang,
		  const struct astra_policy *policy,
		  const struct astra_sim_result *r)
{
	double share = r->tenants[1].alloc_gpu_sec / (GPUS * TERM * TERMS);

	printf("%s: the gang waited %.0f s of %.0f s, its tenant had %.1f %% of the GPU time\n",
	       policy->name, astra_first_wait_sec(r, gang),
	       r->jobs[gang].bound_sec, 100 * share);
	assert_true(r->jobs[gang].start_sec >= 0);
	assert_true(r->jobs[gang].bound_sec > 0);
	for (size_t i = 0; i < f->trace.job_count; i++)
		if (astra_is_over_bound(r, i))
			fail_msg(
				"%s, job %zu, %u GPUs: %g s over its bound of %g s",
				policy->name, i, f->jobs[i].gpus,
				astra_first_wait_sec(r, i) -
					r->jobs[i].bound_sec,
				r->jobs[i].bound_sec);
	if (!policy->allocate || policy->shares)
		assert_true(share >= SHARE_LEAST);
}

static void a_gang_of_the_whole_pool_starts_within_its_bound(void **state)
{
	static struct flood f;
	size_t gang = flood_make(&f);

	(void)state;
	for (const struct astra_policy *const *p = astra_policy_all(); *p;
	     p++) {
		struct astra_sim_result r;
		struct astra_error err = {""};

		if ((*p)->source)
			continue; /* a baseline has its own rule */
		if (astra_simulate(&f.trace, &f.cluster,
				   astra_scheduler_find((*p)->name, NULL),
				   &f.policy, &f.options, &r, &err) < 0)
			fail_msg("%s: %s", (*p)->name, err.text);
		check(&f, gang, *p, &r);
		astra_sim_result_clear(&r);
	}
	astra_cluster_clear(&f.cluster);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_gang_of_the_whole_pool_starts_within_its_bound),
	};

	return cmocka_run_group_tests_name("sim_gang", tests, NULL, NULL);
}
