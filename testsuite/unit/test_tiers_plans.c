/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LTGF between tenants and a policy of slots inside each: worked examples on a
 * virtual cluster. Times are relative to its begin, 1000. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))
#define SLOT 100
#define HOUR 3600.0

static const char *const policies[] = {"ltgf+incentive", "ltgf+oasis",
				       "ltgf+ogasched"};

static void begin(struct vcluster *vc, const char *policy, size_t nodes,
		  uint32_t gpus, bool lend)
{
	vc_init(vc, nodes, gpus);
	strcpy(vc->options.policy, policy);
	vc->options.slot_sec = SLOT;
	vc->options.horizon_sec = 20 * SLOT;
	vc->options.batch_max = 4;
	vc->options.grace_sec = 2;
	vc->options.round_sec = 5;
	vc->options.lend_idle = lend;
	vc_begin(vc);
}

static struct vjob *submit(struct vcluster *vc, uint32_t tenant, uint32_t gpus,
			   double work_sec, double worth)
{
	struct vjob *v = vc_submit(vc, tenant, gpus, work_sec);

	v->job.forecast.work_sec = work_sec;
	v->job.forecast.utility = (struct astra_utility){
		.kind = ASTRA_UTILITY_SIGMOID,
		.sigmoid = {worth, 0, 0},
	};
	return v;
}

static struct astra_reason reason_of(const struct vcluster *vc,
				     const struct vjob *v)
{
	for (size_t i = 0; i < vc->plan.reason_count; i++)
		if (vc->plan.reasons[i].job == v->job.id)
			return vc->plan.reasons[i];
	return (struct astra_reason){0};
}

static double had(const struct vcluster *vc, uint32_t tenant)
{
	double sum = 0;

	for (size_t i = 0; i < vc->job_count; i++)
		if (vc->jobs[i]->job.tenant == tenant)
			sum += vc->jobs[i]->done_sec *
			       vc->jobs[i]->job.request.gpus;
	return sum;
}

/* 12 GPUs, weights 2 and 1: 8 and 4 GPUs, whatever each tenant asks for, and
 * whatever the smaller one says that its jobs are worth. */
static void tenants_get_their_shares(void **state)
{
	(void)state;
	for (size_t p = 0; p < ASTRA_COUNT_OF(policies); p++) {
		struct vcluster vc;

		begin(&vc, policies[p], 3, 4, true);
		vc_tenant(&vc, "large", 2);
		vc_tenant(&vc, "small", 1);
		for (uint32_t i = 0; i < 24; i++) {
			submit(&vc, 0, 1 + i % 2, 1e5, 1);
			submit(&vc, 1, 1 + i % 3, 1e5, 1000);
		}
		vc_run(&vc, AT(40 * SLOT));
		assert_true(had(&vc, 0) + had(&vc, 1) > .95 * 12 * 40 * SLOT);
		assert_true(fabs(had(&vc, 0) / 2 - had(&vc, 1)) <= 8 * SLOT);
		vc_fini(&vc);
	}
}

/* 4 GPUs, 2 for each tenant. By oasis alone all that b could have is sold to
 * a's jobs, which are worth more; here b's poor job runs at once. Of a's two
 * jobs of two slots and 2 GPUs, the second is told the slot after the first. */
static void oasis_plans_with_the_tenants_share(void **state)
{
	struct vcluster vc;
	struct vjob *a[2], *b;

	(void)state;
	begin(&vc, "ltgf+oasis", 1, 4, false);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	a[0] = submit(&vc, 0, 2, 190, 1000);
	a[1] = submit(&vc, 0, 2, 190, 1000);
	b = submit(&vc, 1, 2, 1000, 1);
	vc_run(&vc, AT(20));
	assert_int_equal(a[0]->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(a[1]->job.state, ASTRA_JOB_PENDING);
	assert_int_equal(b->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(reason_of(&vc, a[1]).wait, ASTRA_WAIT_PLANNED);
	assert_true(fabs(reason_of(&vc, a[1]).start_sec - AT(2 * SLOT)) < 1);
	vc_run(&vc, AT(2 * SLOT + 10));
	assert_int_equal(a[0]->job.state, ASTRA_JOB_ENDED);
	assert_int_equal(a[1]->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(b->starts, 1);
	vc_fini(&vc);
}

/* 8 GPUs, 4 for each tenant, which are 2 each for ada and bob of a. In the
 * window (2, 4] ada's first two jobs have her own GPUs, bob's one his, and
 * ada's third pays bob for his other one at the price of three of four GPUs
 * sold, 2^(3/4) - 1 a GPU hour. b's users trade among themselves. */
static void incentive_is_a_market_of_users(void **state)
{
	double pays = (pow(2, .75) - 1) * 2 * SLOT / HOUR;
	struct astra_policy_report a, b;
	struct vjob *jobs[8];
	struct vcluster vc;
	uint32_t ada, bob, eve;

	(void)state;
	begin(&vc, "ltgf+incentive", 1, 8, false);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	ada = vc_user(&vc, 0, "ada");
	bob = vc_user(&vc, 0, "bob");
	eve = vc_user(&vc, 1, "eve");
	for (uint32_t i = 0; i < 8; i++) {
		jobs[i] = submit(&vc, i / 4, 1, 1e5, 1000);
		jobs[i]->job.user = i < 3 ? ada : i == 3 ? bob : eve;
	}
	vc_run(&vc, AT(2 * SLOT - 10));
	assert_int_equal(vc_running_gpus(&vc), 0);
	assert_int_equal(reason_of(&vc, jobs[0]).wait, ASTRA_WAIT_BATCH);
	vc_run(&vc, AT(2 * SLOT + 10));
	assert_int_equal(vc_running_gpus(&vc), 8);
	assert_true(astra_engine_policy_report(vc.engine, "a", &a));
	assert_true(astra_engine_policy_report(vc.engine, "b", &b));
	assert_true(fabs(a.paid - pays) < 1e-9);
	assert_true(fabs(a.income - pays) < 1e-9);
	assert_true(fabs(b.paid) < 1e-9);
	vc_restart(&vc);
	assert_true(astra_engine_policy_report(vc.engine, "a", &b));
	assert_true(fabs(a.paid - b.paid) < 1e-12);
	assert_true(fabs(a.utility - b.utility) < 1e-12);
	vc_fini(&vc);
}

/* 4 GPUs, 2 each for ada and bob. A job of hers uses one, two of his both of
 * his; his third one, said to be over in the window (2, 4], pays her for its
 * slots the price of three of four GPUs sold, and the same for each slot that
 * it goes on. */
static void overtime_is_paid_to_the_other_user(void **state)
{
	double slot = (pow(2, .75) - 1) * SLOT / HOUR;
	struct astra_policy_report at[3];
	struct vjob *jobs[4];
	struct vcluster vc;
	uint32_t ada, bob;

	(void)state;
	begin(&vc, "ltgf+incentive", 1, 4, false);
	vc_tenant(&vc, "a", 1);
	ada = vc_user(&vc, 0, "ada");
	bob = vc_user(&vc, 0, "bob");
	for (uint32_t i = 0; i < 4; i++) {
		jobs[i] = submit(&vc, 0, 1, 1e5, i < 3 ? 1000 : 10);
		jobs[i]->job.user = i ? bob : ada;
	}
	jobs[3]->job.forecast.work_sec = 2 * SLOT - 10;
	for (int i = 0; i < 3; i++) {
		vc_run(&vc, AT((4 + i) * SLOT - 10));
		assert_int_equal(vc_running_gpus(&vc), 4);
		assert_true(astra_engine_policy_report(vc.engine, "a", &at[i]));
		assert_true(fabs(at[i].paid - at[i].income) < 1e-9);
	}
	assert_int_equal(jobs[3]->starts, 1);
	assert_true(fabs(at[0].paid - 2 * slot) < 1e-9);
	assert_true(fabs(at[1].paid - 3 * slot) < 1e-9);
	assert_true(fabs(at[2].paid - 4 * slot) < 1e-9);
	vc_fini(&vc);
}

/* GPUs of a class in all that a tenant learned: [a, b][1 or 4 GPUs a job]. */
static void add_class(const struct astra_class *class, void *arg)
{
	uint32_t(*granted)[2] = arg;

	granted[*class->tenant == 'b'][class->gpus == 4] += class->granted;
}

/* 8 GPUs on two nodes, 4 for each tenant: b's only class is granted all of b's
 * share, which is the gang of 4, a's only class four jobs of 1. */
static void ogasched_learns_of_the_tenants_jobs(void **state)
{
	struct astra_policy_report all, a, b;
	uint32_t granted[2][2] = {{0}};
	struct vcluster vc;

	(void)state;
	begin(&vc, "ltgf+ogasched", 2, 4, true);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	for (uint32_t i = 0; i < 8; i++)
		submit(&vc, 0, 1, 1e5, 1);
	for (uint32_t i = 0; i < 2; i++)
		submit(&vc, 1, 4, 1e5, 1);
	vc_run(&vc, AT(20 * SLOT));
	assert_true(fabs(had(&vc, 0) - had(&vc, 1)) <= 4 * SLOT);
	assert_true(astra_engine_policy_report(vc.engine, NULL, &all));
	assert_true(astra_engine_policy_report(vc.engine, "a", &a));
	assert_true(astra_engine_policy_report(vc.engine, "b", &b));
	assert_true(a.reward > 0 && b.reward > 0);
	assert_true(fabs(all.reward - a.reward - b.reward) < 1e-6);
	assert_true(a.slots > 0 && all.slots == a.slots + b.slots);
	assert_true(astra_engine_classes(vc.engine, add_class, granted));
	assert_int_equal(granted[0][0], 4);
	assert_int_equal(granted[1][1], 4);
	assert_int_equal(granted[0][1] + granted[1][0], 0);
	vc_fini(&vc);
}

/* 4 GPUs, 2 for each tenant; the gang of 4 has its slots, and its tenant waits
 * after. */
static void a_gang_of_more_than_the_share_has_its_turn(void **state)
{
	(void)state;
	for (size_t p = 0; p < ASTRA_COUNT_OF(policies); p++) {
		struct vcluster vc;
		struct vjob *gang;

		begin(&vc, policies[p], 1, 4, true);
		vc_tenant(&vc, "a", 1);
		vc_tenant(&vc, "b", 1);
		gang = submit(&vc, 0, 4, 1e5, 1000);
		for (uint32_t i = 0; i < 8; i++)
			submit(&vc, 1, 1, 1e5, 1000);
		vc_run(&vc, AT(40 * SLOT));
		assert_true(gang->done_sec > 40 * SLOT * .4);
		assert_true(had(&vc, 1) > 40 * SLOT * 4 * .4);
		vc_fini(&vc);
	}
}

/* Whatever comes, each job comes to its end: of up to all GPUs, some elastic,
 * beside endless ones of another tenant. Beside endless ones of its own tenant
 * it is the inner policy that says who runs. That no GPU is given twice
 * vcluster sees to. */
static void starve_nobody(const char *policy, uint64_t seed)
{
	struct astra_random random = astra_random_seed(seed);
	struct vjob *jobs[40];
	struct vcluster vc;
	size_t ended = 0;

	begin(&vc, policy, 2, 4, true);
	for (uint32_t t = 0; t < 3; t++)
		vc_tenant(&vc, t ? t > 1 ? "c" : "b" : "a", 1 + t);
	submit(&vc, 2, 1, 1e7, 1e4);
	submit(&vc, 2, 2, 1e7, 1e4);
	for (size_t i = 0; i < ASTRA_COUNT_OF(jobs); i++) {
		uint32_t tenant = (uint32_t)astra_random_below(&random, 3);
		uint32_t most = tenant == 2 ? 2 : i % 7 ? 4 : 8;

		jobs[i] =
			submit(&vc, tenant,
			       1 + (uint32_t)astra_random_below(&random, most),
			       50 + 600 * astra_random_uniform(&random),
			       1 + 100 * astra_random_uniform(&random));
		if (!astra_random_below(&random, 4))
			jobs[i]->job.request.gpus_min = 1;
		vc_run(&vc,
		       vc.now_sec + (double)astra_random_below(&random, 60));
	}
	vc_run(&vc, AT(400 * SLOT));
	for (size_t i = 0; i < ASTRA_COUNT_OF(jobs); i++)
		ended += jobs[i]->job.state == ASTRA_JOB_ENDED;
	if (ended != ASTRA_COUNT_OF(jobs))
		fail_msg("%s, seed %d: %zu of %zu jobs end", policy, (int)seed,
			 ended, ASTRA_COUNT_OF(jobs));
	vc_fini(&vc);
}

static void no_job_starves(void **state)
{
	(void)state;
	for (size_t p = 0; p < ASTRA_COUNT_OF(policies); p++)
		for (uint64_t seed = 1; seed <= draws(10); seed++)
			starve_nobody(policies[p], seed);
}

/* A restart in mid-slot: the same jobs at the same times as without. */
static void a_restart_changes_nothing(void **state)
{
	double done[2][30];

	(void)state;
	for (size_t p = 0; p < ASTRA_COUNT_OF(policies); p++) {
		for (int restarted = 0; restarted < 2; restarted++) {
			struct vcluster vc;

			begin(&vc, policies[p], 2, 4, false);
			vc_tenant(&vc, "a", 1);
			vc_tenant(&vc, "b", 2);
			for (uint32_t i = 0; i < 30; i++)
				submit(&vc, i % 2, 1 + i % 4, 100 + 30 * i,
				       1 + i);
			vc_run(&vc, AT(3.5 * SLOT));
			if (restarted)
				vc_restart(&vc);
			vc_run(&vc, AT(20 * SLOT));
			for (size_t i = 0; i < 30; i++)
				done[restarted][i] = vc.jobs[i]->done_sec;
			vc_fini(&vc);
		}
		for (size_t i = 0; i < 30; i++)
			if (fabs(done[0][i] - done[1][i]) > 0)
				fail_msg("%s: job %zu: %g s, not %g",
					 policies[p], i, done[1][i],
					 done[0][i]);
	}
}

/* Half of b's part of the state is lost: a's ledger is as it was. */
static void a_damaged_tenant_begins_anew(void **state)
{
	const struct astra_policy *policy = astra_policy_find("ltgf+ogasched");
	struct astra_policy_report before,
		after = {NAN, NAN, NAN, NAN, NAN, NAN};
	struct astra_bytes saved = {0};
	struct astra_reader in;
	struct vcluster vc;
	void *self;
	size_t at;

	(void)state;
	begin(&vc, "ltgf+ogasched", 2, 4, true);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	for (uint32_t i = 0; i < 8; i++)
		submit(&vc, i % 2, 1, 1e5, 1);
	vc_run(&vc, AT(5 * SLOT));
	assert_true(astra_engine_policy_report(vc.engine, "a", &before));
	assert_int_equal(astra_engine_save(vc.engine, &saved), 0);
	for (at = saved.size; at-- > 0;)
		if (!memcmp(saved.data + at, "ltgf+ogasched", 13))
			break;
	at += strlen("ltgf+ogasched");
	/* The policy's state: its size, then the rows. */
	in = (struct astra_reader){.data = saved.data, .size = saved.size};
	in.at = at;
	in.size = at + 4;
	in.size += astra_get_u32(&in);
	at = in.at;
	assert_int_equal(astra_get_u32(&in), 2);
	for (int row = 0; row < 2; row++) {
		uint32_t size;

		free(astra_get_text(&in));
		assert_int_equal(astra_get_u32(&in), row);
		size = astra_get_u32(&in);
		if (row)
			memset(saved.data + in.at, 0xff, size / 2);
		in.at += size;
	}
	in.at = at;
	self = policy->create(&vc.options, NULL);
	assert_non_null(self);
	assert_int_equal(policy->restore(self, &in), 0);
	policy->report(self, 0, &after);
	assert_true(fabs(after.reward - before.reward) < 1e-9);
	after.reward = NAN;
	policy->report(self, 1, &after);
	assert_true(fabs(after.reward) < 1e-9);
	policy->destroy(self);
	astra_bytes_clear(&saved);
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tenants_get_their_shares),
		cmocka_unit_test(oasis_plans_with_the_tenants_share),
		cmocka_unit_test(incentive_is_a_market_of_users),
		cmocka_unit_test(overtime_is_paid_to_the_other_user),
		cmocka_unit_test(ogasched_learns_of_the_tenants_jobs),
		cmocka_unit_test(a_gang_of_more_than_the_share_has_its_turn),
		cmocka_unit_test(no_job_starves),
		cmocka_unit_test(a_restart_changes_nothing),
		cmocka_unit_test(a_damaged_tenant_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
