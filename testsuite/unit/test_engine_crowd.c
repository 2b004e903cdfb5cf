/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The promise of a first start in a crowd, and where nodes, tenants or clocks
 * are not as one would like. Times are relative to the begin, 1000. */
#include <math.h>

#include "src/engine/hold.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))
#define TERM 6.0

static void begin_with(struct vcluster *vc, size_t nodes, uint32_t gpus,
		       double recall_sec)
{
	vc_init(vc, nodes, gpus);
	vc->options.lease_sec = TERM;
	vc->options.grace_sec = 0;
	vc->options.min_run_sec = 1;
	vc->options.round_sec = 1;
	vc->options.recall_sec = recall_sec;
	vc_begin(vc);
}

static void begin(struct vcluster *vc, size_t nodes, uint32_t gpus)
{
	begin_with(vc, nodes, gpus, TERM / 2);
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

/* Small jobs of a tenant whose leases end at different times, two for each GPU.
 */
static void small_jobs(struct vcluster *vc, uint32_t tenant)
{
	uint32_t gpus = vc->nodes[0].gpus * (uint32_t)vc->node_count;

	for (uint32_t i = 0; i < gpus; i++) {
		vc_submit(vc, tenant, 1, HUGE_VAL);
		if (i % 4 == 0)
			vc_step(vc);
	}
	for (uint32_t i = 0; i < gpus; i++)
		vc_submit(vc, tenant, 1, HUGE_VAL);
	vc_step(vc);
}

static uint64_t late_starts(const struct vcluster *vc)
{
	return astra_engine_counters(vc->engine).over_bound;
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

/* 1,500 gangs of two tenants come in one second, work for hundreds of terms,
 * and one of half the cluster of a third tenant. All start within their bounds,
 * those of one size and tenant in their order but for two terms, with few
 * holds. */
static void thousands_of_gangs_are_served_in_order(void **state)
{
	struct vcluster vc;
	struct vjob *large;
	static double begun[VC_JOBS];
	double last[2][9] = {{0}};
	const uint32_t gangs = draws(1500);
	size_t most = 0, first;

	(void)state;
	begin(&vc, 32, 2);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 2);
	vc_tenant(&vc, "c", 1);
	small_jobs(&vc, 0);
	first = vc.job_count;
	for (uint32_t i = 0; i < gangs; i++)
		gang(&vc, i % 2, 2 + i / 2 % 7, TERM);
	vc_step(&vc);
	large = gang(&vc, 2, 16, TERM);
	while (vc.now_sec < AT(500 * TERM)) {
		vc_step(&vc);
		if (vc.engine->hold_count > most)
			most = vc.engine->hold_count;
		for (size_t i = 0; i < vc.job_count; i++)
			if (vc.jobs[i]->starts && !(begun[i] > 0))
				begun[i] = vc.jobs[i]->job.start_sec;
	}
	assert_true(large->starts);
	assert_in_range(most, 2, ASTRA_HOLDS_MAX);
	assert_int_equal(late_starts(&vc), 0);
	for (size_t i = first; i < first + gangs; i++) {
		const struct astra_job *job = &vc.jobs[i]->job;
		double *at = &last[job->tenant][job->request.nodes_min];

		assert_true(begun[i] > 0 && begun[i] >= *at - 2 * TERM);
		*at = begun[i];
	}
	vc_fini(&vc);
}

/* The nodes that are held for a gang go away, and those of the next hold. */
static void a_hold_moves_from_nodes_that_drain(void **state)
{
	struct vcluster vc;
	struct vjob *v;
	size_t moved = 0;

	(void)state;
	begin_with(&vc, 8, 2, 0);
	vc_tenant(&vc, "small", 1);
	vc_tenant(&vc, "large", 1);
	small_jobs(&vc, 0);
	v = gang(&vc, 1, 4, TERM);
	while (waits(v) && vc.now_sec < AT(200)) {
		const struct hold *hold = astra_hold_of(vc.engine, v->job.id);

		if (hold && moved < 3) {
			vc.nodes[hold->shares[0].node].usable = false;
			moved++;
		}
		vc_step(&vc);
	}
	assert_int_equal(moved, 3);
	assert_true(v->starts);
	assert_int_equal(late_starts(&vc), 0);
	vc_fini(&vc);
}

/* GPUs are granted to a gang while others leave them; then a node fails. */
static void a_gang_whose_nodes_fail_starts_on_others(void **state)
{
	struct vcluster vc;
	struct vjob *v;
	size_t failed = 0;

	(void)state;
	begin(&vc, 12, 2);
	vc.cleanup_sec = 2;
	vc_tenant(&vc, "small", 1);
	vc_tenant(&vc, "large", 1);
	small_jobs(&vc, 0);
	v = gang(&vc, 1, 4, TERM);
	while (waits(v) && vc.now_sec < AT(200)) {
		const struct astra_engine *e = vc.engine;

		for (size_t i = 0; i < e->grant_count && failed < 3; i++)
			if (e->grants[i].job == v->job.id) {
				vc.nodes[e->grants[i].shares[0].node].usable =
					false;
				failed++;
				break;
			}
		vc_step(&vc);
	}
	assert_int_equal(failed, 3);
	assert_true(v->starts);
	assert_int_equal(late_starts(&vc), 0);
	vc_fini(&vc);
}

/* When a gang starts whose clock is set while it waits, in time that passed. */
static double start_over(double by_sec, uint64_t *requeued)
{
	struct vcluster vc;
	struct vjob *v;
	double at;

	vc_init(&vc, 8, 2);
	vc.now_sec = vc.due_sec = 2e9;
	vc.options.lease_sec = 60;
	vc.options.grace_sec = 0;
	vc.options.round_sec = 5;
	vc.options.recall_sec = 0;
	vc_begin(&vc);
	vc_tenant(&vc, "small", 1);
	vc_tenant(&vc, "large", 1);
	small_jobs(&vc, 0);
	vc_run(&vc, 2e9 + 70);
	v = gang(&vc, 1, 6, 60);
	vc_run(&vc, 2e9 + 75);
	assert_true(waits(v));
	assert_non_null(astra_hold_of(vc.engine, v->job.id));
	vc_set_clock(&vc, by_sec);
	at = start_of(&vc, v, 2e9 + by_sec + 600) - by_sec;
	assert_int_equal(late_starts(&vc), 0);
	*requeued = astra_engine_counters(vc.engine).revoked;
	vc_fini(&vc);
	return at;
}

static void a_clock_that_is_set_moves_promises(void **state)
{
	const double year = 365 * 86400.0;
	const double by_sec[] = {year, -year, 900, -900, 1, -1};
	uint64_t without, requeued;
	double at = start_over(0, &without);

	(void)state;
	assert_true(at < 2e9 + 75 + 3 * 60);
	for (size_t i = 0; i < sizeof(by_sec) / sizeof(*by_sec); i++) {
		assert_true(start_over(by_sec[i], &requeued) == at);
		assert_int_equal(requeued, without);
	}
}

/* A tenant of weight 0 has what others leave, and nobody leaves for it. Among
 * its own jobs, and where all have no weight, gangs start all the same. */
static void without_weight_nothing_is_taken(void **state)
{
	struct vcluster vc;
	struct vjob *v;

	(void)state;
	begin(&vc, 4, 2);
	vc_tenant(&vc, "some", 1);
	vc_tenant(&vc, "none", 0);
	small_jobs(&vc, 0);
	v = gang(&vc, 1, 2, TERM);
	assert_true(start_of(&vc, v, AT(40 * TERM)) == AT(40 * TERM));
	assert_true(vc_view(&vc, v).bound_sec == 0 ||
		    isinf(vc_view(&vc, v).bound_sec));
	vc_fini(&vc);
	begin(&vc, 4, 2);
	vc_tenant(&vc, "none", 0);
	vc_tenant(&vc, "nothing", 0);
	small_jobs(&vc, 0);
	v = gang(&vc, 0, 2, TERM);
	assert_true(start_of(&vc, v, AT(10 * TERM)) < AT(10 * TERM));
	v = gang(&vc, 1, 2, TERM);
	assert_true(start_of(&vc, v, AT(20 * TERM)) < AT(20 * TERM));
	vc_fini(&vc);
}

/* Where there is one user, its jobs have their bounds, also one as large as the
 * cluster; a larger one waits for good, with the reason, and in nobody's way.
 */
static void one_user_has_the_cluster(void **state)
{
	struct vcluster vc;
	struct vjob *more, *all;
	size_t jobs;

	(void)state;
	begin(&vc, 8, 2);
	vc_tenant(&vc, "lab", 1);
	vc_user(&vc, 0, "ann");
	small_jobs(&vc, 0);
	more = vc_submit(&vc, 0, 17, TERM);
	all = gang(&vc, 0, 8, TERM);
	for (int i = 0; i < 40; i++)
		gang(&vc, 0, 1 + (uint32_t)i % 4, TERM);
	jobs = vc.job_count;
	for (size_t i = 0; i < jobs; i++)
		vc.jobs[i]->job.user = 0;
	vc_run(&vc, AT(100 * TERM));
	assert_true(all->starts);
	assert_true(waits(more));
	assert_int_equal(vc_view(&vc, more).reason.wait, ASTRA_WAIT_TOO_BIG);
	assert_int_equal(astra_engine_counters(vc.engine).first_starts,
			 jobs - 1);
	assert_int_equal(late_starts(&vc), 0);
	vc_fini(&vc);
}

/* Tasks of an array have holds of their own, as many as are due. */
static void tasks_of_an_array_keep_their_bounds(void **state)
{
	struct vcluster vc;
	struct vjob *array;
	size_t most = 0;

	(void)state;
	begin_with(&vc, 32, 2, 0);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	small_jobs(&vc, 0);
	small_jobs(&vc, 1);
	array = gang(&vc, 0, 8, TERM);
	array->job.copies = 50;
	while (array->job.copies > 1 && vc.now_sec < AT(60 * TERM)) {
		size_t holds = astra_holds_of(vc.engine, array->job.id);

		assert_true(holds <= array->job.copies);
		if (holds > most)
			most = holds;
		vc_step(&vc);
	}
	assert_int_equal(array->job.copies, 1);
	assert_in_range(most, 2, 8);
	assert_int_equal(late_starts(&vc), 0);
	vc_fini(&vc);
}

/* Two tasks of an array have holds, each half of the cluster, when a gang of a
 * poorer tenant comes. For half a term after a task is due it may still go
 * first, so the later one's hold gives way, and no task is late for it. */
static void a_later_tasks_hold_gives_way_as_it_is_due(void **state)
{
	const double term = 60;
	struct vcluster vc;
	struct vjob *array, *v;

	(void)state;
	vc_init(&vc, 32, 2);
	vc.options.lease_sec = term;
	vc.options.grace_sec = 0;
	vc.options.min_run_sec = vc.options.round_sec = 1;
	vc.options.recall_sec = 0;
	vc_begin(&vc);
	vc_tenant(&vc, "rich", 5);
	vc_tenant(&vc, "poor", 1);
	small_jobs(&vc, 0);
	array = gang(&vc, 0, 16, term);
	array->job.copies = 10;
	while (astra_holds_of(vc.engine, array->job.id) < 2 &&
	       vc.now_sec < AT(20 * term))
		vc_step(&vc);
	v = gang(&vc, 1, 8, term);
	start_of(&vc, v, AT(40 * term));
	assert_true(v->starts);
	assert_true(v->job.start_sec - v->job.submit_sec <= term / 2);
	vc_run(&vc, AT(40 * term));
	assert_int_equal(array->job.copies, 1);
	assert_int_equal(late_starts(&vc), 0);
	vc_fini(&vc);
}

/* A node of 4 GPUs. A job of all of them ran for a term, and then jobs of one
 * GPU and one term come for ever, four a term: each goes before those that ran.
 * With 0.8 of its share or less it is back after eight terms, and what leases
 * take to end. */
static void who_is_owed_comes_back(void **state)
{
	struct vcluster vc;
	struct vjob *large;
	double since = HUGE_VAL;

	(void)state;
	begin(&vc, 1, 4);
	vc_tenant(&vc, "t", 1);
	large = vc_submit(&vc, 0, 4, HUGE_VAL);
	vc_run(&vc, AT(TERM));
	for (int i = 0; i < 400 && large->starts < 2; i++) {
		struct vjob *v = vc_submit(&vc, 0, 1, TERM - 1);

		assert_non_null(v);
		vc_run(&vc, AT(TERM * (1 + i / 4.0)));
		if (isinf(since) && vc_view(&vc, large).rho < ASTRA_OWED_RHO)
			since = vc.now_sec;
	}
	assert_int_equal(large->starts, 2);
	assert_true(large->job.start_sec - since <=
		    (ASTRA_OWED_ANYBODY_TERMS + 2) * TERM);
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_owed_comes_back),
		cmocka_unit_test(those_in_vain_keep_nobody_waiting),
		cmocka_unit_test(the_earliest_due_goes_first),
		cmocka_unit_test(thousands_of_gangs_are_served_in_order),
		cmocka_unit_test(a_hold_moves_from_nodes_that_drain),
		cmocka_unit_test(a_gang_whose_nodes_fail_starts_on_others),
		cmocka_unit_test(a_clock_that_is_set_moves_promises),
		cmocka_unit_test(without_weight_nothing_is_taken),
		cmocka_unit_test(one_user_has_the_cluster),
		cmocka_unit_test(tasks_of_an_array_keep_their_bounds),
		cmocka_unit_test(a_later_tasks_hold_gives_way_as_it_is_due),
	};

	return cmocka_run_group_tests_name("engine_crowd", tests, NULL, NULL);
}
