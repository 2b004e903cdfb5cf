/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Incentive in the engine, on a virtual cluster. Slots are 100 s from the
 * begin, 1000, on; windows are (2, 4], (4, 8], then 4 slots each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/policy/incentive/batch.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))
#define SLOT 100

static void begin_with(struct vcluster *vc, size_t nodes, uint32_t gpus,
		       bool own_share)
{
	vc_init(vc, nodes, gpus);
	strcpy(vc->options.policy, "incentive");
	vc->options.slot_sec = SLOT;
	vc->options.batch_max = 4;
	vc->options.own_share = own_share;
	vc->options.lease_sec = 50;
	vc->options.grace_sec = 2;
	vc->options.round_sec = 5;
	vc_begin(vc);
	vc_tenant(vc, "a", 1);
}

static void begin(struct vcluster *vc, size_t nodes, uint32_t gpus)
{
	begin_with(vc, nodes, gpus, true);
}

/* A job that takes a little less than so many slots, worth so much a GPU. */
static struct vjob *submit(struct vcluster *vc, uint32_t tenant, uint32_t gpus,
			   double slots, double worth)
{
	struct vjob *v = vc_submit(vc, tenant, gpus, slots * SLOT - 10);

	v->job.forecast.work_sec = slots * SLOT - 10;
	v->job.forecast.utility = (struct astra_utility){
		.kind = ASTRA_UTILITY_LINEAR, .linear = {-.01, worth * gpus}};
	return v;
}

static const struct astra_reason *reason_of(const struct vcluster *vc,
					    const struct vjob *v)
{
	for (size_t i = 0; i < vc->plan.reason_count; i++)
		if (vc->plan.reasons[i].job == v->job.id)
			return &vc->plan.reasons[i];
	fail_msg("job %u has no reason", v->job.id);
	return NULL;
}

static struct astra_policy_report report(const struct vcluster *vc,
					 const char *tenant)
{
	struct astra_policy_report sums;

	assert_true(astra_engine_policy_report(vc->engine, tenant, &sums));
	return sums;
}

/* l = 1: those that come by tau_1 = 2 are planned on (2, 4]. */
static void a_job_starts_with_the_window_after_it_came(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin(&vc, 1, 4);
	j = submit(&vc, 0, 4, 2, 10);
	vc_run(&vc, AT(199));
	assert_int_equal(j->job.state, ASTRA_JOB_PENDING);
	assert_int_equal(reason_of(&vc, j)->wait, ASTRA_WAIT_BATCH);
	assert_close(reason_of(&vc, j)->start_sec, AT(200), 0);
	vc_run(&vc, AT(205));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_close(vc_view(&vc, j).lease_end_sec, AT(400), 0);
	vc_run(&vc, AT(395));
	assert_int_equal(j->job.state, ASTRA_JOB_ENDED);
	vc_fini(&vc);
}

/* GPUs are idle, but the window is sold. */
static void one_that_comes_in_a_window_waits_for_the_next(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin(&vc, 1, 4);
	vc_run(&vc, AT(450));
	j = submit(&vc, 0, 4, 1, 10);
	vc_run(&vc, AT(798));
	assert_int_equal(j->job.state, ASTRA_JOB_PENDING);
	vc_run(&vc, AT(805));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* 4 GPUs: one job after the other, each told when. */
static void later_slots_are_planned_too(void **state)
{
	struct vcluster vc;
	struct vjob *j, *k;

	(void)state;
	begin(&vc, 1, 4);
	j = submit(&vc, 0, 4, 1, 10);
	k = submit(&vc, 0, 4, 1, 10);
	vc_run(&vc, AT(250));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(k->job.state, ASTRA_JOB_PENDING);
	assert_int_equal(reason_of(&vc, k)->wait, ASTRA_WAIT_PLANNED);
	assert_close(reason_of(&vc, k)->start_sec, AT(300), 0);
	vc_run(&vc, AT(305));
	assert_int_equal(k->job.state, ASTRA_JOB_RUNNING);
	assert_close(vc_view(&vc, k).lease_end_sec, AT(400), 0);
	vc_fini(&vc);
}

/* The window (2, 4] and all later ones, without a restart. */
static void a_long_job_goes_on_from_window_to_window(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin(&vc, 3, 4);
	j = submit(&vc, 0, 6, 20, 10);
	vc_run(&vc, AT(2100));
	assert_int_equal(j->starts, 1);
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	vc_run(&vc, AT(2300));
	assert_int_equal(j->job.state, ASTRA_JOB_ENDED);
	vc_fini(&vc);
}

/* It said one slot and needs five; the next one was planned after it. */
static void a_job_that_is_not_done_is_offered_again(void **state)
{
	struct vcluster vc;
	struct vjob *j, *k;

	(void)state;
	begin(&vc, 1, 4);
	j = submit(&vc, 0, 4, 1, 10);
	j->work_sec = 5 * SLOT - 10;
	k = submit(&vc, 0, 4, 1, 10);
	vc_run(&vc, AT(310));
	assert_int_equal(j->job.state, ASTRA_JOB_PENDING);
	assert_int_equal(k->job.state, ASTRA_JOB_RUNNING);
	vc_run(&vc, AT(405));
	assert_int_equal(j->starts, 2);
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	/* Nobody else wants its GPUs: it keeps them slot by slot. */
	vc_run(&vc, AT(820));
	assert_int_equal(j->job.state, ASTRA_JOB_ENDED);
	assert_int_equal(j->starts, 2);
	vc_fini(&vc);
}

static void an_elastic_job_takes_what_is_left(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin(&vc, 1, 4);
	submit(&vc, 0, 3, 2, 10);
	j = submit(&vc, 0, 2, .7, 10);
	j->job.request.gpus_min = 1;
	vc_run(&vc, AT(210));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(vc.nodes[0].gpus_free, 0);
	vc_fini(&vc);
}

/* Half each. Of the second tenant's jobs one fits its share; the other takes
 * three GPUs more for two slots, at 2^(1/4) - 1 a GPU hour. Of that two thirds
 * go to the first tenant, who left two GPUs unused, the other one left one. */
static void own_shares_are_free_and_others_are_paid(void **state)
{
	const double hours = 3 * 2 * SLOT / 3600.0;
	const double pay = (pow(2, .25) - 1) * hours;
	struct vcluster vc;

	(void)state;
	begin(&vc, 1, 4);
	vc_tenant(&vc, "b", 1);
	submit(&vc, 1, 3, 2, 10);
	submit(&vc, 1, 1, 2, 10);
	vc_run(&vc, AT(210));
	assert_int_equal(vc_running_gpus(&vc), 4);
	assert_close(report(&vc, "a").paid, 0, 0);
	assert_close(report(&vc, "b").paid, pay, 1e-9);
	assert_close(report(&vc, "a").income, pay * 2 / 3, 1e-9);
	assert_close(report(&vc, NULL).income, pay, 1e-9);
	vc_fini(&vc);
}

/* The first tenant has all its GPUs in use; the second one's job is worth less
 * than two GPUs cost then, 2 (2^(2/4) - 1) 200/3600 = 0.046. */
static struct vjob *poor_job(struct vcluster *vc, bool own_share)
{
	struct vjob *j;

	begin_with(vc, 1, 4, own_share);
	vc_tenant(vc, "b", 1);
	submit(vc, 0, 2, 2, 10);
	j = submit(vc, 1, 2, 2, .03 / 2);
	j->job.forecast.utility.linear.k = 0;
	vc_run(vc, AT(210));
	return j;
}

static void own_price_says_who_is_refused(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	j = poor_job(&vc, true);
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
	j = poor_job(&vc, false);
	assert_int_equal(j->job.state, ASTRA_JOB_PENDING);
	assert_int_equal(reason_of(&vc, j)->wait, ASTRA_WAIT_PRICE);
	/* Alone in the next window. */
	vc_run(&vc, AT(410));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* Worth nothing at all, it runs in its tenant's share after all others. */
static void the_worthless_run_in_their_idle_share(void **state)
{
	struct vcluster vc;
	struct vjob *j, *k;

	(void)state;
	begin(&vc, 1, 4);
	j = submit(&vc, 0, 4, 1, 0);
	k = submit(&vc, 0, 4, 1, 10);
	vc_run(&vc, AT(210));
	assert_int_equal(j->job.state, ASTRA_JOB_PENDING);
	assert_int_equal(k->job.state, ASTRA_JOB_RUNNING);
	vc_run(&vc, AT(310));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* The array's record stands for the tasks that wait. */
static void an_array_starts_as_many_tasks_as_were_planned(void **state)
{
	const struct astra_policy *policy = astra_policy_find("incentive");
	struct astra_options options;
	struct astra_node node = {.usable = true, .gpus = 4, .gpus_free = 4};
	struct astra_contestant tenant = {.quota = 4, .entitled = true};
	struct astra_job job = {
		.id = 7, .copies = 6, .state = ASTRA_JOB_PENDING};
	struct astra_demand demand = {.job = &job, .copies = 6, .open = true};
	uint32_t four = 4;
	struct astra_offer offer = {.now_sec = 1000,
				    .nodes = &node,
				    .free = &four,
				    .node_count = 1,
				    .gpus = 4,
				    .demands = &demand,
				    .demand_count = 1,
				    .tenants = &tenant,
				    .tenant_count = 1};
	struct astra_allocation out = {0};
	struct astra_error err;
	void *self;

	(void)state;
	astra_options_init(&options);
	options.slot_sec = SLOT;
	options.price_base = 1;
	job.request.gpus = 1;
	job.forecast.work_sec = SLOT - 10;
	self = policy->create(&options, &err);
	demand.submit_sec = 1000;
	assert_int_equal(policy->allocate(self, &offer, &out, &err), 0);
	assert_int_equal(out.award_count, 0);
	offer.now_sec = AT(200);
	assert_int_equal(policy->allocate(self, &offer, &out, &err), 0);
	assert_int_equal(out.award_count, 4);
	/* Three of them have started; one is still to. */
	job.copies = demand.copies = 3;
	out.award_count = out.share_count = 0;
	assert_int_equal(policy->allocate(self, &offer, &out, &err), 0);
	assert_int_equal(out.award_count, 1);
	job.copies = demand.copies = 2;
	out.award_count = out.share_count = 0;
	offer.now_sec = AT(290);
	assert_int_equal(policy->allocate(self, &offer, &out, &err), 0);
	assert_int_equal(out.award_count, 0);
	assert_close(out.wake_sec, AT(300), 0);
	offer.now_sec = AT(300);
	assert_int_equal(policy->allocate(self, &offer, &out, &err), 0);
	assert_int_equal(out.award_count, 2);
	free(out.awards);
	free(out.shares);
	policy->destroy(self);
}

static void quotas_are_whole_gpus_that_sum_to_all(void **state)
{
	static const struct {
		double weights[3];
		uint32_t gpus, quotas[3];
	} cases[] = {
		{{1, 1, 1}, 8, {3, 3, 2}}, {{1, 2, 5}, 8, {1, 2, 5}},
		{{0, 0, 0}, 7, {3, 2, 2}}, {{1, 0, 1}, 1, {1, 0, 0}},
		{{3, 1, 0}, 6, {5, 1, 0}}, {{1e-300, 1, 1}, 2, {0, 1, 1}},
		{{5, 1, 1}, 0, {0, 0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_market_room quotas[3];

		assert_int_equal(astra_batch_quotas(cases[i].weights, 3,
						    cases[i].gpus, quotas),
				 0);
		for (size_t u = 0; u < 3; u++)
			assert_int_equal(quotas[u].workers, cases[i].quotas[u]);
	}
}

static void save_and_restore(struct vcluster *vc)
{
	struct astra_bytes saved = {0};
	struct astra_error err = {""};

	assert_int_equal(astra_engine_save(vc->engine, &saved), 0);
	astra_engine_destroy(vc->engine);
	vc->engine = astra_engine_restore(&vc->options, saved.data, saved.size,
					  &err);
	assert_non_null(vc->engine);
	astra_bytes_clear(&saved);
}

/* In the middle of a window: the same jobs at the same times, and the same
 * ledger. */
static void a_restart_changes_nothing(void **state)
{
	double done[2][8], utility[2];

	(void)state;
	for (int restarted = 0; restarted < 2; restarted++) {
		struct vcluster vc;

		begin(&vc, 2, 4);
		vc_tenant(&vc, "b", 1);
		for (uint32_t i = 0; i < 8; i++)
			submit(&vc, i % 2, 1 + i % 5, 1 + i % 3, 10);
		vc_run(&vc, AT(450));
		if (restarted)
			save_and_restore(&vc);
		vc_run(&vc, AT(1000));
		for (size_t i = 0; i < 8; i++)
			done[restarted][i] = vc.jobs[i]->done_sec;
		utility[restarted] = report(&vc, NULL).utility;
		vc_fini(&vc);
	}
	assert_memory_equal(done[0], done[1], sizeof(done[0]));
	assert_true(utility[0] > 0);
	assert_close(utility[0], utility[1], 0);
}

static void slots_go_with_the_clock(void **state)
{
	struct vcluster vc;
	struct vjob *j, *k;

	(void)state;
	begin(&vc, 1, 4);
	j = submit(&vc, 0, 4, 1, 10);
	k = submit(&vc, 0, 4, 1, 10);
	vc_run(&vc, AT(250));
	vc_set_clock(&vc, 5000);
	vc_run(&vc, AT(5290));
	assert_int_equal(j->starts, 1);
	assert_int_equal(k->job.state, ASTRA_JOB_PENDING);
	vc_run(&vc, AT(5310));
	assert_int_equal(k->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

static void expect_refused(const struct astra_bytes *saved)
{
	struct astra_options options;
	const struct astra_policy *policy = astra_policy_find("incentive");
	struct astra_error err;
	void *self;

	astra_options_init(&options);
	self = policy->create(&options, &err);
	assert_int_equal(policy->restore(self,
					 &(struct astra_reader){
						 .data = saved->data,
						 .size = saved->size,
					 }),
			 -1);
	policy->destroy(self);
}

static void damaged_states_are_refused(void **state)
{
	struct vcluster vc;
	struct astra_bytes saved = {0};

	(void)state;
	begin(&vc, 1, 4);
	submit(&vc, 0, 4, 1, 10);
	vc_run(&vc, AT(250));
	assert_int_equal(astra_engine_save(vc.engine, &saved), 0);
	astra_bytes_clear(&saved);
	vc_fini(&vc);
	expect_refused(&saved); /* nothing at all */
	astra_put_f64(&saved, SLOT);
	astra_put_f64(&saved, NAN);
	for (int i = 0; i < 5; i++)
		astra_put_u32(&saved, 0);
	expect_refused(&saved);
	astra_bytes_clear(&saved);
	astra_put_f64(&saved, SLOT);
	astra_put_f64(&saved, 1000);
	astra_put_u32(&saved, 2);
	astra_put_u32(&saved, 2);
	astra_put_u32(&saved, 3);
	astra_put_u32(&saved, 0);
	astra_put_u32(&saved, 1); /* one entry, */
	astra_put_u32(&saved, 9); /* of job 9, */
	astra_put_u32(&saved, 1);
	astra_put_u32(&saved, 3);
	astra_put_u32(&saved, 3);
	astra_put_u32(&saved, UINT32_MAX); /* with very many nodes */
	expect_refused(&saved);
	astra_bytes_clear(&saved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_starts_with_the_window_after_it_came),
		cmocka_unit_test(one_that_comes_in_a_window_waits_for_the_next),
		cmocka_unit_test(later_slots_are_planned_too),
		cmocka_unit_test(a_long_job_goes_on_from_window_to_window),
		cmocka_unit_test(a_job_that_is_not_done_is_offered_again),
		cmocka_unit_test(an_elastic_job_takes_what_is_left),
		cmocka_unit_test(own_shares_are_free_and_others_are_paid),
		cmocka_unit_test(own_price_says_who_is_refused),
		cmocka_unit_test(the_worthless_run_in_their_idle_share),
		cmocka_unit_test(an_array_starts_as_many_tasks_as_were_planned),
		cmocka_unit_test(quotas_are_whole_gpus_that_sum_to_all),
		cmocka_unit_test(a_restart_changes_nothing),
		cmocka_unit_test(slots_go_with_the_clock),
		cmocka_unit_test(damaged_states_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
