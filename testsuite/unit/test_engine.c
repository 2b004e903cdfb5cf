/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine on a virtual cluster. Times are relative to its begin, 1000. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/policies/options.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))

static void use_terms(struct vcluster *vc, double lease_sec)
{
	vc->options.lease_sec = lease_sec;
	vc->options.grace_sec = 2;
	vc->options.round_sec = 5;
}

/* Fig. 6: 6 GPUs, one tenant, job 1 wants all of them, jobs 2 and 3 half each:
 * 1 | 2,3 | 2,3 | 1 | 2,3 | 2,3 | 1 | 1. */
static void figure_6_alternates_one_to_two(void **state)
{
	struct vcluster vc;
	struct vjob *j1, *j2, *j3;
	(void)state;

	vc_init(&vc, 1, 6);
	use_terms(&vc, 20);
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	j1 = vc_submit(&vc, 0, 6, HUGE_VAL);
	j2 = vc_submit(&vc, 0, 3, HUGE_VAL);
	j3 = vc_submit(&vc, 0, 3, HUGE_VAL);
	/* Sample in the middle of each term; a switch costs two seconds. */
	vc_run(&vc, AT(10));
	assert_int_equal(j1->job.state, ASTRA_JOB_RUNNING);
	vc_run(&vc, AT(32));
	assert_int_equal(j2->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(j3->job.state, ASTRA_JOB_RUNNING);
	vc_run(&vc, AT(52));
	assert_int_equal(j2->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(j2->starts, 1); /* renewed, not restarted */
	/* After three terms and one switch: 6*20, 3*40, 3*40 GPU seconds of
	 * 2*62 each. */
	vc_run(&vc, AT(62));
	assert_true(fabs(vc_view(&vc, j1).rho - 120 / 124.0) < 0.05);
	assert_true(fabs(vc_view(&vc, j2).rho - 120 / 124.0) < 0.05);
	assert_true(fabs(vc_view(&vc, j3).rho - 120 / 124.0) < 0.05);
	vc_run(&vc, AT(74));
	assert_int_equal(j1->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* Figure 6 again; in its second term the clock is set. */
static void check_clock(double by_sec)
{
	struct vcluster vc;
	struct vjob *j1, *j2;

	vc_init(&vc, 1, 6);
	use_terms(&vc, 20);
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	j1 = vc_submit(&vc, 0, 6, HUGE_VAL);
	j2 = vc_submit(&vc, 0, 3, HUGE_VAL);
	vc_submit(&vc, 0, 3, HUGE_VAL);
	vc_run(&vc, AT(32));
	vc_set_clock(&vc, by_sec);
	vc_run(&vc, AT(52 + by_sec));
	assert_int_equal(j2->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(j2->starts, 1);
	vc_run(&vc, AT(62 + by_sec));
	assert_true(fabs(vc_view(&vc, j1).rho - 120 / 124.0) < 0.05);
	assert_true(fabs(vc_view(&vc, j2).rho - 120 / 124.0) < 0.05);
	assert_true(fabs(vc_tenant_view(&vc, 0).usage.alloc - 6 * 60) < 12);
	vc_run(&vc, AT(74 + by_sec));
	assert_int_equal(j1->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

static void a_clock_that_is_set_changes_nothing(void **state)
{
	(void)state;
	check_clock(3600);
	check_clock(-900);
}

/* The clock is set between a start and the round that sees the run, and back; a
 * job that never ran waits and would recall a lease after 120 s. */
static void check_clock_at_start(double by_sec)
{
	struct astra_job_view view;
	struct vcluster vc;
	struct vjob *job;

	vc_init(&vc, 1, 2);
	use_terms(&vc, 1200);
	vc.options.recall_sec = 120;
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	job = vc_submit(&vc, 0, 2, HUGE_VAL);
	while (job->job.state != ASTRA_JOB_RUNNING)
		vc_step(&vc);
	vc_submit(&vc, 1, 2, HUGE_VAL);
	vc_set_clock(&vc, by_sec);
	for (int i = 0; i < 2; i++) {
		vc_run(&vc, vc.now_sec + 20);
		assert_int_equal(job->job.state, ASTRA_JOB_RUNNING);
		assert_int_equal(job->starts, 1);
		view = vc_view(&vc, job);
		assert_true(view.start_sec <= vc.now_sec);
		assert_true(view.start_sec > vc.now_sec - 60);
		assert_true(view.lease_start_sec == view.start_sec);
		vc_set_clock(&vc, -by_sec);
	}
	vc_fini(&vc);
}

static void a_clock_that_is_set_at_a_start_ends_no_lease(void **state)
{
	(void)state;
	check_clock_at_start(3600);
	check_clock_at_start(-900);
}

/* Eq. 16: tenants with endless work get GPU time in proportion to weight. */
static void check_endless_work(bool promise, int terms)
{
	struct vcluster vc;
	double total = 0;

	vc_init(&vc, 4, 8);
	vc.options.promise = promise;
	use_terms(&vc, 30);
	vc_begin(&vc);
	for (uint32_t t = 0; t < 3; t++) {
		static const char *const names[] = {"a", "b", "c"};

		vc_tenant(&vc, names[t], t ? 1 : 2);
		for (int i = 0; i < 40; i++)
			vc_submit(&vc, t, 1u << (i % 4), HUGE_VAL);
	}
	vc_run(&vc, AT(terms * 32));
	for (uint32_t t = 0; t < 3; t++)
		total += vc_tenant_view(&vc, t).usage.alloc;
	for (uint32_t t = 0; t < 3; t++) {
		double share = vc_tenant_view(&vc, t).usage.alloc / total;
		double right = t ? 0.25 : 0.5;

		assert_true(fabs(share / right - 1) < 0.05);
	}
	vc_fini(&vc);
}

/* First starts of 150 GPUs a tenant come first for some twenty terms where they
 * are promised. */
static void endless_work_is_shared_by_weight(void **state)
{
	(void)state;
	check_endless_work(false, 10);
	check_endless_work(true, 40);
}

/* A user's name that comes after its jobs is no second tenant's. */
static void a_renamed_tenant_keeps_what_it_has(void **state)
{
	struct vcluster vc;
	double had;

	(void)state;
	vc_init(&vc, 1, 4);
	vc_begin(&vc);
	vc_tenant(&vc, "1003", 1);
	vc_tenant(&vc, "bob", 1);
	vc_submit(&vc, 0, 2, INFINITY);
	vc_run(&vc, AT(10));
	had = vc_tenant_view(&vc, 0).usage.alloc;
	assert_true(had > 0);
	assert_false(astra_engine_rename_tenant(vc.engine, "1004", "alice"));
	assert_false(astra_engine_rename_tenant(vc.engine, "1003", "bob"));
	assert_true(astra_engine_rename_tenant(vc.engine, "1003", "alice"));
	vc.tenants[0].name = "alice";
	vc_run(&vc, AT(20));
	vc_restart(&vc);
	vc_run(&vc, AT(30));
	assert_int_equal(astra_engine_tenant_count(vc.engine), 2);
	assert_string_equal(vc_tenant_view(&vc, 0).name, "alice");
	assert_true(vc_tenant_view(&vc, 0).usage.alloc > 2 * had);
	vc_fini(&vc);
}

/* A stream of small jobs with staggered leases keeps the cluster full; a job
 * of `gpus` starts within two terms all the same. */
static void check_starvation(unsigned seed, uint32_t gpus, uint32_t per_node)
{
	struct vcluster vc;
	struct vjob *big;

	srand(seed);
	vc_init(&vc, 4, 8);
	use_terms(&vc, 60);
	vc.options.min_run_sec = seed % 3 * 10;
	vc_begin(&vc);
	vc_tenant(&vc, "small", 1);
	vc_tenant(&vc, "large", 1);
	for (int i = 0; i < 32; i++) {
		vc_submit(&vc, 0, 1, 20 + rand() % 300);
		vc_run(&vc, AT(3 * i));
	}
	big = vc_submit(&vc, 1, gpus, 100);
	big->job.request.gpus_per_node = per_node;
	big->job.checkpoints = true;
	while (vc.now_sec < AT(600) && !big->starts) {
		uint32_t size = 1 + (uint32_t)rand() % (seed % 4 + 1);

		if (vc_running_gpus(&vc) < 40 && rand() % 3 &&
		    vc.job_count < 900)
			vc_submit(&vc, 0, size, 5 + rand() % 300);
		vc_step(&vc);
	}
	if (!big->starts)
		fail_msg("seed %u: %u GPUs, %u a node: not started", seed, gpus,
			 per_node);
	assert_true(big->job.start_sec - big->waited_from_sec <= 120);
	vc_fini(&vc);
}

static void large_jobs_start_within_two_terms(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 10; seed++) {
		check_starvation(seed, 32, 0);
		check_starvation(seed, 32, 8);
		check_starvation(seed, 16, 0);
		check_starvation(seed, 16, 8);
		check_starvation(seed, 8, 8);
	}
}

/* A gang waits behind small jobs of its own tenant; another tenant has all it
 * wants with one GPU, so it is the neediest, but not waiting. */
static void check_content(unsigned seed, uint32_t gpus, uint32_t per_node)
{
	struct vcluster vc;
	struct vjob *gang, *one;

	srand(seed);
	vc_init(&vc, 4, 8);
	use_terms(&vc, 60);
	vc_begin(&vc);
	vc_tenant(&vc, "content", 1);
	vc_tenant(&vc, "busy", 1);
	one = vc_submit(&vc, 0, 1, HUGE_VAL);
	for (int i = 0; i < 40; i++) {
		vc_submit(&vc, 1, 1, 20 + rand() % 100);
		vc_run(&vc, AT(3 * i));
	}
	gang = vc_submit(&vc, 1, gpus, 100);
	gang->job.request.gpus_per_node = per_node;
	for (int i = 0; i < 200; i++)
		vc_submit(&vc, 1, 1, 20 + rand() % 100);
	while (vc.now_sec < AT(600) && !gang->starts)
		vc_step(&vc);
	if (!gang->starts)
		fail_msg("seed %u: %u GPUs, %u a node: not started", seed, gpus,
			 per_node);
	/* 2 + GPUs / Quota terms where the other one must leave, too */
	assert_true(gang->job.start_sec - gang->waited_from_sec <=
		    (gpus < 32 ? 120 : 60 * (2 + gpus / 16.0)));
	if (gpus < 32) /* there is room for both */
		assert_int_equal(one->starts, 1);
	vc_fini(&vc);
}

static void a_content_tenant_keeps_no_gang_waiting(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 10; seed++) {
		check_content(seed, 16, 8);
		check_content(seed, 16, 0);
		check_content(seed, 24, 8);
		check_content(seed, 32, 0);
	}
}

static struct vjob *submit_with(struct vcluster *vc, uint32_t tenant,
				uint32_t gpus, uint32_t cpus, uint64_t mem_mib)
{
	struct vjob *v = vc_submit(vc, tenant, gpus, HUGE_VAL);

	v->job.request.cpus = cpus;
	v->job.request.mem_node_mib = mem_mib;
	return v;
}

/* Two jobs of one GPU have all CPUs, or all memory, of their nodes. By count
 * there are GPUs for everybody, so they are renewed; but at their leases' end
 * one of them has to yield to the needier. */
static void hogs_yield_what_the_needier_lack(void **state)
{
	static const struct {
		uint32_t hog_cpus, gpus, cpus;
		uint64_t hog_mem, mem;
		enum astra_lack lack;
	} cases[] = {
		{32, 1, 1, 0, 0, ASTRA_LACK_CPUS},
		{32, 4, 1, 0, 0, ASTRA_LACK_CPUS},
		{1, 2, 1, 1 << 20, 1000, ASTRA_LACK_MEMORY},
		{30, 1, 8, 0, 0, ASTRA_LACK_CPUS},
		{20, 2, 26, 900000, 200000, ASTRA_LACK_BOTH},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct vcluster vc;
		struct vjob *want;

		vc_init(&vc, 2, 4);
		use_terms(&vc, 20);
		vc_begin(&vc);
		vc_tenant(&vc, "a", 1);
		vc_tenant(&vc, "b", 1);
		for (int k = 0; k < 2; k++)
			submit_with(&vc, 0, 1, cases[i].hog_cpus,
				    cases[i].hog_mem);
		vc_run(&vc, AT(5));
		want = submit_with(&vc, 1, cases[i].gpus, cases[i].cpus,
				   cases[i].mem);
		want->job.request.nodes_max = cases[i].gpus < 4 ? 1 : 0;
		vc_run(&vc, AT(8));
		assert_int_equal(vc_view(&vc, want).reason.wait,
				 ASTRA_WAIT_HOLD);
		assert_int_equal(vc_view(&vc, want).reason.lack, cases[i].lack);
		vc_run(&vc, AT(45));
		if (want->starts != 1)
			fail_msg("case %zu: %u starts", i, want->starts);
		assert_int_equal(vc.most_reclaimed, 1);
		vc_fini(&vc);
	}
}

/* Of three jobs whose leases are over together, that one is taken back which
 * has the CPUs with the fewest GPUs. */
static void fewest_gpus_are_taken_for_cpus(void **state)
{
	struct vcluster vc;
	struct vjob *want, *few, *many;
	(void)state;

	vc_init(&vc, 1, 8);
	use_terms(&vc, 20);
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	submit_with(&vc, 0, 1, 4, 0);
	many = submit_with(&vc, 0, 3, 40, 0);
	few = submit_with(&vc, 0, 2, 20, 0);
	vc_run(&vc, AT(10));
	want = submit_with(&vc, 1, 1, 20, 0);
	vc_run(&vc, AT(30));
	assert_int_equal(want->starts, 1);
	assert_int_equal(vc.most_reclaimed, 2);
	assert_int_equal(many->starts, 1);
	assert_int_equal(few->job.state, ASTRA_JOB_PENDING);
	vc_fini(&vc);
}

/* Jobs of one GPU and half a node's CPUs come all the time and their leases end
 * one by one; who wants all CPUs of a node gets them by a hold. */
static void a_hold_collects_cpus_too(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 10; seed++) {
		struct vcluster vc;
		struct vjob *want;

		srand(seed);
		vc_init(&vc, 2, 4);
		use_terms(&vc, 60);
		vc_begin(&vc);
		vc_tenant(&vc, "a", 1);
		vc_tenant(&vc, "b", 1);
		for (int i = 0; i < 8; i++) {
			submit_with(&vc, 0, 1, 16, 0);
			vc_run(&vc, AT(11 * i + rand() % 10));
		}
		want = submit_with(&vc, 1, 1, 32, 0);
		while (vc.now_sec < AT(600) && !want->starts)
			vc_step(&vc);
		if (!want->starts)
			fail_msg("seed %u: not started", seed);
		assert_true(want->job.start_sec - want->waited_from_sec <= 120);
		vc_fini(&vc);
	}
}

/* A hold waits for a job that leaves only when its grace is over. What is lent
 * meanwhile is no lease: leases are as many as the terms allow. */
static void lend(double learned_sec, double least_sec)
{
	struct vcluster vc;
	struct vjob *small[8], *big;
	uint32_t lent = 0;

	vc_init(&vc, 2, 4);
	use_terms(&vc, 60);
	vc.options.grace_sec = 20;
	vc_begin(&vc);
	vc_tenant(&vc, "small", 1);
	vc_tenant(&vc, "large", 1);
	for (int i = 0; i < 8; i++) {
		small[i] = vc_submit(&vc, 0, 1, HUGE_VAL);
		small[i]->job.checkpoints = true; /* and ignores its signal */
		small[i]->job.min_run_sec = learned_sec;
		vc_run(&vc, AT(7 * i + 6));
	}
	big = vc_submit(&vc, 1, 8, 30);
	while (!big->starts && vc.now_sec < AT(400)) {
		vc_step(&vc);
		for (int i = 0; i < 8; i++) {
			struct astra_job_view v = vc_view(&vc, small[i]);

			if (v.lease_end_sec <= 0)
				continue;
			lent += v.lent;
			assert_true(v.lease_end_sec - v.lease_start_sec >=
				    least_sec);
			assert_true(v.leases <= 1 + (vc.now_sec - AT(0)) / 60);
		}
	}
	assert_true(big->starts > 0);
	assert_true(lent > 0);
	vc_fini(&vc);
}

static void what_is_lent_is_no_lease(void **state)
{
	(void)state;
	lend(0, 6);
}

/* MinRunTime=auto: what a job needs to start up and save something. */
static void nothing_is_lent_for_less_than_a_job_needs(void **state)
{
	(void)state;
	lend(25, 25);
}

/* Half of a node is idle, and held for a job that needs all of it. Those GPUs
 * are lent to a job that comes 20 s before, and not for less than
 * RoundInterval, 5 s. */
static void nothing_is_lent_for_less_than_a_round(void **state)
{
	struct vcluster vc;
	struct vjob *runs, *big, *early, *late;
	double hold_sec;
	(void)state;

	vc_init(&vc, 1, 4);
	use_terms(&vc, 60);
	vc.options.min_run_sec = 0;
	vc_begin(&vc);
	vc_tenant(&vc, "small", 1);
	vc_tenant(&vc, "large", 1);
	runs = vc_submit(&vc, 0, 2, HUGE_VAL);
	vc_run(&vc, AT(5));
	big = vc_submit(&vc, 1, 4, HUGE_VAL);
	vc_run(&vc, AT(10));
	assert_int_equal(astra_engine_hold(vc.engine).job, big->job.id);
	hold_sec = astra_engine_hold(vc.engine).start_sec;
	vc_run(&vc, hold_sec - 20);
	early = vc_submit(&vc, 0, 1, HUGE_VAL);
	vc_run(&vc, hold_sec - 4);
	assert_true(vc_view(&vc, early).lent);
	late = vc_submit(&vc, 0, 1, HUGE_VAL);
	vc_run(&vc, hold_sec + 10);
	assert_int_equal(big->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(runs->job.state, ASTRA_JOB_PENDING);
	assert_int_equal(late->starts, 0);
	vc_fini(&vc);
}

/* While GPUs are held for it, they are lent. */
static void held_gpus_are_lent(void **state)
{
	struct vcluster vc;
	struct vjob *big;
	double busy = 0, seconds = 0;
	(void)state;

	vc_init(&vc, 4, 8);
	use_terms(&vc, 60);
	vc.options.min_run_sec = 5;
	vc_begin(&vc);
	vc_tenant(&vc, "small", 1);
	vc_tenant(&vc, "large", 1);
	for (int i = 0; i < 64; i++) {
		vc_submit(&vc, 0, 1, HUGE_VAL);
		if (i < 32)
			vc_run(&vc, AT(i));
	}
	vc_run(&vc, AT(70));
	big = vc_submit(&vc, 1, 32, 30);
	while (!big->starts && vc.now_sec < AT(300)) {
		vc_step(&vc);
		busy += vc_running_gpus(&vc);
		seconds += 1;
	}
	assert_true(big->starts > 0);
	assert_true(busy / seconds > 0.85 * 32);
	vc_fini(&vc);
}

/* To start a job, nobody loses GPUs but for one node's rest: of the six jobs
 * on three nodes only the one that had most (rho 4.7 against 1.2 and 2.3) is
 * taken back, and the others do not notice. */
static void only_the_loser_is_taken_back(void **state)
{
	struct vcluster vc;
	struct vjob *want;
	(void)state;

	vc_init(&vc, 3, 8);
	use_terms(&vc, 20);
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	vc_submit(&vc, 0, 8, HUGE_VAL);
	for (int i = 0; i < 4; i++)
		vc_submit(&vc, 0, 2, HUGE_VAL);
	vc_submit(&vc, 0, 4, HUGE_VAL);
	vc_submit(&vc, 0, 4, HUGE_VAL);
	vc_run(&vc, AT(10));
	want = vc_submit(&vc, 1, 4, HUGE_VAL);
	vc_run(&vc, AT(30));
	assert_int_equal(want->starts, 1);
	assert_int_equal(vc.most_reclaimed, 8);
	for (size_t i = 1; i < 7; i++)
		assert_int_equal(vc.jobs[i]->starts, 1);
	vc_fini(&vc);
}

/* Two jobs of two GPUs and one of four share a node; what is needed is two. */
static void cheapest_losers_are_found(void **state)
{
	struct vcluster vc;
	struct vjob *want, *four;
	(void)state;

	vc_init(&vc, 1, 8);
	use_terms(&vc, 20);
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 0);
	four = vc_submit(&vc, 1, 4, HUGE_VAL);
	vc_submit(&vc, 1, 2, HUGE_VAL);
	vc_submit(&vc, 1, 2, HUGE_VAL);
	vc_run(&vc, AT(10));
	want = vc_submit(&vc, 0, 2, HUGE_VAL);
	vc_run(&vc, AT(30));
	assert_int_equal(want->starts, 1);
	assert_int_equal(vc.most_reclaimed, 2);
	assert_int_equal(four->starts, 1);
	vc_fini(&vc);
}

/* A job that wants its node to itself gets all others off it, one that wants
 * two nodes gets them off two. */
static void exclusive_jobs_get_whole_nodes(void **state)
{
	(void)state;
	for (uint32_t nodes = 1; nodes <= 2; nodes++) {
		struct vcluster vc;
		struct vjob *want;

		vc_init(&vc, 3, 4);
		use_terms(&vc, 20);
		vc_begin(&vc);
		vc_tenant(&vc, "a", 1);
		vc_tenant(&vc, "b", 1);
		for (int i = 0; i < 9; i++)
			vc_submit(&vc, 0, 1, HUGE_VAL);
		vc_run(&vc, AT(10));
		want = vc_submit(&vc, 1, 2 * nodes, HUGE_VAL);
		want->job.request.whole_node = true;
		want->job.request.gpus_per_node = 2;
		vc_run(&vc, AT(45));
		assert_int_equal(want->starts, 1);
		assert_int_equal(want->job.held_count, nodes);
		vc_fini(&vc);
	}
}

/* It needs one node and would like more: it gets those that are idle. */
static void a_range_of_nodes_gets_those_that_are_idle(void **state)
{
	static const struct {
		uint32_t busy_gpus, wish, nodes;
	} cases[] = {{0, 3, 3}, {0, 2, 2}, {0, 9, 3}, {4, 3, 2}, {8, 3, 1}};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct vcluster vc;
		struct vjob *want, *next;

		print_message("case %zu\n", i);
		vc_init(&vc, 3, 4);
		use_terms(&vc, 20);
		vc_begin(&vc);
		vc_tenant(&vc, "a", 1);
		vc_tenant(&vc, "b", 1);
		if (cases[i].busy_gpus)
			vc_submit(&vc, 0, cases[i].busy_gpus, HUGE_VAL);
		vc_run(&vc, AT(5));
		want = vc_submit(&vc, 1, 1, HUGE_VAL);
		want->job.request.gpus_per_node = 1;
		want->job.request.nodes_wish = cases[i].wish;
		vc_run(&vc, AT(10));
		assert_int_equal(want->job.held_count, cases[i].nodes);
		next = vc_submit(&vc, 1, 2, HUGE_VAL);
		vc_run(&vc, AT(15));
		assert_int_equal(next->job.held_count, 1);
		vc_fini(&vc);
	}
}

/* With nodes of a reservation that it would rather have it gets no others. */
static void a_range_of_nodes_stays_inside_a_reservation(void **state)
{
	static const uint64_t reserved[] = {UINT64_C(6)};
	struct vcluster vc;
	struct vjob *want;

	(void)state;
	vc_init(&vc, 4, 4);
	use_terms(&vc, 20);
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	want = vc_submit(&vc, 0, 1, HUGE_VAL);
	want->job.request.gpus_per_node = 1;
	want->job.request.nodes_wish = 4;
	want->job.request.preferred = reserved;
	want->job.request.apart = true;
	vc_run(&vc, AT(10));
	assert_int_equal(want->job.held_count, 2);
	assert_int_equal(want->job.held[0].node, 1);
	assert_int_equal(want->job.held[1].node, 2);
	vc_fini(&vc);
}

/* There are GPUs for eight jobs that want a node each, but only four nodes:
 * four run, and the fifth that finds no place does not keep them from it. */
static void one_too_many_keeps_nobody_waiting(void **state)
{
	struct vcluster vc;
	(void)state;

	vc_init(&vc, 4, 8);
	use_terms(&vc, 20);
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	for (int i = 0; i < 8; i++) {
		struct vjob *v = vc_submit(&vc, 0, 1, HUGE_VAL);

		v->job.request.whole_node = true;
	}
	vc_run(&vc, AT(5));
	assert_int_equal(vc_running_gpus(&vc), 4);
	vc_fini(&vc);
}

static void reclaim_is_bounded_by_round(void **state)
{
	struct vcluster vc;
	struct vjob *want;
	(void)state;

	vc_init(&vc, 4, 8);
	use_terms(&vc, 20);
	vc.options.reclaim_max = 8;
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	for (int i = 0; i < 16; i++)
		vc_submit(&vc, 0, 2, HUGE_VAL);
	vc_run(&vc, AT(10));
	want = vc_submit(&vc, 1, 32, HUGE_VAL);
	vc_run(&vc, AT(40));
	assert_int_equal(want->starts, 1);
	assert_true(vc.most_reclaimed <= 8);
	vc_fini(&vc);
}

static void checkpointing_job_gets_its_grace(void **state)
{
	struct vcluster vc;
	struct vjob *a, *b;
	(void)state;

	vc_init(&vc, 1, 4);
	use_terms(&vc, 20);
	vc.options.grace_sec = 8;
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	a = vc_submit(&vc, 0, 4, HUGE_VAL);
	a->job.checkpoints = true;
	a->checkpoint_sec = 3;
	vc_run(&vc, AT(5));
	b = vc_submit(&vc, 1, 4, HUGE_VAL);
	vc_run(&vc, AT(40));
	assert_int_equal(b->starts, 1);
	/* Lease over at 20, checkpoint until 23, one second cleaning. */
	assert_true(b->job.start_sec <= AT(26));
	assert_int_equal(vc_view(&vc, a).revoked, 1);
	vc_fini(&vc);
}

/* After a restart of slurmctld a job may have ended without anybody knowing. */
static void an_unheard_job_keeps_its_gpus(void **state)
{
	struct vcluster vc;
	struct vjob *a, *b;
	(void)state;

	vc_init(&vc, 1, 4);
	use_terms(&vc, 20);
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	a = vc_submit(&vc, 0, 4, HUGE_VAL);
	vc_run(&vc, AT(5));
	a->job.unheard = true;
	b = vc_submit(&vc, 1, 4, HUGE_VAL);
	vc_run(&vc, AT(60));
	assert_int_equal(a->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(a->starts, 1);
	assert_int_equal(vc_view(&vc, a).phase, ASTRA_PHASE_LEASED);
	assert_int_equal(b->starts, 0);
	a->job.unheard = false;
	vc_run(&vc, AT(75));
	assert_int_equal(b->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* A job that ignores the signal is requeued at the end of its grace. */
static void grace_ends_in_a_requeue(void **state)
{
	struct vcluster vc;
	struct vjob *a, *b;
	(void)state;

	vc_init(&vc, 1, 4);
	use_terms(&vc, 20);
	vc.options.grace_sec = 8;
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	a = vc_submit(&vc, 0, 4, HUGE_VAL);
	a->job.checkpoints = true;
	vc_run(&vc, AT(5));
	b = vc_submit(&vc, 1, 4, HUGE_VAL);
	vc_run(&vc, AT(40));
	assert_int_equal(b->starts, 1);
	assert_in_range((int)(b->job.start_sec - 1000), 28, 32);
	vc_fini(&vc);
}

static void irrevocable_jobs_are_charged_and_never_taken(void **state)
{
	struct vcluster vc;
	struct vjob *a, *b;
	(void)state;

	vc_init(&vc, 1, 4);
	use_terms(&vc, 20);
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	a = vc_submit(&vc, 0, 4, HUGE_VAL);
	a->job.revocable = false;
	vc_run(&vc, AT(5));
	b = vc_submit(&vc, 1, 4, HUGE_VAL);
	vc_run(&vc, AT(200));
	assert_int_equal(a->starts, 1);
	assert_int_equal(b->starts, 0);
	assert_true(vc_view(&vc, a).usage.alloc > 4 * 190);
	vc_fini(&vc);
}

static void save_and_restore_go_on_in_mid_lease(void **state)
{
	struct vcluster vc;
	struct astra_bytes bytes = {0};
	struct astra_error err = {""};
	struct astra_job_view before, after;
	struct vjob *a;
	size_t whole = 0;
	(void)state;

	vc_init(&vc, 2, 8);
	use_terms(&vc, 30);
	vc_begin(&vc);
	vc_tenant(&vc, "a", 2);
	vc_tenant(&vc, "b", 1);
	a = vc_submit(&vc, 0, 8, HUGE_VAL);
	vc_submit(&vc, 1, 8, HUGE_VAL);
	vc_submit(&vc, 1, 4, HUGE_VAL);
	vc_run(&vc, AT(15));
	before = vc_view(&vc, a);
	assert_int_equal(astra_engine_save(vc.engine, &bytes), 0);
	astra_engine_destroy(vc.engine);
	vc.engine =
		astra_engine_restore(&vc.options, bytes.data, bytes.size, &err);
	assert_non_null(vc.engine);
	after = vc_view(&vc, a);
	assert_true(fabs(before.usage.alloc - after.usage.alloc) < 1e-6);
	assert_true(fabs(before.usage.fair - after.usage.fair) < 1e-6);
	assert_true(before.lease_end_sec == after.lease_end_sec);
	vc_run(&vc, AT(100));
	/* Releases before this one wrote a state without the blockers, the
	 * holds, the budget, the places, the gifts (of two tenants), the caps,
	 * the policies put aside, the users, the times: one that ends there is
	 * whole. */
	for (size_t size = 0; size < bytes.size; size++) {
		struct astra_engine *e = astra_engine_restore(
			&vc.options, bytes.data, size, &err);

		whole += e != NULL;
		astra_engine_destroy(e);
	}
	assert_int_equal(whole, 10);
	astra_bytes_clear(&bytes);
	vc_fini(&vc);
}

/* Whether somebody waits who could have had GPUs: the cluster is empty. */
static bool idles(const struct vcluster *vc)
{
	bool waits = false, usable = false;

	for (size_t i = 0; i < vc->job_count; i++) {
		if (vc->jobs[i]->job.held_count)
			return false;
		waits |= vc->jobs[i]->job.state == ASTRA_JOB_PENDING &&
			 vc->jobs[i]->job.request.gpus <= 4;
	}
	for (size_t i = 0; i < vc->node_count; i++)
		usable |= vc->nodes[i].usable;
	return waits && usable;
}

/* Random work: the virtual cluster asserts that nothing is overcommitted. */
static void random_histories_never_overcommit(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 12; seed++) {
		struct vcluster vc;
		int idle = 0;

		srand(seed);
		vc_init(&vc, 3 + seed % 5, 4 + 4 * (seed % 2));
		use_terms(&vc, 20 + 10 * (seed % 3));
		vc.options.reclaim_max = seed % 3 ? 0 : 6;
		vc.options.min_run_sec = seed % 4;
		vc.cleanup_sec = 1 + seed % 3;
		vc_begin(&vc);
		vc_tenant(&vc, "a", 1);
		vc_tenant(&vc, "b", 2);
		vc_tenant(&vc, "c", 0);
		while (vc.now_sec < AT(600)) {
			if (rand() % 4 == 0 && vc.job_count < 300) {
				struct vjob *v =
					vc_submit(&vc, (uint32_t)(rand() % 3),
						  1 + (uint32_t)(rand() % 10),
						  5 + rand() % 90);

				v->job.revocable = rand() % 8 != 0;
				v->job.checkpoints = rand() % 2;
				v->checkpoint_sec = rand() % 4;
				if (rand() % 5 == 0)
					v->job.request.gpus_per_node =
						v->job.request.gpus % 4 == 0
							? 4
							: v->job.request.gpus;
				if (v->job.request.gpus_per_node > 4)
					v->job.request.gpus_per_node = 0;
				v->job.request.whole_node = rand() % 20 == 0;
			}
			if (rand() % 50 == 0) {
				size_t n = (size_t)rand() % vc.node_count;

				vc.nodes[n].usable = !vc.nodes[n].usable;
			}
			vc_step(&vc);
			idle = idles(&vc) ? idle + 1 : 0;
			assert_true(idle <= vc.options.round_sec + 1);
		}
		vc_fini(&vc);
	}
}

static uint32_t rank_of(struct vcluster *vc, const struct vjob *job)
{
	return vc_view(vc, job).reason.rank;
}

/* Alg. 1 with GPUs for everybody: each place charges its tenant, so the places
 * go round in proportion to the weights, here 2:1; and nothing is started. */
static void without_leases_jobs_are_only_ordered(void **state)
{
	struct vcluster vc;
	struct vjob *a[4], *b[2];
	(void)state;

	vc_init(&vc, 1, 4);
	use_terms(&vc, 20);
	vc.options.leases = false;
	vc_begin(&vc);
	vc_tenant(&vc, "a", 2);
	vc_tenant(&vc, "b", 1);
	for (int i = 0; i < 4; i++)
		a[i] = vc_submit(&vc, 0, 4, HUGE_VAL);
	for (int i = 0; i < 2; i++)
		b[i] = vc_submit(&vc, 1, 4, HUGE_VAL);
	vc_run(&vc, AT(60));
	assert_int_equal(vc_running_gpus(&vc), 0);
	assert_int_equal(rank_of(&vc, a[0]), 1);
	assert_int_equal(rank_of(&vc, b[0]), 2);
	assert_int_equal(rank_of(&vc, a[1]), 3);
	assert_int_equal(rank_of(&vc, a[2]), 4);
	assert_int_equal(rank_of(&vc, b[1]), 5);
	assert_int_equal(rank_of(&vc, a[3]), 6);
	vc_fini(&vc);
}

/* As on a node that others have reserved: leases are renewed up to then, and
 * the job leaves, though nobody else waits. */
static void no_lease_is_renewed_on_reserved_nodes(void **state)
{
	struct vcluster vc;
	struct vjob *j;
	(void)state;

	vc_init(&vc, 1, 4);
	use_terms(&vc, 20);
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	j = vc_submit(&vc, 0, 4, HUGE_VAL);
	vc_run(&vc, AT(30));
	assert_int_equal(vc_view(&vc, j).leases, 2);
	j->job.leave_sec = AT(50);
	vc_run(&vc, AT(45));
	assert_int_equal(vc_view(&vc, j).leases, 3);
	assert_true(vc_view(&vc, j).lease_end_sec <= AT(50));
	assert_int_equal(j->job.restart_cnt, 0);
	vc_run(&vc, AT(70));
	assert_true(j->job.restart_cnt > 0);
	vc_fini(&vc);
}

/* For a maintenance the lease that it has ends earlier, too, though nobody
 * waits and it has not run for MinRunTime; not that of one that may not be
 * requeued. */
static void a_lease_is_cut_before_a_maintenance(void **state)
{
	struct vcluster vc;
	struct vjob *j, *pinned;
	(void)state;

	vc_init(&vc, 1, 4);
	use_terms(&vc, 100);
	astra_options_set(&vc.options, "MinRunTime", "60", NULL);
	astra_options_set(&vc.options, "RoundInterval", "1000", NULL);
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	j = vc_submit(&vc, 0, 2, HUGE_VAL);
	pinned = vc_submit(&vc, 0, 2, HUGE_VAL);
	pinned->job.revocable = false;
	vc_run(&vc, AT(10));
	assert_close(vc_view(&vc, j).lease_end_sec,
		     vc_view(&vc, j).start_sec + 100, 1);
	j->job.leave_sec = pinned->job.leave_sec = AT(40);
	j->job.leave_cuts = true;
	vc.due_sec = vc.now_sec;
	vc_run(&vc, AT(12));
	assert_close(vc_view(&vc, j).lease_end_sec, AT(40), 0);
	vc_run(&vc, AT(38));
	assert_int_equal(j->job.restart_cnt, 0);
	vc_run(&vc, AT(45));
	assert_true(j->job.restart_cnt > 0);
	assert_int_equal(pinned->job.restart_cnt, 0);
	vc_fini(&vc);
}

/* Jobs that ran where there were no leases get a whole one when there are. */
static void first_leases_are_whole_ones(void **state)
{
	struct vcluster vc;
	struct vjob *j, *other;
	(void)state;

	vc_init(&vc, 1, 4);
	use_terms(&vc, 20);
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	j = vc_submit(&vc, 0, 4, HUGE_VAL);
	j->job.revocable = false;
	vc_run(&vc, AT(100));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	other = vc_submit(&vc, 0, 4, HUGE_VAL);
	j->job.revocable = true;
	vc_run(&vc, AT(115));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	vc_run(&vc, AT(130));
	assert_int_equal(other->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* Jobs that the engine does not know have all CPUs: GPUs are free, and no end
 * of a lease helps. What no empty cluster has room for is too big. */
static void cpus_of_those_without_a_lease_are_named(void **state)
{
	struct vcluster vc;
	struct vjob *want, *big;
	(void)state;

	vc_init(&vc, 2, 4);
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	for (size_t i = 0; i < vc.node_count; i++)
		vc.nodes[i].cpus_free = 0;
	want = vc_submit(&vc, 0, 4, HUGE_VAL);
	vc_run(&vc, AT(5));
	assert_int_equal(vc_view(&vc, want).reason.wait, ASTRA_WAIT_CPUS);
	for (size_t i = 0; i < vc.node_count; i++)
		vc.nodes[i].cpus_free = vc.nodes[i].cpus;
	vc_run(&vc, AT(25));
	assert_int_equal(want->job.state, ASTRA_JOB_RUNNING);
	big = vc_submit(&vc, 0, 4, HUGE_VAL);
	big->job.request.cpus = 65; /* of 64 */
	vc_run(&vc, AT(30));
	assert_int_equal(vc_view(&vc, big).reason.wait, ASTRA_WAIT_TOO_BIG);
	vc_fini(&vc);
}

/* One that was promised the GPUs of a job that is leaving wants fewer, or more,
 * by then. The cluster fails where it is started on what it asked for before.
 */
static void change_of_size(const char *policy, uint32_t gpus)
{
	struct vcluster vc;
	struct vjob *leaves, *waits;

	vc_init(&vc, 2, 4);
	use_terms(&vc, 20);
	vc.options.grace_sec = 10;
	vc.options.slot_sec = 20;
	strcpy(vc.options.policy, policy);
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	leaves = vc_submit(&vc, 0, 8, HUGE_VAL);
	leaves->job.checkpoints = true;
	leaves->checkpoint_sec = 8;
	vc_run(&vc, AT(5));
	assert_int_equal(leaves->starts, 1);
	waits = vc_submit(&vc, 1, 4, HUGE_VAL);
	vc_run(&vc, AT(8));
	do {
		vc_step(&vc);
		assert_true(vc.now_sec < AT(100));
	} while (!waits->starts &&
		 vc_view(&vc, waits).reason.wait != ASTRA_WAIT_GRANTED);
	assert_int_equal(waits->starts, 0);
	waits->job.request.gpus = waits->job.request.cpus = gpus;
	while (!waits->starts) {
		vc_step(&vc);
		assert_true(vc.now_sec < AT(200));
	}
	vc_fini(&vc);
}

static void a_job_starts_on_what_it_asks_for_now(void **state)
{
	static const char *const policies[] = {"ltgf", "ogasched"};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(policies); i++) {
		change_of_size(policies[i], 2);
		change_of_size(policies[i], 6);
	}
}

static bool refuses_b(struct vcluster *vc, const struct astra_decision *d)
{
	return vc->jobs[d->job - 1]->job.tenant == 1;
}

/* slurmctld refuses each start of b's job. After three rounds no lease ends for
 * it for a term, after the next refusal for two, then four, eight, ...: within
 * 64 terms a's job is interrupted for at most 3 + 6 tries. */
static void refused_starts_end_ever_fewer_leases(void **state)
{
	struct vcluster vc;
	struct vjob *a;

	(void)state;
	vc_init(&vc, 1, 4);
	use_terms(&vc, 20);
	vc.options.promise = false;
	vc.refuses = refuses_b;
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	a = vc_submit(&vc, 0, 4, HUGE_VAL);
	vc_run(&vc, AT(5));
	vc_submit(&vc, 1, 4, 100);
	vc_run(&vc, AT(64 * 20));
	print_message("%u starts\n", a->starts);
	assert_true(a->starts > 4);
	assert_true(a->starts <= 1 + 3 + 6);
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_starts_end_ever_fewer_leases),
		cmocka_unit_test(cpus_of_those_without_a_lease_are_named),
		cmocka_unit_test(a_job_starts_on_what_it_asks_for_now),
		cmocka_unit_test(figure_6_alternates_one_to_two),
		cmocka_unit_test(a_clock_that_is_set_changes_nothing),
		cmocka_unit_test(a_clock_that_is_set_at_a_start_ends_no_lease),
		cmocka_unit_test(endless_work_is_shared_by_weight),
		cmocka_unit_test(a_renamed_tenant_keeps_what_it_has),
		cmocka_unit_test(large_jobs_start_within_two_terms),
		cmocka_unit_test(a_content_tenant_keeps_no_gang_waiting),
		cmocka_unit_test(hogs_yield_what_the_needier_lack),
		cmocka_unit_test(fewest_gpus_are_taken_for_cpus),
		cmocka_unit_test(a_hold_collects_cpus_too),
		cmocka_unit_test(what_is_lent_is_no_lease),
		cmocka_unit_test(nothing_is_lent_for_less_than_a_job_needs),
		cmocka_unit_test(nothing_is_lent_for_less_than_a_round),
		cmocka_unit_test(held_gpus_are_lent),
		cmocka_unit_test(only_the_loser_is_taken_back),
		cmocka_unit_test(cheapest_losers_are_found),
		cmocka_unit_test(exclusive_jobs_get_whole_nodes),
		cmocka_unit_test(a_range_of_nodes_gets_those_that_are_idle),
		cmocka_unit_test(a_range_of_nodes_stays_inside_a_reservation),
		cmocka_unit_test(one_too_many_keeps_nobody_waiting),
		cmocka_unit_test(reclaim_is_bounded_by_round),
		cmocka_unit_test(checkpointing_job_gets_its_grace),
		cmocka_unit_test(an_unheard_job_keeps_its_gpus),
		cmocka_unit_test(grace_ends_in_a_requeue),
		cmocka_unit_test(irrevocable_jobs_are_charged_and_never_taken),
		cmocka_unit_test(save_and_restore_go_on_in_mid_lease),
		cmocka_unit_test(without_leases_jobs_are_only_ordered),
		cmocka_unit_test(no_lease_is_renewed_on_reserved_nodes),
		cmocka_unit_test(a_lease_is_cut_before_a_maintenance),
		cmocka_unit_test(first_leases_are_whole_ones),
		cmocka_unit_test(random_histories_never_overcommit),
	};

	return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
