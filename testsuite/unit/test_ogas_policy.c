/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OGASched in the engine, on a virtual cluster. Times are relative to its
 * begin, 1000; slots end at multiples of SLOT. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))
#define SLOT 20

static void begin(struct vcluster *vc, size_t nodes, uint32_t gpus)
{
	vc_init(vc, nodes, gpus);
	strcpy(vc->options.policy, "ogasched");
	vc->options.slot_sec = SLOT;
	vc->options.grace_sec = 2;
	vc->options.round_sec = 5;
	vc_begin(vc);
	vc_tenant(vc, "a", 1);
	vc_tenant(vc, "b", 1);
}

static void submit(struct vcluster *vc, struct vjob **jobs, uint32_t count,
		   uint32_t tenant, uint32_t gpus)
{
	for (uint32_t i = 0; i < count; i++)
		jobs[i] = vc_submit(vc, tenant, gpus, HUGE_VAL);
}

static uint32_t running(struct vjob *const *jobs, uint32_t count)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += jobs[i]->job.state == ASTRA_JOB_RUNNING;
	return sum;
}

/* A slot's leases end with it; one that would be shorter than half a slot with
 * the next. */
static void leases_end_with_a_slot(void **state)
{
	struct vcluster vc;
	struct vjob *early, *late;

	(void)state;
	begin(&vc, 1, 8);
	vc_run(&vc, AT(4));
	early = vc_submit(&vc, 0, 2, HUGE_VAL);
	vc_run(&vc, AT(14));
	late = vc_submit(&vc, 1, 2, HUGE_VAL);
	vc_run(&vc, AT(17));
	assert_close(vc_view(&vc, early).lease_end_sec, AT(SLOT), 0);
	assert_close(vc_view(&vc, late).lease_end_sec, AT(2 * SLOT), 0);
	vc_fini(&vc);
}

/* Two classes that are alike learn to have half each, whoever came first. */
static void classes_that_are_alike_share(void **state)
{
	struct vjob *first[24], *second[24];
	struct vcluster vc;

	(void)state;
	begin(&vc, 4, 4);
	submit(&vc, first, 24, 0, 1);
	vc_run(&vc, AT(5 * SLOT - 2));
	assert_int_equal(running(first, 24), 16);
	submit(&vc, second, 24, 1, 1);
	vc_run(&vc, AT(30 * SLOT));
	assert_in_range(running(second, 24), 7, 8);
	assert_int_equal(running(first, 24) + running(second, 24), 16);
	vc_fini(&vc);
}

/* Then nobody of them is interrupted any more. */
static void who_is_covered_by_its_class_goes_on(void **state)
{
	struct vjob *first[24], *second[24];
	uint32_t starts = 0, again = 0;
	struct vcluster vc;

	(void)state;
	begin(&vc, 4, 4);
	submit(&vc, first, 24, 0, 1);
	submit(&vc, second, 24, 1, 1);
	vc_run(&vc, AT(20 * SLOT - 2));
	for (int i = 0; i < 24; i++)
		starts += first[i]->starts + second[i]->starts;
	vc_run(&vc, AT(40 * SLOT));
	for (int i = 0; i < 24; i++)
		again += first[i]->starts + second[i]->starts;
	assert_int_equal(again, starts);
	assert_int_equal(running(first, 24) + running(second, 24), 16);
	vc_fini(&vc);
}

/* Two run for ten slots, until a node goes. When the one that is left has
 * ended, one that has not run yet goes before the one that has and came first.
 */
static void who_has_run_for_long_waits_behind_a_new_job(void **state)
{
	struct vjob *old[2], *fresh;
	struct vcluster vc;
	int stays;

	(void)state;
	begin(&vc, 2, 4);
	for (int i = 0; i < 2; i++)
		old[i] = vc_submit(&vc, 0, 4, 30 * SLOT);
	vc_run(&vc, AT(10 * SLOT));
	assert_int_equal(running(old, 2), 2);
	vc.nodes[1].usable = false;
	vc.nodes[1].emptying = true;
	vc_run(&vc, AT(12 * SLOT));
	assert_int_equal(running(old, 2), 1);
	stays = old[0]->job.state == ASTRA_JOB_RUNNING ? 0 : 1;
	fresh = vc_submit(&vc, 0, 4, 2 * SLOT);
	vc_run(&vc, AT(29 * SLOT));
	assert_int_equal(running(&old[stays], 1), 1);
	assert_int_equal(old[stays]->starts, 1);
	assert_int_equal(fresh->starts, 0);
	vc_run(&vc, AT(36 * SLOT));
	assert_int_equal(old[stays]->job.state, ASTRA_JOB_ENDED);
	assert_int_equal(fresh->job.state, ASTRA_JOB_ENDED);
	assert_int_equal(fresh->starts, 1);
	assert_int_equal(running(&old[1 - stays], 1), 1);
	vc_fini(&vc);
}

/* A gang of all GPUs cannot get its class's share in each slot. It saves it
 * until it is enough, has a slot, and the others have the next ones. */
static void a_gang_larger_than_its_share_has_a_slot_now_and_then(void **state)
{
	struct vjob *small[24], *gang;
	struct vcluster vc;

	(void)state;
	begin(&vc, 4, 4);
	submit(&vc, small, 24, 0, 1);
	gang = vc_submit(&vc, 1, 16, HUGE_VAL);
	vc_run(&vc, AT(40 * SLOT));
	assert_in_range(gang->starts, 2, 20);
	assert_true(gang->done_sec > 3 * SLOT);
	for (int i = 0; i < 24; i++)
		assert_true(small[i]->done_sec < 38 * SLOT);
	vc_fini(&vc);
}

/* Others come at any time of a slot; their leases must not end at any time, and
 * one of the gang's class that never fits must not stand before it. */
static void a_gang_has_its_slot_though_others_come_all_the_time(void **state)
{
	struct vjob *small[8], *gang;
	struct vcluster vc;

	(void)state;
	begin(&vc, 3, 4);
	submit(&vc, small, 8, 0, 1);
	vc_submit(&vc, 0, 16, HUGE_VAL);
	gang = vc_submit(&vc, 0, 12, HUGE_VAL);
	for (uint32_t i = 0; i < 40 * SLOT / 2; i++) {
		vc_submit(&vc, i % 2, 1, 5 + i % 7);
		vc_run(&vc, vc.now_sec + 2);
	}
	assert_true(gang->done_sec > 3 * SLOT);
	vc_fini(&vc);
}

static void nothing_idles_while_somebody_waits(void **state)
{
	struct vjob *jobs[3], *other;
	struct vcluster vc;

	(void)state;
	begin(&vc, 2, 8);
	submit(&vc, jobs, 3, 0, 8);
	vc_run(&vc, AT(3 * SLOT + 2));
	assert_int_equal(running(jobs, 3), 2);
	vc_run(&vc, AT(4 * SLOT));
	other = vc_submit(&vc, 1, 8, 5);
	vc_run(&vc, AT(12 * SLOT));
	assert_int_equal(other->job.state, ASTRA_JOB_ENDED);
	assert_int_equal(running(jobs, 3), 2);
	vc_fini(&vc);
}

static void who_waits_is_told_why(void **state)
{
	struct vcluster vc;
	char text[64];

	(void)state;
	begin(&vc, 1, 4);
	vc_submit(&vc, 0, 4, HUGE_VAL);
	vc_submit(&vc, 0, 4, HUGE_VAL);
	vc_run(&vc, AT(5));
	assert_int_equal(vc.plan.reason_count, 1);
	assert_int_equal(vc.plan.reasons[0].wait, ASTRA_WAIT_LEARNED);
	astra_reason_text(&vc.plan.reasons[0], vc.now_sec, text, sizeof(text));
	assert_string_equal(text, "Lease: its class has no GPUs left");
	vc_fini(&vc);
}

static void the_reward_is_reported(void **state)
{
	struct astra_policy_report report;
	struct vcluster vc;

	(void)state;
	begin(&vc, 1, 4);
	vc_submit(&vc, 0, 4, HUGE_VAL);
	vc_run(&vc, AT(3 * SLOT));
	assert_true(astra_engine_policy_report(vc.engine, NULL, &report));
	assert_true(report.reward > 0);
	vc_fini(&vc);
}

/* The node's share of y is lost, the class is not. */
static void a_node_goes_and_comes_back(void **state)
{
	struct vjob *jobs[4];
	struct vcluster vc;

	(void)state;
	begin(&vc, 2, 4);
	submit(&vc, jobs, 4, 0, 2);
	vc_run(&vc, AT(2 * SLOT));
	assert_int_equal(running(jobs, 4), 4);
	vc.nodes[1].usable = false;
	vc.nodes[1].emptying = true;
	vc_run(&vc, AT(5 * SLOT));
	assert_int_equal(vc.nodes[1].gpus_free, 4);
	assert_int_equal(running(jobs, 4), 2);
	vc.nodes[1].usable = true;
	vc.nodes[1].emptying = false;
	vc_run(&vc, AT(8 * SLOT));
	assert_int_equal(running(jobs, 4), 4);
	vc_fini(&vc);
}

/* 64 CPUs. Jobs of one class take half of them for a GPU, those of the other
 * one an eighth for a GPU. By GPUs alone the first would have all CPUs. */
static void who_takes_many_cpus_leaves_the_others_theirs(void **state)
{
	struct vjob *heavy[8], *plain[8];
	struct vcluster vc;

	(void)state;
	begin(&vc, 1, 8);
	submit(&vc, heavy, 8, 0, 1);
	for (int i = 0; i < 8; i++)
		heavy[i]->job.request.cpus = 32;
	vc_run(&vc, AT(3 * SLOT - 2));
	assert_int_equal(running(heavy, 8), 2);
	submit(&vc, plain, 8, 1, 1);
	for (int i = 0; i < 8; i++)
		plain[i]->job.request.cpus = 8;
	vc_run(&vc, AT(20 * SLOT));
	assert_int_equal(running(heavy, 8), 1);
	assert_int_equal(running(plain, 8), 4);
	vc_fini(&vc);
}

/* Jobs of random sizes, some elastic, come and go; vcluster fails the test when
 * a plan overcommits, the engine's round when an award is not sound. */
static void random_jobs_fit_and_end(void **state)
{
	struct astra_random random = astra_random_seed(31);
	struct vcluster vc;

	(void)state;
	for (int run = 0; run < 6; run++) {
		begin(&vc, 6, 4);
		for (int i = 0; i < 60; i++) {
			uint32_t gpus =
				1 + (uint32_t)astra_random_below(&random, 12);
			struct vjob *v = vc_submit(
				&vc, (uint32_t)astra_random_below(&random, 2),
				gpus,
				(double)(5 + astra_random_below(&random, 90)));

			if (run % 2 && gpus > 1)
				v->job.request.gpus_min = 1 + gpus / 3;
			vc_run(&vc, vc.now_sec + (double)astra_random_below(
							 &random, 30));
		}
		vc_run(&vc, vc.now_sec + 3000);
		for (size_t i = 0; i < vc.job_count; i++)
			assert_int_equal(vc.jobs[i]->job.state,
					 ASTRA_JOB_ENDED);
		vc_fini(&vc);
	}
}

static struct vcluster *busy(uint64_t seed, struct vcluster *vc)
{
	struct astra_random random = astra_random_seed(seed);

	begin(vc, 4, 4);
	for (int i = 0; i < 20; i++)
		vc_submit(vc, (uint32_t)astra_random_below(&random, 2),
			  1u << astra_random_below(&random, 4), HUGE_VAL);
	return vc;
}

/* The engine is saved and made anew in the middle of a slot. */
static void what_was_learned_survives_a_restart(void **state)
{
	struct vcluster one, two;

	(void)state;
	busy(3, &one);
	busy(3, &two);
	vc_run(&one, AT(10 * SLOT + 7));
	vc_run(&two, AT(10 * SLOT + 7));
	vc_restart(&two);
	vc_run(&one, AT(30 * SLOT));
	vc_run(&two, AT(30 * SLOT));
	for (size_t i = 0; i < one.job_count; i++) {
		assert_int_equal(one.jobs[i]->starts, two.jobs[i]->starts);
		assert_close(one.jobs[i]->done_sec, two.jobs[i]->done_sec, 0);
	}
	vc_fini(&one);
	vc_fini(&two);
}

static void damaged_state_is_refused(void **state)
{
	const struct astra_policy *policy = astra_policy_find("ogasched");
	struct astra_random random = astra_random_seed(32);
	struct astra_bytes saved = {0};
	struct astra_error err;
	struct vcluster vc;
	void *self;

	(void)state;
	busy(4, &vc);
	vc_run(&vc, AT(3 * SLOT));
	assert_int_equal(astra_engine_save(vc.engine, &saved), 0);
	for (int i = 0; i < 2000; i++) {
		size_t at = astra_random_below(&random, saved.size);
		struct astra_reader in = {
			.data = saved.data + at,
			.size = saved.size - at,
		};

		self = policy->create(&vc.options, &err);
		policy->restore(self, &in); /* no crash, whatever it says */
		policy->destroy(self);
	}
	astra_bytes_clear(&saved);
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leases_end_with_a_slot),
		cmocka_unit_test(classes_that_are_alike_share),
		cmocka_unit_test(who_is_covered_by_its_class_goes_on),
		cmocka_unit_test(who_has_run_for_long_waits_behind_a_new_job),
		cmocka_unit_test(
			a_gang_larger_than_its_share_has_a_slot_now_and_then),
		cmocka_unit_test(
			a_gang_has_its_slot_though_others_come_all_the_time),
		cmocka_unit_test(nothing_idles_while_somebody_waits),
		cmocka_unit_test(who_waits_is_told_why),
		cmocka_unit_test(the_reward_is_reported),
		cmocka_unit_test(a_node_goes_and_comes_back),
		cmocka_unit_test(who_takes_many_cpus_leaves_the_others_theirs),
		cmocka_unit_test(random_jobs_fit_and_end),
		cmocka_unit_test(what_was_learned_survives_a_restart),
		cmocka_unit_test(damaged_state_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
