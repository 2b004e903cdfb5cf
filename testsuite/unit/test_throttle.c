/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The limit of an array, whose tasks wait in several records. */
#include "src/slurm/in/throttle.h"
#include "testsuite/unit/unit.h"

#define RECORDS_MAX 4

struct record {
	enum astra_job_state state;
	bool head;
	uint32_t tasks;	 /* that it stands for */
	uint32_t copies; /* that it may start */
	bool kept;
};

#define TASK(state, kept)                            \
	{                                            \
		ASTRA_JOB_##state, false, 1, 1, kept \
	}
#define HEAD(tasks, copies, kept)                            \
	{                                                    \
		ASTRA_JOB_PENDING, true, tasks, copies, kept \
	}

static const struct {
	const char *name;
	uint32_t most, running;
	struct record records[RECORDS_MAX];
} cases[] = {
	{"tasks that have not started", 2, 0, {HEAD(5, 2, false)}},
	{"some of them run", 3, 2, {HEAD(5, 1, false)}},
	{"fewer than the limit are left", 9, 0, {HEAD(5, 5, false)}},
	{"two were requeued: the head has no place left",
	 2,
	 0,
	 {TASK(PENDING, false), TASK(PENDING, false), HEAD(5, 1, true)}},
	{"the head comes first in the list, not in line",
	 2,
	 0,
	 {HEAD(5, 1, false), TASK(PENDING, false)}},
	{"one runs again: one place for two",
	 2,
	 1,
	 {TASK(PENDING, false), TASK(PENDING, true), HEAD(5, 1, true)}},
	{"one is being requeued and has its place",
	 2,
	 0,
	 {TASK(PENDING, false), TASK(PENDING, true), TASK(REQUEUED, false),
	  HEAD(5, 1, true)}},
	{"a held task takes no place",
	 2,
	 0,
	 {TASK(BLOCKED, false), TASK(PENDING, false), HEAD(5, 1, false)}},
	{"the limit was lowered below what runs",
	 1,
	 3,
	 {TASK(REQUEUED, false), TASK(PENDING, true), HEAD(5, 1, true)}},
};

static void waiting_tasks_share_what_the_limit_leaves(void **state)
{
	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_throttled list[RECORDS_MAX];
		struct astra_job jobs[RECORDS_MAX];
		size_t n = 0;

		print_message("%s\n", cases[i].name);
		for (; n < RECORDS_MAX && cases[i].records[n].tasks; n++) {
			jobs[n] = (struct astra_job){
				.state = cases[i].records[n].state,
				.copies = cases[i].records[n].tasks,
			};
			list[n] = (struct astra_throttled){
				.job = &jobs[n],
				.array = 7,
				.most = cases[i].most,
				.running = cases[i].running,
				.head = cases[i].records[n].head,
			};
		}
		assert_int_equal(astra_throttle_deal(list, n), 0);
		for (size_t k = 0; k < n; k++) {
			const struct record *r = &cases[i].records[k];

			assert_int_equal(jobs[k].copies, r->copies);
			assert_int_equal(list[k].kept, r->kept);
			assert_int_equal(jobs[k].state,
					 r->kept ? ASTRA_JOB_BLOCKED
						 : r->state);
		}
	}
}

static void arrays_have_limits_of_their_own(void **state)
{
	struct astra_job jobs[2] = {
		{.state = ASTRA_JOB_PENDING, .copies = 3},
		{.state = ASTRA_JOB_PENDING, .copies = 3},
	};
	struct astra_throttled list[2] = {
		{.job = &jobs[0], .array = 7, .most = 2, .head = true},
		{.job = &jobs[1], .array = 8, .most = 1, .head = true},
	};
	(void)state;

	assert_int_equal(astra_throttle_deal(list, 2), 0);
	assert_int_equal(jobs[0].copies, 2);
	assert_int_equal(jobs[1].copies, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waiting_tasks_share_what_the_limit_leaves),
		cmocka_unit_test(arrays_have_limits_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
