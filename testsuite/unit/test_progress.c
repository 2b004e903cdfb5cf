/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "src/proto/query.h"
#include "src/slurm/progress.h"
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

static void save(uint32_t job, uint64_t step)
{
	struct astra_query query = query_of(ASTRA_QUERY_CHECKPOINTED, job);

	query.said.step = step;
	assert_int_equal(astra_progress_note(&query, 1001, NULL), 0);
}

static void look(struct astra_job *jobs, size_t count)
{
	astra_progress_begin();
	astra_progress_fill(jobs, count);
	astra_progress_end();
}

static struct astra_job running(uint32_t id, uint32_t run)
{
	return (struct astra_job){
		.id = id, .restart_cnt = run, .state = ASTRA_JOB_RUNNING};
}

static struct astra_report_job shown(uint32_t id)
{
	struct astra_report_job job = {.id = id};

	astra_progress_show(&job);
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
	save(9, 100);
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
	save(7, 90);
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
		TEST(a_job_that_ended_is_forgotten),
		TEST(the_table_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
