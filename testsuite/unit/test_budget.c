/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interruptions have a budget (src/engine/budget.c): within an hour the early
 * ends of leases cost at most MaxOverhead of the pool's GPU time,
 *
 *   c (1 - t / term) * GPUs each,
 *
 * where c is what the job needs to start and to checkpoint, else
 * CheckpointGrace, and t how long it ran. */
#include <math.h>
#include <string.h>

#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))
#define TERM 900.0
#define COST 60.0
#define RECALL 120.0
#define GPUS 32

/* Nodes of eight GPUs. */
static void begin_on(struct vcluster *vc, size_t nodes, double overhead_max)
{
	vc_init(vc, nodes, 8);
	vc->options.lease_sec = TERM;
	vc->options.grace_sec = COST;
	vc->options.recall_sec = RECALL;
	vc->options.round_sec = 10;
	vc->options.overhead_max = overhead_max;
	vc_begin(vc);
}

static void begin(struct vcluster *vc, double overhead_max)
{
	begin_on(vc, GPUS / 8, overhead_max);
}

static bool near(double x, double y)
{
	return fabs(x - y) < 1e-6;
}

static struct astra_counters counters(const struct vcluster *vc)
{
	return astra_engine_counters(vc->engine);
}

/* One GPU each, endless. */
static void flood(struct vcluster *vc, uint32_t tenant, int jobs)
{
	while (jobs--)
		vc_submit(vc, tenant, 1, HUGE_VAL);
}

/* Who has all GPUs submits as much again. After RecallAfter its new jobs take
 * its old ones' leases, until the hour's budget is spent, but for the quarter
 * that is left to those who lack GPU time: with 5 %, 0.75 * 0.05 * 32 * 3600 =
 * 4,320 GPU seconds. Each end costs 60 (1 - 120/900) = 52 at most, so 83 at
 * least, and the last may exceed it. Those that took a lease keep it as long as
 * it was to last: their ends are counted, too, of what the quarter leaves. */
static void a_flood_ends_leases_within_the_budget(void **state)
{
	struct vcluster vc;
	double most = 0.75 * 0.05 * GPUS * 3600;

	(void)state;
	begin(&vc, 5);
	vc_tenant(&vc, "a", 1);
	flood(&vc, 0, GPUS);
	vc_run(&vc, AT(10));
	flood(&vc, 0, 20 * GPUS);
	vc_run(&vc, AT(TERM));
	assert_true(counters(&vc).recalled >= 83);
	assert_true(counters(&vc).recall_gpu_sec >= most);
	assert_true(counters(&vc).recall_gpu_sec < most + COST);
	assert_true(near(counters(&vc).recall_hour_gpu_sec,
			 counters(&vc).recall_gpu_sec));
	vc_run(&vc, AT(3600));
	assert_true(counters(&vc).recall_hour_gpu_sec < most / 0.75);
	vc_fini(&vc);
}

/* No more at all with 0; with 100 they go on. */
static void the_limit_is_what_the_option_says(void **state)
{
	(void)state;
	for (int all = 0; all < 2; all++) {
		struct vcluster vc;

		begin(&vc, all ? 100 : 0);
		vc_tenant(&vc, "a", 1);
		flood(&vc, 0, GPUS);
		vc_run(&vc, AT(10));
		flood(&vc, 0, 20 * GPUS);
		vc_run(&vc, AT(TERM));
		if (all)
			assert_true(counters(&vc).recalled > 5 * GPUS);
		else
			assert_int_equal(counters(&vc).recalled, 0);
		vc_fini(&vc);
	}
}

/* After an hour there is as much again. Until then leases end early for first
 * starts alone that would miss their bounds. */
static void what_was_spent_is_forgotten_after_an_hour(void **state)
{
	struct vcluster vc;
	uint64_t before;

	(void)state;
	begin(&vc, 5);
	vc_tenant(&vc, "a", 1);
	flood(&vc, 0, GPUS);
	vc_run(&vc, AT(10));
	flood(&vc, 0, 100 * GPUS);
	vc_run(&vc, AT(TERM + RECALL + 120));
	before = counters(&vc).recalled;
	vc_run(&vc, AT(3600 + 60));
	assert_true(counters(&vc).recalled < before + 10);
	vc_run(&vc, AT(3600 + 120 + TERM));
	assert_true(counters(&vc).recalled > before + 40);
	vc_fini(&vc);
}

/* The flood of a tenant leaves a quarter to another one, which lacks GPU time:
 * its first job need not wait for a lease's end. */
static void who_lacks_gpu_time_has_a_quarter_left(void **state)
{
	struct vcluster vc;
	struct vjob *v;

	(void)state;
	begin(&vc, 5);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	flood(&vc, 0, GPUS);
	vc_run(&vc, AT(10));
	flood(&vc, 0, 20 * GPUS);
	vc_run(&vc, AT(600));
	v = vc_submit(&vc, 1, 1, HUGE_VAL);
	vc_run(&vc, AT(640));
	assert_int_equal(v->starts, 1);
	vc_fini(&vc);
}

/* A first start that would else miss its bound does not heed the budget: the
 * gang of all GPUs has it with 0, too. */
static void a_promise_is_kept_without_a_budget(void **state)
{
	struct vcluster vc;
	struct vjob *v;

	(void)state;
	begin(&vc, 0);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	flood(&vc, 0, 5 * GPUS);
	vc_run(&vc, AT(10));
	v = vc_submit(&vc, 1, GPUS, HUGE_VAL);
	vc_run(&vc, AT(8 * TERM));
	assert_true(v->starts);
	assert_int_equal(counters(&vc).over_bound, 0);
	vc_fini(&vc);
}

/* Leases of six terms (--lease): the gang of all GPUs keeps its bound, though
 * no other hold is there, nothing may be spent, and the jobs tell of start-ups
 * and checkpoints of more than half a term. */
static void long_leases_end_for_a_promise(void **state)
{
	static const double learned_sec[] = {0, 0.6 * TERM};

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct vcluster vc;
		struct vjob *v;

		begin(&vc, 0);
		vc.options.lease_max_sec = 6 * TERM;
		assert_int_equal(
			astra_engine_configure(vc.engine, &vc.options, NULL),
			0);
		vc_tenant(&vc, "a", 1);
		vc_tenant(&vc, "b", 1);
		for (int i = 0; i < GPUS; i++) {
			v = vc_submit(&vc, 0, 1, HUGE_VAL);
			v->job.lease_sec = 6 * TERM;
			v->job.min_run_sec = learned_sec[k];
		}
		vc_run(&vc, AT(300));
		v = vc_submit(&vc, 1, GPUS, HUGE_VAL);
		vc_run(&vc, AT(6 * TERM));
		assert_true(v->starts);
		assert_int_equal(counters(&vc).over_bound, 0);
		vc_fini(&vc);
	}
}

/* Gangs that are cancelled before their leases end spend nothing: these have
 * their terms again. */
static void who_gives_up_spends_nothing(void **state)
{
	struct vcluster vc;
	struct vjob *v;

	(void)state;
	begin(&vc, 5);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	flood(&vc, 0, GPUS);
	vc_run(&vc, AT(60));
	v = vc_submit(&vc, 1, GPUS, HUGE_VAL);
	vc_run(&vc, AT(75));
	assert_true(counters(&vc).recalled > 0);
	v->job.state = ASTRA_JOB_ENDED;
	v->job.end_sec = vc.now_sec;
	vc.due_sec = vc.now_sec;
	vc_run(&vc, AT(80));
	assert_int_equal(counters(&vc).recalled, 0);
	assert_true(near(counters(&vc).recall_gpu_sec, 0));
	vc_fini(&vc);
}

/* A clock that is set back by two seconds, into the minute before. */
static void a_small_step_back_forgets_nothing(void **state)
{
	struct vcluster vc;
	double spent;

	(void)state;
	begin(&vc, 5);
	vc_tenant(&vc, "a", 1);
	flood(&vc, 0, GPUS);
	vc_run(&vc, AT(10));
	flood(&vc, 0, 20 * GPUS);
	vc_run(&vc, ceil(AT(400) / 60) * 60 + 1);
	spent = counters(&vc).recall_hour_gpu_sec;
	assert_true(spent > 0);
	vc.now_sec -= 2;
	vc.due_sec = vc.now_sec;
	vc_step(&vc);
	assert_true(counters(&vc).recall_hour_gpu_sec >= spent);
	vc_fini(&vc);
}

/* A job that needs 45 s to start and to checkpoint runs ten times as long
 * before its lease ends early, others RecallAfter. */
static void a_job_runs_ten_times_what_an_interruption_costs(void **state)
{
	struct vcluster vc;
	struct vjob *old[GPUS];

	(void)state;
	begin(&vc, 100);
	vc_tenant(&vc, "a", 1);
	for (int i = 0; i < GPUS; i++) {
		old[i] = vc_submit(&vc, 0, 1, HUGE_VAL);
		old[i]->job.min_run_sec = 45;
	}
	vc_run(&vc, AT(10));
	flood(&vc, 0, 4);
	vc_run(&vc, AT(440));
	assert_int_equal(counters(&vc).revoked, 0);
	vc_run(&vc, AT(500));
	assert_int_equal(counters(&vc).revoked, 4);
	assert_int_equal(counters(&vc).recalled, 4);
	vc_fini(&vc);
}

/* 1,600 jobs come to as many that run. Whatever the limit, no more than 240 are
 * told in a minute to leave before their time; with 0 none are, for the reserve
 * neither. */
static void a_storm_is_spread_over_minutes(void **state)
{
	(void)state;
	for (int all = 0; all < 2; all++) {
		struct vcluster vc;
		uint64_t before = 0;

		begin_on(&vc, 200, all ? 100 : 0);
		vc_tenant(&vc, "a", 1);
		flood(&vc, 0, 1600);
		vc_run(&vc, AT(20));
		flood(&vc, 0, 1600);
		for (double at = 60; at < TERM; at += 60) {
			vc_run(&vc, floor(AT(at) / 60) * 60);
			assert_true(counters(&vc).recalled <= before + 240);
			before = counters(&vc).recalled;
		}
		assert_int_equal(before > 1000, all);
		assert_int_equal(before > 0, all);
		vc_fini(&vc);
	}
}

/* A restart, and a clock that is set forward, leave the budget as it is. */
static void a_restart_spends_nothing_anew(void **state)
{
	struct vcluster vc;
	double spent;

	(void)state;
	begin(&vc, 5);
	vc_tenant(&vc, "a", 1);
	flood(&vc, 0, GPUS);
	vc_run(&vc, AT(10));
	flood(&vc, 0, 20 * GPUS);
	vc_run(&vc, AT(600));
	spent = counters(&vc).recall_gpu_sec;
	assert_true(spent > 0);
	vc_restart(&vc);
	assert_true(near(counters(&vc).recall_gpu_sec, spent));
	assert_true(near(counters(&vc).recall_hour_gpu_sec, spent));
	astra_engine_shift(vc.engine, 7 * 86400);
	assert_true(near(counters(&vc).recall_hour_gpu_sec, spent));
	vc_fini(&vc);
}

/* A random number below n. */
static uint32_t draw(uint64_t *seed, uint32_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*seed >> 33) % n);
}

/* What jobs that left in this second lost by that beside the one interruption a
 * term. began: of those that ran a second before, else 0. */
static double really_lost(const struct vcluster *vc, double *began)
{
	double sum = 0;

	for (size_t i = 0; i < vc->job_count; i++) {
		const struct vjob *v = vc->jobs[i];
		double ran = vc->now_sec - began[i];

		if (began[i] > 0 && v->job.state != ASTRA_JOB_RUNNING &&
		    v->done_sec < v->work_sec && ran < TERM)
			sum += COST * (1 - ran / TERM) * v->job.request.gpus;
		began[i] = v->job.state == ASTRA_JOB_RUNNING ? v->job.start_sec
							     : 0;
	}
	return sum;
}

/* Random jobs and gangs of up to 48 of 64 GPUs, for four hours: what is
 * counted is what early ends cost, loans that holds end among them. That is
 * near the limit at most: loans and first starts need not heed it. */
static void all_that_ends_early_is_counted(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= draws(2); seed++) {
		static double began[VC_JOBS];
		struct vcluster vc;
		double lost = 0, counted;
		uint64_t random = seed;

		memset(began, 0, sizeof(began));
		begin_on(&vc, 8, 5);
		for (int i = 0; i < 4; i++)
			vc_tenant(&vc, (const char *[]){"a", "b", "c", "d"}[i],
				  1);
		while (vc.now_sec < AT(4 * 3600)) {
			if (!draw(&random, 22)) {
				uint32_t gang = 8 * (1 + draw(&random, 6));
				uint32_t gpus = 1 + draw(&random, 4);

				vc_submit(&vc, draw(&random, 4),
					  draw(&random, 6) ? gpus : gang,
					  60 + draw(&random, 1200));
			}
			vc_step(&vc);
			lost += really_lost(&vc, began);
		}
		counted = counters(&vc).recall_gpu_sec;
		assert_true(fabs(counted - lost) < 0.03 * lost);
		/* Loans leave a quarter to those who lack. */
		assert_true(lost < 1.25 * 4 * 0.05 * 64 * 3600);
		vc_fini(&vc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flood_ends_leases_within_the_budget),
		cmocka_unit_test(the_limit_is_what_the_option_says),
		cmocka_unit_test(what_was_spent_is_forgotten_after_an_hour),
		cmocka_unit_test(who_lacks_gpu_time_has_a_quarter_left),
		cmocka_unit_test(a_promise_is_kept_without_a_budget),
		cmocka_unit_test(long_leases_end_for_a_promise),
		cmocka_unit_test(who_gives_up_spends_nothing),
		cmocka_unit_test(a_small_step_back_forgets_nothing),
		cmocka_unit_test(
			a_job_runs_ten_times_what_an_interruption_costs),
		cmocka_unit_test(a_storm_is_spread_over_minutes),
		cmocka_unit_test(all_that_ends_early_is_counted),
		cmocka_unit_test(a_restart_spends_nothing_anew),
	};

	return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
