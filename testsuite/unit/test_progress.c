/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "src/policies/options.h"
#include "src/proto/query.h"
#include "src/slurm/note/progress.h"
#include "testsuite/unit/unit.h"

static struct astra_job_ref ref;

static struct astra_query query_of(enum astra_query_kind kind, uint32_t job)
{
	ref = (struct astra_job_ref){job, UINT32_MAX};
	return (struct astra_query){
		.kind = kind,
		.jobs = {.refs = &ref, .count = 1},
		.said = {.loss = NAN},
	};
}

static void report(uint32_t job, uint32_t run, uint64_t done, uint64_t total,
		   double iter_sec)
{
	struct astra_query query = query_of(ASTRA_QUERY_PROGRESS, job);

	query.said.run = run;
	query.said.done = done;
	query.said.total = total;
	query.said.iter_sec = iter_sec;
	assert_int_equal(astra_progress_note(&query, 1000, NULL), 0);
}

static void save(uint32_t job, uint32_t run, uint64_t step)
{
	struct astra_query query = query_of(ASTRA_QUERY_CHECKPOINTED, job);

	query.said.run = run;
	query.said.step = step;
	assert_int_equal(astra_progress_note(&query, 1001, NULL), 0);
}

/* Two racks. */
static const struct astra_node nodes[] = {{.rack = 0}, {.rack = 1}};

static void look(struct astra_job *jobs, size_t count)
{
	const struct astra_progress_pool pool = {.nodes = nodes};

	astra_progress_begin();
	astra_progress_fill(&pool, jobs, count);
	astra_progress_end();
}

static struct astra_job running(uint32_t id, uint32_t run)
{
	return (struct astra_job){
		.id = id, .restart_cnt = run, .state = ASTRA_JOB_RUNNING};
}

static struct astra_report_job shown(uint32_t id)
{
	static struct astra_progress_texts texts;
	struct astra_report_job job = {.of.id = id};

	astra_progress_show(&job, 1000, &texts);
	return job;
}

static void progress_becomes_seconds_of_work(void **state)
{
	struct astra_job jobs[] = {running(7, 0), running(8, 0)};

	(void)state;
	report(7, 0, 100, 1000, .5);
	look(jobs, 2);
	assert_close(jobs[0].forecast.work_sec, 500, 0);
	assert_close(jobs[0].forecast.done_sec, 50, 0);
	assert_true(jobs[0].forecast.measured);
	assert_close(jobs[1].forecast.work_sec, 0, 0);
	report(7, 0, 200, 1000, .4);
	look(jobs, 1);
	assert_close(jobs[0].forecast.work_sec, 400, 0);
	assert_close(jobs[0].forecast.done_sec, 80, 0);
}

static void what_is_not_said_is_not_made_up(void **state)
{
	struct astra_job jobs[] = {running(7, 0), running(8, 0), running(9, 0)};

	(void)state;
	report(7, 0, 100, 1000, 0);
	report(8, 0, 100, 0, 2);
	save(9, 0, 100);
	jobs[0].forecast.work_sec = 77; /* what its user declared */
	look(jobs, 3);
	assert_close(jobs[0].forecast.work_sec, 77, 0);
	assert_close(jobs[1].forecast.work_sec, 0, 0);
	assert_close(jobs[1].forecast.done_sec, 200, 0);
	assert_close(jobs[2].forecast.done_sec, 0, 0);
	assert_false(jobs[2].forecast.measured);
	assert_int_equal(shown(9).checkpoint.step, 100);
	assert_close(shown(9).progress.time_sec, 0, 0);
}

static void after_a_requeue_only_the_checkpoint_counts(void **state)
{
	struct astra_job jobs[] = {running(7, 1), running(8, 1)};

	(void)state;
	report(7, 0, 100, 1000, 1);
	report(8, 0, 100, 1000, 1);
	save(7, 0, 90);
	look(jobs, 2);
	assert_close(jobs[0].forecast.done_sec, 90, 0);
	assert_close(jobs[1].forecast.done_sec, 100, 0);
	report(7, 1, 95, 1000, 1);
	look(jobs, 2);
	assert_close(jobs[0].forecast.done_sec, 95, 0);
}

static void huge_numbers_stay_within_ten_years(void **state)
{
	struct astra_job jobs[] = {running(7, 0), running(8, 0)};

	(void)state;
	report(7, 0, ASTRA_COUNT_MAX, ASTRA_COUNT_MAX, ASTRA_ITER_SEC_MAX);
	report(8, 0, 1, 1, 1e-300);
	look(jobs, 2);
	assert_close(jobs[0].forecast.work_sec, 10 * 365.25 * 86400, 0);
	assert_true(jobs[0].forecast.done_sec <= jobs[0].forecast.work_sec);
	assert_close(jobs[1].forecast.work_sec, 1, 0);
}

static const struct astra_share one_node[] = {{.node = 0, .gpus = 2}};
static const struct astra_share two_racks[] = {
	{.node = 0, .gpus = 2},
	{.node = 1, .gpus = 2},
};

/* A run on these shares says how long an iteration takes. */
static struct astra_job measured(uint32_t id, uint32_t run, uint32_t app,
				 const struct astra_share *held, size_t count,
				 double iter_sec)
{
	struct astra_job job = running(id, run);

	job.held = held;
	job.held_count = count;
	job.forecast.app = app;
	report(id, run, 100, 1000, iter_sec);
	look(&job, 1);
	return job;
}

/* 2 GPUs * 0.4 s on one node, 4 GPUs * 0.5 s across racks: 2 / 0.8 = 2.5. */
static void two_levels_make_a_slowdown(void **state)
{
	struct astra_job job = measured(7, 0, 0, one_node, 1, .4);

	(void)state;
	assert_close(job.forecast.slowdown[ASTRA_LEVEL_CROSS], 0, 0);
	assert_int_equal(job.forecast.levels_seen, 0);
	job = measured(7, 1, 0, two_racks, 2, .5);
	assert_close(job.forecast.slowdown[ASTRA_LEVEL_SLOT], 1, 0);
	assert_close(job.forecast.slowdown[ASTRA_LEVEL_RACK], 1.1, 1e-12);
	assert_close(job.forecast.slowdown[ASTRA_LEVEL_CROSS], 2.5, 1e-12);
	assert_int_equal(job.forecast.levels_seen,
			 1 << ASTRA_LEVEL_SLOT | 1 << ASTRA_LEVEL_CROSS);
	/* side by side an iteration takes 0.5 / 2.5 */
	assert_close(job.forecast.work_sec, 200, 1e-12);
	assert_close(job.forecast.done_sec, 20, 1e-12);
}

static void jobs_of_an_app_learn_from_each_other(void **state)
{
	struct astra_job jobs[5];

	(void)state;
	jobs[0] = measured(7, 0, 33, one_node, 1, .4);
	report(7, 0, 1, 10, .4);
	report(8, 0, 1, 10, .4);
	jobs[0] = running(7, 0);
	jobs[0].held = one_node;
	jobs[0].held_count = 1;
	jobs[1] = running(8, 0);
	jobs[1].held = two_racks;
	jobs[1].held_count = 2;
	jobs[2] = running(9, 0); /* has said nothing */
	jobs[3] = running(10, 0);
	for (int i = 0; i < 3; i++)
		jobs[i].forecast.app = 33;
	jobs[3].forecast.app = 34;
	jobs[4] = running(11, 0);
	jobs[4].array_id = 33; /* another app, though of the same number */
	look(jobs, 5);
	look(jobs, 5);
	for (int i = 0; i < 3; i++)
		assert_close(jobs[i].forecast.slowdown[ASTRA_LEVEL_CROSS], 2,
			     1e-12);
	assert_close(jobs[3].forecast.slowdown[ASTRA_LEVEL_CROSS], 0, 0);
	assert_close(jobs[4].forecast.slowdown[ASTRA_LEVEL_CROSS], 0, 0);
}

static void a_report_of_a_run_that_is_over_says_nothing_of_places(void **state)
{
	struct astra_job job;

	(void)state;
	measured(7, 0, 0, one_node, 1, .4);
	job = running(7, 1);
	job.held = two_racks;
	job.held_count = 2;
	report(7, 0, 100, 1000, 4);
	look(&job, 1);
	assert_int_equal(job.forecast.levels_seen, 0);
}

/* A job of 4 to 8 GPUs on 4: an iteration on 8 takes half as long. */
static void an_elastic_job_is_measured_by_its_gpus(void **state)
{
	struct astra_job job = running(7, 0);

	(void)state;
	job.held = two_racks;
	job.held_count = 2;
	job.request.gpus = 8;
	job.request.gpus_min = 4;
	for (int l = 0; l < ASTRA_LEVEL_COUNT; l++)
		job.forecast.slowdown[l] = 1;
	report(7, 0, 100, 1000, 2);
	look(&job, 1);
	assert_close(job.forecast.work_sec, 1000, 1e-12);
}

static struct astra_job elastic_job(uint32_t id, uint32_t run)
{
	struct astra_job job = running(id, run);

	job.request.gpus = 8;
	job.request.gpus_min = 1;
	job.forecast.app = 33;
	for (int l = 0; l < ASTRA_LEVEL_COUNT; l++)
		job.forecast.slowdown[l] = 1;
	return job;
}

/* On 2 GPUs an iteration takes 1 s, on 4 of two racks as well: so it asks for 3
 * at most, half way, where it is taken for 2/3 s long. So does a job of its app
 * that has said nothing, but not one of another app, nor a rigid one. */
static void an_elastic_job_asks_for_what_is_of_use(void **state)
{
	struct astra_job job, others[4];

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		job = elastic_job(7, i / 2);
		job.held = i < 2 ? one_node : two_racks;
		job.held_count = i < 2 ? 1 : 2;
		report(7, i / 2, 100, 1000, 1);
		look(&job, 1);
		assert_int_equal(job.request.gpus, i < 3 ? 8 : 3);
	}
	for (uint32_t i = 0; i < 4; i++)
		others[i] = elastic_job(7 + i, 2);
	others[2].forecast.app = 34;
	others[3].request.gpus_min = 0;
	look(others, 4);
	assert_int_equal(others[0].request.gpus, 3);
	assert_int_equal(others[1].request.gpus, 3);
	assert_int_equal(others[2].request.gpus, 8);
	assert_int_equal(others[3].request.gpus, 8);
	assert_string_equal(shown(7).speedup, "2:1,4:1");
	assert_string_equal(shown(8).speedup, "");
}

/* A round of a pool with leases of 100 s. */
static void look_guarded(struct astra_job *job, double now_sec)
{
	struct astra_options options;
	const struct astra_progress_pool pool = {
		.nodes = nodes, .options = &options, .now_sec = now_sec};

	astra_options_init(&options);
	options.lease_sec = 100;
	astra_progress_begin();
	astra_progress_fill(&pool, job, 1);
	astra_progress_end();
}

/* A run of 100 s; what it says comes between its last round and its end. */
static struct astra_job guarded_run(uint32_t run, uint64_t saved)
{
	struct astra_job job = running(7, run);

	job.revocable = true;
	job.start_sec = 1000;
	report(7, run, 5, 0, 0);
	look_guarded(&job, 1000);
	look_guarded(&job, 1100);
	if (saved)
		save(7, run, saved);
	job.state = ASTRA_JOB_PENDING;
	job.restart_cnt++;
	job.end_sec = 1100;
	look_guarded(&job, 1101);
	return job;
}

static void a_job_that_saves_nothing_gets_longer_leases(void **state)
{
	struct astra_advice advice[2];
	struct astra_job job;

	(void)state;
	guarded_run(0, 0);
	assert_close(astra_progress_lease(7), 0, 0);
	assert_int_equal(astra_progress_advice(advice, 2), 0);
	job = guarded_run(1, 0);
	assert_close(job.lease_sec, 200, 0);
	assert_close(astra_progress_lease(7), 200, 0);
	assert_close(astra_progress_lease(8), 0, 0);
	assert_int_equal(astra_progress_advice(advice, 2), 1);
	assert_int_equal(advice[0].job, 7);
	assert_string_equal(advice[0].text, shown(7).advice);
	assert_non_null(strstr(advice[0].text, "saved nothing"));
	assert_int_equal(astra_progress_advice(advice, 2), 0);
	look(NULL, 0);
	assert_close(astra_progress_lease(7), 0, 0);
}

/* Job 7 runs on one node under leases of 100 s, its host's clock can be set. */
struct clocked {
	struct astra_options options;
	struct astra_engine *engine;
	struct astra_plan plan;
	struct astra_share held;
	struct astra_job job;
	double now_sec;
};

static void clocked_round(struct clocked *c, double after_sec)
{
	const struct astra_node node = {.usable = true, .gpus = 1, .cpus = 1};
	const struct astra_tenant tenant = {.name = "a", .weight = 1};
	const struct astra_snapshot snapshot = {
		.now_sec = c->now_sec += after_sec,
		.nodes = &node,
		.node_count = 1,
		.tenants = &tenant,
		.tenant_count = 1,
		.jobs = &c->job,
		.job_count = 1,
	};
	const struct astra_progress_pool pool = {
		.nodes = &node,
		.options = &c->options,
		.engine = c->engine,
		.now_sec = c->now_sec,
	};

	astra_progress_begin();
	astra_progress_fill(&pool, &c->job, 1);
	astra_progress_end();
	assert_int_equal(
		astra_engine_round(c->engine, &snapshot, &c->plan, NULL), 0);
}

static void clocked_begin(struct clocked *c, double now_sec)
{
	*c = (struct clocked){
		.held = {.gpus = 1, .cpus = 1},
		.job = running(7, 0),
		.now_sec = now_sec,
	};
	c->job.copies = 1;
	c->job.weight = 1;
	c->job.request.gpus = c->job.request.cpus = 1;
	c->job.revocable = true;
	c->job.submit_sec = c->job.start_sec = now_sec;
	c->job.held = &c->held;
	c->job.held_count = 1;
	astra_options_init(&c->options);
	c->options.lease_sec = 100;
	c->engine = astra_engine_create(&c->options, now_sec, NULL);
	assert_non_null(c->engine);
	astra_plan_init(&c->plan);
	clocked_round(c, 0);
}

static void clocked_end(struct clocked *c)
{
	astra_engine_destroy(c->engine);
	astra_plan_destroy(&c->plan);
	astra_progress_free();
}

/* The host's own record of the job's start stays as it is. */
static void clocked_set(struct clocked *c, double by_sec)
{
	c->now_sec += by_sec;
	astra_engine_shift(c->engine, by_sec);
	astra_progress_shift(by_sec);
}

static void clocked_say(struct clocked *c, enum astra_query_kind kind,
			uint64_t count)
{
	struct astra_query query = query_of(kind, 7);

	query.said.done = query.said.step = count;
	query.said.iter_sec = kind == ASTRA_QUERY_PROGRESS ? 1 : 0;
	assert_int_equal(astra_progress_note(&query, c->now_sec, NULL), 0);
}

/* Start-up takes 10 s, a checkpoint comes each 20 s: 30 s are needed, and a
 * lease of 100 s stays, whenever the clock is set. */
static void set_at(int step, double by_sec)
{
	struct clocked c;

	clocked_begin(&c, 10000);
	for (int i = 1; i <= 9; i++) {
		if (i == step)
			clocked_set(&c, by_sec);
		clocked_round(&c, 10);
		clocked_say(&c, ASTRA_QUERY_PROGRESS, 10u * (uint64_t)(i - 1));
		if (i % 2)
			clocked_say(&c, ASTRA_QUERY_CHECKPOINTED,
				    10u * (uint64_t)(i - 1));
		clocked_round(&c, 0);
	}
	assert_close(astra_progress_lease(7), 0, 0);
	assert_close(c.job.min_run_sec, 30, 0);
	assert_close(shown(7).progress.time_sec, c.now_sec, 0);
	assert_string_equal(shown(7).advice, "");
	clocked_end(&c);
}

static void a_clock_that_is_set_is_no_start_up(void **state)
{
	(void)state;
	for (int step = 0; step < 10; step++) {
		set_at(step, 3600);
		set_at(step, -3600);
	}
}

static void a_checkpoint_in_the_grace_counts(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		guarded_run(i, 5 * i + 5);
	assert_close(astra_progress_lease(7), 0, 0);
}

static void a_job_that_ended_is_forgotten(void **state)
{
	struct astra_job jobs[1000];

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		jobs[i] = running(i + 1, 0);
		report(i + 1, 0, i, 1000, 1);
		if (i % 3 == 1)
			jobs[i].state = ASTRA_JOB_ENDED;
	}
	look(jobs, 900);
	for (uint32_t i = 0; i < 1000; i++) {
		bool known = shown(i + 1).progress.time_sec > 0;

		assert_int_equal(known, i < 900 && i % 3 != 1);
		if (known)
			assert_int_equal(shown(i + 1).progress.done, i);
	}
}

static void the_table_is_bounded(void **state)
{
	struct astra_query query;
	struct astra_error err = {""};

	(void)state;
	for (uint32_t i = 1; i <= ASTRA_PROGRESS_MAX; i++)
		report(i, 0, 1, 2, 1);
	query = query_of(ASTRA_QUERY_PROGRESS, ASTRA_PROGRESS_MAX + 1);
	assert_int_equal(astra_progress_note(&query, 1, &err), -1);
	assert_non_null(strstr(err.text, "too many jobs"));
	report(5, 0, 2, 2, 1); /* one that is known is heard */
	assert_int_equal(shown(5).progress.done, 2);
	look(NULL, 0);
	assert_int_equal(astra_progress_note(&query, 1, &err), 0);
}

static int forget(void **state)
{
	(void)state;
	astra_progress_free();
	return 0;
}

#define TEST(name) cmocka_unit_test_teardown(name, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(progress_becomes_seconds_of_work),
		TEST(what_is_not_said_is_not_made_up),
		TEST(after_a_requeue_only_the_checkpoint_counts),
		TEST(huge_numbers_stay_within_ten_years),
		TEST(two_levels_make_a_slowdown),
		TEST(jobs_of_an_app_learn_from_each_other),
		TEST(a_report_of_a_run_that_is_over_says_nothing_of_places),
		TEST(an_elastic_job_is_measured_by_its_gpus),
		TEST(an_elastic_job_asks_for_what_is_of_use),
		TEST(a_job_that_saves_nothing_gets_longer_leases),
		TEST(a_clock_that_is_set_is_no_start_up),
		TEST(a_checkpoint_in_the_grace_counts),
		TEST(a_job_that_ended_is_forgotten),
		TEST(the_table_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
