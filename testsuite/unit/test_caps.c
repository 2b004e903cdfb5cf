/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hard caps of GPU hours. By hand: leases of 900 s, a job of 4 GPUs takes one
 * GPU hour a lease; the clock begins at 1000 s, and so does a period. */
#include <math.h>
#include <string.h>

#include "src/engine/engine_priv.h"
#include "src/policies/options.h"
#include "src/policies/period.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(sec) (1000 + (sec))

static struct vcluster vc;
static uint32_t lab;

static void caps_begin(const char *key, const char *value)
{
	struct astra_error err = {""};

	vc_init(&vc, 1, 8);
	vc.period_sec = 20000;
	if (astra_options_set(&vc.options, key, value, &err) < 0)
		fail_msg("%s", err.text);
	lab = vc_tenant(&vc, "lab", 1);
	vc_tenant(&vc, "other", 1);
	vc_begin(&vc);
}

static const struct astra_reason *caps_reason(const struct vjob *v)
{
	for (size_t i = 0; i < vc.plan.reason_count; i++)
		if (vc.plan.reasons[i].job == v->job.id)
			return &vc.plan.reasons[i];
	fail_msg("job %u has no reason", v->job.id);
	return NULL;
}

static void caps_option(const char *key, const char *value)
{
	struct astra_error err = {""};

	assert_int_equal(astra_options_set(&vc.options, key, value, &err), 0);
	assert_int_equal(astra_engine_configure(vc.engine, &vc.options, &err),
			 0);
}

static void caps_set(const char *value)
{
	caps_option("MaxGPUHours", value);
}

static double caps_used(void)
{
	return vc_tenant_view(&vc, lab).used_gpu_sec / 3600;
}

/* 2.5 hours: two leases of one each; a third would be 3. It waits from 1800 s
 * on, until the period begins anew at 20000 s. */
static void a_lease_is_renewed_only_if_all_of_it_fits(void **state)
{
	struct vjob *v;
	const struct astra_reason *r;
	char text[64];

	(void)state;
	caps_begin("MaxGPUHours", "2.5");
	v = vc_submit(&vc, lab, 4, HUGE_VAL);
	vc_run(&vc, AT(1700));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(vc_view(&vc, v).leases, 2);
	vc_run(&vc, AT(1900));
	assert_int_equal(v->job.state, ASTRA_JOB_PENDING);
	assert_close(caps_used(), 2, 0.01);
	r = caps_reason(v);
	assert_int_equal(r->wait, ASTRA_WAIT_CAP);
	assert_false(r->cap_user);
	assert_close(r->cap_hours, 2.5, 0);
	assert_close(r->cap_used, 2, 0.01);
	assert_close(r->cap_asked, 1, 0);
	assert_close(r->retry_sec, AT(20000), 0);
	astra_reason_text(r, vc.now_sec, text, sizeof(text));
	assert_string_equal(text, "Lease: tenant's cap of 2.5 GPU hours");
	vc_run(&vc, AT(19990));
	assert_int_equal(v->starts, 1);
	vc_run(&vc, AT(20010));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	assert_close(caps_used(), 4.0 * 10 / 3600, 0.002);
	vc_fini(&vc);
}

/* Two of one hour each at once would be 2 of 1.5: the first one starts, the
 * second one only with a time limit of half a lease, and holds nobody up. */
static void leases_of_one_round_fit_together(void **state)
{
	struct vjob *first, *second, *shorter, *others;

	(void)state;
	caps_begin("MaxGPUHours", "1.5");
	first = vc_submit(&vc, lab, 4, HUGE_VAL);
	second = vc_submit(&vc, lab, 4, HUGE_VAL);
	vc_run(&vc, AT(10));
	assert_int_equal(first->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(caps_reason(second)->wait, ASTRA_WAIT_CAP);
	assert_close(caps_reason(second)->cap_used, 1, 0.01);
	shorter = vc_submit(&vc, lab, 2, 440);
	shorter->job.time_limit_sec = 450;
	others = vc_submit(&vc, 1, 2, HUGE_VAL);
	vc_run(&vc, AT(20));
	assert_int_equal(shorter->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(others->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(second->job.state, ASTRA_JOB_PENDING);
	vc_fini(&vc);
}

static void a_cap_of_nothing_lets_nobody_start(void **state)
{
	struct vjob *v, *own;

	(void)state;
	caps_begin("TenantGPUHours", "lab:0");
	v = vc_submit(&vc, lab, 1, HUGE_VAL);
	own = vc_submit(&vc, 1, 1, HUGE_VAL);
	vc_run(&vc, AT(50000));
	assert_int_equal(v->starts, 0);
	assert_int_equal(caps_reason(v)->wait, ASTRA_WAIT_CAP);
	assert_close(caps_reason(v)->cap_hours, 0, 0);
	assert_int_equal(own->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* A user's cap of 1 keeps that user's second job, not another user's. */
static void users_have_caps_of_their_own(void **state)
{
	struct vjob *a, *b, *c;
	uint32_t ann, ben;

	(void)state;
	caps_begin("MaxGPUHoursPerUser", "1");
	ann = vc_user(&vc, lab, "ann");
	ben = vc_user(&vc, lab, "ben");
	a = vc_submit(&vc, lab, 4, HUGE_VAL);
	b = vc_submit(&vc, lab, 1, HUGE_VAL);
	c = vc_submit(&vc, lab, 1, HUGE_VAL);
	a->job.user = b->job.user = ann;
	c->job.user = ben;
	vc_run(&vc, AT(100));
	assert_int_equal(a->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(c->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(caps_reason(b)->wait, ASTRA_WAIT_CAP);
	assert_true(caps_reason(b)->cap_user);
	vc_fini(&vc);
}

/* Of 2.4 hours ann has used 0.9, and there is room for one job more: it is
 * ben's, who has used none, whatever partition or priority ann's job has. Of
 * ben's own two it is the one with precedence. */
static void the_user_who_used_the_least_goes_first(void **state)
{
	struct vjob *first, *anns, *bens, *urgent;
	uint32_t ann, ben;

	(void)state;
	caps_begin("MaxGPUHours", "2.4");
	ann = vc_user(&vc, lab, "ann");
	ben = vc_user(&vc, lab, "ben");
	first = vc_submit(&vc, lab, 4, 800);
	first->job.user = ann;
	vc_run(&vc, AT(850));
	anns = vc_submit(&vc, lab, 4, HUGE_VAL);
	anns->job.user = ann;
	anns->job.precedence = 9;
	bens = vc_submit(&vc, lab, 4, HUGE_VAL);
	urgent = vc_submit(&vc, lab, 4, HUGE_VAL);
	bens->job.user = urgent->job.user = ben;
	urgent->job.precedence = 1;
	vc_run(&vc, AT(880));
	assert_int_equal(urgent->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(caps_reason(bens)->wait, ASTRA_WAIT_CAP);
	assert_int_equal(caps_reason(anns)->wait, ASTRA_WAIT_CAP);
	vc_fini(&vc);
}

/* Who is a tenant of his own is a user, too. */
static void a_tenant_without_users_is_one(void **state)
{
	struct vjob *a, *b;

	(void)state;
	caps_begin("MaxGPUHoursPerUser", "1");
	a = vc_submit(&vc, lab, 4, HUGE_VAL);
	b = vc_submit(&vc, lab, 1, HUGE_VAL);
	vc_run(&vc, AT(100));
	assert_int_equal(a->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(caps_reason(b)->wait, ASTRA_WAIT_CAP);
	assert_true(caps_reason(b)->cap_user);
	assert_close(vc_tenant_view(&vc, lab).cap_gpu_sec, 3600, 0);
	vc_fini(&vc);
}

/* What its host keeps, as a user's hold, no cap lets go. */
static void a_held_job_stays_held(void **state)
{
	struct vjob *v;

	(void)state;
	caps_begin("MaxGPUHours", "0");
	v = vc_submit(&vc, lab, 1, HUGE_VAL);
	vc_run(&vc, AT(10));
	assert_int_equal(caps_reason(v)->wait, ASTRA_WAIT_CAP);
	v->job.state = ASTRA_JOB_BLOCKED;
	vc_run(&vc, AT(30));
	assert_int_equal(caps_reason(v)->wait, ASTRA_WAIT_BLOCKED);
	caps_set("100");
	vc_run(&vc, AT(50));
	assert_int_equal(v->starts, 0);
	v->job.state = ASTRA_JOB_PENDING;
	vc_run(&vc, AT(70));
	assert_int_equal(v->starts, 1);
	vc_fini(&vc);
}

/* It runs to its lease's end and goes on when the cap is raised again. */
static void a_cap_that_is_lowered_ends_no_lease(void **state)
{
	struct vjob *v;

	(void)state;
	caps_begin("MaxGPUHours", "100");
	v = vc_submit(&vc, lab, 4, HUGE_VAL);
	vc_run(&vc, AT(300));
	caps_set("0.1");
	vc_run(&vc, AT(890));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(v->starts, 1);
	vc_run(&vc, AT(950));
	assert_int_equal(v->job.state, ASTRA_JOB_PENDING);
	assert_int_equal(caps_reason(v)->wait, ASTRA_WAIT_CAP);
	caps_set("none");
	vc_run(&vc, AT(980));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* 1 to 8 GPUs, of which a lease takes 0.25 hours each: 1.1 hours are 4. */
static void an_elastic_job_has_as_many_gpus_as_fit(void **state)
{
	struct vjob *v;

	(void)state;
	caps_begin("MaxGPUHours", "1.1");
	v = vc_submit(&vc, lab, 8, HUGE_VAL);
	v->job.request.gpus_min = 1;
	vc_run(&vc, AT(800));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(astra_held_gpus(&v->job), 4);
	vc_run(&vc, AT(1000));
	assert_int_equal(v->job.state, ASTRA_JOB_PENDING);
	vc_fini(&vc);
}

/* Ten tasks of an hour each, three of which fit. */
static void an_array_has_as_many_tasks_as_fit(void **state)
{
	struct vjob *v;

	(void)state;
	caps_begin("MaxGPUHours", "0.8");
	v = vc_submit(&vc, lab, 1, HUGE_VAL);
	v->job.copies = 10;
	vc_run(&vc, AT(800));
	assert_int_equal(vc_running_gpus(&vc), 3);
	assert_int_equal(v->job.copies, 7);
	vc_fini(&vc);
}

/* A job of 4 GPUs leaves at 900 s and has 300 s of grace. At 1000 s it has used
 * 1.11 hours and may use 0.22 more: of 1.5 hours 0.17 are left, and a lease of
 * a GPU takes 0.25. */
static void what_a_job_may_use_in_its_grace_counts(void **state)
{
	struct vjob *v, *late;

	(void)state;
	caps_begin("MaxGPUHours", "1.5");
	caps_option("CheckpointGrace", "300");
	v = vc_submit(&vc, lab, 4, HUGE_VAL);
	v->job.checkpoints = true;
	vc_run(&vc, AT(1000));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	late = vc_submit(&vc, lab, 1, HUGE_VAL);
	vc_run(&vc, AT(1020));
	assert_int_equal(caps_reason(late)->wait, ASTRA_WAIT_CAP);
	vc_fini(&vc);
}

/* Two tasks of an array of four have grants, for GPUs that a job leaves at 1200
 * s. A lease takes half an hour: of 2.6 hours the grants take 1, and 1.6 are
 * enough for the two other tasks and for one job more. */
static void a_task_with_a_grant_asks_no_more(void **state)
{
	struct vjob *array, *leaves, *job;

	(void)state;
	caps_begin("TenantGPUHours", "lab:2.6");
	caps_option("CheckpointGrace", "300");
	vc_submit(&vc, 1, 4, HUGE_VAL)->job.revocable = false;
	leaves = vc_submit(&vc, 1, 4, HUGE_VAL);
	leaves->job.checkpoints = true;
	vc_run(&vc, AT(850));
	array = vc_submit(&vc, lab, 2, HUGE_VAL);
	array->job.copies = 4;
	vc_run(&vc, AT(950));
	assert_int_equal(astra_grants_of(vc.engine, array->job.id), 2);
	job = vc_submit(&vc, lab, 2, HUGE_VAL);
	vc_run(&vc, AT(1000));
	assert_int_equal(array->job.copies, 4);
	assert_int_not_equal(caps_reason(job)->wait, ASTRA_WAIT_CAP);
	vc_fini(&vc);
}

/* Nothing takes its GPUs back, so it counts to its time limit. */
static void a_job_without_leases_counts_to_its_time_limit(void **state)
{
	struct vjob *v, *bounded;

	(void)state;
	caps_begin("MaxGPUHours", "2");
	v = vc_submit(&vc, lab, 1, HUGE_VAL);
	v->job.revocable = false;
	bounded = vc_submit(&vc, lab, 1, HUGE_VAL);
	bounded->job.revocable = false;
	bounded->job.time_limit_sec = 7200;
	vc_run(&vc, AT(20));
	assert_true(isinf(caps_reason(v)->cap_asked));
	assert_int_equal(bounded->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* Who has no cap is kept by none, though what is promised to a job without
 * leases, nor a time limit, has no end. */
static void a_tenant_without_a_cap_has_none(void **state)
{
	struct vjob *gang;

	(void)state;
	caps_begin("TenantGPUHours", "lab:1");
	vc_submit(&vc, 1, 4, HUGE_VAL);
	vc_submit(&vc, 1, 4, HUGE_VAL);
	vc_run(&vc, AT(10));
	gang = vc_submit(&vc, 1, 8, HUGE_VAL);
	gang->job.revocable = false;
	vc_submit(&vc, 1, 1, HUGE_VAL);
	for (int sec = 20; sec < 2000; sec += 1) {
		vc_run(&vc, AT(sec));
		for (size_t i = 0; i < vc.plan.reason_count; i++)
			assert_int_not_equal(vc.plan.reasons[i].wait,
					     ASTRA_WAIT_CAP);
	}
	vc_fini(&vc);
}

/* What was used is kept, half a lease before it is spent. */
static void a_restart_forgets_nothing(void **state)
{
	struct vjob *v;

	(void)state;
	caps_begin("MaxGPUHours", "1.2");
	v = vc_submit(&vc, lab, 4, HUGE_VAL);
	vc_run(&vc, AT(450));
	vc_restart(&vc);
	vc_run(&vc, AT(890));
	assert_close(caps_used(), 0.985, 0.01);
	vc_run(&vc, AT(1000));
	vc_restart(&vc);
	vc_run(&vc, AT(1100));
	assert_int_equal(v->job.state, ASTRA_JOB_PENDING);
	assert_int_equal(v->starts, 1);
	assert_close(caps_used(), 1, 0.01);
	vc_fini(&vc);
}

/* A gang that the cap forbids is given no hold, nor a promise; those of others
 * run on all GPUs. */
static void a_gang_over_the_cap_holds_nothing(void **state)
{
	struct vjob *gang;

	(void)state;
	caps_begin("TenantGPUHours", "lab:1");
	for (int i = 0; i < 8; i++)
		vc_submit(&vc, 1, 1, HUGE_VAL);
	vc_run(&vc, AT(10));
	gang = vc_submit(&vc, lab, 8, HUGE_VAL);
	for (int sec = 20; sec < 6000; sec += 10) {
		vc_run(&vc, AT(sec));
		assert_int_equal(vc_running_gpus(&vc), 8);
		assert_int_equal(astra_engine_hold(vc.engine).job, 0);
	}
	assert_int_equal(gang->starts, 0);
	assert_close(vc_view(&vc, gang).bound_sec, 0, 0);
	vc_fini(&vc);
}

/* Whatever the policy, and whether its leases end or not: two hours of one
 * tenant, of jobs of all sizes, are never more than that. */
static void every_policy_keeps_the_cap(void **state)
{
	(void)state;
	for (size_t i = 0; astra_policy_all()[i]; i++) {
		caps_begin("MaxGPUHours", "2");
		astra_engine_destroy(vc.engine);
		assert_int_equal(astra_options_set(&vc.options, "Policy",
						   astra_policy_all()[i]->name,
						   NULL),
				 0);
		vc.policy = NULL;
		vc_begin(&vc);
		for (uint32_t k = 0; k < 12; k++)
			vc_submit(&vc, lab, 1 + k % 4, 1500)
				->job.forecast.work_sec = 1500;
		vc_run(&vc, AT(19000));
		if (caps_used() > 2 + 0.05)
			fail_msg("%s: %g of 2 GPU hours",
				 astra_policy_all()[i]->name, caps_used());
		if (caps_used() < 0.5)
			fail_msg("%s: only %g of 2 GPU hours",
				 astra_policy_all()[i]->name, caps_used());
		vc_fini(&vc);
	}
}

/* date -u -d @SEC says what they are. */
static void periods_are_those_of_the_calendar(void **state)
{
	static const struct {
		enum astra_period kind;
		double offset_sec, at_sec, begin_sec, end_sec;
	} cases[] = {
		/* 2024-02-29 12:00:00, a Thursday of a leap year */
		{ASTRA_PERIOD_DAY, 0, 1709208000, 1709164800, 1709251200},
		{ASTRA_PERIOD_WEEK, 0, 1709208000, 1708905600, 1709510400},
		{ASTRA_PERIOD_MONTH, 0, 1709208000, 1706745600, 1709251200},
		/* in Berlin it is 2024-03-01 from 23:00 on */
		{ASTRA_PERIOD_MONTH, -3600, 1709247600, 1709247600, 1711926000},
		{ASTRA_PERIOD_MONTH, -3600, 1709247599, 1706742000, 1709247600},
		/* 1970 and before; 2100 is no leap year */
		{ASTRA_PERIOD_MONTH, 0, 0, 0, 2678400},
		{ASTRA_PERIOD_WEEK, 0, -1, -259200, 345600},
		{ASTRA_PERIOD_MONTH, 0, 4107542399, 4105123200, 4107542400},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double begin, end;

		astra_period_at(cases[i].kind, cases[i].at_sec,
				cases[i].offset_sec, &begin, &end);
		assert_close(begin, cases[i].begin_sec, 0);
		assert_close(end, cases[i].end_sec, 0);
		assert_close(astra_period_next(cases[i].kind, begin), end, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lease_is_renewed_only_if_all_of_it_fits),
		cmocka_unit_test(leases_of_one_round_fit_together),
		cmocka_unit_test(a_cap_of_nothing_lets_nobody_start),
		cmocka_unit_test(users_have_caps_of_their_own),
		cmocka_unit_test(the_user_who_used_the_least_goes_first),
		cmocka_unit_test(a_tenant_without_users_is_one),
		cmocka_unit_test(a_held_job_stays_held),
		cmocka_unit_test(a_cap_that_is_lowered_ends_no_lease),
		cmocka_unit_test(an_elastic_job_has_as_many_gpus_as_fit),
		cmocka_unit_test(an_array_has_as_many_tasks_as_fit),
		cmocka_unit_test(what_a_job_may_use_in_its_grace_counts),
		cmocka_unit_test(a_task_with_a_grant_asks_no_more),
		cmocka_unit_test(a_job_without_leases_counts_to_its_time_limit),
		cmocka_unit_test(a_tenant_without_a_cap_has_none),
		cmocka_unit_test(a_restart_forgets_nothing),
		cmocka_unit_test(a_gang_over_the_cap_holds_nothing),
		cmocka_unit_test(every_policy_keeps_the_cap),
		cmocka_unit_test(periods_are_those_of_the_calendar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
