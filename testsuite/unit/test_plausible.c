/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What no cluster can be: the numbers of a structure that is read wrongly. */
#include <math.h>

#include "src/model/plausible.h"
#include "testsuite/unit/unit.h"

#define NOW 1790000000.0
#define YEAR (365 * 86400.0)

struct world {
	struct astra_node node;
	struct astra_share share;
	struct astra_job job;
	struct astra_tenant tenant;
	struct astra_snapshot snapshot;
};

static void set_up(struct world *w)
{
	*w = (struct world){
		.node = {.name = "n1", .gpus = 8, .gpus_free = 6},
		.share = {.node = 0, .gpus = 2},
		.job = {.id = 7,
			.state = ASTRA_JOB_RUNNING,
			.weight = 1,
			.request = {.gpus = 2},
			.submit_sec = NOW - 60,
			.start_sec = NOW - 50,
			.held_count = 1},
		.tenant = {.name = "a", .weight = 1},
	};
	w->job.held = &w->share;
	w->snapshot = (struct astra_snapshot){
		.now_sec = NOW,
		.nodes = &w->node,
		.node_count = 1,
		.tenants = &w->tenant,
		.tenant_count = 1,
		.jobs = &w->job,
		.job_count = 1,
	};
}

static int judge(const struct world *w)
{
	struct astra_error err = {""};
	int rc = astra_snapshot_plausible(&w->snapshot, &err);

	assert_int_equal(rc < 0, *err.text != 0);
	return rc;
}

static void a_cluster_is_plausible(void **state)
{
	struct world w;

	(void)state;
	set_up(&w);
	assert_int_equal(judge(&w), 0);
	w.job.state = ASTRA_JOB_PENDING;
	w.job.start_sec = NOW + 9 * YEAR; /* --begin of a user */
	w.job.request.gpus = 0xfffffffe;
	w.job.held_count = 0;
	assert_int_equal(judge(&w), 0);
	w.job.submit_sec = NOW + 3600; /* the clock was set back */
	assert_int_equal(judge(&w), 0);
	w.node.gpus = w.node.gpus_free = 0; /* it has lost them */
	assert_int_equal(judge(&w), 0);
	w.snapshot.job_count = w.snapshot.node_count = 0;
	assert_int_equal(judge(&w), 0);
}

static void times_are_of_these_decades(void **state)
{
	static const double wrong[] = {1, 65536, NOW + 2 * YEAR, 9.4e13, -1};
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		set_up(&w);
		w.job.submit_sec = wrong[i];
		assert_int_equal(judge(&w), -1);
		set_up(&w);
		w.job.start_sec = wrong[i];
		assert_int_equal(judge(&w), -1);
	}
}

static void numbers_are_of_a_cluster(void **state)
{
	struct world w;

	(void)state;
	set_up(&w);
	w.job.id = 0;
	assert_int_equal(judge(&w), -1);
	set_up(&w);
	w.job.tenant = 1;
	assert_int_equal(judge(&w), -1);
	set_up(&w);
	w.job.weight = NAN;
	assert_int_equal(judge(&w), -1);
	set_up(&w);
	w.share.node = 1;
	assert_int_equal(judge(&w), -1);
	set_up(&w);
	w.node.gpus_free = 9;
	assert_int_equal(judge(&w), -1);
	set_up(&w);
	w.node.gpus = 0x55d0;
	assert_int_equal(judge(&w), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cluster_is_plausible),
		cmocka_unit_test(times_are_of_these_decades),
		cmocka_unit_test(numbers_are_of_a_cluster),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
