/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Users within tenants: FairWithin=user. */
#include <math.h>
#include <stdlib.h>

#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000 + (t))

/* 8 GPUs, one tenant. Ann has a job of all of them, Bob the same as eight. */
struct pair {
	struct vcluster vc;
	struct vjob *ann, *bob[8];
};

static void begin(struct pair *p, bool within_users)
{
	uint32_t ann, bob;

	vc_init(&p->vc, 1, 8);
	p->vc.options.lease_sec = 60;
	p->vc.options.min_run_sec = 0;
	p->vc.options.grace_sec = 0;
	p->vc.options.recall_sec = 20;
	p->vc.options.within_users = within_users;
	vc_begin(&p->vc);
	vc_tenant(&p->vc, "lab", 1);
	ann = vc_user(&p->vc, 0, "ann");
	bob = vc_user(&p->vc, 0, "bob");
	p->ann = vc_submit(&p->vc, 0, 8, HUGE_VAL);
	p->ann->job.user = ann;
	for (int i = 0; i < 8; i++) {
		p->bob[i] = vc_submit(&p->vc, 0, 1, HUGE_VAL);
		p->bob[i]->job.user = bob;
	}
}

/* Ann's part of the GPU time. */
static double anns_part(struct pair *p)
{
	double ann = vc_view(&p->vc, p->ann).usage.alloc, bob = 0;

	for (int i = 0; i < 8; i++)
		bob += vc_view(&p->vc, p->bob[i]).usage.alloc;
	return ann / (ann + bob);
}

static void a_split_job_gains_nothing(void **state)
{
	struct pair p;

	(void)state;
	begin(&p, true);
	vc_run(&p.vc, AT(1500));
	assert_true(fabs(anns_part(&p) - .5) < .05);
	assert_true(fabs(vc_view(&p.vc, p.ann).user_rho - 1) < .1);
	assert_true(fabs(vc_view(&p.vc, p.bob[0]).user_rho - 1) < .1);
	vc_fini(&p.vc);
	/* As in the paper: a ninth for each job, less what Ann must wait for.
	 */
	begin(&p, false);
	vc_run(&p.vc, AT(1500));
	assert_true(anns_part(&p) < .2);
	assert_true(isnan(vc_view(&p.vc, p.ann).user_rho));
	vc_fini(&p.vc);
}

static void users_keep_what_they_had(void **state)
{
	struct pair p;
	struct astra_error err;
	double before, after;

	(void)state;
	begin(&p, true);
	vc_run(&p.vc, AT(90));
	before = vc_view(&p.vc, p.ann).user_rho;
	vc_restart(&p.vc);
	after = vc_view(&p.vc, p.ann).user_rho;
	assert_true(fabs(after - before) < 1e-9);
	/* Over a change of the option and back. */
	p.vc.options.within_users = false;
	assert_int_equal(
		astra_engine_configure(p.vc.engine, &p.vc.options, &err), 0);
	vc_run(&p.vc, AT(150));
	assert_true(isnan(vc_view(&p.vc, p.ann).user_rho));
	p.vc.options.within_users = true;
	assert_int_equal(
		astra_engine_configure(p.vc.engine, &p.vc.options, &err), 0);
	vc_run(&p.vc, AT(1500));
	assert_true(fabs(anns_part(&p) - .5) < .1);
	vc_fini(&p.vc);
}

static void a_renamed_user_is_the_same(void **state)
{
	struct pair p;
	double before;

	(void)state;
	begin(&p, true);
	vc_run(&p.vc, AT(100));
	before = vc_view(&p.vc, p.ann).user_rho;
	assert_false(astra_engine_rename_user(p.vc.engine, "eve", "mallory"));
	assert_false(astra_engine_rename_user(p.vc.engine, "ann", "bob"));
	assert_true(astra_engine_rename_user(p.vc.engine, "ann", "anna"));
	p.vc.users[0].name = "anna";
	vc_run(&p.vc, AT(101));
	assert_true(fabs(vc_view(&p.vc, p.ann).user_rho - before) < .05);
	vc_fini(&p.vc);
}

/* A job that changes hands takes its GPU time along, its users keep theirs. */
static void a_job_that_changes_hands_goes_on(void **state)
{
	struct pair p;
	double had;

	(void)state;
	begin(&p, true);
	vc_run(&p.vc, AT(100));
	had = vc_view(&p.vc, p.ann).usage.alloc;
	p.ann->job.user = p.bob[0]->job.user;
	vc_run(&p.vc, AT(200));
	assert_true(vc_view(&p.vc, p.ann).usage.alloc >= had);
	vc_restart(&p.vc);
	vc_run(&p.vc, AT(300));
	vc_fini(&p.vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_split_job_gains_nothing),
		cmocka_unit_test(users_keep_what_they_had),
		cmocka_unit_test(a_renamed_user_is_the_same),
		cmocka_unit_test(a_job_that_changes_hands_goes_on),
	};

	return cmocka_run_group_tests_name("engine_users", tests, NULL, NULL);
}
