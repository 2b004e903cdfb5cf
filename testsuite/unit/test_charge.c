/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GPU types with weights of their own: time is charged by weight, devices are
 * counted as devices. Times are relative to the begin, 1000. */
#include <math.h>
#include <stdlib.h>

#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))

/* Node 0 has 8 GPUs of weight 3, node 1 has 8 of weight 1. */
static void begin(struct vcluster *vc)
{
	vc_init(vc, 2, 8);
	vc->nodes[0].charge = 24;
	vc->options.lease_sec = 20;
	vc->options.grace_sec = 2;
	vc->options.round_sec = 5;
	vc_begin(vc);
	vc_tenant(vc, "a", 1);
	vc_tenant(vc, "b", 1);
}

static const uint64_t fast = 1, slow = 2;

static struct vjob *submit(struct vcluster *vc, uint32_t tenant, uint32_t gpus,
			   const uint64_t *node)
{
	struct vjob *v = vc_submit(vc, tenant, gpus, HUGE_VAL);

	v->job.request.allowed = node;
	v->job.request.charge = node == &fast ? 3 * gpus
				: node	      ? gpus
					      : 2 * gpus;
	return v;
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-6 * fmax(1, b);
}

/* Eq. 6 with M = 8 * 3 + 8 * 1 = 32. */
static void gpu_time_is_weight_times_time(void **state)
{
	struct vcluster vc;
	struct vjob *a, *b;
	(void)state;

	begin(&vc);
	a = submit(&vc, 0, 4, &fast);
	b = submit(&vc, 1, 4, &slow);
	vc_run(&vc, AT(10));
	assert_true(near(vc_view(&vc, a).usage.alloc, 10 * 4 * 3));
	assert_true(near(vc_view(&vc, b).usage.alloc, 10 * 4));
	assert_true(near(vc_tenant_view(&vc, 0).usage.alloc, 10 * 4 * 3));
	assert_true(near(vc_tenant_view(&vc, 0).quota, 16));
	assert_true(near(vc_tenant_view(&vc, 0).demand_gpus, 12));
	assert_true(near(vc_tenant_view(&vc, 0).alloc_gpus, 12));
	assert_int_equal(vc_view(&vc, a).gpus, 4);
	/* Nobody has more than it asks for: rho is 1 for both. */
	assert_true(near(vc_view(&vc, a).rho, 1));
	assert_true(near(vc_view(&vc, b).rho, 1));
	vc_fini(&vc);
}

/* An untyped job is expected to cost 2 a GPU until it runs; then it costs what
 * it runs on. */
static void demand_of_a_running_job_is_what_it_holds(void **state)
{
	struct vcluster vc;
	struct vjob *any;
	(void)state;

	begin(&vc);
	vc.nodes[0].usable = false;
	vc.nodes[1].gpus_free = 0; /* others have them */
	any = submit(&vc, 0, 4, NULL);
	vc_run(&vc, AT(5));
	assert_true(near(vc_tenant_view(&vc, 0).demand_gpus, 8));
	vc.nodes[1].gpus_free = vc.nodes[1].gpus;
	vc_run(&vc, AT(20));
	assert_int_equal(any->starts, 1);
	assert_true(near(vc_tenant_view(&vc, 0).demand_gpus, 4));
	assert_true(near(vc_tenant_view(&vc, 0).alloc_gpus, 4));
	/* M is the slow node's 8, all of it a's while b wants nothing. */
	assert_true(near(vc_tenant_view(&vc, 0).quota, 4));
	vc_fini(&vc);
}

/* Both want the cheap GPUs, and the dear ones are idle: the policy's count
 * would let who holds the cheap ones keep them for ever. Eq. 7, 8: b is
 * entitled to 8 of 32, as a is from then on, so they take turns. */
static void idle_gpus_of_another_type_starve_nobody(void **state)
{
	struct vcluster vc;
	struct vjob *a, *b;
	(void)state;

	begin(&vc);
	a = submit(&vc, 0, 8, &slow);
	b = submit(&vc, 1, 8, &slow);
	vc_run(&vc, AT(220));
	assert_true(a->starts >= 3 && b->starts >= 3);
	assert_true(
		fabs(vc_view(&vc, a).usage.alloc / vc_view(&vc, b).usage.alloc -
		     1) < 0.25);
	vc_fini(&vc);
}

/* A task that starts takes its array's past with it, though it costs more or
 * less than was expected. */
static void a_task_keeps_its_arrays_past(void **state)
{
	const struct astra_share held = {.node = 0, .gpus = 4};
	struct vcluster vc;
	struct vjob *array, *task;
	double submit_sec;
	(void)state;

	begin(&vc);
	vc.nodes[0].gpus_free = vc.nodes[1].gpus_free =
		0; /* others have them */
	array = submit(&vc, 0, 4, NULL);
	array->job.copies = 2;
	submit_sec = array->job.submit_sec;
	vc_run(&vc, AT(30));
	task = submit(&vc, 0, 4, NULL);
	task->job.array_id = array->job.id;
	task->job.state = ASTRA_JOB_RUNNING;
	task->job.start_sec = vc.now_sec;
	task->job.held = &held;
	task->job.held_count = 1;
	task->job.held_charge = 12;
	array->job.copies = 1;
	vc_run(&vc, AT(50));
	assert_true(vc_view(&vc, task).submit_sec == submit_sec);
	assert_true(near(vc_view(&vc, task).usage.alloc, 12 * 20));
	assert_true(near(vc_tenant_view(&vc, 0).alloc_gpus, 12));
	assert_true(near(vc_tenant_view(&vc, 0).demand_gpus, 12 + 8));
	vc_fini(&vc);
}

/* What happened while the engine was away is accounted with the weights. */
static void charges_survive_a_restart(void **state)
{
	struct vcluster vc;
	struct vjob *a;
	(void)state;

	begin(&vc);
	a = submit(&vc, 0, 4, &fast);
	vc_run(&vc, AT(6));
	vc_restart(&vc);
	vc.now_sec = AT(15);
	assert_true(near(vc_view(&vc, a).usage.alloc, 15 * 12));
	assert_true(near(vc_tenant_view(&vc, 0).demand_gpus, 12));
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gpu_time_is_weight_times_time),
		cmocka_unit_test(demand_of_a_running_job_is_what_it_holds),
		cmocka_unit_test(idle_gpus_of_another_type_starve_nobody),
		cmocka_unit_test(a_task_keeps_its_arrays_past),
		cmocka_unit_test(charges_survive_a_restart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
