/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The promise of a first start in a crowd, and where nodes, tenants or clocks
 * are not as one would like. Times are relative to the begin, 1000. */
#include <math.h>

#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))
#define TERM 6.0

static void begin(struct vcluster *vc, size_t nodes, uint32_t gpus)
{
	vc_init(vc, nodes, gpus);
	vc->options.lease_sec = TERM;
	vc->options.grace_sec = 0;
	vc->options.min_run_sec = 1;
	vc->options.round_sec = 1;
	vc->options.recall_sec = 3;
	vc_begin(vc);
}

static struct vjob *gang(struct vcluster *vc, uint32_t tenant, uint32_t nodes,
			 double work_sec)
{
	uint32_t gpus = vc->nodes[0].gpus;
	struct vjob *v = vc_submit(vc, tenant, nodes * gpus, work_sec);

	v->job.request.gpus_per_node = gpus;
	v->job.request.nodes_min = v->job.request.nodes_max = nodes;
	return v;
}

static bool waits(const struct vjob *v)
{
	return v->job.state == ASTRA_JOB_PENDING && !v->starts;
}

/* When it starts for the first time, or limit_sec. */
static double start_of(struct vcluster *vc, const struct vjob *v,
		       double limit_sec)
{
	while (waits(v) && vc->now_sec < limit_sec)
		vc_step(vc);
	return v->starts ? v->job.start_sec : limit_sec;
}

/* Three nodes of 4 GPUs. A job without a lease has the last one, which is what
 * 300 jobs of tenant few ask for. Behind them, it has a gang of two nodes, and
 * it has more than its share already, while many never has enough: by the order
 * alone the gang never starts. When it is due the 300 are as well. */
static void those_in_vain_keep_nobody_waiting(void **state)
{
	const uint64_t last = 1 << 2;
	struct vcluster vc;
	struct vjob *v, *late;
	double bound;

	(void)state;
	begin(&vc, 3, 4);
	vc_tenant(&vc, "few", 2);
	vc_tenant(&vc, "many", 1);
	v = vc_submit(&vc, 0, 4, HUGE_VAL);
	v->job.revocable = false;
	v->job.request.allowed = v->job.request.possible = &last;
	vc_run(&vc, AT(3));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	for (int i = 0; i < 300; i++) {
		v = vc_submit(&vc, 0, 1, TERM);
		v->job.request.allowed = v->job.request.possible = &last;
	}
	vc_run(&vc, AT(5));
	late = gang(&vc, 0, 2, TERM);
	for (int i = 0; i < 12; i++) {
		vc_submit(&vc, 1, 1, HUGE_VAL);
		vc_run(&vc, AT(6 + i));
	}
	bound = vc_view(&vc, late).bound_sec;
	assert_true(start_of(&vc, late, bound + 20 * TERM) <= bound);
	vc_fini(&vc);
}

/* Three nodes of 4 GPUs, all in use by jobs without leases, of which the last
 * one stays. Of 400 jobs that came first and of a gang, all are due when the
 * next round is held, as after a night without slurmctld: the gang for longest.
 * It is never its tenant's next job, as one that waits in vain is before it. */
static void the_earliest_due_goes_first(void **state)
{
	const uint64_t last = 1 << 2;
	const double night = 1000;
	struct vcluster vc;
	struct vjob *v;

	(void)state;
	begin(&vc, 3, 4);
	vc_tenant(&vc, "few", 2);
	vc_tenant(&vc, "many", 1);
	for (int i = 0; i < 9; i++) {
		v = vc_submit(&vc, 0, i ? 1 : 4, i ? 40 + i : HUGE_VAL);
		v->job.revocable = false;
		v->job.time_limit_sec = i ? v->work_sec + night : 0;
		if (!i)
			v->job.request.allowed = v->job.request.possible =
				&last;
	}
	vc_run(&vc, AT(2));
	assert_int_equal(vc_running_gpus(&vc), 12);
	for (int i = 0; i < 400; i++)
		vc_submit(&vc, 1, 1, HUGE_VAL);
	v = vc_submit(&vc, 0, 1, TERM);
	v->job.request.allowed = v->job.request.possible = &last;
	v = gang(&vc, 0, 2, TERM);
	vc_run(&vc, AT(5));
	vc.now_sec += night;
	vc_step(&vc);
	assert_true(start_of(&vc, v, AT(night + 500)) <= AT(night + 55));
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_in_vain_keep_nobody_waiting),
		cmocka_unit_test(the_earliest_due_goes_first),
	};

	return cmocka_run_group_tests_name("engine_crowd", tests, NULL, NULL);
}
