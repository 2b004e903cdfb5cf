/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OASiS in the engine: schedules become leases slot by slot. Slots last 100
 * seconds; times are relative to the begin, 1000, where one begins. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/common/random.h"
#include "src/policy/oasis/policy.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))

static void begin(struct vcluster *vc, size_t nodes, uint32_t gpus, bool lend)
{
	vc_init(vc, nodes, gpus);
	snprintf(vc->options.policy, sizeof(vc->options.policy), "oasis");
	vc->options.grace_sec = 2;
	vc->options.round_sec = 5;
	vc->options.slot_sec = 100;
	vc->options.horizon_sec = 2000;
	vc->options.lend_idle = lend;
	vc_begin(vc);
	vc_tenant(vc, "a", 1);
}

/* A job that is worth so much if it ends within half an hour. */
static struct vjob *submit(struct vcluster *vc, uint32_t gpus, double work_sec,
			   double worth)
{
	struct vjob *v = vc_submit(vc, 0, gpus, work_sec);

	v->job.forecast.work_sec = work_sec;
	v->job.forecast.utility =
		(struct astra_utility){.kind = ASTRA_UTILITY_SIGMOID};
	v->job.forecast.utility.sigmoid.g1 = worth;
	v->job.forecast.utility.sigmoid.g2 = 20;
	v->job.forecast.utility.sigmoid.g3 = .5;
	return v;
}

/* It is worth nothing after six minutes. */
static void hurry(struct vjob *v)
{
	v->job.forecast.utility.sigmoid.g2 = 100;
	v->job.forecast.utility.sigmoid.g3 = .1;
}

static struct astra_reason reason_of(struct vcluster *vc, const struct vjob *v)
{
	return vc_view(vc, v).reason;
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
	begin(&vc, 1, 8, false);
	v = submit(&vc, 8, 150, 10);
	vc_run(&vc, AT(10));
	w = submit(&vc, 8, 90, 10);
	vc_run(&vc, AT(20));
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

/* What is worth nearly nothing waits, with its payoff as the reason. */
static void what_is_not_worth_its_price_is_refused(void **state)
{
	struct vcluster vc;
	struct vjob *v, *w;
	struct astra_reason r;

	(void)state;
	begin(&vc, 1, 8, false);
	v = submit(&vc, 7, 1900, 1000);
	vc_run(&vc, AT(10));
	w = submit(&vc, 1, 1900, 1e-3);
	vc_run(&vc, AT(150));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(w->job.state, ASTRA_JOB_PENDING);
	r = reason_of(&vc, w);
	assert_int_equal(r.wait, ASTRA_WAIT_PRICE);
	assert_true(r.value < 0);
	vc_fini(&vc);
}

static void idle_gpus_are_lent_and_taken_back(void **state)
{
	struct vcluster vc;
	struct vjob *v, *w, *x;

	(void)state;
	begin(&vc, 1, 8, true);
	v = submit(&vc, 7, 1900, 1000);
	vc_run(&vc, AT(10));
	w = submit(&vc, 1, 1900, 1e-3);
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
		gpus += v->held[i].gpus;
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

static void plans_survive_a_restart(void **state)
{
	struct vcluster vc;
	struct vjob *v, *w;
	struct astra_bytes saved = {0};
	struct astra_error err = {""};
	struct astra_reason r;

	(void)state;
	begin(&vc, 1, 8, false);
	v = submit(&vc, 8, 350, 10);
	vc_run(&vc, AT(10));
	w = submit(&vc, 8, 90, 10);
	vc_run(&vc, AT(20));
	assert_int_equal(astra_engine_save(vc.engine, &saved), 0);
	astra_engine_destroy(vc.engine);
	vc.engine =
		astra_engine_restore(&vc.options, saved.data, saved.size, &err);
	assert_non_null(vc.engine);
	vc_run(&vc, AT(30));
	r = reason_of(&vc, w);
	assert_int_equal(r.wait, ASTRA_WAIT_PLANNED);
	assert_close(r.start_sec, AT(400), 0);
	vc_run(&vc, AT(410));
	assert_int_equal(v->starts, 1);
	assert_int_equal(v->job.state, ASTRA_JOB_ENDED);
	assert_int_equal(w->job.state, ASTRA_JOB_RUNNING);
	astra_bytes_clear(&saved);
	vc_fini(&vc);
}

/* Whatever is cut off or set: it says so, or reads on, and works. */
static void a_damaged_state_is_refused(void **state)
{
	struct vcluster vc;
	struct astra_bytes saved = {0};
	void *self;

	(void)state;
	begin(&vc, 1, 8, false);
	submit(&vc, 8, 350, 10);
	submit(&vc, 8, 350, 10);
	vc_run(&vc, AT(10));
	self = astra_oasis.create(&vc.options, NULL);
	assert_int_equal(astra_oasis.save(self, &saved), 0);
	for (size_t size = 0; size < saved.size; size++) {
		struct astra_reader in = {.data = saved.data, .size = size};
		void *other = astra_oasis.create(&vc.options, NULL);

		assert_int_equal(astra_oasis.restore(other, &in), -1);
		astra_oasis.destroy(other);
	}
	astra_oasis.destroy(self);
	astra_bytes_clear(&saved);
	vc_fini(&vc);
}

static void a_clock_that_is_set_moves_the_slots(void **state)
{
	struct vcluster vc;
	struct vjob *v, *w;

	(void)state;
	begin(&vc, 1, 8, false);
	v = submit(&vc, 8, 350, 10);
	vc_run(&vc, AT(10));
	w = submit(&vc, 8, 90, 10);
	vc_run(&vc, AT(20));
	vc_set_clock(&vc, 100000);
	vc_run(&vc, AT(100030));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	assert_close(reason_of(&vc, w).start_sec, AT(100400), 0);
	vc_run(&vc, AT(100410));
	assert_int_equal(v->starts, 1);
	assert_int_equal(w->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

static void what_a_node_loses_is_planned_anew(void **state)
{
	struct vcluster vc;
	struct vjob *v, *w;

	(void)state;
	begin(&vc, 2, 4, false);
	v = submit(&vc, 4, 900, 10);
	w = submit(&vc, 4, 900, 10);
	vc_run(&vc, AT(20));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(w->job.state, ASTRA_JOB_RUNNING);
	vc.nodes[w->held[0].node].emptying = true;
	vc.nodes[w->held[0].node].usable = false;
	vc_run(&vc, AT(1000));
	assert_int_equal(v->starts, 1);
	assert_int_equal(v->job.state, ASTRA_JOB_ENDED);
	vc_run(&vc, AT(1100));
	assert_int_equal(w->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(w->held[0].node, v->held[0].node);
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

static void restart(struct vcluster *vc)
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

/* Whatever comes: vcluster fails where more is given than there is. */
static void all_jobs_end_whatever_happens(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct astra_random random = astra_random_seed(seed);
		struct vcluster vc;

		begin(&vc, 4, 4, true);
		for (double t = 0; t < 3000; t += 100) {
			uint32_t node =
				(uint32_t)astra_random_below(&random, 4);
			uint32_t gpus =
				1 + (uint32_t)astra_random_below(&random, 12);
			struct vjob *v =
				submit(&vc, gpus,
				       20 + 400 * astra_random_uniform(&random),
				       10 * astra_random_uniform(&random));

			if (astra_random_below(&random, 2))
				v->job.request.gpus_min = 1;
			v->checkpoint_sec = 1;
			vc_run(&vc,
			       AT(t + 100 * astra_random_uniform(&random)));
			if (!astra_random_below(&random, 10))
				restart(&vc);
			if (!astra_random_below(&random, 10))
				vc.nodes[node].usable ^= true;
		}
		for (int n = 0; n < 4; n++)
			vc.nodes[n].usable = true;
		vc_run(&vc, AT(30000));
		for (size_t i = 0; i < vc.job_count; i++)
			assert_int_equal(vc.jobs[i]->job.state,
					 ASTRA_JOB_ENDED);
		vc_fini(&vc);
	}
}

/* It is refused, or is another one that works. */
static void no_state_makes_it_fail(void **state)
{
	struct astra_random random = astra_random_seed(1);
	struct astra_bytes saved = {0};
	struct astra_error err = {""};
	struct vcluster vc;
	unsigned taken = 0;

	(void)state;
	begin(&vc, 1, 8, true);
	for (int i = 0; i < 3; i++)
		submit(&vc, 8, 350, 10);
	vc_run(&vc, AT(10));
	assert_int_equal(astra_engine_save(vc.engine, &saved), 0);
	for (int i = 0; i < 3000; i++) {
		size_t at = astra_random_below(&random, saved.size);
		uint8_t was = saved.data[at];
		struct astra_engine *own = vc.engine;

		saved.data[at] = (uint8_t)astra_random_bits(&random);
		vc.engine = astra_engine_restore(&vc.options, saved.data,
						 saved.size, &err);
		saved.data[at] = was;
		if (vc.engine) {
			struct astra_snapshot snap = {
				.now_sec = AT(11),
				.nodes = vc.nodes,
				.node_count = vc.node_count,
				.tenants = vc.tenants,
				.tenant_count = vc.tenant_count,
			};

			astra_engine_round(vc.engine, &snap, &vc.plan, &err);
			astra_engine_destroy(vc.engine);
			taken++;
		}
		vc.engine = own;
	}
	assert_true(taken > 100);
	astra_bytes_clear(&saved);
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_books_slots_in_a_row_runs_through),
		cmocka_unit_test(who_comes_later_is_told_its_slot),
		cmocka_unit_test(what_is_not_worth_its_price_is_refused),
		cmocka_unit_test(idle_gpus_are_lent_and_taken_back),
		cmocka_unit_test(an_elastic_job_runs_on_what_is_left),
		cmocka_unit_test(a_job_beyond_the_horizon_has_its_part),
		cmocka_unit_test(plans_survive_a_restart),
		cmocka_unit_test(a_damaged_state_is_refused),
		cmocka_unit_test(a_clock_that_is_set_moves_the_slots),
		cmocka_unit_test(what_a_node_loses_is_planned_anew),
		cmocka_unit_test(nothing_to_give_is_no_error),
		cmocka_unit_test(what_jobs_were_worth_is_counted_at_their_ends),
		cmocka_unit_test(all_jobs_end_whatever_happens),
		cmocka_unit_test(no_state_makes_it_fail),
	};

	return cmocka_run_group_tests_name("oasis_policy", tests, NULL, NULL);
}
