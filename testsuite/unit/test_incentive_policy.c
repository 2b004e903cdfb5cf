/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Incentive in the engine, on a virtual cluster. */
#include <math.h>

#include "testsuite/unit/incentive_pool.h"

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

/* Of 4 GPUs each needs one, and all CPUs of the node: one after the other, too,
 * as GPUs alone would not have it. A third finds no CPUs in the window. */
static void cpus_are_sold_with_gpus(void **state)
{
	struct vcluster vc;
	struct vjob *j, *k, *l;

	(void)state;
	begin(&vc, 1, 4);
	vc.nodes[0].cpus = vc.nodes[0].cpus_free = 8;
	j = submit(&vc, 0, 1, 1, 10);
	k = submit(&vc, 0, 1, 1, 10);
	l = submit(&vc, 0, 1, 1, 10);
	j->job.request.cpus = k->job.request.cpus = l->job.request.cpus = 8;
	vc_run(&vc, AT(250));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(reason_of(&vc, k)->wait, ASTRA_WAIT_PLANNED);
	assert_close(reason_of(&vc, k)->start_sec, AT(300), 0);
	assert_int_equal(reason_of(&vc, l)->wait, ASTRA_WAIT_PRICE);
	assert_true(isinf(reason_of(&vc, l)->price)); /* no room for it */
	vc_run(&vc, AT(305));
	assert_int_equal(k->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* A job that allows one node of two only is sold slots there. */
static void jobs_are_sold_nodes_that_they_allow(void **state)
{
	static const uint64_t second = 2;
	struct vcluster vc;
	struct vjob *j, *k;

	(void)state;
	begin(&vc, 2, 4);
	j = submit(&vc, 0, 4, 1, 10);
	k = submit(&vc, 0, 4, 1, 10);
	j->job.request.allowed = k->job.request.allowed = &second;
	vc_run(&vc, AT(250));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(vc.nodes[0].gpus_free, 4);
	assert_int_equal(reason_of(&vc, k)->wait, ASTRA_WAIT_PLANNED);
	assert_close(reason_of(&vc, k)->start_sec, AT(300), 0);
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

/* With LendIdle nobody waits beside idle GPUs; who was lent some competes at
 * the slot's end. */
static void idle_gpus_are_lent_to_the_slots_end(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin(&vc, 1, 4);
	vc.options.lend_idle = true;
	assert_int_equal(astra_engine_configure(vc.engine, &vc.options, NULL),
			 0);
	vc_run(&vc, AT(130));
	j = submit(&vc, 0, 4, 4, 10);
	vc_run(&vc, AT(140));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_close(vc_view(&vc, j).lease_end_sec, AT(200), 0);
	vc_run(&vc, AT(350));
	assert_int_equal(j->starts, 1);
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_starts_with_the_window_after_it_came),
		cmocka_unit_test(one_that_comes_in_a_window_waits_for_the_next),
		cmocka_unit_test(later_slots_are_planned_too),
		cmocka_unit_test(cpus_are_sold_with_gpus),
		cmocka_unit_test(jobs_are_sold_nodes_that_they_allow),
		cmocka_unit_test(a_long_job_goes_on_from_window_to_window),
		cmocka_unit_test(a_job_that_is_not_done_is_offered_again),
		cmocka_unit_test(an_elastic_job_takes_what_is_left),
		cmocka_unit_test(own_shares_are_free_and_others_are_paid),
		cmocka_unit_test(own_price_says_who_is_refused),
		cmocka_unit_test(idle_gpus_are_lent_to_the_slots_end),
		cmocka_unit_test(the_worthless_run_in_their_idle_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
