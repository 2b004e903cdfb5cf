/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What could not run if all others ended earns nothing (fits.c): F is that of
 * the jobs that could. Times are relative to the begin, 1000. */
#include <math.h>
#include <string.h>

#include "src/common/random.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))
#define ROUND_SEC 5

static const uint64_t no_node = 0, node_1 = 2;

/* Nodes of 8 GPUs, two tenants of equal weight. */
static void begin(struct vcluster *vc, size_t nodes)
{
	vc_init(vc, nodes, 8);
	vc->options.lease_sec = 60;
	vc->options.grace_sec = 2;
	vc->options.round_sec = ROUND_SEC;
	vc_begin(vc);
	vc_tenant(vc, "a", 1);
	vc_tenant(vc, "b", 1);
}

static void set_node(struct vcluster *vc, size_t node, bool usable)
{
	vc->nodes[node].usable = usable;
	vc->nodes[node].emptying = !usable;
	vc->due_sec = vc->now_sec;
}

static void cancel(struct vcluster *vc, struct vjob *v)
{
	v->job.state = ASTRA_JOB_ENDED;
	v->job.end_sec = vc->now_sec;
	vc->due_sec = vc->now_sec;
}

static double earned(struct vcluster *vc, uint32_t tenant)
{
	return vc_tenant_view(vc, tenant).usage.fair;
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-6 * fmax(1, fabs(b));
}

/* The first job of tenant b has had no right to anything, and is told why. */
static void check_nothing(struct vcluster *vc, const struct vjob *v)
{
	assert_int_equal(v->starts, 0);
	assert_true(earned(vc, 1) == 0);
	assert_true(vc_view(vc, v).usage.fair == 0);
	assert_true(vc_tenant_view(vc, 1).demand_gpus == 0);
	assert_true(vc_view(vc, v).bound_sec == 0);
	assert_int_equal(vc_view(vc, v).reason.wait, ASTRA_WAIT_TOO_BIG);
}

static void a_job_for_a_drained_node_earns_nothing(void **state)
{
	struct vcluster vc;
	struct vjob *v;

	(void)state;
	begin(&vc, 2);
	set_node(&vc, 1, false);
	v = vc_submit(&vc, 1, 8, HUGE_VAL);
	v->job.request.required = &node_1;
	vc_run(&vc, AT(240));
	check_nothing(&vc, v);
	vc_fini(&vc);
}

static void check_gang(uint32_t gpus, uint32_t per_node)
{
	struct vcluster vc;
	struct vjob *v;

	begin(&vc, 2);
	set_node(&vc, 1, false);
	v = vc_submit(&vc, 1, gpus, HUGE_VAL);
	v->job.request.gpus_per_node = per_node;
	vc_run(&vc, AT(240));
	check_nothing(&vc, v);
	vc_fini(&vc);
}

static void a_gang_larger_than_what_is_up_earns_nothing(void **state)
{
	(void)state;
	check_gang(12, 0);
	check_gang(16, 8);
	check_gang(2, 1); /* one on each of two nodes */
}

static void what_no_node_has_earns_nothing(void **state)
{
	const struct astra_request asks[] = {
		{.gpus = 1, .allowed = &no_node},
		{.gpus = 8, .required = &node_1, .gpus_quantum = 3},
		{.gpus = 1, .cpus_per_node = 65},
		{.gpus = 1, .mem_node_mib = 1 << 20},
		{.gpus = 9, .nodes_max = 1},
		{.gpus = 8, .gpus_min = 4, .allowed = &no_node},
		{.gpus = 32, .gpus_min = 17},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(asks); i++) {
		struct vcluster vc;
		struct vjob *v;

		begin(&vc, 2);
		for (size_t n = 0; n < 2; n++)
			vc.nodes[n].mem_mib = vc.nodes[n].mem_free_mib = 1
									 << 19;
		v = vc_submit(&vc, 1, 1, HUGE_VAL);
		v->job.request = asks[i];
		vc_run(&vc, AT(60));
		check_nothing(&vc, v);
		vc_fini(&vc);
	}
}

static double user_earned(struct vcluster *vc, const char *name)
{
	for (size_t i = 0; i < astra_engine_user_count(vc->engine); i++) {
		struct astra_user_view view;

		astra_engine_user_view(vc->engine, i, vc->now_sec, &view);
		if (!strcmp(view.name, name))
			return view.usage.fair;
	}
	return 0;
}

/* Ann waits in vain, Bob's jobs could run: all of their tenant's is his. */
static void its_user_earns_nothing_either(void **state)
{
	struct vcluster vc;
	struct vjob *ann, *bob;

	(void)state;
	begin(&vc, 2);
	vc_user(&vc, 1, "ann");
	vc_user(&vc, 1, "bob");
	set_node(&vc, 1, false);
	vc_submit(&vc, 0, 8, HUGE_VAL)->job.user = ASTRA_NONE;
	ann = vc_submit(&vc, 1, 9, HUGE_VAL);
	ann->job.user = 0;
	bob = vc_submit(&vc, 1, 8, HUGE_VAL);
	bob->job.user = 1;
	vc_run(&vc, AT(240));
	assert_true(user_earned(&vc, "ann") == 0);
	assert_true(near(user_earned(&vc, "bob"), 240 * 4));
	assert_true(near(earned(&vc, 1), 240 * 4));
	assert_int_equal(vc_view(&vc, ann).reason.wait, ASTRA_WAIT_TOO_BIG);
	vc_fini(&vc);
}

/* Eq. 8: half of 16 GPUs, whoever has them. */
static void a_job_that_waits_for_busy_gpus_earns(void **state)
{
	struct vcluster vc;
	struct vjob *busy, *v;

	(void)state;
	begin(&vc, 2);
	busy = vc_submit(&vc, 0, 16, HUGE_VAL);
	busy->job.revocable = false;
	vc_run(&vc, AT(10));
	v = vc_submit(&vc, 1, 16, HUGE_VAL);
	vc_run(&vc, AT(110));
	assert_int_equal(v->starts, 0);
	assert_true(near(earned(&vc, 1), 100 * 8));
	assert_true(near(vc_view(&vc, v).usage.fair, 100 * 8));
	vc_fini(&vc);
}

static void a_job_earns_from_when_it_could_run(void **state)
{
	struct vcluster vc;
	struct vjob *busy, *v;

	(void)state;
	begin(&vc, 2);
	set_node(&vc, 1, false);
	busy = vc_submit(&vc, 0, 8, HUGE_VAL);
	busy->job.revocable = false;
	v = vc_submit(&vc, 1, 16, HUGE_VAL);
	vc_run(&vc, AT(100));
	check_nothing(&vc, v);
	set_node(&vc, 1, true);
	vc_run(&vc, AT(150));
	assert_true(near(earned(&vc, 1), 50 * 8));
	assert_true(near(vc_view(&vc, v).usage.fair, 50 * 8));
	assert_true(vc_view(&vc, v).bound_sec > AT(100));
	vc_fini(&vc);
}

static void a_node_that_comes_lets_a_job_earn(void **state)
{
	struct vcluster vc;
	struct vjob *v;

	(void)state;
	begin(&vc, 2);
	vc.node_count = 1;
	v = vc_submit(&vc, 1, 16, HUGE_VAL);
	vc_run(&vc, AT(50));
	check_nothing(&vc, v);
	vc.node_count = 2;
	vc.due_sec = vc.now_sec;
	vc_run(&vc, AT(60));
	assert_int_equal(v->starts, 1);
	assert_true(near(earned(&vc, 1), 10 * 8));
	vc_fini(&vc);
}

static void a_job_earns_until_it_cannot_run(void **state)
{
	struct vcluster vc;
	struct vjob *busy, *v;

	(void)state;
	begin(&vc, 2);
	busy = vc_submit(&vc, 0, 8, HUGE_VAL);
	busy->job.revocable = false;
	v = vc_submit(&vc, 1, 16, HUGE_VAL);
	vc_run(&vc, AT(100));
	assert_true(near(earned(&vc, 1), 100 * 8));
	assert_true(vc_view(&vc, v).bound_sec > 0);
	set_node(&vc, 1, false);
	vc_run(&vc, AT(200));
	assert_true(near(earned(&vc, 1), 100 * 8));
	assert_true(near(vc_view(&vc, v).usage.fair, 100 * 8));
	assert_true(vc_tenant_view(&vc, 1).demand_gpus == 0);
	assert_true(vc_view(&vc, v).bound_sec == 0);
	vc_fini(&vc);
}

static void a_job_that_asks_for_less_earns(void **state)
{
	struct vcluster vc;
	struct vjob *v;

	(void)state;
	begin(&vc, 2);
	v = vc_submit(&vc, 1, 17, HUGE_VAL);
	vc_run(&vc, AT(50));
	check_nothing(&vc, v);
	v->job.request.gpus = 16;
	vc.due_sec = vc.now_sec;
	vc_run(&vc, AT(60));
	assert_int_equal(v->starts, 1);
	assert_true(near(earned(&vc, 1), 10 * 8));
	vc_fini(&vc);
}

/* A job that runs on a node that is drained goes on, and earns. */
static void a_job_that_runs_earns_whatever_becomes_of_its_node(void **state)
{
	struct vcluster vc;
	struct vjob *v;

	(void)state;
	begin(&vc, 2);
	v = vc_submit(&vc, 1, 8, HUGE_VAL);
	v->job.revocable = false;
	vc_run(&vc, AT(10));
	assert_int_equal(v->starts, 1);
	set_node(&vc, 0, false);
	set_node(&vc, 1, false);
	vc_run(&vc, AT(20));
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	assert_true(vc_tenant_view(&vc, 1).demand_gpus == 8);
	vc_fini(&vc);
}

static void an_array_earns_for_all_of_its_tasks_or_none(void **state)
{
	struct vcluster vc;
	struct vjob *busy, *array, *task;
	const struct astra_share held = {.node = 1, .gpus = 8};

	(void)state;
	begin(&vc, 2);
	set_node(&vc, 1, false);
	busy = vc_submit(&vc, 0, 8, HUGE_VAL);
	busy->job.revocable = false;
	array = vc_submit(&vc, 1, 8, HUGE_VAL);
	array->job.copies = 3;
	array->job.request.required = &node_1;
	vc_run(&vc, AT(100));
	check_nothing(&vc, array);
	/* Its host starts a task by itself as soon as the node is up. */
	task = vc_submit(&vc, 1, 8, HUGE_VAL);
	task->job.array_id = array->job.id;
	task->job.request.required = &node_1;
	task->job.state = ASTRA_JOB_RUNNING;
	task->job.revocable = false;
	task->job.start_sec = vc.now_sec;
	task->job.held = &held;
	task->job.held_count = 1;
	vc.nodes[1].gpus_free = 0;
	array->job.copies = 2;
	set_node(&vc, 1, true);
	vc_run(&vc, AT(150));
	assert_true(near(vc_tenant_view(&vc, 1).demand_gpus, 3 * 8));
	assert_true(near(earned(&vc, 1), 50 * 8));
	assert_true(vc_view(&vc, task).submit_sec == array->job.submit_sec);
	set_node(&vc, 1, false);
	vc_run(&vc, AT(200));
	assert_true(near(vc_tenant_view(&vc, 1).demand_gpus, 8));
	vc_fini(&vc);
}

/* A round sees both some seconds after they came. */
static void a_job_that_fits_counts_from_its_submission(void **state)
{
	struct vcluster vc;
	struct vjob *fits, *not ;

	(void)state;
	begin(&vc, 1);
	vc_submit(&vc, 0, 8, HUGE_VAL)->job.revocable = false;
	vc_run(&vc, AT(10));
	fits = vc_submit(&vc, 1, 8, HUGE_VAL);
	not = vc_submit(&vc, 1, 9, HUGE_VAL);
	vc.due_sec = AT(14);
	vc_run(&vc, AT(13));
	assert_true(earned(&vc, 1) == 0);
	vc_run(&vc, AT(20));
	assert_true(near(earned(&vc, 1), 10 * 4));
	assert_true(near(vc_view(&vc, fits).usage.fair, 10 * 4));
	assert_true(vc_view(&vc, not ).usage.fair == 0);
	cancel(&vc, not );
	vc_run(&vc, AT(30));
	assert_true(near(earned(&vc, 1), 20 * 4));
	vc_fini(&vc);
}

static void restarts_let_nobody_earn(void **state)
{
	struct vcluster vc;
	struct vjob *v;

	(void)state;
	begin(&vc, 1);
	v = vc_submit(&vc, 1, 9, HUGE_VAL);
	vc_run(&vc, AT(20));
	vc_restart(&vc);
	vc.due_sec = AT(80);
	vc_run(&vc, AT(100));
	check_nothing(&vc, v);
	vc_fini(&vc);
}

static uint32_t gpu_sec(struct vcluster *vc, double until_sec)
{
	double before = vc_tenant_view(vc, 2).usage.alloc;

	vc_run(vc, until_sec);
	return (uint32_t)(vc_tenant_view(vc, 2).usage.alloc - before);
}

/* Four nodes, one drained. What c has in its first ten minutes of work, after
 * four minutes of waiting in vain or of nothing. */
static uint32_t vain_wait(uint32_t gpus, const uint64_t *required)
{
	struct vcluster vc;
	struct vjob *vain = NULL;
	uint32_t had;

	begin(&vc, 4);
	vc_tenant(&vc, "c", 1);
	set_node(&vc, 1, false);
	for (uint32_t i = 0; i < 6; i++)
		vc_submit(&vc, i % 2, 8, HUGE_VAL);
	if (gpus) {
		vain = vc_submit(&vc, 2, gpus, HUGE_VAL);
		vain->job.request.required = required;
	}
	vc_run(&vc, AT(240));
	if (vain)
		cancel(&vc, vain);
	for (int i = 0; i < 3; i++)
		vc_submit(&vc, 2, 8, HUGE_VAL);
	had = gpu_sec(&vc, AT(840));
	vc_fini(&vc);
	return had;
}

static void nobody_gains_by_waiting_in_vain(void **state)
{
	uint32_t honest = vain_wait(0, NULL);

	(void)state;
	assert_in_range(honest, 600 * 8 * 0.75, 600 * 8 * 1.25);
	assert_int_equal(vain_wait(8, &node_1), honest);
	assert_int_equal(vain_wait(32, NULL), honest);
}

/* 3,000 shapes on 512 nodes are more than one round looks at: those that are
 * left are as before. */
static void a_flood_of_shapes_is_looked_at_by_and_by(void **state)
{
	struct vcluster vc;
	double left;

	(void)state;
	begin(&vc, VC_NODES);
	for (size_t n = 0; n < VC_NODES; n++)
		vc.nodes[n].mem_mib = vc.nodes[n].mem_free_mib;
	for (uint32_t i = 0; i < 3000; i++)
		vc_submit(&vc, 1, 1, HUGE_VAL)->job.request.mem_node_mib =
			vc.nodes[0].mem_mib + 1 + i;
	vc_step(&vc);
	left = vc_tenant_view(&vc, 1).demand_gpus;
	assert_in_range((uint32_t)left, 1, 2999);
	vc_run(&vc, AT(20));
	assert_true(vc_tenant_view(&vc, 1).demand_gpus == 0);
	vc_fini(&vc);
}

static uint32_t below(struct astra_random *r, uint32_t bound)
{
	return (uint32_t)astra_random_below(r, bound);
}

static struct astra_request random_request(struct astra_random *r,
					   uint64_t nodes[2])
{
	struct astra_request q = {.gpus = 1 + below(r, 20)};

	nodes[0] = below(r, 16);
	nodes[1] = nodes[0] & (UINT64_C(1) << below(r, 4));
	if (!below(r, 2))
		q.allowed = &nodes[0];
	if (!below(r, 4) && nodes[1])
		q.required = &nodes[1];
	if (!below(r, 3))
		q.nodes_min = q.nodes_max = 1 + below(r, 4);
	if (!below(r, 4)) {
		q.gpus_per_node = 1 + below(r, 8);
		q.gpus = q.gpus_per_node * (1 + below(r, 4));
	}
	if (!below(r, 3))
		q.gpus_min =
			(1 + below(r, q.gpus / astra_request_quantum(&q))) *
			astra_request_quantum(&q);
	q.cpus_per_node = below(r, 60);
	q.whole_node = !below(r, 4);
	return q;
}

/* Alone on the cluster a job starts if, and only if, it earns. */
static void whatever_earns_starts_where_nobody_else_is(void **state)
{
	struct astra_random r = astra_random_seed(37);
	unsigned started = 0, rounds = 2000;

	(void)state;
	for (unsigned i = 0; i < rounds; i++) {
		struct vcluster vc;
		struct vjob *v;
		uint64_t nodes[2];

		begin(&vc, 4);
		for (size_t n = 0; n < 4; n++) {
			vc.nodes[n].usable = below(&r, 4) != 0;
			vc.nodes[n].gpus = vc.nodes[n].gpus_free =
				1 + below(&r, 8);
			vc.nodes[n].cpus = vc.nodes[n].cpus_free =
				1 + below(&r, 64);
		}
		v = vc_submit(&vc, 1, 1, HUGE_VAL);
		v->job.request = random_request(&r, nodes);
		vc_run(&vc, AT(3));
		assert_int_equal(v->starts > 0,
				 vc_tenant_view(&vc, 1).demand_gpus > 0);
		started += v->starts > 0;
		vc_fini(&vc);
	}
	assert_in_range(started, rounds / 10, rounds * 9 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_for_a_drained_node_earns_nothing),
		cmocka_unit_test(a_gang_larger_than_what_is_up_earns_nothing),
		cmocka_unit_test(what_no_node_has_earns_nothing),
		cmocka_unit_test(its_user_earns_nothing_either),
		cmocka_unit_test(a_job_that_waits_for_busy_gpus_earns),
		cmocka_unit_test(a_job_earns_from_when_it_could_run),
		cmocka_unit_test(a_node_that_comes_lets_a_job_earn),
		cmocka_unit_test(a_job_earns_until_it_cannot_run),
		cmocka_unit_test(a_job_that_asks_for_less_earns),
		cmocka_unit_test(
			a_job_that_runs_earns_whatever_becomes_of_its_node),
		cmocka_unit_test(an_array_earns_for_all_of_its_tasks_or_none),
		cmocka_unit_test(a_job_that_fits_counts_from_its_submission),
		cmocka_unit_test(restarts_let_nobody_earn),
		cmocka_unit_test(nobody_gains_by_waiting_in_vain),
		cmocka_unit_test(a_flood_of_shapes_is_looked_at_by_and_by),
		cmocka_unit_test(whatever_earns_starts_where_nobody_else_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
