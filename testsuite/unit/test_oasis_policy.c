/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OASiS in the engine: schedules become leases slot by slot. */
#include <math.h>

#include "testsuite/unit/oasis_pool.h"

/* It is worth nothing after six minutes. */
static void hurry(struct vjob *v)
{
	v->job.forecast.utility.sigmoid.g2 = 100;
	v->job.forecast.utility.sigmoid.g3 = .1;
}

static void who_books_slots_in_a_row_runs_through(void **state)
{
	struct vcluster vc;
	struct vjob *v;

	(void)state;
	begin(&vc, 1, 8, false);
	v = submit(&vc, 4, 350, 10);
	vc_run(&vc, AT(20));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	assert_close(vc_view(&vc, v).lease_end_sec, AT(100), 0);
	vc_run(&vc, AT(220));
	assert_int_equal(v->starts, 1);
	assert_close(vc_view(&vc, v).lease_end_sec, AT(300), 0);
	assert_int_equal(vc_view(&vc, v).leases, 3);
	vc_run(&vc, AT(400));
	assert_int_equal(v->job.state, ASTRA_JOB_ENDED);
	assert_int_equal(v->starts, 1);
	vc_fini(&vc);
}

/* Two jobs that need all GPUs: the second one is told when. */
static void who_comes_later_is_told_its_slot(void **state)
{
	struct vcluster vc;
	struct vjob *v, *w;
	struct astra_reason r;

	(void)state;
	begin_with_two(&vc, 150, &v, &w);
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(w->job.state, ASTRA_JOB_PENDING);
	r = reason_of(&vc, w);
	assert_int_equal(r.wait, ASTRA_WAIT_PLANNED);
	assert_close(r.start_sec, AT(200), 0);
	vc_run(&vc, AT(198));
	assert_int_equal(w->job.state, ASTRA_JOB_PENDING);
	vc_run(&vc, AT(210));
	assert_int_equal(w->job.state, ASTRA_JOB_RUNNING);
	vc_run(&vc, AT(310));
	assert_int_equal(w->job.state, ASTRA_JOB_ENDED);
	vc_fini(&vc);
}

/* Ten seconds after the job that takes 7 of 8 GPUs for 15 of the 20 slots that
 * are planned comes one that is worth nearly nothing. */
static void begin_with_a_poor_one(struct vcluster *vc, bool lend,
				  struct vjob **rich, struct vjob **poor)
{
	begin(vc, 1, 8, lend);
	*rich = submit(vc, 7, 1450, 1000);
	vc_run(vc, AT(10));
	*poor = submit(vc, 1, 1900, 1e-3);
}

/* What is worth nearly nothing waits, with its payoff as the reason. */
static void what_is_not_worth_its_price_is_refused(void **state)
{
	struct vcluster vc;
	struct vjob *v, *w;
	struct astra_reason r;

	(void)state;
	begin_with_a_poor_one(&vc, false, &v, &w);
	vc_run(&vc, AT(150));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(w->job.state, ASTRA_JOB_PENDING);
	r = reason_of(&vc, w);
	assert_int_equal(r.wait, ASTRA_WAIT_PRICE);
	assert_true(r.value < 0);
	assert_true(r.worth > 0 && r.worth <= 1e-3);
	assert_close(r.price, r.worth - r.value, 1e-12);
	assert_close(r.retry_sec, AT(200), 0);
	vc_fini(&vc);
}

/* A job for which the horizon has no room is not refused, either. */
static void what_finds_no_room_waits_and_runs_later(void **state)
{
	struct vcluster vc;
	struct vjob *w;
	struct astra_reason r;

	(void)state;
	begin(&vc, 1, 8, false);
	submit(&vc, 8, 1450, 1000);
	vc_run(&vc, AT(10));
	w = submit(&vc, 8, 700, 1000);
	vc_run(&vc, AT(50));
	r = reason_of(&vc, w);
	assert_int_equal(r.wait, ASTRA_WAIT_PRICE);
	assert_true(isinf(r.price));
	assert_close(r.retry_sec, AT(100), 0);
	vc_run(&vc, AT(4000));
	assert_int_equal(w->job.state, ASTRA_JOB_ENDED);
	vc_fini(&vc);
}

static void idle_gpus_are_lent_and_taken_back(void **state)
{
	struct vcluster vc;
	struct vjob *v, *w, *x;

	(void)state;
	begin_with_a_poor_one(&vc, true, &v, &w);
	vc_run(&vc, AT(50));
	assert_int_equal(w->job.state, ASTRA_JOB_RUNNING);
	assert_close(vc_view(&vc, w).lease_end_sec, AT(100), 0);
	vc_run(&vc, AT(150));
	assert_int_equal(w->starts, 1);
	x = submit(&vc, 1, 90, 1000);
	hurry(x);
	vc_run(&vc, AT(190));
	assert_int_equal(x->job.state, ASTRA_JOB_PENDING);
	vc_run(&vc, AT(215));
	assert_int_equal(v->starts, 1);
	assert_int_equal(x->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(w->job.state, ASTRA_JOB_PENDING);
	assert_int_equal(w->job.restart_cnt, 1);
	vc_run(&vc, AT(320));
	assert_int_equal(w->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

static uint32_t gpus_of(const struct vjob *v)
{
	uint32_t gpus = 0;

	for (size_t i = 0; i < v->job.held_count; i++)
		gpus += v->job.held[i].gpus;
	return gpus;
}

static void an_elastic_job_runs_on_what_is_left(void **state)
{
	struct vcluster vc;
	struct vjob *v, *w;

	(void)state;
	begin(&vc, 2, 4, false);
	v = submit(&vc, 6, 150, 100);
	vc_run(&vc, AT(10));
	w = submit(&vc, 8, HUGE_VAL, 100);
	w->job.forecast.work_sec = 300;
	w->job.request.gpus_min = 1;
	hurry(w);
	vc_run(&vc, AT(50));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	assert_in_range(gpus_of(w), 1, 2);
	vc_run(&vc, AT(250));
	assert_int_equal(v->job.state, ASTRA_JOB_ENDED);
	assert_int_equal(gpus_of(w), 8);
	assert_int_equal(w->starts, 2);
	vc_fini(&vc);
}

/* Half of its work now: it would not fit the horizon of 20 slots. */
static void a_job_beyond_the_horizon_has_its_part(void **state)
{
	struct vcluster vc;
	struct vjob *v;

	(void)state;
	begin(&vc, 1, 8, false);
	v = submit(&vc, 8, 3000, 1000);
	v->job.forecast.utility.sigmoid.g2 = .01;
	vc_run(&vc, AT(2950));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(v->starts, 1);
	vc_run(&vc, AT(3200));
	assert_int_equal(v->job.state, ASTRA_JOB_ENDED);
	vc_fini(&vc);
}

/* One that cannot be taken back holds its GPUs beyond the part that was planned
 * of it: nobody is promised them. */
static void what_is_held_to_its_end_is_booked(void **state)
{
	struct vcluster vc;
	struct vjob *v, *w;
	struct astra_reason r;

	(void)state;
	begin(&vc, 1, 8, false);
	v = submit(&vc, 8, 3000, 1000);
	v->job.revocable = false;
	v->job.forecast.utility.sigmoid.g2 = .01;
	vc_run(&vc, AT(10));
	w = submit(&vc, 8, 90, 10);
	vc_run(&vc, AT(20));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	r = reason_of(&vc, w);
	assert_int_equal(r.wait, ASTRA_WAIT_PRICE);
	assert_true(isinf(r.price));
	vc_fini(&vc);
}

static void what_a_node_loses_is_planned_anew(void **state)
{
	struct vcluster vc;
	struct vjob *v, *w;
	uint32_t node;

	(void)state;
	begin(&vc, 2, 4, false);
	v = submit(&vc, 4, 900, 10);
	w = submit(&vc, 4, 900, 10);
	vc_run(&vc, AT(20));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(w->job.state, ASTRA_JOB_RUNNING);
	node = v->job.held[0].node;
	vc.nodes[w->job.held[0].node].emptying = true;
	vc.nodes[w->job.held[0].node].usable = false;
	vc_run(&vc, AT(1000));
	assert_int_equal(v->starts, 1);
	assert_int_equal(v->job.state, ASTRA_JOB_ENDED);
	vc_run(&vc, AT(1100));
	assert_int_equal(w->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(w->job.held[0].node, node);
	vc_fini(&vc);
}

static void nothing_to_give_is_no_error(void **state)
{
	struct vcluster vc;
	struct vjob *v;

	(void)state;
	begin(&vc, 1, 8, true);
	vc.nodes[0].usable = false;
	v = submit(&vc, 4, 100, 10);
	submit(&vc, 9, 100, 10);
	vc_run(&vc, AT(150));
	assert_int_equal(v->job.state, ASTRA_JOB_PENDING);
	vc.nodes[0].usable = true;
	vc_run(&vc, AT(450));
	assert_int_equal(v->job.state, ASTRA_JOB_ENDED);
	vc_fini(&vc);
}

static void what_jobs_were_worth_is_counted_at_their_ends(void **state)
{
	struct vcluster vc;
	struct astra_policy_report sums;

	(void)state;
	begin(&vc, 1, 8, false);
	submit(&vc, 4, 50, 10);
	submit(&vc, 4, HUGE_VAL, 10);
	vc_run(&vc, AT(90));
	assert_true(astra_engine_policy_report(vc.engine, "a", &sums));
	assert_close(sums.utility, 10 / (1 + exp(20 * (51 / 3600.0 - .5))),
		     1e-3);
	assert_true(isnan(sums.paid));
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_books_slots_in_a_row_runs_through),
		cmocka_unit_test(who_comes_later_is_told_its_slot),
		cmocka_unit_test(what_is_not_worth_its_price_is_refused),
		cmocka_unit_test(what_finds_no_room_waits_and_runs_later),
		cmocka_unit_test(idle_gpus_are_lent_and_taken_back),
		cmocka_unit_test(an_elastic_job_runs_on_what_is_left),
		cmocka_unit_test(a_job_beyond_the_horizon_has_its_part),
		cmocka_unit_test(what_is_held_to_its_end_is_booked),
		cmocka_unit_test(what_a_node_loses_is_planned_anew),
		cmocka_unit_test(nothing_to_give_is_no_error),
		cmocka_unit_test(what_jobs_were_worth_is_counted_at_their_ends),
	};

	return cmocka_run_group_tests_name("oasis_policy", tests, NULL, NULL);
}
