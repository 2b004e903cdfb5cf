/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accounts that begin with the past. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000 + (t))

/* 8 GPUs, two tenants of one weight, each with a user. */
static void begin(struct vcluster *vc)
{
	vc_init(vc, 1, 8);
	vc->options.lease_sec = 60;
	vc->options.grace_sec = 0;
	vc->options.min_run_sec = 0;
	vc_begin(vc);
	vc_tenant(vc, "rich", 1);
	vc_tenant(vc, "poor", 1);
	vc_user(vc, 0, "ann");
	vc_user(vc, 1, "bob");
}

static struct astra_adopted past(const char *tenant, const char *user,
				 double alloc, double fair)
{
	return (struct astra_adopted){
		.tenant = (char *)(uintptr_t)tenant,
		.user = (char *)(uintptr_t)user,
		.usage = {alloc, fair},
	};
}

static struct vjob *submit(struct vcluster *vc, uint32_t tenant)
{
	struct vjob *job = vc_submit(vc, tenant, 8, 30);

	job->job.user = tenant;
	return job;
}

/* At the last round. */
static struct astra_usage had(struct vcluster *vc, uint32_t tenant)
{
	struct astra_tenant_view v;

	for (size_t i = 0; i < astra_engine_tenant_count(vc->engine); i++) {
		astra_engine_tenant_view(vc->engine, i,
					 astra_engine_time(vc->engine), &v);
		if (!strcmp(v.name, vc->tenants[tenant].name))
			return v.usage;
	}
	fail_msg("no tenant %u", tenant);
	return v.usage;
}

static void assert_tenant(struct vcluster *vc, uint32_t tenant, double alloc,
			  double fair)
{
	struct astra_usage u = had(vc, tenant);

	assert_close(u.alloc, alloc, 1e-9);
	assert_close(u.fair, fair, 1e-9);
}

static struct astra_usage user(const struct vcluster *vc, const char *name)
{
	struct astra_user_view v;

	for (size_t i = 0; i < astra_engine_user_count(vc->engine); i++) {
		astra_engine_user_view(vc->engine, i,
				       astra_engine_time(vc->engine), &v);
		if (!strcmp(v.name, name))
			return v.usage;
	}
	fail_msg("no user %s", name);
	return (struct astra_usage){0, 0};
}

static void adopt(struct vcluster *vc, const struct astra_adopted *list,
		  size_t count, bool replace)
{
	struct astra_error err = {""};

	if (astra_engine_adopt(vc->engine, list, count, replace, &err) < 0)
		fail_msg("%s", err.text);
}

static void who_was_poor_is_first(void **state)
{
	const struct astra_adopted list[] = {
		past("rich", "", 900, 600), past("rich", "ann", 900, 600),
		past("poor", "", 300, 600),
		past("poor", "eve", 300, 600), /* has no job yet */
	};

	(void)state;
	for (int adopted = 0; adopted < 2; adopted++) {
		struct vjob *rich, *poor;
		struct vcluster vc;

		begin(&vc);
		vc_run(&vc, AT(5));
		if (adopted)
			adopt(&vc, list, 4, false);
		rich = submit(&vc, 0);
		poor = submit(&vc, 1);
		vc_run(&vc, AT(10));
		assert_int_equal(vc_view(&vc, rich).state,
				 adopted ? ASTRA_JOB_PENDING
					 : ASTRA_JOB_RUNNING);
		assert_int_equal(vc_view(&vc, poor).state,
				 adopted ? ASTRA_JOB_RUNNING
					 : ASTRA_JOB_PENDING);
		vc_fini(&vc);
	}
}

static void it_stays_over_a_restart(void **state)
{
	const struct astra_adopted list[] = {
		past("rich", "", 900, 600),
		past("rich", "ann", 500, 400),
		past("rich", "eve", 400, 200),
	};
	struct vcluster vc;

	(void)state;
	begin(&vc);
	vc_run(&vc, AT(5));
	adopt(&vc, list, 3, false);
	for (int i = 0; i < 2; i++) {
		assert_tenant(&vc, 0, 900, 600);
		assert_tenant(&vc, 1, 0, 0);
		assert_close(user(&vc, "ann").alloc, 500, 1e-9);
		assert_close(user(&vc, "eve").fair, 200, 1e-9);
		vc_restart(&vc);
	}
	vc_run(&vc, AT(10));
	assert_tenant(&vc, 0, 900, 600);
	vc_fini(&vc);
}

/* Who is not named begins with nothing; what runs goes on from there. */
static void what_has_begun_is_replaced_on_demand(void **state)
{
	const struct astra_adopted list[] = {past("poor", "", 40, 80)};
	struct astra_error err = {""};
	struct vcluster vc;
	struct vjob *job;
	double before, at_sec;

	(void)state;
	begin(&vc);
	job = submit(&vc, 0);
	vc_run(&vc, AT(20));
	before = had(&vc, 0).alloc;
	assert_true(before > 0);
	assert_int_equal(astra_engine_adopt(vc.engine, list, 1, false, &err),
			 -1);
	assert_non_null(strstr(err.text, "--replace"));
	assert_tenant(&vc, 1, 0, 0);
	assert_close(had(&vc, 0).alloc, before, 1e-9);
	adopt(&vc, list, 1, true);
	at_sec = astra_engine_time(vc.engine);
	assert_tenant(&vc, 0, 0, 0);
	assert_tenant(&vc, 1, 40, 80);
	assert_close(user(&vc, "ann").alloc, 0, 0);
	assert_true(vc_view(&vc, job).usage.alloc > 0);
	vc_run(&vc, AT(25));
	assert_close(had(&vc, 0).alloc,
		     8 * (astra_engine_time(vc.engine) - at_sec), 1e-9);
	assert_tenant(&vc, 1, 40, 80);
	vc_fini(&vc);
}

static void what_is_wrong_changes_nothing(void **state)
{
	const struct astra_adopted bad[] = {
		past("none", "", 1, 1),	       past("poor", "", -1, 1),
		past("poor", "", 1, -1),       past("poor", "", NAN, 1),
		past("poor", "", 1, HUGE_VAL), past("poor", "bob", HUGE_VAL, 1),
		past("bob", "bob", 1, 1),
	};
	struct astra_error err;
	struct vcluster vc;

	(void)state;
	begin(&vc);
	vc_run(&vc, AT(5));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct astra_adopted list[] = {past("rich", "", 9, 9), bad[i]};

		err.text[0] = '\0';
		assert_int_equal(
			astra_engine_adopt(vc.engine, list, 2, true, &err), -1);
		assert_true(*err.text);
		assert_tenant(&vc, 0, 0, 0);
		assert_tenant(&vc, 1, 0, 0);
	}
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_was_poor_is_first),
		cmocka_unit_test(it_stays_over_a_restart),
		cmocka_unit_test(what_has_begun_is_replaced_on_demand),
		cmocka_unit_test(what_is_wrong_changes_nothing),
	};

	return cmocka_run_group_tests_name("engine_adopt", tests, NULL, NULL);
}
