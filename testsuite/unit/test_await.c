/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GPUs of jobs that are being cleaned up come free by themselves: no lease ends
 * for a job that has a place there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define TERM 20

/* Two nodes of four GPUs. One is held by `stays`, on the other a job ends at
 * second 38 and is cleaned up for so long; at second 40 a lease of `stays` is
 * over. */
static struct vjob *begin(struct vcluster *vc, double cleanup_sec)
{
	struct vjob *stays;

	vc_init(vc, 2, 4);
	vc->options.lease_sec = TERM;
	vc->options.grace_sec = 2;
	vc->cleanup_sec = cleanup_sec;
	vc_begin(vc);
	vc_tenant(vc, "a", 1);
	vc_tenant(vc, "b", 1);
	vc_tenant(vc, "c", 1);
	stays = vc_submit(vc, 0, 4, 5000);
	vc_submit(vc, 1, 4, 38);
	vc_run(vc, vc->now_sec + 39);
	assert_int_equal(stays->starts, 1);
	return stays;
}

static bool runs(const struct vjob *v)
{
	return v->job.state == ASTRA_JOB_RUNNING;
}

/* It starts when the node is clean, at second 48, and not for a lease. */
static void a_job_waits_for_what_comes_free(void **state)
{
	struct vcluster vc;
	struct vjob *stays = begin(&vc, 10), *waits;
	double began = vc.now_sec;

	(void)state;
	waits = vc_submit(&vc, 1, 3, 100);
	while (!runs(waits) && vc.now_sec < began + 60)
		vc_step(&vc);
	assert_true(runs(waits));
	assert_true(vc.now_sec > began + 5 && vc.now_sec < began + 12);
	assert_true(runs(stays));
	assert_int_equal(stays->starts, 1);
	vc_fini(&vc);
}

/* There is room for one of them only. */
static void a_lease_ends_for_the_other_one(void **state)
{
	struct vcluster vc;
	struct vjob *stays = begin(&vc, 10), *first, *next;

	(void)state;
	first = vc_submit(&vc, 1, 4, 100);
	next = vc_submit(&vc, 2, 4, 100);
	vc_run(&vc, vc.now_sec + 15);
	assert_true(runs(first) && runs(next));
	assert_false(runs(stays));
	vc_fini(&vc);
}

/* A node that is never cleaned up is waited for as long as a job may take to
 * leave, and not longer. */
static void nobody_waits_for_what_does_not_come(void **state)
{
	struct vcluster vc;
	struct vjob *stays = begin(&vc, 1e6), *waits;

	(void)state;
	vc.cleanup_sec = 2;
	vc.kill_wait_sec = 10;
	waits = vc_submit(&vc, 1, 3, 100);
	vc_run(&vc, vc.now_sec + 60);
	assert_true(waits->starts > 0);
	assert_true(stays->job.restart_cnt > 0);
	vc_fini(&vc);
}

/* One that needs more than that has the lease at once. */
static void a_job_that_needs_more_has_the_lease(void **state)
{
	struct vcluster vc;
	struct vjob *stays, *waits;

	(void)state;
	stays = begin(&vc, 10);
	waits = vc_submit(&vc, 1, 5, 100); /* on both nodes */
	vc_run(&vc, vc.now_sec + 30);
	assert_true(runs(waits));
	assert_false(runs(stays));
	vc_fini(&vc);
}

/* Nor does one end early: from second 120 on `stays` has run long enough for
 * that (RecallAfter), and at 138 there is room. */
static void no_lease_ends_early_either(void **state)
{
	struct vcluster vc;
	struct vjob *stays = begin(&vc, 100), *waits;

	(void)state;
	waits = vc_submit(&vc, 1, 3, 100);
	vc_run(&vc, vc.now_sec + 110);
	assert_true(runs(waits));
	assert_true(runs(stays));
	assert_int_equal(stays->starts, 1);
	vc_fini(&vc);
}

/* Nor for a job with a hold, whose time comes while the node of a job that has
 * ended before is being cleaned up. */
static void a_hold_is_served_from_what_came_free(void **state)
{
	struct vcluster vc;
	struct vjob *stays, *waits;

	(void)state;
	vc_init(&vc, 2, 4);
	vc.options.lease_sec = 40;
	vc.options.grace_sec = 2;
	vc.options.recall_sec = 0;
	vc.cleanup_sec = 10;
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	stays = vc_submit(&vc, 0, 4, 5000);
	vc_submit(&vc, 0, 4, 78);
	vc_run(&vc, 1060);
	waits = vc_submit(&vc, 1, 3, 100);
	vc_run(&vc, 1095);
	assert_true(runs(waits));
	assert_true(runs(stays));
	assert_int_equal(stays->starts, 1);
	vc_fini(&vc);
}

/* A job that lacks room in a limit needs a lease to end, not GPUs, although
 * each time that one is over some come free. */
static void room_in_a_limit_does_not_come_free(void **state)
{
	struct astra_limit limit = {.name = "x", .most = 4};
	struct astra_use uses[2] = {{.amount = 4}, {.amount = 2}};
	struct vjob *stays, *waits, *other = NULL;
	struct vcluster vc;

	(void)state;
	vc_init(&vc, 2, 4);
	vc.options.lease_sec = TERM;
	vc.options.grace_sec = 2;
	vc.options.min_run_sec = 0;
	vc.options.promise = false;
	vc.cleanup_sec = 6;
	vc_begin(&vc);
	free(vc.world.limits);
	assert_int_equal(astra_world_limit(&vc.world, &limit, 1), 0);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	vc_tenant(&vc, "c", 1);
	stays = vc_submit(&vc, 0, 4, 5000);
	stays->job.use_count = 1;
	stays->job.uses = &uses[0];
	vc_run(&vc, 1002);
	assert_true(runs(stays));
	waits = vc_submit(&vc, 1, 2, 100);
	waits->job.use_count = 1;
	waits->job.uses = &uses[1];
	while (vc.now_sec < 1300 && !waits->starts) {
		int at = (int)(vc.now_sec - stays->job.start_sec) % TERM;

		if (at == TERM - 10 &&
		    (!other || other->job.state == ASTRA_JOB_ENDED))
			other = vc_submit(&vc, 2, 4, 8);
		vc_step(&vc);
	}
	assert_true(waits->starts > 0);
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_waits_for_what_comes_free),
		cmocka_unit_test(a_lease_ends_for_the_other_one),
		cmocka_unit_test(nobody_waits_for_what_does_not_come),
		cmocka_unit_test(a_job_that_needs_more_has_the_lease),
		cmocka_unit_test(no_lease_ends_early_either),
		cmocka_unit_test(a_hold_is_served_from_what_came_free),
		cmocka_unit_test(room_in_a_limit_does_not_come_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
