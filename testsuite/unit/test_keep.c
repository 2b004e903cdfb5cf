/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that cannot checkpoint keep GPUs within their tenant's share (keep.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/engine/engine_priv.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000 + (t))
#define TERM 60

static void keep_set(struct vcluster *vc, size_t nodes, uint32_t gpus,
		     const char *policy)
{
	vc_init(vc, nodes, gpus);
	strcpy(vc->options.policy, policy);
	vc->options.lease_sec = TERM;
	vc->options.min_run_sec = 0;
	vc->options.grace_sec = 0;
	vc->options.unprepared = ASTRA_UNPREPARED_SHARE;
}

static void keep_tenants(struct vcluster *vc)
{
	vc_begin(vc);
	vc_tenant(vc, "a", 1);
	vc_tenant(vc, "b", 1);
}

static void keep_begin(struct vcluster *vc, size_t nodes, uint32_t gpus,
		       const char *policy)
{
	keep_set(vc, nodes, gpus, policy);
	keep_tenants(vc);
}

static struct vjob *keep_job(struct vcluster *vc, uint32_t tenant,
			     uint32_t gpus, double work_sec)
{
	struct vjob *v = vc_submit(vc, tenant, gpus, work_sec);

	v->job.unprepared = true;
	return v;
}

/* Those in which leases of one tenant end for another. */
static void each_policy(void (*check)(const char *policy))
{
	static const char *const policies[] = {"ltgf", "themis", "incentive",
					       "oasis", "ogasched"};

	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++)
		check(policies[i]);
}

/* The example of keep.c: 16 GPUs, shares of 8. */
static void example(const char *policy)
{
	struct vcluster vc = {0};
	struct vjob *a[4], *b[2];

	keep_begin(&vc, 2, 8, policy);
	for (int i = 0; i < 4; i++) {
		a[i] = keep_job(&vc, 0, 4, HUGE_VAL);
		vc_run(&vc, vc.now_sec + 5);
	}
	for (int i = 0; i < 2; i++)
		b[i] = keep_job(&vc, 1, 4, HUGE_VAL);
	vc_run(&vc, AT(4 * TERM - 1));
	for (int i = 0; i < 4; i++)
		if (a[i]->starts != 1)
			fail_msg("%s: job %d of a was interrupted within four "
				 "terms",
				 policy, i);
	vc_run(&vc, AT(12 * TERM));
	if (a[0]->starts != 1 || a[1]->starts != 1)
		fail_msg("%s: %u and %u starts within the share", policy,
			 a[0]->starts, a[1]->starts);
	if (!b[0]->starts || !b[1]->starts)
		fail_msg("%s: %u and %u starts of b, whose share is half",
			 policy, b[0]->starts, b[1]->starts);
	vc_fini(&vc);
}

static void borrowed_gpus_come_back(void **state)
{
	(void)state;
	each_policy(example);
}

/* Of what is borrowed no more than is lacked: with ltgf the job that started
 * last; with the others the policy may have more of it compete. */
static void last_goes_first(const char *policy)
{
	bool ltgf = !strcmp(policy, "ltgf");
	struct vcluster vc = {0};
	struct vjob *a[4], *b;

	keep_begin(&vc, 2, 8, policy);
	for (int i = 0; i < 4; i++) {
		a[i] = keep_job(&vc, 0, 4, HUGE_VAL);
		vc_run(&vc, vc.now_sec + 5);
	}
	vc_run(&vc, AT(2 * TERM));
	b = keep_job(&vc, 1, 4, HUGE_VAL);
	if (ltgf) { /* it is known when the one that started last has leases */
		double from = a[3]->job.start_sec + 4 * TERM;

		vc_run(&vc, vc.now_sec + 10);
		assert_float_equal(vc_view(&vc, b).reason.start_sec, from, 1);
		assert_int_equal(vc_view(&vc, b).reason.blocker, a[3]->job.id);
	}
	vc_run(&vc, AT(12 * TERM));
	if (a[0]->starts + a[1]->starts + a[2]->starts + a[3]->starts != 4 ||
	    a[0]->job.state != ASTRA_JOB_RUNNING ||
	    a[1]->job.state != ASTRA_JOB_RUNNING ||
	    (ltgf && a[2]->job.state != ASTRA_JOB_RUNNING) ||
	    b->job.state != ASTRA_JOB_RUNNING)
		fail_msg("%s: starts %u %u %u %u, b %u", policy, a[0]->starts,
			 a[1]->starts, a[2]->starts, a[3]->starts, b->starts);
	vc_fini(&vc);
}

static void the_one_that_started_last_goes_first(void **state)
{
	(void)state;
	each_policy(last_goes_first);
}

/* Beyond a tenant's share those that can checkpoint yield before the others. */
static void prepared_first(const char *policy)
{
	struct vcluster vc = {0};
	struct vjob *old[2], *prepared[2], *b[2];

	keep_begin(&vc, 2, 8, policy);
	for (int i = 0; i < 2; i++) {
		prepared[i] = vc_submit(&vc, 0, 4, HUGE_VAL);
		vc_run(&vc, vc.now_sec + 5);
	}
	for (int i = 0; i < 2; i++) {
		old[i] = keep_job(&vc, 0, 4, HUGE_VAL);
		vc_run(&vc, vc.now_sec + 5);
	}
	vc_run(&vc, AT(6 * TERM));
	for (int i = 0; i < 2; i++)
		b[i] = keep_job(&vc, 1, 4, HUGE_VAL);
	vc_run(&vc, AT(12 * TERM));
	if (old[0]->starts != 1 || old[1]->starts != 1 || !b[0]->starts ||
	    !b[1]->starts)
		fail_msg("%s: starts %u %u, prepared %u %u, b %u %u", policy,
			 old[0]->starts, old[1]->starts, prepared[0]->starts,
			 prepared[1]->starts, b[0]->starts, b[1]->starts);
	vc_fini(&vc);
}

static void those_that_can_checkpoint_yield_first(void **state)
{
	(void)state;
	each_policy(prepared_first);
}

/* A gang finds no place where so many GPUs as it lacks are scattered: with each
 * term more of what is borrowed may end for it. 4 nodes of 4; a's jobs of 3 and
 * 1 fill a node each; b has a share of 8 and wants two whole nodes. */
static void a_gang_gets_its_share(void **state)
{
	struct vcluster vc = {0};
	struct vjob *a[8], *gang;
	uint32_t kept = 0;

	(void)state;
	keep_begin(&vc, 4, 4, "ltgf");
	for (int i = 0; i < 8; i++) {
		a[i] = keep_job(&vc, 0, i % 2 ? 1 : 3, HUGE_VAL);
		vc_run(&vc, vc.now_sec + 2);
	}
	gang = keep_job(&vc, 1, 8, HUGE_VAL);
	gang->job.request.gpus_per_node = 4;
	gang->job.request.nodes_min = gang->job.request.nodes_max = 2;
	vc_run(&vc, AT(20 * TERM));
	assert_int_equal(gang->job.state, ASTRA_JOB_RUNNING);
	for (int i = 0; i < 8; i++)
		kept += a[i]->starts == 1 &&
					a[i]->job.state == ASTRA_JOB_RUNNING
				? a[i]->job.request.gpus
				: 0;
	assert_int_equal(kept, 8);
	vc_fini(&vc);
}

/* One GPU is free on each node, as many as b lacks, and of no use to it. */
static void idle_gpus_that_are_no_use_do_not_count_for_ever(void **state)
{
	struct vcluster vc = {0};
	struct vjob *b;

	(void)state;
	keep_begin(&vc, 4, 4, "ltgf");
	for (int i = 0; i < 4; i++)
		keep_job(&vc, 0, 3, HUGE_VAL);
	vc_run(&vc, AT(5));
	b = keep_job(&vc, 1, 4, HUGE_VAL);
	b->job.request.nodes_max = 1;
	vc_run(&vc, AT(12 * TERM));
	assert_int_equal(b->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* A stream of small jobs of a tenant beyond its share does not keep a gang of 7
 * of 8 GPUs waiting for ever: each may be requeued after four terms. */
static void a_stream_does_not_starve_a_gang(void **state)
{
	struct vcluster vc = {0};
	struct vjob *gang;

	(void)state;
	keep_begin(&vc, 1, 8, "ltgf");
	vc.tenants[1].weight = 7;
	keep_job(&vc, 0, 5, HUGE_VAL);
	vc_run(&vc, AT(5));
	gang = keep_job(&vc, 1, 7, HUGE_VAL);
	for (int i = 0; i < 100; i++) {
		keep_job(&vc, 0, 1, 10 * TERM);
		vc_run(&vc, vc.now_sec + 3);
	}
	vc_run(&vc, AT(8 * TERM));
	assert_int_equal(gang->starts, 1);
	vc_fini(&vc);
}

/* A run that was cut to end with a maintenance leaves in time for it. */
static void it_leaves_before_a_maintenance(void **state)
{
	struct vcluster vc = {0};
	struct vjob *v;

	(void)state;
	keep_begin(&vc, 1, 4, "ltgf");
	v = keep_job(&vc, 0, 4, HUGE_VAL);
	vc_run(&vc, AT(5));
	v->job.leave_sec = AT(2 * TERM);
	v->job.leave_cuts = true;
	vc_run(&vc, AT(2 * TERM - 5));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	vc_run(&vc, AT(2 * TERM + 5));
	assert_int_not_equal(v->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* Under a cap it counts to its time limit, as a job without leases. */
static void under_a_cap_it_counts_to_its_limit(void **state)
{
	struct vcluster vc = {0};
	struct vjob *endless, *limited, *prepared;

	(void)state;
	vc.period_sec = 30 * 86400;
	keep_begin(&vc, 1, 4, "ltgf");
	vc.period_sec = 30 * 86400;
	vc.options.cap_hours = 1; /* 3600 GPU seconds */
	assert_int_equal(astra_engine_configure(vc.engine, &vc.options, NULL),
			 0);
	endless = keep_job(&vc, 0, 1, HUGE_VAL);
	limited = keep_job(&vc, 0, 1, 600);
	limited->job.time_limit_sec = 1200;
	prepared = vc_submit(&vc, 0, 1, 600);
	vc_run(&vc, AT(5 * TERM));
	assert_int_equal(endless->starts, 0);
	assert_int_equal(limited->starts, 1);
	assert_int_equal(prepared->starts, 1);
	vc_fini(&vc);
}

/* Users within their share of the tenant's are kept first, though the other's
 * jobs began earlier. */
static void users_within_their_share_come_first(void **state)
{
	struct vcluster vc = {0};
	struct vjob *rich[3], *poor, *b[2];
	uint32_t ann, bob;

	(void)state;
	keep_begin(&vc, 2, 8, "ltgf");
	ann = vc_user(&vc, 0, "ann");
	bob = vc_user(&vc, 0, "bob");
	for (int i = 0; i < 3; i++) {
		rich[i] = keep_job(&vc, 0, 4, HUGE_VAL);
		rich[i]->job.user = ann;
		vc_run(&vc, vc.now_sec + 5);
	}
	poor = keep_job(&vc, 0, 4, HUGE_VAL);
	poor->job.user = bob;
	vc_run(&vc, vc.now_sec + 5);
	for (int i = 0; i < 2; i++)
		b[i] = keep_job(&vc, 1, 4, HUGE_VAL);
	vc_run(&vc, AT(12 * TERM));
	assert_int_equal(poor->starts, 1);
	assert_int_equal(poor->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(rich[0]->starts, 1);
	assert_int_equal(rich[0]->job.state, ASTRA_JOB_RUNNING);
	assert_true(b[0]->starts && b[1]->starts);
	vc_fini(&vc);
}

/* c has no jobs: half of the GPUs are b's share, and no more are taken. */
static void shares_are_of_tenants_that_have_jobs(void **state)
{
	struct vcluster vc = {0};
	uint32_t had = 0;

	(void)state;
	keep_begin(&vc, 2, 8, "ltgf");
	vc_tenant(&vc, "c", 6);
	for (int i = 0; i < 16; i++)
		keep_job(&vc, 0, 1, HUGE_VAL);
	vc_run(&vc, AT(5));
	for (int i = 0; i < 16; i++)
		keep_job(&vc, 1, 1, HUGE_VAL);
	vc_run(&vc, AT(20 * TERM));
	for (size_t i = 16; i < vc.job_count; i++)
		had += vc.jobs[i]->job.state == ASTRA_JOB_RUNNING;
	assert_int_equal(had, 8);
	vc_fini(&vc);
}

/* A job that had to begin anew is kept twice as long the next time: beside
 * tenants that come and go it gets to its end. */
static void what_was_interrupted_is_kept_longer(void **state)
{
	struct vcluster vc = {0};
	struct vjob *gang, *b;
	double from;

	(void)state;
	keep_begin(&vc, 1, 8, "ltgf");
	gang = keep_job(&vc, 0, 8, HUGE_VAL);
	b = keep_job(&vc, 1, 1, 10);
	vc_run(&vc, AT(5 * TERM));
	assert_int_equal(b->starts, 1);
	assert_int_equal(gang->starts, 2);
	from = gang->job.start_sec;
	b = keep_job(&vc, 1, 1, 10);
	vc_run(&vc, from + 8 * TERM - 2);
	assert_int_equal(b->starts, 0);
	vc_run(&vc, from + 9 * TERM);
	assert_int_equal(b->starts, 1);
	vc_fini(&vc);
}

/* Ten tenants, eight GPUs: nobody's share is a GPU, and all take turns. */
static void shares_below_a_gpu_take_turns(void **state)
{
	static const char *const names[] = {"c", "d", "e", "f",
					    "g", "h", "i", "j"};
	struct vcluster vc = {0};
	struct vjob *jobs[10];

	(void)state;
	keep_begin(&vc, 1, 8, "ltgf");
	for (uint32_t t = 2; t < 10; t++)
		vc_tenant(&vc, names[t - 2], 1);
	for (uint32_t t = 0; t < 10; t++)
		jobs[t] = keep_job(&vc, t, 1, HUGE_VAL);
	vc_run(&vc, AT(40 * TERM));
	for (uint32_t t = 0; t < 10; t++)
		if (!jobs[t]->starts)
			fail_msg("tenant %u never had a GPU", t);
	vc_fini(&vc);
}

/* Over a restart, and over the option's change there and back. */
static void it_is_the_same_after_a_restart(void **state)
{
	struct vcluster vc = {0};
	struct vjob *a[2], *b;
	struct astra_error err;

	(void)state;
	keep_begin(&vc, 1, 8, "ltgf");
	for (int i = 0; i < 2; i++) {
		a[i] = keep_job(&vc, 0, 4, HUGE_VAL);
		vc_run(&vc, vc.now_sec + 5);
	}
	vc_run(&vc, AT(6 * TERM));
	vc_restart(&vc);
	assert_false(vc_view(&vc, a[0]).revocable);
	b = keep_job(&vc, 1, 8, HUGE_VAL);
	vc_run(&vc, AT(9 * TERM));
	assert_int_equal(a[0]->starts, 1);
	assert_int_equal(a[0]->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(b->starts, 0); /* beside it there are 4 */
	vc.options.unprepared = ASTRA_UNPREPARED_REQUEUE;
	assert_int_equal(astra_engine_configure(vc.engine, &vc.options, &err),
			 0);
	vc_run(&vc, AT(12 * TERM));
	assert_true(b->starts > 0);
	vc.options.unprepared = ASTRA_UNPREPARED_SHARE;
	assert_int_equal(astra_engine_configure(vc.engine, &vc.options, &err),
			 0);
	vc_run(&vc, AT(13 * TERM));
	vc_fini(&vc);
}

/* Random worlds: no run that cannot checkpoint is taken back before
 * UnpreparedMin, nor of a tenant that holds no more than its share; and whoever
 * lacks a share gets GPUs in time. */
struct keep_seen {
	uint64_t held[2]; /* by tenant, before the round */
	double since[64];
	uint32_t runs[64];
};

static void keep_look(struct vcluster *vc)
{
	double least = astra_unprepared_sec(&vc->options);

	for (size_t i = 0; i < vc->engine->job_count; i++) {
		const struct ejob *j = &vc->engine->jobs[i];
		const struct vjob *v;
		double gpus = 0;

		if (!j->id || j->phase == ASTRA_PHASE_WAITING ||
		    j->phase == ASTRA_PHASE_LEASED)
			continue;
		v = vc->jobs[j->id - 1];
		if (!v->job.unprepared || v->job.state != ASTRA_JOB_RUNNING)
			continue;
		if (vc->now_sec - j->start_sec < least - 1)
			fail_msg("%s: job %u leaves after %.0f s",
				 vc->options.policy, j->id,
				 vc->now_sec - j->start_sec);
		for (size_t k = 0; k < vc->job_count; k++)
			if (vc->jobs[k]->job.tenant == v->job.tenant &&
			    vc->jobs[k]->job.state == ASTRA_JOB_RUNNING)
				gpus += vc->jobs[k]->job.request.gpus;
		if (j->phase == ASTRA_PHASE_DOOMED && v->checkpoint_sec == 0 &&
		    gpus <= *(double *)vc->test)
			fail_msg("%s: job %u leaves within its share of %.1f",
				 vc->options.policy, j->id, gpus);
	}
}

static void random_world(uint64_t seed, const char *policy)
{
	struct vcluster vc = {0};
	struct astra_random random;
	double share = 8;
	size_t waiting = 0;

	random = astra_random_seed(seed);
	keep_begin(&vc, 4, 4, policy);
	vc.looked = keep_look;
	vc.test = &share; /* of two tenants of one weight */
	for (int step = 0; step < 40; step++) {
		uint32_t gpus = 1u << astra_random_below(&random, 3);
		double work = 30 + (double)astra_random_below(&random, 900);

		keep_job(&vc, (uint32_t)astra_random_below(&random, 2), gpus,
			 work);
		vc_run(&vc,
		       vc.now_sec + (double)astra_random_below(&random, 60));
	}
	vc_run(&vc, vc.now_sec + 6000);
	for (size_t i = 0; i < vc.job_count; i++)
		waiting += vc.jobs[i]->job.state == ASTRA_JOB_PENDING;
	if (waiting)
		fail_msg("%s, seed %ju: %zu jobs wait for ever", policy,
			 (uintmax_t)seed, waiting);
	vc_fini(&vc);
}

/* While a job keeps its GPUs no first start is promised; afterwards it is, as
 * if the job had come then, first in line: 16 GPUs after 2 + 16/8 terms, here
 * by 7.5. */
static void no_start_is_promised_beside_them(void **state)
{
	struct vcluster vc = {0};
	struct vjob *b, *gang;

	(void)state;
	keep_begin(&vc, 2, 8, "ltgf");
	keep_job(&vc, 0, 16, 3.5 * TERM);
	vc_run(&vc, AT(5));
	b = vc_submit(&vc, 1, 4, HUGE_VAL);
	gang = vc_submit(&vc, 1, 16, HUGE_VAL);
	vc_run(&vc, AT(TERM));
	assert_int_equal(b->starts, 0);
	assert_true(vc_view(&vc, b).bound_sec > 0);
	assert_close(vc_view(&vc, b).reason.bound_sec, 0, 0);
	vc_run(&vc, AT(4 * TERM));
	assert_int_equal(b->starts, 1);
	assert_true(vc_view(&vc, gang).bound_sec < AT(5.5 * TERM));
	assert_true(vc_view(&vc, gang).reason.bound_sec > AT(7 * TERM));
	vc_fini(&vc);
}

/* Five gangs that wait while a job keeps all GPUs for longer than their bounds,
 * and a restart afterwards. What is promised then comes no later. */
static void jobs_in_line_are_not_promised_one_start(void **state)
{
	struct vcluster vc = {0};
	struct vjob *gangs[5];
	double promised[5];

	(void)state;
	keep_set(&vc, 2, 8, "ltgf");
	vc.options.unprepared_sec = 30 * TERM;
	keep_tenants(&vc);
	keep_job(&vc, 0, 16, 15.5 * TERM);
	vc_run(&vc, AT(5));
	for (int i = 0; i < 5; i++)
		gangs[i] = vc_submit(&vc, 1, 16, HUGE_VAL);
	for (int i = 0; i < 3; i++)
		vc_submit(&vc, 0, 16, HUGE_VAL);
	vc_run(&vc, AT(10 * TERM));
	vc_restart(&vc);
	vc_run(&vc, AT(16 * TERM));
	assert_int_equal(gangs[0]->starts, 1);
	for (int i = 1; i < 5; i++) {
		promised[i] = vc_view(&vc, gangs[i]).reason.bound_sec;
		assert_true(promised[i] > vc_view(&vc, gangs[i]).bound_sec);
		assert_true(i == 1 || promised[i] > promised[i - 1]);
	}
	vc_restart(&vc);
	vc_step(&vc);
	for (int i = 1; i < 5; i++)
		assert_close(vc_view(&vc, gangs[i]).reason.bound_sec,
			     promised[i], 1);
	for (int i = 1; i < 5; i++) {
		vc_run(&vc, promised[i] + 1);
		if (!gangs[i]->starts)
			fail_msg("gang %d has not started", i);
	}
	vc_fini(&vc);
}

/* Nodes of 4 GPUs, full of jobs of one GPU that end after 20 to 54 s and may
 * run for 60. A job of another tenant that needs a whole node gets one once
 * what runs there has ended: within two time limits and the terms of its bound.
 */
static void a_node_comes_free_beside_small_jobs(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct vcluster vc = {0};
		struct astra_random random = astra_random_seed(seed);
		struct vjob *gang;
		double came;

		vc_init(&vc, 3, 4);
		strcpy(vc.options.policy, "ltgf");
		vc.options.lease_sec = 10;
		vc.options.recall_sec = 2;
		vc.options.min_run_sec = 0;
		vc.options.grace_sec = 2;
		vc.options.unprepared = ASTRA_UNPREPARED_SHARE;
		vc_begin(&vc);
		for (int i = 0; i < 3; i++)
			vc_tenant(&vc, (const char *[]){"a", "b", "c"}[i], 1);
		for (uint32_t i = 0; i < 120; i++)
			keep_job(&vc, i % 2, 1,
				 20 + (double)astra_random_below(&random, 35))
				->job.time_limit_sec = 60;
		vc_run(&vc, vc.now_sec + 25);
		came = vc.now_sec;
		gang = keep_job(&vc, 2, 4, 30);
		gang->job.request.nodes_max = 1;
		gang->job.time_limit_sec = 60;
		vc_run(&vc, came + 2 * 60 + 3 * 10);
		if (!gang->starts)
			fail_msg("seed %ju: it waits after %g s",
				 (uintmax_t)seed, vc.now_sec - came);
		vc_fini(&vc);
	}
}

static void nobody_within_its_share_is_interrupted(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		random_world(seed, "ltgf");
		random_world(seed, "themis");
	}
}

/* The first day at a site: 200 jobs of five tenants on 32 GPUs, a third of the
 * GPUs in jobs with a whole node, and a term is a hundredth of it. */
#define DAY_TENANTS 5
#define DAY_JOBS 200
#define DAY_TERM 10
#define DAY_SEC 540
#define DAY_BEGUN 60 /* from then on GPUs are counted */
#define DAY_GPUS 32

struct day {
	struct vcluster vc;
	double at_sec[DAY_JOBS];
	double had[DAY_TENANTS], due[DAY_TENANTS];
	int whole, whole_started;
};

static void day_submit(struct day *d, struct astra_random *random, int second)
{
	static const uint32_t sizes[] = {1, 1, 1, 2, 2, 4};

	for (int i = 0; i < DAY_JOBS; i++) {
		uint32_t gpus = sizes[astra_random_below(random, 6)];
		double work = 20 + (double)astra_random_below(random, 141);
		struct vjob *v;

		if ((int)(180 * d->at_sec[i]) != second)
			continue;
		v = keep_job(&d->vc, (uint32_t)i % DAY_TENANTS, gpus, work);
		v->job.request.gpus_per_node = gpus;
		v->job.time_limit_sec = 60 * (1 + floor(work / 60));
	}
}

/* What each holds, and its share of the GPUs: what one does not ask for is the
 * others'. */
static void day_count(struct day *d)
{
	double wants[DAY_TENANTS] = {0}, left = DAY_GPUS;
	bool has[DAY_TENANTS] = {false};

	for (size_t i = 0; i < d->vc.job_count; i++) {
		const struct astra_job *job = &d->vc.jobs[i]->job;

		if (job->state == ASTRA_JOB_ENDED)
			continue;
		wants[job->tenant] += job->request.gpus;
		if (job->state == ASTRA_JOB_RUNNING)
			d->had[job->tenant] += job->request.gpus;
	}
	for (int n = DAY_TENANTS; n; n--) {
		int least = -1;

		for (int i = 0; i < DAY_TENANTS; i++)
			if (!has[i] && (least < 0 || wants[i] < wants[least]))
				least = i;
		has[least] = true;
		wants[least] = fmin(wants[least], left / n);
		left -= wants[least];
		d->due[least] += wants[least];
	}
}

static void day_run(uint64_t seed, int *whole, int *started)
{
	static struct day d;
	struct astra_random random = astra_random_seed(seed);

	memset(&d, 0, sizeof(d));
	keep_set(&d.vc, 8, 4, "ltgf");
	d.vc.options.lease_sec = DAY_TERM;
	vc_begin(&d.vc);
	for (int i = 0; i < DAY_TENANTS; i++)
		vc_tenant(&d.vc, (const char *[]){"a", "b", "c", "d", "e"}[i],
			  1);
	for (int i = 0; i < DAY_JOBS; i++)
		d.at_sec[i] = astra_random_uniform(&random);
	for (int t = 0; t < DAY_SEC; t++) {
		struct astra_random sizes = astra_random_seed(seed + 1000);

		day_submit(&d, &sizes, t);
		vc_step(&d.vc);
		if (t >= DAY_BEGUN)
			day_count(&d);
	}
	for (size_t i = 0; i < d.vc.job_count; i++) {
		d.whole += d.vc.jobs[i]->job.request.gpus == 4;
		d.whole_started += d.vc.jobs[i]->job.request.gpus == 4 &&
				   d.vc.jobs[i]->starts;
	}
	for (int i = 0; i < DAY_TENANTS; i++)
		if (!(fabs(d.had[i] / d.due[i] - 1) <= 0.15))
			fail_msg("seed %u: tenant %d has %.2f of its due",
				 (unsigned)seed, i, d.had[i] / d.due[i]);
	*whole += d.whole;
	*started += d.whole_started;
	vc_fini(&d.vc);
}

static void shares_hold_beside_whole_nodes(void **state)
{
	int whole = 0, started = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= draws(12); seed++)
		day_run(seed, &whole, &started);
	print_message("%d of %d jobs with a whole node started\n", started,
		      whole);
	assert_true(started * 5 >= whole * 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(borrowed_gpus_come_back),
		cmocka_unit_test(a_node_comes_free_beside_small_jobs),
		cmocka_unit_test(no_start_is_promised_beside_them),
		cmocka_unit_test(jobs_in_line_are_not_promised_one_start),
		cmocka_unit_test(the_one_that_started_last_goes_first),
		cmocka_unit_test(those_that_can_checkpoint_yield_first),
		cmocka_unit_test(a_gang_gets_its_share),
		cmocka_unit_test(
			idle_gpus_that_are_no_use_do_not_count_for_ever),
		cmocka_unit_test(a_stream_does_not_starve_a_gang),
		cmocka_unit_test(it_leaves_before_a_maintenance),
		cmocka_unit_test(under_a_cap_it_counts_to_its_limit),
		cmocka_unit_test(users_within_their_share_come_first),
		cmocka_unit_test(shares_are_of_tenants_that_have_jobs),
		cmocka_unit_test(what_was_interrupted_is_kept_longer),
		cmocka_unit_test(shares_below_a_gpu_take_turns),
		cmocka_unit_test(it_is_the_same_after_a_restart),
		cmocka_unit_test(nobody_within_its_share_is_interrupted),
		cmocka_unit_test(shares_hold_beside_whole_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
