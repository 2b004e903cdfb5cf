/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Budget: what tenants may pay in the shared phase (SPEC.md, section 3, Money),
 * which is all that costs anything. */
#include <math.h>

#include "src/policies/incentive/purse.h"
#include "testsuite/unit/incentive_pool.h"

/* Half each of four GPUs. Of b's jobs one fits its share. The other pays for
 * three GPUs more, two slots of 100 s, (2^(1/4) - 1) a GPU hour: Eq. 2 gives
 * two thirds of it to a, who left two GPUs unused, and a third to b itself. */
#define PAY ((pow(2, .25) - 1) * 3 * 2 * SLOT / 3600.0)

static void begin_market(struct vcluster *vc, double budget, double refill)
{
	begin(vc, 1, 4);
	vc->options.budget = budget;
	vc->options.budget_refill = refill;
	assert_int_equal(astra_engine_configure(vc->engine, &vc->options, NULL),
			 0);
	vc_tenant(vc, "b", 1);
}

static struct vjob *buyer_of(struct vcluster *vc, double budget)
{
	struct vjob *j;

	begin_market(vc, budget, 0);
	j = submit(vc, 1, 3, 2, 10);
	submit(vc, 1, 1, 2, 10);
	vc_run(vc, AT(210));
	return j;
}

static void who_can_pay_pays(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	j = buyer_of(&vc, 1);
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_close(report(&vc, "b").paid, PAY, 1e-9);
	assert_close(report(&vc, "b").credits, 1 - PAY * 2 / 3, 1e-9);
	assert_close(report(&vc, "a").credits, 1 + PAY * 2 / 3, 1e-9);
	assert_close(report(&vc, NULL).credits, 2, 1e-9);
	vc_fini(&vc);
}

/* In a window that is sold comes a job of all four GPUs, and is promised its
 * start. Its tenant pays for the two beyond its share, as for overtime, and
 * with LendIdle nothing. */
static void a_promised_start_is_paid_as_overtime(void **state)
{
	(void)state;
	for (int lends = 0; lends < 2; lends++) {
		struct vcluster vc;
		struct vjob *j;

		begin(&vc, 1, 4);
		vc.options.promise = true;
		vc.options.lend_idle = lends;
		assert_int_equal(
			astra_engine_configure(vc.engine, &vc.options, NULL),
			0);
		vc_tenant(&vc, "b", 1);
		submit(&vc, 0, 4, 40, 10);
		vc_run(&vc, AT(450));
		j = submit(&vc, 1, 4, 20, 10);
		vc_run(&vc, AT(450) + 4 * 50 + 20); /* its bound */
		assert_int_equal(j->starts, 1);
		assert_true(lends ? report(&vc, "b").paid <= 0
				  : report(&vc, "b").paid > 0);
		vc_fini(&vc);
	}
}

/* Its job of three GPUs has no room in b's share of two; the one of one GPU
 * runs there all the same. One slot of the three, not two, could be paid with
 * half of the price. */
static void who_cannot_pay_has_its_share_alone(void **state)
{
	static const double budgets[] = {0, PAY * .1};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(budgets); i++) {
		struct vcluster vc;
		struct vjob *j = buyer_of(&vc, budgets[i]);

		assert_int_equal(j->job.state, ASTRA_JOB_PENDING);
		assert_int_equal(reason_of(&vc, j)->wait, ASTRA_WAIT_PRICE);
		assert_int_equal(vc_running_gpus(&vc), 1);
		assert_close(report(&vc, "b").paid, 0, 0);
		assert_close(report(&vc, "b").credits, budgets[i], 1e-12);
		vc_fini(&vc);
	}
}

/* Idle GPUs are posted at 2^0 - 1 = 0; b has no job of its own. A budget of 0
 * buys not even these, none at all is no bound. */
static void a_budget_of_0_buys_nothing_even_for_0(void **state)
{
	static const struct {
		double budget;
		enum astra_job_state state;
	} cases[] = {{0, ASTRA_JOB_PENDING},
		     {1, ASTRA_JOB_RUNNING},
		     {-1, ASTRA_JOB_RUNNING}};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct vcluster vc;
		struct vjob *j;

		begin_market(&vc, cases[i].budget, 0);
		j = submit(&vc, 1, 3, 2, 10);
		vc_run(&vc, AT(210));
		assert_int_equal(j->job.state, cases[i].state);
		assert_int_equal(isnan(report(&vc, "b").credits) != 0,
				 cases[i].budget < 0);
		vc_fini(&vc);
	}
}

/* Income can be spent, and is kept with what is left over a restart. */
static void credits_are_kept_over_restarts(void **state)
{
	double credits[2][2];

	(void)state;
	for (int restarted = 0; restarted < 2; restarted++) {
		struct vcluster vc;

		buyer_of(&vc, 1);
		if (restarted)
			vc_restart(&vc);
		vc_run(&vc, AT(900));
		credits[restarted][0] = report(&vc, "a").credits;
		credits[restarted][1] = report(&vc, "b").credits;
		vc_fini(&vc);
	}
	assert_memory_equal(credits[0], credits[1], sizeof(credits[0]));
	assert_true(credits[1][0] > 1);
}

/* Whatever is sold, nobody owes anything, and credits only change hands. */
static void nobody_spends_what_it_has_not(void **state)
{
	struct vcluster vc;

	(void)state;
	begin_market(&vc, PAY, 0);
	for (int t = 100; t < 6000; t += 100) {
		if (t < 4000)
			submit(&vc, t / 100 % 3 > 0, 1 + (uint32_t)t / 100 % 4,
			       1 + t / 100 % 5, 10);
		vc_run(&vc, AT(t));
		if (t < 300)
			continue;
		assert_true(report(&vc, "a").credits > -1e-12);
		assert_true(report(&vc, "b").credits > -1e-12);
		assert_close(report(&vc, NULL).credits, 2 * PAY, 1e-9);
	}
	assert_true(report(&vc, NULL).paid > 0);
	vc_fini(&vc);
}

/* Up to the budget, not beyond; income beyond it stays. */
static void purses_are_refilled_by_time(void **state)
{
	struct astra_purses p = {.budget = 10, .daily = 4};

	(void)state;
	assert_true(isnan(astra_purses_of(&p, 0)));
	assert_int_equal(astra_purses_fill(&p, 2, 5000), 0);
	assert_close(astra_purses_of(&p, 1), 10, 0);
	p.credits[0] = 1;
	p.credits[1] = 12;
	assert_int_equal(astra_purses_fill(&p, 3, 5000 + 43200), 0);
	assert_close(astra_purses_of(&p, 0), 3, 1e-12);
	assert_close(astra_purses_of(&p, 1), 12, 0);
	assert_close(astra_purses_of(&p, 2), 10, 0); /* it came now */
	assert_int_equal(astra_purses_fill(&p, 3, 4000), 0);
	assert_close(astra_purses_of(&p, 0), 3, 1e-12);
	assert_int_equal(astra_purses_fill(&p, 3, 4000 + 86400 * 365.), 0);
	assert_close(astra_purses_of(&p, 0), 10, 0);
	astra_purses_free(&p);
}

static int restored(struct astra_purses *p, const struct astra_bytes *saved)
{
	struct astra_reader in = {.data = saved->data, .size = saved->size};

	return astra_purses_restore(p, &in);
}

static void damaged_purses_are_refused(void **state)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	struct astra_bytes saved = {0};
	struct astra_purses p = {.budget = 10};

	(void)state;
	assert_int_equal(restored(&p, &saved), 0); /* of an earlier release */
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++) {
		astra_put_f64(&saved, 1000);
		astra_put_u32(&saved, 1);
		astra_put_f64(&saved, bad[i]);
		assert_int_equal(restored(&p, &saved), -1);
		astra_bytes_clear(&saved);
	}
	astra_put_f64(&saved, 1000);
	astra_put_u32(&saved, UINT32_MAX); /* more than there are */
	assert_int_equal(restored(&p, &saved), -1);
	astra_bytes_clear(&saved);
	astra_purses_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_can_pay_pays),
		cmocka_unit_test(a_promised_start_is_paid_as_overtime),
		cmocka_unit_test(who_cannot_pay_has_its_share_alone),
		cmocka_unit_test(a_budget_of_0_buys_nothing_even_for_0),
		cmocka_unit_test(credits_are_kept_over_restarts),
		cmocka_unit_test(nobody_spends_what_it_has_not),
		cmocka_unit_test(purses_are_refilled_by_time),
		cmocka_unit_test(damaged_purses_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
