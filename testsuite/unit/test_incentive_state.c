/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Incentive's calendar over restarts and clocks that are set, and what it makes
 * of whatever happens in a pool. */
#include <math.h>
#include <stdlib.h>

#include "src/common/random.h"
#include "src/policies/incentive/batch.h"
#include "src/policies/incentive/policy.h"
#include "src/policies/options.h"
#include "testsuite/unit/incentive_pool.h"

/* What is awarded to an array of so many 1-GPU tasks on four GPUs. */
static struct astra_allocation ask(void *self, double now_sec, uint32_t copies)
{
	const struct astra_node node = {.usable = true, .gpus = 4};
	const struct astra_contestant tenant = {.quota = 4, .entitled = true};
	const struct astra_job job = {
		.id = 7,
		.copies = copies,
		.state = ASTRA_JOB_PENDING,
		.request = {.gpus = 1},
		.forecast = {.work_sec = SLOT - 10},
	};
	const struct astra_demand demand = {.job = &job,
					    .submit_sec = 1000,
					    .copies = copies,
					    .open = true};
	const uint32_t four = 4;
	const struct astra_offer offer = {
		.now_sec = now_sec,
		.nodes = &node,
		.free = &four,
		.node_count = 1,
		.gpus = 4,
		.demands = &demand,
		.demand_count = 1,
		.tenants = &tenant,
		.tenant_count = 1,
	};
	struct astra_allocation out = {0};
	struct astra_error err;

	assert_int_equal(astra_incentive.allocate(self, &offer, &out, &err), 0);
	free(out.awards);
	free(out.shares);
	return out;
}

static size_t ask_for_array(void *self, double now_sec, uint32_t copies)
{
	return ask(self, now_sec, copies).award_count;
}

/* Nothing costs anything, so four go first, and then the other two. The record
 * stands for the tasks that wait: what left it has started. */
static void an_array_starts_as_many_tasks_as_were_planned(void **state)
{
	struct astra_options options;
	struct astra_error err;
	void *self;

	(void)state;
	astra_options_init(&options);
	options.slot_sec = SLOT;
	options.price_base = 1;
	self = astra_incentive.create(&options, &err);
	assert_int_equal(ask_for_array(self, AT(0), 6), 0);
	assert_int_equal(ask_for_array(self, AT(200), 6), 4);
	assert_int_equal(ask_for_array(self, AT(200), 3), 1);
	assert_int_equal(ask_for_array(self, AT(290), 2), 0);
	assert_int_equal(ask_for_array(self, AT(300), 2), 2);
	astra_incentive.destroy(self);
}

/* Even if the slots that are sold are all to come; else a kill sells them a
 * second time. */
static void each_sale_is_to_be_saved(void **state)
{
	struct astra_options options;
	struct astra_error err;
	void *self;

	(void)state;
	astra_options_init(&options);
	options.slot_sec = SLOT;
	self = astra_incentive.create(&options, &err);
	assert_false(ask(self, AT(0), 6).changed);
	assert_true(ask(self, AT(200), 6).changed);
	assert_false(ask(self, AT(250), 6).changed);
	assert_true(ask(self, AT(400), 6).changed);
	astra_incentive.destroy(self);
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
			vc_restart(&vc);
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

/* Their leases end with the window at 800, just after a restart. */
static void jobs_not_heard_of_are_sold_slots_once_they_are(void **state)
{
	struct vcluster vc;
	struct vjob *jobs[2];
	double paid;

	(void)state;
	begin(&vc, 1, 4);
	vc_tenant(&vc, "b", 1);
	for (int i = 0; i < 2; i++)
		jobs[i] = submit(&vc, 0, 2, 30, 10);
	vc_run(&vc, AT(790));
	paid = report(&vc, "a").paid;
	assert_true(paid > 0);
	for (int i = 0; i < 2; i++)
		jobs[i]->job.unheard = true;
	vc_restart(&vc);
	vc_run(&vc, AT(815));
	assert_close(report(&vc, "a").paid, paid, 0);
	for (int i = 0; i < 2; i++)
		jobs[i]->job.unheard = false;
	vc_run(&vc, AT(830));
	assert_true(report(&vc, "a").paid > paid);
	assert_int_equal(jobs[1]->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

static void slots_go_with_the_clock(void **state)
{
	struct vcluster vc;
	struct vjob *last = NULL;

	(void)state;
	begin(&vc, 1, 4);
	for (int i = 0; i < 2; i++)
		last = submit(&vc, 0, 4, 1, 10);
	vc_run(&vc, AT(250));
	vc_set_clock(&vc, 5000);
	vc_run(&vc, AT(5290));
	assert_int_equal(last->job.state, ASTRA_JOB_PENDING);
	vc_run(&vc, AT(5310));
	assert_int_equal(last->job.state, ASTRA_JOB_RUNNING);
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

/* Rigid and elastic jobs of all shapes, that say the truth of their work or
 * not, of two tenants; nodes come and go. */
static void submit_any(struct vcluster *vc, struct astra_random *r)
{
	uint32_t gpus = 1 + (uint32_t)astra_random_below(r, 10);
	double slots = .3 + 6 * astra_random_uniform(r);
	struct vjob *v = submit(vc, (uint32_t)astra_random_below(r, 2), gpus,
				slots, astra_random_uniform(r) - .2);

	switch (astra_random_below(r, 6)) {
	case 0:
		v->job.request.gpus_min = 1 + gpus / 2;
		break;
	case 1:
		v->job.request.nodes_max = 1 + (gpus - 1) / 4;
		break;
	case 2:
		v->job.forecast.work_sec *= .5;
		break;
	case 3:
		v->job.forecast = (struct astra_forecast){.work_sec = 0};
		v->job.time_limit_sec = 5 * SLOT;
		break;
	case 4:
		v->job.forecast.slowdown[ASTRA_LEVEL_RACK] = 1.5;
		break;
	}
	if (v->job.request.nodes_max == 1)
		v->job.request.gpus_per_node = gpus;
	v->checkpoint_sec = (double)astra_random_below(r, 3);
}

static void play_any(uint64_t seed)
{
	struct astra_random r = astra_random_seed(seed);
	struct vcluster vc;

	begin_with(&vc, 4, 4, seed % 2);
	vc_tenant(&vc, "b", 2);
	vc.cleanup_sec = 3;
	for (int t = 0; t < 4000; t += 20) {
		struct astra_node *node = &vc.nodes[astra_random_below(&r, 4)];

		if (t < 2000 && !astra_random_below(&r, 3))
			submit_any(&vc, &r);
		if (!astra_random_below(&r, 20))
			node->usable = t >= 2000 || !node->usable;
		if (!astra_random_below(&r, 50))
			vc_restart(&vc);
		vc_run(&vc, AT(t));
	}
	for (size_t n = 0; n < vc.node_count; n++)
		vc.nodes[n].usable = true;
	vc_run(&vc, AT(15000));
	for (size_t i = 0; i < vc.job_count; i++)
		assert_int_equal(vc.jobs[i]->job.state, ASTRA_JOB_ENDED);
	assert_close(report(&vc, NULL).paid, report(&vc, NULL).income, 1e-9);
	vc_fini(&vc);
}

static void all_jobs_end_whatever_happens(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++)
		play_any(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_array_starts_as_many_tasks_as_were_planned),
		cmocka_unit_test(each_sale_is_to_be_saved),
		cmocka_unit_test(quotas_are_whole_gpus_that_sum_to_all),
		cmocka_unit_test(a_restart_changes_nothing),
		cmocka_unit_test(
			jobs_not_heard_of_are_sold_slots_once_they_are),
		cmocka_unit_test(slots_go_with_the_clock),
		cmocka_unit_test(damaged_states_are_refused),
		cmocka_unit_test(all_jobs_end_whatever_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
