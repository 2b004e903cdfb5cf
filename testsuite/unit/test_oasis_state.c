/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OASiS' plans over restarts and clocks that are set, and what it makes of
 * damaged states and of whatever happens in a pool. */
#include "src/common/random.h"
#include "src/policies/oasis/book.h"
#include "src/policies/oasis/policy.h"
#include "src/policies/options.h"
#include "testsuite/unit/oasis_pool.h"

static void plans_survive_a_restart(void **state)
{
	struct vcluster vc;
	struct vjob *v, *w;
	struct astra_reason r;

	(void)state;
	begin_with_two(&vc, 350, &v, &w);
	vc_restart(&vc);
	vc_run(&vc, AT(30));
	r = reason_of(&vc, w);
	assert_int_equal(r.wait, ASTRA_WAIT_PLANNED);
	assert_close(r.start_sec, AT(400), 0);
	vc_run(&vc, AT(410));
	assert_int_equal(v->starts, 1);
	assert_int_equal(v->job.state, ASTRA_JOB_ENDED);
	assert_int_equal(w->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* What a poor job's GPU costs beside one that has the others, after one that
 * was worth so much (0: none) is long gone. */
static double price_after(double worth, bool restart)
{
	struct vcluster vc;
	struct astra_reason r;
	struct vjob *poor;

	begin(&vc, 1, 8, false);
	if (worth > 0)
		submit(&vc, 1, 40, worth);
	vc_run(&vc, AT(120));
	if (restart)
		vc_restart(&vc);
	submit(&vc, 7, 1900, 10);
	vc_run(&vc, AT(130));
	poor = submit(&vc, 1, 1900, 1e-6);
	vc_run(&vc, AT(150));
	r = reason_of(&vc, poor);
	assert_int_equal(r.wait, ASTRA_WAIT_PRICE);
	assert_true(r.price > r.worth);
	vc_fini(&vc);
	return r.price;
}

static void prices_follow_jobs_from_before_a_restart(void **state)
{
	double with = price_after(1e5, false);

	(void)state;
	assert_close(price_after(1e5, true), with, 1e-12);
	assert_true(with > 2 * price_after(0, false));
}

/* One that is worth less than nothing, and one that is infinitely precious if
 * it ends at once. */
static void no_worth_keeps_plans_from_being_restored(void **state)
{
	struct vcluster vc;
	struct vjob *v, *w, *odd;

	(void)state;
	begin_with_two(&vc, 350, &v, &w);
	odd = submit(&vc, 1, 90, 10);
	odd->job.forecast.utility =
		(struct astra_utility){.kind = ASTRA_UTILITY_LINEAR};
	odd->job.forecast.utility.linear.k = -1e6;
	odd = submit(&vc, 1, 90, 10);
	odd->job.forecast.utility =
		(struct astra_utility){.kind = ASTRA_UTILITY_CONVEX};
	odd->job.forecast.utility.convex.e = 1e6;
	odd->job.forecast.utility.convex.kappa = 16;
	vc_run(&vc, AT(30));
	vc_restart(&vc);
	vc_run(&vc, AT(40));
	assert_int_equal(reason_of(&vc, w).wait, ASTRA_WAIT_PLANNED);
	assert_close(reason_of(&vc, w).start_sec, AT(400), 0);
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
	begin_with_two(&vc, 350, &v, &w);
	vc_set_clock(&vc, 100000);
	vc_run(&vc, AT(100030));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	assert_close(reason_of(&vc, w).start_sec, AT(100400), 0);
	vc_run(&vc, AT(100410));
	assert_int_equal(v->starts, 1);
	assert_int_equal(w->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
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
				vc_restart(&vc);
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
		cmocka_unit_test(plans_survive_a_restart),
		cmocka_unit_test(prices_follow_jobs_from_before_a_restart),
		cmocka_unit_test(no_worth_keeps_plans_from_being_restored),
		cmocka_unit_test(a_damaged_state_is_refused),
		cmocka_unit_test(a_clock_that_is_set_moves_the_slots),
		cmocka_unit_test(all_jobs_end_whatever_happens),
		cmocka_unit_test(no_state_makes_it_fail),
	};

	return cmocka_run_group_tests_name("oasis_state", tests, NULL, NULL);
}
