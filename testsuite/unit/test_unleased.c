/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bounds of jobs without leases. */
#include <stdlib.h>

#include "src/policies/options.h"
#include "src/slurm/in/unleased.h"
#include "testsuite/unit/unit.h"

#define JOBS_MAX 4
#define POOL_GPUS 8

/* Two tenants of weight 1 and 3: 2 and 6 of 8 GPUs. */
static const struct astra_tenant tenants[] = {{"small", 1}, {"large", 3}};
enum { SMALL, LARGE };

struct unleased_case {
	uint32_t tenant, user, gpus;
	bool runs;
	uint32_t tasks;	 /* that it stands for; 0: one */
	uint32_t copies; /* that may start */
	enum astra_unleased_over over;
};

static const struct {
	const char *name;
	uint32_t gpus, user_gpus; /* the options */
	struct unleased_case jobs[JOBS_MAX];
} cases[] = {
	{"within the share",
	 ASTRA_GPUS_QUOTA,
	 ASTRA_GPUS_NONE,
	 {{SMALL, 1, 2, false, 0, 1, ASTRA_WITHIN}}},
	{"what runs counts",
	 ASTRA_GPUS_QUOTA,
	 ASTRA_GPUS_NONE,
	 {{SMALL, 1, 1, false, 0, 1, ASTRA_OVER_TENANT},
	  {SMALL, 1, 2, true, 0, 1, ASTRA_WITHIN},
	  {LARGE, 2, 6, false, 0, 1, ASTRA_WITHIN}}},
	{"one after the other, and one that fits goes on",
	 ASTRA_GPUS_QUOTA,
	 ASTRA_GPUS_NONE,
	 {{LARGE, 1, 4, false, 0, 1, ASTRA_WITHIN},
	  {LARGE, 1, 4, false, 0, 1, ASTRA_OVER_TENANT},
	  {LARGE, 1, 2, false, 0, 1, ASTRA_WITHIN}}},
	{"tasks of an array",
	 5,
	 ASTRA_GPUS_NONE,
	 {{SMALL, 1, 2, false, 9, 2, ASTRA_WITHIN},
	  {SMALL, 1, 2, false, 0, 1, ASTRA_OVER_TENANT}}},
	{"by user, over tenants",
	 ASTRA_GPUS_NONE,
	 3,
	 {{LARGE, 1, 3, true, 0, 1, ASTRA_WITHIN},
	  {SMALL, 1, 1, false, 0, 1, ASTRA_OVER_USER},
	  {LARGE, 2, 3, false, 0, 1, ASTRA_WITHIN}}},
	{"none at all",
	 0,
	 ASTRA_GPUS_NONE,
	 {{LARGE, 1, 1, false, 0, 1, ASTRA_OVER_TENANT}}},
	{"no bound",
	 ASTRA_GPUS_NONE,
	 ASTRA_GPUS_NONE,
	 {{SMALL, 1, 99, false, 0, 1, ASTRA_WITHIN}}},
};

static void deal(const struct unleased_case *jobs, uint32_t gpus,
		 uint32_t user_gpus)
{
	struct astra_options o = {
		.unleased_gpus = gpus,
		.unleased_user_gpus = user_gpus,
	};
	struct astra_share held[JOBS_MAX];
	struct astra_unleased list[JOBS_MAX];
	struct astra_job all[JOBS_MAX];
	size_t n = 0;

	for (; n < JOBS_MAX && jobs[n].gpus; n++) {
		held[n] = (struct astra_share){.gpus = jobs[n].gpus};
		all[n] = (struct astra_job){
			.id = (uint32_t)n + 1,
			.tenant = jobs[n].tenant,
			.copies = jobs[n].tasks ? jobs[n].tasks : 1,
			.request.gpus = jobs[n].gpus,
			.state = jobs[n].runs ? ASTRA_JOB_RUNNING
					      : ASTRA_JOB_PENDING,
			.submit_sec = 1000 + (double)n,
			.held = &held[n],
			.held_count = jobs[n].runs,
		};
		list[n] = (struct astra_unleased){.job = &all[n],
						  .user = jobs[n].user};
	}
	assert_int_equal(astra_unleased_deal(list, n, &o, tenants,
					     ASTRA_COUNT_OF(tenants),
					     POOL_GPUS),
			 0);
	for (size_t i = 0; i < n; i++) {
		const struct unleased_case *j = &jobs[list[i].job->id - 1];
		bool blocked = list[i].job->state == ASTRA_JOB_BLOCKED;

		assert_int_equal(list[i].over, j->over);
		assert_int_equal(blocked, j->over != ASTRA_WITHIN);
		assert_int_equal(list[i].job->copies, j->copies);
	}
}

static void gpus_without_leases_are_bounded(void **state)
{
	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		print_message("%s\n", cases[i].name);
		deal(cases[i].jobs, cases[i].gpus, cases[i].user_gpus);
	}
}

static void a_share_is_rounded_up(void **state)
{
	static const struct astra_tenant three[] = {
		{"a", 1}, {"b", 1}, {"none", 0}};
	(void)state;

	assert_true(astra_unleased_quota(tenants, 2, SMALL, 8) == 2);
	assert_true(astra_unleased_quota(three, 3, 0, 1) == 1);
	assert_true(astra_unleased_quota(three, 3, 0, 3) == 2);
	assert_true(astra_unleased_quota(three, 3, 2, 8) == 0);
}

static void who_leaves_as_soon_as_a_lease_ends_is_free(void **state)
{
	(void)state;
	assert_false(astra_unleased_counts(900, 900));
	assert_true(astra_unleased_counts(960, 900));
	assert_true(astra_unleased_counts(0, 900));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gpus_without_leases_are_bounded),
		cmocka_unit_test(a_share_is_rounded_up),
		cmocka_unit_test(who_leaves_as_soon_as_a_lease_ends_is_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
