/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of the GPUs that were held for a job, on a virtual cluster.
 * Times are relative to its begin, 1000. */
#include <math.h>

#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))

static struct vjob *submit_shape(struct vcluster *vc, uint32_t nodes,
				 uint32_t per_node)
{
	struct vjob *v = vc_submit(vc, 0, nodes * per_node, 10);

	v->job.request.gpus_per_node = per_node;
	v->job.request.nodes_min = v->job.request.nodes_max = nodes;
	return v;
}

/* Both nodes are in use until 20, then idle at once. The first gang has the
 * hold until then. It was served and, in the same round, lost its GPUs to the
 * hold of the job that wants a whole node, which lost them to the gang in the
 * next one: nothing ever started. */
static void jobs_in_each_others_way_start(void **state)
{
	struct vcluster vc;
	struct vjob *jobs[6];
	(void)state;

	vc_init(&vc, 2, 4);
	vc.options.lease_sec = 6;
	vc.options.grace_sec = 3;
	vc.options.round_sec = 1;
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	for (int i = 0; i < 2; i++) {
		struct vjob *v = vc_submit(&vc, 0, 4, 20);

		v->job.revocable = false;
		v->job.time_limit_sec = 20;
	}
	vc_run(&vc, AT(2));
	jobs[0] = submit_shape(&vc, 2, 2);
	vc_run(&vc, AT(3));
	jobs[1] = submit_shape(&vc, 1, 4);
	jobs[2] = submit_shape(&vc, 2, 2);
	jobs[3] = submit_shape(&vc, 2, 2);
	jobs[4] = submit_shape(&vc, 1, 2);
	jobs[5] = submit_shape(&vc, 1, 2);
	vc_run(&vc, AT(23));
	assert_int_equal(jobs[0]->job.state, ASTRA_JOB_RUNNING);
	vc_run(&vc, AT(35));
	assert_int_equal(jobs[1]->starts, 1);
	vc_run(&vc, AT(200));
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(jobs[i]->job.state, ASTRA_JOB_ENDED);
	vc_fini(&vc);
}

/* One tenant's job has all GPUs from 0 on, another's comes at 5. Returns when
 * that one has started. */
static double second_start(double recall_sec)
{
	struct vcluster vc;
	struct vjob *second;
	double start_sec;

	vc_init(&vc, 1, 4);
	vc.options.lease_sec = 60;
	vc.options.grace_sec = 0;
	vc.options.min_run_sec = 0;
	vc.options.recall_sec = recall_sec;
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	vc_submit(&vc, 0, 4, HUGE_VAL);
	vc_run(&vc, AT(5));
	second = vc_submit(&vc, 1, 4, HUGE_VAL);
	vc_run(&vc, AT(70));
	assert_int_equal(second->starts, 1);
	start_sec = second->job.start_sec;
	vc_fini(&vc);
	return start_sec - AT(0);
}

/* RecallAfter=0 took leases back at once, as if each had run long enough. */
static void no_lease_is_recalled_if_recall_after_is_0(void **state)
{
	(void)state;
	assert_in_range(second_start(20), 20, 30);
	assert_in_range(second_start(0), 60, 65);
}

/* So many jobs of one GPU of a tenant are there from 0 on, which have all four;
 * the gang of another one comes at 5. */
static struct vjob *gang_beside_small(struct vcluster *vc, int small)
{
	struct vjob *gang;

	vc_init(vc, 1, 4);
	vc->options.lease_sec = 60;
	vc->options.grace_sec = 0;
	vc->options.min_run_sec = 0;
	vc->options.round_sec = 1;
	vc->options.recall_sec = 10;
	vc_begin(vc);
	vc_tenant(vc, "small", 1);
	vc_tenant(vc, "big", 1);
	while (small--)
		vc_submit(vc, 0, 1, 40);
	vc_run(vc, AT(5));
	gang = vc_submit(vc, 1, 4, HUGE_VAL);
	return gang;
}

/* A small job comes while the gang runs. Once the gang's whole lease is charged
 * its tenant counts as the richer one: the gang lost its GPUs after
 * RecallAfter, though its tenant had waited for them and the small one had had
 * all. */
static void a_gang_keeps_its_turn_beside_first_starts(void **state)
{
	struct vcluster vc;
	struct vjob *gang = gang_beside_small(&vc, 4);

	(void)state;
	while (gang->job.state != ASTRA_JOB_RUNNING && vc.now_sec < AT(70))
		vc_step(&vc);
	vc_run(&vc, gang->job.start_sec + 5);
	vc_restart(&vc);
	vc_submit(&vc, 0, 1, 60);
	vc_run(&vc, gang->job.start_sec + 59);
	assert_int_equal(gang->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(gang->starts, 1);
	vc_fini(&vc);
}

/* The same of a job that is as large, and so its tenant's first start does not
 * wait for the end of the gang's lease. */
static void a_gang_gives_way_to_one_as_large(void **state)
{
	struct vcluster vc;
	struct vjob *gang = gang_beside_small(&vc, 4), *other;

	(void)state;
	while (gang->job.state != ASTRA_JOB_RUNNING && vc.now_sec < AT(70))
		vc_step(&vc);
	vc_run(&vc, gang->job.start_sec + 5);
	vc_tenant(&vc, "new", 1);
	other = vc_submit(&vc, 2, 4, 60);
	vc_run(&vc, AT(40));
	assert_int_equal(other->starts, 1);
	vc_fini(&vc);
}

/* Six GPUs: one job of the first tenant, or user, and five of the second have
 * them, all of one GPU, in either order. Then a third one's first job comes,
 * for which a lease has to end. Nobody lacks anything so far. */
static void a_third_comes(bool users, bool few_first)
{
	struct vcluster vc;
	struct vjob *few = NULL, *third;

	vc_init(&vc, 1, 6);
	vc.options.lease_sec = 60;
	vc.options.grace_sec = 0;
	vc.options.min_run_sec = 0;
	vc.options.round_sec = 1;
	vc.options.recall_sec = 10;
	vc.options.within_users = users;
	vc_begin(&vc);
	for (int i = 0; i < 3; i++) {
		const char *name = (const char *[]){"few", "many", "third"}[i];

		if (!users || !i)
			vc_tenant(&vc, name, 1);
		if (users)
			vc_user(&vc, 0, name);
	}
	for (uint32_t i = 0; i < 6; i++) {
		uint32_t who = i != (few_first ? 0 : 5);
		struct vjob *v = vc_submit(&vc, users ? 0 : who, 1, HUGE_VAL);

		v->job.user = users ? who : ASTRA_NONE;
		few = who ? few : v;
	}
	vc_run(&vc, AT(15));
	third = vc_submit(&vc, users ? 0 : 2, 1, HUGE_VAL);
	third->job.user = users ? 2 : ASTRA_NONE;
	vc_run(&vc, AT(20));
	assert_int_equal(third->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(few->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(few->starts, 1);
	vc_fini(&vc);
}

/* Less gifts both have the same A / F. By that alone the first one loses the
 * only GPU that it can use, and the second one keeps five. */
static void a_lease_that_is_needed_does_not_end_early(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		a_third_comes(i & 1, i & 2);
}

static const struct astra_reason *reason_of(const struct vcluster *vc,
					    const struct vjob *v)
{
	for (size_t i = 0; i < vc->plan.reason_count; i++)
		if (vc->plan.reasons[i].job == v->job.id)
			return &vc->plan.reasons[i];
	fail_msg("job %u has no reason to wait", v->job.id);
	return NULL;
}

/* Until the plan says of the job what is asked about. */
static const struct astra_reason *
wait_for_reason(struct vcluster *vc, const struct vjob *v, enum astra_wait wait)
{
	const struct astra_reason *reason;

	for (double end = vc->now_sec + 300; vc->now_sec < end;) {
		vc_step(vc);
		if (v->job.state != ASTRA_JOB_PENDING)
			continue;
		reason = reason_of(vc, v);
		if (reason->wait == wait)
			return reason;
	}
	fail_msg("job %u never waits like that", v->job.id);
	return NULL;
}

/* The gang has had its first turn, then small jobs: GPUs are collected for it
 * again once its tenant lacks half a turn, counted a term ahead. */
static void what_a_gang_is_owed_is_told(void **state)
{
	struct vcluster vc;
	struct vjob *gang = gang_beside_small(&vc, 40);
	const struct astra_reason *reason;

	(void)state;
	reason = wait_for_reason(&vc, gang, ASTRA_WAIT_HOLD);
	assert_true(reason->turn_gpu_sec == 0); /* it never ran */
	while (!gang->starts)
		vc_step(&vc);
	reason = wait_for_reason(&vc, gang, ASTRA_WAIT_RANK);
	assert_true(reason->turn_gpu_sec == 4 * 60);
	assert_true(reason->lack_gpu_sec < 4 * 60 / 2);
	assert_true(isnan(reason->user_lack_gpu_sec));
	assert_false(reason->owed || reason->fresh_first);
	reason = wait_for_reason(&vc, gang, ASTRA_WAIT_HOLD);
	assert_true(reason->owed);
	assert_true(reason->turn_gpu_sec == 4 * 60);
	assert_true(reason->lack_gpu_sec >= 4 * 60 / 2);
	vc_fini(&vc);
}

/* Another job of the gang's tenant that never ran goes first. */
static void a_first_start_before_an_owed_turn_is_told(void **state)
{
	struct vcluster vc;
	struct vjob *gang = gang_beside_small(&vc, 40);
	const struct astra_reason *reason;

	(void)state;
	while (!gang->starts)
		vc_step(&vc);
	wait_for_reason(&vc, gang, ASTRA_WAIT_RANK);
	vc_submit(&vc, 1, 4, HUGE_VAL);
	reason = wait_for_reason(&vc, gang, ASTRA_WAIT_RANK);
	assert_true(reason->fresh_first);
	assert_false(reason->owed);
	vc_fini(&vc);
}

/* As the round before a restart told it: a round in which jobs may have ended
 * unheard finds nothing out. */
static void expect_blocker_after_restart(struct vcluster *vc,
					 struct vjob *pinned, struct vjob *gang,
					 enum astra_wait wait)
{
	const struct astra_reason *reason;

	vc_restart(vc);
	pinned->job.unheard = true;
	vc_step(vc);
	reason = reason_of(vc, gang);
	assert_int_equal(reason->wait, wait);
	assert_int_equal(reason->blocker, pinned->job.id);
	pinned->job.unheard = false;
}

/* Half of the GPUs are free, but a job without leases uses all of a limit until
 * its time limit. A job under that limit can start then: what the one leaves
 * counts. */
static void a_hold_waits_for_room_in_a_limit(void **state)
{
	struct astra_limit limit = {.name = "x", .most = 4};
	struct astra_use uses[2] = {{.amount = 4}, {.amount = 2}};
	struct vcluster vc;
	struct vjob *pinned, *waits;
	const struct astra_reason *reason;

	(void)state;
	vc_init(&vc, 2, 4);
	vc.options.lease_sec = 60;
	vc.options.grace_sec = 3;
	vc.options.round_sec = 1;
	vc_begin(&vc);
	free(vc.world.limits);
	assert_int_equal(astra_world_limit(&vc.world, &limit, 1), 0);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	pinned = vc_submit(&vc, 0, 4, HUGE_VAL);
	pinned->job.revocable = false;
	pinned->job.time_limit_sec = 900;
	pinned->job.use_count = 1;
	pinned->job.uses = &uses[0];
	vc_run(&vc, AT(5));
	waits = vc_submit(&vc, 1, 2, HUGE_VAL);
	waits->job.use_count = 1;
	waits->job.uses = &uses[1];
	vc_run(&vc, AT(30));
	reason = reason_of(&vc, waits);
	assert_int_equal(waits->starts, 0);
	assert_true(reason->start_sec == pinned->job.start_sec + 900);
	vc_fini(&vc);
}

/* A job without leases has half of the GPUs. A gang of all of them waits for
 * its time limit, as that stands; nothing is promised until it ends. */
static void a_hold_follows_who_is_in_the_way(void **state)
{
	struct vcluster vc;
	struct vjob *pinned, *gang;
	const struct astra_reason *reason;

	(void)state;
	vc_init(&vc, 1, 4);
	vc.options.lease_sec = 60;
	vc.options.grace_sec = 3;
	vc.options.round_sec = 1;
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	pinned = vc_submit(&vc, 0, 2, HUGE_VAL);
	pinned->job.revocable = false;
	vc_run(&vc, AT(5));
	gang = vc_submit(&vc, 1, 4, HUGE_VAL);
	reason = wait_for_reason(&vc, gang, ASTRA_WAIT_PINNED);
	assert_int_equal(reason->blocker, pinned->job.id);
	assert_true(reason->start_sec == 0 && reason->bound_sec == 0);
	assert_true(reason->after_sec >= 2 * 60);
	expect_blocker_after_restart(&vc, pinned, gang, ASTRA_WAIT_PINNED);
	pinned->job.time_limit_sec = 900;
	reason = wait_for_reason(&vc, gang, ASTRA_WAIT_HOLD);
	assert_int_equal(reason->blocker, pinned->job.id);
	assert_true(reason->start_sec == pinned->job.start_sec + 900);
	expect_blocker_after_restart(&vc, pinned, gang, ASTRA_WAIT_HOLD);
	pinned->job.time_limit_sec = 1800;
	do
		reason = wait_for_reason(&vc, gang, ASTRA_WAIT_HOLD);
	while (reason->start_sec < pinned->job.start_sec + 1800);
	pinned->job.time_limit_sec = 0;
	reason = wait_for_reason(&vc, gang, ASTRA_WAIT_PINNED);
	assert_true(reason->start_sec == 0);
	pinned->work_sec = pinned->done_sec + 5;
	while (!gang->starts && vc.now_sec < AT(1000))
		vc_step(&vc);
	assert_int_equal(gang->starts, 1);
	vc_fini(&vc);
}

static struct vjob *submit_cpus(struct vcluster *vc, uint32_t tenant,
				uint32_t gpus, uint32_t cpus)
{
	struct vjob *v = vc_submit(vc, tenant, gpus, HUGE_VAL);

	v->job.request.cpus = cpus;
	return v;
}

/* A node of 64 CPUs. `first` is granted 28 at 1100, 24 of them of two jobs that
 * need 250 s for their checkpoints. `second` has a hold on the other 36 from
 * 1301 on. The job whose lease ends meanwhile gets a new one that ends with the
 * hold, as the 24 are not free when they come. */
static void cpus_that_a_grant_waits_for_are_not_lent(void **state)
{
	struct vcluster vc;
	struct vjob *first, *second;

	(void)state;
	vc_init(&vc, 1, 8);
	vc.options.lease_sec = 900;
	vc.options.round_sec = 10;
	vc.options.grace_sec = 300;
	vc.options.recall_sec = 0;
	vc_begin(&vc);
	for (int i = 0; i < 5; i++)
		vc_tenant(&vc, (const char *[]){"a", "b", "c", "d", "e"}[i], 1);
	vc_run(&vc, AT(200));
	for (int i = 0; i < 2; i++) {
		struct vjob *slow = submit_cpus(&vc, 0, 1, 12);

		slow->job.checkpoints = true;
		slow->checkpoint_sec = 250;
	}
	vc_run(&vc, AT(300));
	submit_cpus(&vc, 1, 1, 12);
	vc_run(&vc, AT(400));
	submit_cpus(&vc, 2, 1, 24);
	vc_run(&vc, AT(430));
	first = submit_cpus(&vc, 3, 2, 28);
	vc_run(&vc, AT(450));
	second = submit_cpus(&vc, 4, 2, 36);
	vc_run(&vc, AT(1301 + 60));
	assert_int_equal(first->starts, 1);
	assert_int_equal(second->starts, 1);
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_in_each_others_way_start),
		cmocka_unit_test(no_lease_is_recalled_if_recall_after_is_0),
		cmocka_unit_test(a_gang_keeps_its_turn_beside_first_starts),
		cmocka_unit_test(a_gang_gives_way_to_one_as_large),
		cmocka_unit_test(a_lease_that_is_needed_does_not_end_early),
		cmocka_unit_test(what_a_gang_is_owed_is_told),
		cmocka_unit_test(a_first_start_before_an_owed_turn_is_told),
		cmocka_unit_test(cpus_that_a_grant_waits_for_are_not_lent),
		cmocka_unit_test(a_hold_follows_who_is_in_the_way),
		cmocka_unit_test(a_hold_waits_for_room_in_a_limit),
	};

	return cmocka_run_group_tests_name("holds", tests, NULL, NULL);
}
