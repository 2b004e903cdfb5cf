/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ltgf+themis in the engine, on a virtual cluster. Times are relative to its
 * begin, 1000; leases end at multiples of the term. */
#include <math.h>
#include <string.h>

#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))
#define TERM 20

static void begin(struct vcluster *vc, const char *policy, size_t nodes,
		  uint32_t gpus)
{
	vc_init(vc, nodes, gpus);
	strcpy(vc->options.policy, policy);
	vc->options.lease_sec = TERM;
	vc->options.grace_sec = 2;
	vc->options.round_sec = 5;
	vc_begin(vc);
}

static struct vjob *submit(struct vcluster *vc, uint32_t tenant, uint32_t gpus,
			   double work_sec, uint32_t app)
{
	struct vjob *v = vc_submit(vc, tenant, gpus, work_sec);

	v->job.forecast.work_sec = work_sec;
	v->job.forecast.app = app;
	v->job.forecast.measured = true;
	return v;
}

/* GPU time of a tenant's jobs so far. */
static double had(const struct vcluster *vc, uint32_t tenant)
{
	double sum = 0;

	for (size_t i = 0; i < vc->job_count; i++)
		if (vc->jobs[i]->job.tenant == tenant)
			sum += vc->jobs[i]->done_sec *
			       vc->jobs[i]->job.request.gpus;
	return sum;
}

/* 12 GPUs, weights 2 and 1: 8 and 4 GPUs, whatever each tenant asks for and
 * however many apps it has. The smaller one's time is out by no more than two
 * leases of its share at the end of any term. */
static void tenants_get_their_shares(void **state)
{
	struct vcluster vc;
	uint32_t tenants[2];

	(void)state;
	begin(&vc, "ltgf+themis", 3, 4);
	tenants[0] = vc_tenant(&vc, "large", 2);
	tenants[1] = vc_tenant(&vc, "small", 1);
	for (uint32_t i = 0; i < 24; i++) {
		submit(&vc, tenants[0], 1 + i % 2, 100000, 1 + i / 6);
		submit(&vc, tenants[1], 1 + i % 3, 100000, 11 + i / 2);
	}
	for (int term = 2; term <= 20; term++) {
		vc_run(&vc, AT(term * TERM));
		assert_in_range((int)fabs(had(&vc, tenants[0]) / 2 -
					  had(&vc, tenants[1])),
				0, 2 * 4 * TERM);
	}
	vc_fini(&vc);
}

/* Apps of eight jobs, four, and twice one, in a tenant with four GPUs: how much
 * longer the worst off took than the best off, against what each would have
 * taken with the tenant's GPUs to itself. */
static double spread(const char *policy)
{
	static const uint32_t jobs[] = {8, 4, 1, 1};
	struct vcluster vc;
	double rho[ASTRA_COUNT_OF(jobs)], least = HUGE_VAL, most = 0;
	double left[ASTRA_COUNT_OF(jobs)];
	struct vjob *all[14];
	uint32_t count = 0, app_of[14], open = 14;

	begin(&vc, policy, 2, 4);
	for (uint32_t t = 0; t < 2; t++)
		vc_tenant(&vc, t ? "b" : "a", 1);
	for (uint32_t a = 0; a < ASTRA_COUNT_OF(jobs); a++)
		for (uint32_t k = 0; k < jobs[a]; k++) {
			app_of[count] = a;
			all[count++] = submit(&vc, 0, 1, 200, 1 + a);
		}
	for (uint32_t k = 0; k < 8; k++)
		submit(&vc, 1, 1, 100000, 10);
	while (open) {
		vc_run(&vc, vc.now_sec + 1);
		open = 0;
		for (uint32_t a = 0; a < ASTRA_COUNT_OF(jobs); a++)
			left[a] = 0;
		for (uint32_t i = 0; i < count; i++)
			left[app_of[i]] += all[i]->work_sec > all[i]->done_sec;
		for (uint32_t a = 0; a < ASTRA_COUNT_OF(jobs); a++) {
			open += left[a] > 0;
			if (left[a] > 0)
				rho[a] = (vc.now_sec - 1000) /
					 (200 * fmax(1, jobs[a] / 4.0));
		}
	}
	for (uint32_t a = 0; a < ASTRA_COUNT_OF(jobs); a++) {
		least = fmin(least, rho[a]);
		most = fmax(most, rho[a]);
	}
	vc_fini(&vc);
	return most / least;
}

/* LTGF serves jobs, so apps of many jobs go first. */
static void apps_of_a_tenant_fare_alike(void **state)
{
	double alone = spread("ltgf"), both = spread("ltgf+themis");

	(void)state;
	assert_true(both < .75 * alone);
}

/* The same jobs at the same times as by themis, whose R_C is the one tenant's
 * quota: all GPUs. */
static void one_tenant_is_as_by_themis(void **state)
{
	static const char *const policies[] = {"themis", "ltgf+themis"};
	double done[2][20];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct vcluster vc;

		begin(&vc, policies[i], 4, 4);
		vc_tenant(&vc, "a", 1);
		for (uint32_t k = 0; k < 20; k++) {
			submit(&vc, 0, 1 + k * k % 5, 100 + 20 * k, 1 + k / 3);
			vc_run(&vc, vc.now_sec + 7);
		}
		vc_run(&vc, AT(14.5 * TERM));
		for (uint32_t k = 0; k < 20; k++)
			done[i][k] = vc.jobs[k]->done_sec;
		vc_fini(&vc);
	}
	for (uint32_t k = 0; k < 20; k++)
		assert_true(done[0][k] == done[1][k]);
}

/* A job of all GPUs of the cluster, twice its tenant's share, among small ones
 * of another tenant: it has them every other term. */
static void a_gang_of_more_than_the_share_has_its_turn(void **state)
{
	struct vcluster vc;
	struct vjob *gang;

	(void)state;
	begin(&vc, "ltgf+themis", 2, 4);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	gang = submit(&vc, 0, 8, 100000, 0);
	for (int i = 0; i < 20; i++)
		submit(&vc, 1, 1, 100000, 0);
	vc_run(&vc, AT(20 * TERM));
	assert_true(gang->done_sec > 7 * TERM);
	assert_true(gang->done_sec < 11 * TERM);
	assert_true(had(&vc, 1) > 8 * 7 * TERM);
	vc_fini(&vc);
}

/* Whoever has had nothing yet is first when the leases are over. */
static void a_new_tenant_is_served_within_a_term(void **state)
{
	struct vcluster vc;
	struct vjob *late;

	(void)state;
	begin(&vc, "ltgf+themis", 2, 4);
	vc_tenant(&vc, "a", 10);
	vc_tenant(&vc, "b", 1);
	for (int i = 0; i < 20; i++)
		submit(&vc, 0, 1 + (uint32_t)i % 4, 100000, 0);
	vc_run(&vc, AT(5 * TERM + 7));
	late = submit(&vc, 1, 2, 30, 0);
	vc_run(&vc, AT(6.5 * TERM));
	assert_int_equal(late->starts, 1);
	vc_fini(&vc);
}

/* Nobody can do better elsewhere, so nobody moves. */
static void who_can_stay_stays(void **state)
{
	struct vcluster vc;

	(void)state;
	begin(&vc, "ltgf+themis", 4, 4);
	for (uint32_t t = 0; t < 3; t++)
		vc_tenant(&vc, t ? t > 1 ? "c" : "b" : "a", 1 + t);
	for (uint32_t i = 0; i < 8; i++)
		submit(&vc, i % 3, 1 + i % 3, 100000, 1 + i / 2);
	vc_run(&vc, AT(10 * TERM + 5));
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(vc.jobs[i]->starts, 1);
	vc_fini(&vc);
}

/* There are more jobs of one GPU than GPUs. */
static void no_gpu_idles_while_somebody_wants_it(void **state)
{
	static const uint32_t sizes[] = {1, 1, 2, 4};
	struct vcluster vc;

	(void)state;
	begin(&vc, "ltgf+themis", 4, 4);
	for (uint32_t t = 0; t < 3; t++)
		vc_tenant(&vc, t ? t > 1 ? "c" : "b" : "a", 1 + t);
	for (uint32_t i = 0; i < 40; i++)
		submit(&vc, i % 3, sizes[i % 4], 100000, 1 + i / 5);
	for (int term = 1; term < 10; term++) {
		vc_run(&vc, AT(term * TERM + 12));
		assert_int_equal(vc_running_gpus(&vc), 16);
	}
	vc_fini(&vc);
}

static void elastic_jobs_take_what_there_is(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin(&vc, "ltgf+themis", 1, 4);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	j = submit(&vc, 1, 8, 100000, 0);
	j->job.request.gpus_min = 1;
	vc_run(&vc, AT(5));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(vc.nodes[0].gpus_free, 0);
	vc_fini(&vc);
}

static const struct astra_reason *reason_of(const struct vcluster *vc,
					    const struct vjob *job)
{
	for (size_t i = 0; i < vc->plan.reason_count; i++)
		if (vc->plan.reasons[i].job == job->job.id)
			return &vc->plan.reasons[i];
	fail_msg("no reason for job %u", job->job.id);
	return NULL;
}

/* Tenant a's first job has its share, and b's the rest: its second job lost to
 * the first, while all of c's wait for its turn. */
static void who_waits_is_told_of_its_tier(void **state)
{
	struct vcluster vc;
	struct vjob *jobs[4];

	(void)state;
	begin(&vc, "ltgf+themis", 1, 4);
	vc_tenant(&vc, "a", 10);
	vc_tenant(&vc, "b", 1);
	for (uint32_t i = 0; i < 4; i++)
		jobs[i] = submit(&vc, i / 2, 4, 100000, 0);
	vc_run(&vc, AT(4));
	assert_int_equal(jobs[0]->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(reason_of(&vc, jobs[1])->wait, ASTRA_WAIT_AUCTION);
	assert_int_equal(reason_of(&vc, jobs[1])->rank, 2);
	assert_int_equal(reason_of(&vc, jobs[1])->ranks, 2);
	assert_int_equal(reason_of(&vc, jobs[2])->wait, ASTRA_WAIT_RANK);
	assert_int_equal(reason_of(&vc, jobs[3])->wait, ASTRA_WAIT_RANK);
	vc_fini(&vc);
}

/* The auctions of all tenants are shown as one. */
static void apps_of_all_tenants_are_shown(void **state)
{
	struct vcluster vc;
	const struct astra_auction *a;

	(void)state;
	begin(&vc, "ltgf+themis", 2, 4);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	for (uint32_t i = 0; i < 12; i++)
		submit(&vc, i % 2, 1, 100000, 10 - i / 2);
	vc_run(&vc, AT(3));
	a = astra_engine_auction(vc.engine);
	assert_int_equal(a->number, 1);
	assert_true(a->time_sec == AT(0));
	assert_int_equal(a->gpus, 8);
	assert_int_equal(a->app_count, 12);
	for (size_t i = 1; i < a->app_count; i++) {
		assert_true(a->apps[i - 1].app <= a->apps[i].app);
		assert_int_equal(a->apps[i].auction, 1);
		assert_int_equal(a->apps[i].ranks, 6);
	}
	/* b has gone, and come back: its first auction by its own count is that
	 * of the round. */
	for (size_t i = 1; i < 12; i += 2)
		vc.jobs[i]->work_sec = 1;
	vc_run(&vc, AT(TERM + 10));
	a = astra_engine_auction(vc.engine);
	assert_int_equal(a->app_count, 6);
	for (size_t i = 0; i < a->app_count; i++)
		assert_int_equal(a->apps[i].tenant, 0);
	submit(&vc, 1, 1, 100000, 99);
	vc_run(&vc, AT(2 * TERM + 10));
	a = astra_engine_auction(vc.engine);
	assert_int_equal(a->app_count, 7);
	assert_true(a->number > 2);
	assert_int_equal(a->apps[6].tenant, 1);
	assert_int_equal(a->apps[6].auction, a->number);
	vc_fini(&vc);
}

/* App 2 is of the second tenant. */
static void bids_reach_the_auctions_of_tenants(void **state)
{
	static const double table[ASTRA_LEVEL_COUNT] = {2, 2, 2, 2};
	const struct astra_bid bid = {
		.app = astra_app_named(2),
		.rho_now = -1,
		.time_sec = AT(-5),
		.gpus_max = 1,
		.table = table,
	};
	const struct astra_auction *a;
	struct vcluster vc;

	(void)state;
	begin(&vc, "ltgf+themis", 1, 4);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	vc.bids = &bid;
	vc.bid_count = 1;
	for (uint32_t i = 0; i < 4; i++)
		submit(&vc, i % 2, 2, 100000, 1 + i);
	vc_run(&vc, AT(3));
	a = astra_engine_auction(vc.engine);
	assert_int_equal(a->app_count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_true(a->apps[i].bid_sec == (i == 1 ? AT(-5) : 0));
	vc_fini(&vc);
}

/* A restart in mid-term: the same jobs at the same times as without. */
static void a_restart_changes_nothing(void **state)
{
	double done[2][30];

	(void)state;
	for (int restarted = 0; restarted < 2; restarted++) {
		struct vcluster vc;

		begin(&vc, "ltgf+themis", 2, 4);
		for (uint32_t t = 0; t < 3; t++)
			vc_tenant(&vc, t ? t > 1 ? "c" : "b" : "a", 1 + t);
		for (uint32_t i = 0; i < 30; i++)
			submit(&vc, i % 3, 1 + i % 4, 100 + 30 * i, 1 + i / 4);
		vc_run(&vc, AT(3.5 * TERM));
		if (restarted)
			vc_restart(&vc);
		vc_run(&vc, AT(20 * TERM));
		for (size_t i = 0; i < 30; i++)
			done[restarted][i] = vc.jobs[i]->done_sec;
		vc_fini(&vc);
	}
	assert_memory_equal(done[0], done[1], sizeof(done[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tenants_get_their_shares),
		cmocka_unit_test(apps_of_a_tenant_fare_alike),
		cmocka_unit_test(one_tenant_is_as_by_themis),
		cmocka_unit_test(a_gang_of_more_than_the_share_has_its_turn),
		cmocka_unit_test(a_new_tenant_is_served_within_a_term),
		cmocka_unit_test(who_can_stay_stays),
		cmocka_unit_test(no_gpu_idles_while_somebody_wants_it),
		cmocka_unit_test(elastic_jobs_take_what_there_is),
		cmocka_unit_test(who_waits_is_told_of_its_tier),
		cmocka_unit_test(apps_of_all_tenants_are_shown),
		cmocka_unit_test(bids_reach_the_auctions_of_tenants),
		cmocka_unit_test(a_restart_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
