/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What GPUs cost beyond what was sold, and what is told of prices: SPEC.md,
 * section 3, eta(t) = theta^(used / all) - 1, Money and Eq. 2. */
#include <math.h>

#include "src/policies/forecast.h"
#include "src/policies/incentive/board.h"
#include "testsuite/unit/incentive_pool.h"

/* A GPU for a slot while so many of four are in use. */
#define COST(used) ((pow(2, (used) / 4.) - 1) * SLOT / 3600)

/* Half each of four GPUs. */
static void begin_halves(struct vcluster *vc, double budget, bool lends)
{
	begin(vc, 1, 4);
	vc->options.budget = budget;
	vc->options.lend_idle = lends;
	assert_int_equal(astra_engine_configure(vc->engine, &vc->options, NULL),
			 0);
	vc_tenant(vc, "b", 1);
}

/* It says that it takes less than two slots, and takes so many. */
static struct vjob *submit_late(struct vcluster *vc, uint32_t tenant,
				uint32_t gpus, double slots)
{
	struct vjob *j = submit(vc, tenant, gpus, slots, 10);

	j->job.forecast.work_sec = 2 * SLOT - 10;
	return j;
}

/* Two GPUs of b are in use by its own jobs; a third one is a's. It pays for two
 * slots, for the one more in which it is thought to end, then slot by slot, all
 * to a, who left both of its own unused. */
static struct vjob *submit_over_share(struct vcluster *vc)
{
	submit(vc, 1, 1, 40, 10);
	submit(vc, 1, 1, 40, 10);
	return submit_late(vc, 1, 1, 6);
}

static void overtime_costs_the_posted_price(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin_halves(&vc, -1, false);
	j = submit_over_share(&vc);
	vc_run(&vc, AT(490));
	assert_close(report(&vc, "b").paid, 3 * COST(2), 1e-12);
	vc_run(&vc, AT(590));
	assert_close(report(&vc, "b").paid, 4 * COST(2), 1e-12);
	vc_run(&vc, AT(780));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(j->job.restart_cnt, 0);
	assert_close(report(&vc, "b").paid, 6 * COST(2), 1e-12);
	assert_close(report(&vc, "a").income, 6 * COST(2), 1e-12);
	assert_close(report(&vc, "b").income, 0, 0);
	vc_fini(&vc);
}

/* It begins at once on what is lent, and is sold a slot in each window: it is
 * always thought to be nearly through. */
static void overtime_costs_nothing_where_idle_gpus_are_lent(void **state)
{
	struct vcluster vc;

	(void)state;
	begin_halves(&vc, -1, true);
	submit_over_share(&vc);
	vc_run(&vc, AT(580));
	assert_close(report(&vc, "b").paid, 2 * COST(2), 1e-12);
	vc_fini(&vc);
}

static void overtime_in_the_own_share_costs_nothing(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin_halves(&vc, 0, false);
	submit(&vc, 0, 2, 40, 10);
	j = submit_late(&vc, 1, 2, 6);
	vc_run(&vc, AT(780));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_close(report(&vc, "b").paid, 0, 0);
	vc_fini(&vc);
}

/* Three slots and a half are what b can pay. */
static void who_cannot_pay_overtime_leaves(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin_halves(&vc, 3.5 * COST(2), false);
	j = submit_over_share(&vc);
	vc_run(&vc, AT(490));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	vc_run(&vc, AT(550));
	assert_int_not_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(vc_running_gpus(&vc), 2);
	assert_close(report(&vc, "b").paid, 3 * COST(2), 1e-12);
	assert_close(report(&vc, "b").credits, .5 * COST(2), 1e-12);
	vc_run(&vc, AT(850));
	assert_int_equal(j->job.state, ASTRA_JOB_PENDING);
	assert_true(reason_of(&vc, j)->poor);
	assert_close(reason_of(&vc, j)->credits, .5 * COST(2), 1e-12);
	assert_close(reason_of(&vc, j)->price, COST(2), 1e-12);
	vc_fini(&vc);
}

static void overtime_is_charged_once_over_a_restart(void **state)
{
	double paid[2];

	(void)state;
	for (int restarted = 0; restarted < 2; restarted++) {
		struct vcluster vc;

		begin_halves(&vc, -1, false);
		submit_over_share(&vc);
		vc_run(&vc, AT(550));
		if (restarted)
			vc_restart(&vc);
		vc_run(&vc, AT(780));
		paid[restarted] = report(&vc, "b").paid;
		vc_fini(&vc);
	}
	assert_close(paid[1], paid[0], 0);
}

/* Its tenant has one GPU left of its share: of eight GPU slots, four and two
 * only the two fit there, and there are none to be bought. */
static void an_elastic_job_takes_what_its_share_has_left(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin_halves(&vc, 0, false);
	vc.options.batch_max = 2;
	assert_int_equal(astra_engine_configure(vc.engine, &vc.options, NULL),
			 0);
	submit(&vc, 1, 1, 40, 10);
	j = submit(&vc, 1, 4, 40, 10);
	j->job.request.gpus_min = 1;
	vc_run(&vc, AT(210));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(j->job.held_count, 1);
	assert_int_equal(j->job.held[0].gpus, 1);
	vc_fini(&vc);
}

/* Worth less than its price, from the window's begin on. */
static void a_job_is_told_its_price(void **state)
{
	struct vcluster vc;
	struct vjob *j;
	const struct astra_reason *r;

	(void)state;
	begin_halves(&vc, -1, false);
	submit(&vc, 1, 1, 40, 10);
	submit(&vc, 1, 1, 40, 10);
	j = submit(&vc, 1, 1, 1.5, .001);
	vc_run(&vc, AT(250));
	r = reason_of(&vc, j);
	assert_int_equal(r->wait, ASTRA_WAIT_PRICE);
	assert_close(r->price, 2 * COST(2), 1e-12);
	assert_true(r->worth < r->price && r->worth >= 0);
	assert_close(r->value, r->worth - r->price, 1e-15);
	assert_close(r->priced_sec, AT(200), 0);
	assert_close(r->retry_sec, AT(400), 0);
	assert_false(r->poor);
	vc_fini(&vc);
}

/* Four GPUs are in use by others, who run on. */
static void a_job_without_room_is_told_so(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin_halves(&vc, -1, false);
	submit(&vc, 0, 2, 40, 10);
	submit(&vc, 1, 2, 40, 10);
	j = submit(&vc, 1, 1, 40, 10);
	vc_run(&vc, AT(250));
	assert_int_equal(reason_of(&vc, j)->wait, ASTRA_WAIT_PRICE);
	assert_true(isinf(reason_of(&vc, j)->price));
	vc_fini(&vc);
}

/* It was sold the slots after another one's. */
static void a_planned_job_is_told_its_start_and_what_it_pays(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin_halves(&vc, -1, false);
	submit(&vc, 0, 4, 1, 10);
	j = submit(&vc, 0, 4, 1, 10);
	vc_run(&vc, AT(250));
	assert_int_equal(reason_of(&vc, j)->wait, ASTRA_WAIT_PLANNED);
	assert_close(reason_of(&vc, j)->start_sec, AT(300), 0);
	assert_close(reason_of(&vc, j)->priced_sec, AT(300), 0);
	assert_close(reason_of(&vc, j)->price, 0, 0);
	assert_true(reason_of(&vc, j)->worth > 0);
	vc_fini(&vc);
}

/* A GPU hour by slot; overtime raises it. */
static void prices_are_told_by_slot(void **state)
{
	struct astra_policy_price p;
	struct vcluster vc;

	(void)state;
	begin_halves(&vc, -1, false);
	assert_false(astra_engine_price(vc.engine, 0, &p));
	submit(&vc, 1, 1, 2, 10);
	submit(&vc, 1, 1, 1, 10);
	vc_run(&vc, AT(250));
	assert_true(astra_engine_price(vc.engine, 0, &p));
	assert_close(p.start_sec, AT(200), 0);
	assert_close(p.end_sec, AT(300), 0);
	assert_int_equal(p.used, 2);
	assert_int_equal(p.gpus, 4);
	assert_close(p.price, pow(2, .5) - 1, 1e-12);
	assert_true(astra_engine_price(vc.engine, 1, &p));
	assert_int_equal(p.used, 1);
	assert_close(p.price, pow(2, .25) - 1, 1e-12);
	assert_false(astra_engine_price(vc.engine, 2, &p));
	assert_false(astra_engine_price(vc.engine, SIZE_MAX, &p));
	vc_fini(&vc);
}

static struct astra_board board_of(uint32_t gpus)
{
	struct astra_board b = {.theta = 16, .unit = 1};

	assert_int_equal(astra_board_open(&b, 4, 2, 2), 0);
	b.quota[0] = 1;
	b.quota[1] = gpus - 1;
	b.gpus = gpus;
	return b;
}

static int restored(const struct astra_bytes *saved, size_t size)
{
	struct astra_board b = {.theta = 16, .unit = 1};
	struct astra_reader in = {.data = saved->data, .size = size};
	int rc = astra_board_restore(&b, &in);

	astra_board_clear(&b);
	return rc;
}

static void a_damaged_board_is_refused(void **state)
{
	const struct astra_quote quote = {.job = 7, .worth = 1, .price = 2};
	struct astra_board b = board_of(8);
	struct astra_bytes saved = {0};

	(void)state;
	assert_int_equal(astra_board_quote(&b, &quote), 0);
	astra_board_save(&b, &saved);
	assert_int_equal(restored(&saved, saved.size), 0);
	assert_int_equal(restored(&saved, 0), 0); /* of an earlier release */
	for (size_t size = 1; size < saved.size; size++)
		assert_int_equal(restored(&saved, size), -1);
	for (size_t at = 0; at < saved.size; at++) {
		uint8_t was = saved.data[at];

		saved.data[at] = 0xff;
		(void)restored(&saved, saved.size);
		saved.data[at] = was;
	}
	astra_bytes_clear(&saved);
	b.used[1] = 9; /* of eight */
	astra_board_save(&b, &saved);
	assert_int_equal(restored(&saved, saved.size), -1);
	astra_bytes_clear(&saved);
	astra_board_clear(&b);
}

/* Eq. 2: eight GPUs, u0 left its one unused, u1 four of seven. Two more GPUs of
 * u0 at 16^(3/8) - 1: one is its own, of the other u0 has 1/5 and u1 4/5. */
static void overtime_is_split_by_what_was_left_unused(void **state)
{
	struct astra_board b = board_of(8);
	double incomes[2] = {0, 0}, pay = pow(16, 3 / 8.) - 1;

	(void)state;
	b.used[0] = b.own[2] = 3; /* of u1 in slot 5 */
	assert_true(astra_board_is_own(&b, 0, 5, 1));
	assert_false(astra_board_is_own(&b, 0, 5, 2));
	assert_close(astra_board_use(&b, 0, 5, 2, incomes), pay, 1e-12);
	assert_close(incomes[0], pay / 5, 1e-12);
	assert_close(incomes[1], pay * 4 / 5, 1e-12);
	assert_close(astra_board_price(&b, 5), pow(16, 5 / 8.) - 1, 1e-12);
	assert_close(astra_board_price(&b, 6), 0, 0);
	/* Nobody is left to be paid, nor is there more than all. */
	b.used[1] = 8;
	b.own[1] = 1;
	b.own[3] = 7;
	assert_close(astra_board_use(&b, 0, 6, 1, incomes), 0, 0);
	assert_int_equal(b.used[1], 8);
	astra_board_clear(&b);
}

/* QOSWeight; what a job says of itself is as it says. */
static void a_job_is_worth_its_gpu_hours_by_its_weight(void **state)
{
	struct astra_job job = {.weight = 3, .time_limit_sec = 7200};
	struct astra_utility u;

	(void)state;
	job.request.gpus = 4;
	u = astra_job_utility(&job);
	/* Half of it if it ends a day late. */
	assert_close(astra_utility_value(&u, 2 + 24), 3 * 8 / 2., 1e-12);
	job.weight = 0;
	u = astra_job_utility(&job);
	assert_close(astra_utility_value(&u, 2), 0, 0);
	job.forecast.utility = (struct astra_utility){
		.kind = ASTRA_UTILITY_LINEAR, .linear = {-1, 10}};
	u = astra_job_utility(&job);
	assert_close(astra_utility_value(&u, 2), 8, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overtime_costs_the_posted_price),
		cmocka_unit_test(
			overtime_costs_nothing_where_idle_gpus_are_lent),
		cmocka_unit_test(overtime_in_the_own_share_costs_nothing),
		cmocka_unit_test(who_cannot_pay_overtime_leaves),
		cmocka_unit_test(overtime_is_charged_once_over_a_restart),
		cmocka_unit_test(an_elastic_job_takes_what_its_share_has_left),
		cmocka_unit_test(a_job_is_told_its_price),
		cmocka_unit_test(a_job_without_room_is_told_so),
		cmocka_unit_test(
			a_planned_job_is_told_its_start_and_what_it_pays),
		cmocka_unit_test(prices_are_told_by_slot),
		cmocka_unit_test(a_damaged_board_is_refused),
		cmocka_unit_test(a_job_is_worth_its_gpu_hours_by_its_weight),
		cmocka_unit_test(overtime_is_split_by_what_was_left_unused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
