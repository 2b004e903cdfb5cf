/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Admission=refuse: what oasis does not admit when it comes is held. */
#include "testsuite/unit/oasis_pool.h"

/* A job takes 7 of 8 GPUs for 15 of the 20 slots that are planned. */
static void begin_that_refuses(struct vcluster *vc, bool lend,
			       struct vjob **rich)
{
	vc_init(vc, 1, 8);
	strcpy(vc->options.policy, "oasis");
	vc->options.slot_sec = 100;
	vc->options.horizon_sec = 2000;
	vc->options.lend_idle = lend;
	vc->options.refuse_unworthy = true;
	vc_begin(vc);
	vc_tenant(vc, "a", 1);
	*rich = submit(vc, 7, 1450, 1000);
	vc_run(vc, AT(110));
}

/* It is worth next to nothing, and nothing at all after six minutes. */
static struct vjob *submit_poor(struct vcluster *vc)
{
	struct vjob *w = submit(vc, 1, 50, 1e-3);

	w->job.forecast.utility.sigmoid.g2 = 100;
	w->job.forecast.utility.sigmoid.g3 = .1;
	return w;
}

/* Algorithm 1 refuses for good a job whose payoff is not positive, though a GPU
 * is idle; with its price it is told, and held. */
static void admission_by_refusal_holds_it_with_its_price(void **state)
{
	struct vcluster vc;
	struct astra_reason r;
	struct vjob *v, *w;

	(void)state;
	begin_that_refuses(&vc, true, &v);
	w = submit(&vc, 1, 1900, 1e-3);
	vc_run(&vc, AT(115));
	assert_int_equal(w->job.state, ASTRA_JOB_BLOCKED);
	r = w->refused;
	assert_int_equal(r.wait, ASTRA_WAIT_DENIED);
	assert_true(r.worth > 0 && r.price > r.worth);
	assert_close(r.retry_sec, 0, 0);
	vc_run(&vc, AT(500));
	assert_int_equal(w->starts, 0);
	vc_fini(&vc);
}

/* Once it is released it is asked as if it had just come. */
static void who_is_released_is_asked_again(void **state)
{
	struct vcluster vc;
	struct vjob *v, *w;

	(void)state;
	begin_that_refuses(&vc, true, &v);
	w = submit_poor(&vc);
	vc_run(&vc, AT(200));
	assert_int_equal(w->job.state, ASTRA_JOB_BLOCKED);
	w->job.state = ASTRA_JOB_PENDING;
	vc_run(&vc, AT(210));
	assert_int_equal(w->job.state, ASTRA_JOB_BLOCKED);
	w->job.state = ASTRA_JOB_PENDING;
	w->job.forecast.utility.sigmoid.g1 = 1e6;
	vc_run(&vc, AT(230));
	assert_int_equal(w->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* While nodes come back after a restart prices say nothing: nor for a slot
 * after that. A job that is larger than what is up waits for the rest. */
static void nobody_is_refused_by_nodes_that_are_down(void **state)
{
	struct vcluster vc;
	struct vjob *v, *w, *x;

	(void)state;
	begin_that_refuses(&vc, false, &v);
	vc_run(&vc, AT(150));
	vc.nodes[0].usable = false;
	w = submit_poor(&vc);
	x = submit(&vc, 8, 50, 1e-3);
	vc_run(&vc, AT(220));
	assert_int_equal(w->job.state, ASTRA_JOB_PENDING);
	assert_int_equal(x->job.state, ASTRA_JOB_PENDING);
	vc_run(&vc, AT(310));
	assert_int_equal(x->job.state, ASTRA_JOB_PENDING);
	vc.nodes[0].usable = true;
	vc_run(&vc, AT(390));
	assert_int_equal(w->job.state, ASTRA_JOB_PENDING);
	vc_run(&vc, AT(520));
	assert_int_equal(w->job.state, ASTRA_JOB_BLOCKED);
	vc_fini(&vc);
}

/* One that was admitted and did not end in its slots has begun. */
static void who_was_admitted_is_not_refused(void **state)
{
	struct vcluster vc;
	struct vjob *v, *w;

	(void)state;
	begin_that_refuses(&vc, false, &v);
	w = submit(&vc, 1, 50, 1e5);
	w->job.forecast.utility.sigmoid.g2 = 100;
	w->job.forecast.utility.sigmoid.g3 = .1;
	w->work_sec = 5000;
	vc_run(&vc, AT(120));
	assert_int_equal(w->job.state, ASTRA_JOB_RUNNING);
	w->job.forecast.utility.sigmoid.g1 = 1e-9;
	vc_run(&vc, AT(1000));
	assert_int_not_equal(w->job.state, ASTRA_JOB_BLOCKED);
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(admission_by_refusal_holds_it_with_its_price),
		cmocka_unit_test(who_is_released_is_asked_again),
		cmocka_unit_test(nobody_is_refused_by_nodes_that_are_down),
		cmocka_unit_test(who_was_admitted_is_not_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
