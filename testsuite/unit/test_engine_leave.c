/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that do not leave, because they are suspended or for any other reason,
 * and those who were promised their GPUs. Job 7 runs on node a, its lease is
 * over at 1030 s; job 8 of the other tenant waits; job 9 is on node b for good.
 * What is promised has to come within the grace of 10 s, KillWait of 30 s and a
 * round of 10 s. */
#include "testsuite/unit/small_pool.h"

static void leave_begin(struct pool *p)
{
	pool_begin(p, "ab");
	pool_job(p, 0)->checkpoints = true;
	pool_run(p, &p->jobs[0], "a", 1000);
	pool_round(p, 0, 1000);
	pool_job(p, 1);
	pool_job(p, 0)->revocable = false;
	pool_run(p, &p->jobs[2], "b", 1000);
}

/* The round that tells job 7 to leave. */
static void leave_tell(struct pool *p, double now_sec)
{
	assert_null(pool_round(p, 8, now_sec));
	assert_int_equal(p->plan.decision_count, 1);
	assert_int_equal(p->plan.decisions[0].action, ASTRA_SIGNAL);
	assert_int_equal(p->plan.decisions[0].job, 7);
}

static enum astra_wait leave_wait(const struct pool *p)
{
	for (size_t i = 0; i < p->plan.reason_count; i++)
		if (p->plan.reasons[i].job == 8)
			return p->plan.reasons[i].wait;
	return ASTRA_WAIT_NONE;
}

static void a_suspended_job_is_no_contender(void **state)
{
	struct pool p;

	(void)state;
	leave_begin(&p);
	p.jobs[0].suspended = true;
	for (double now = 1020; now < 1200; now += 20) {
		assert_null(pool_round(&p, 8, now));
		assert_int_equal(p.plan.decision_count, 0);
		assert_int_equal(leave_wait(&p), ASTRA_WAIT_PINNED);
	}
	/* It goes on, and its lease has ended meanwhile. */
	p.jobs[0].suspended = false;
	leave_tell(&p, 1200);
	assert_int_equal(leave_wait(&p), ASTRA_WAIT_GRANTED);
	pool_end(&p);
}

static void a_lease_that_is_not_over_goes_on_after_it(void **state)
{
	struct pool p;

	(void)state;
	leave_begin(&p);
	p.jobs[0].suspended = true;
	pool_round(&p, 0, 1010);
	p.jobs[0].suspended = false;
	assert_null(pool_round(&p, 8, 1020));
	assert_int_equal(p.plan.decision_count, 0);
	leave_tell(&p, 1030);
	pool_end(&p);
}

/* Whoever was promised them takes what is free at once; one that is resumed is
 * told once more. */
static void gpus_of_one_suspended_in_its_grace_are_not_waited_for(void **state)
{
	(void)state;
	for (int b_free = 0; b_free < 2; b_free++) {
		struct pool p;

		leave_begin(&p);
		leave_tell(&p, 1030);
		p.jobs[0].suspended = true;
		assert_null(pool_round(&p, 8, 1031));
		assert_int_equal(leave_wait(&p), ASTRA_WAIT_PINNED);
		if (b_free) {
			pool_stop(&p.jobs[2], ASTRA_JOB_ENDED);
			pool_order(&p, "ab");
			pool_run(&p, &p.jobs[0], "a", 1000);
			assert_string_equal(pool_round(&p, 8, 1032), "b");
		} else {
			p.jobs[0].suspended = false;
			leave_tell(&p, 1032);
		}
		pool_end(&p);
	}
}

enum obstacle { IGNORES, CLEANS_UP, ENDS, NODE_SETTLES };

static void leave_obstruct(struct pool *p, enum obstacle obstacle, bool b_free)
{
	struct astra_job *job = &p->jobs[0];

	pool_order(p, "ab");
	if (b_free)
		pool_stop(&p->jobs[2], ASTRA_JOB_ENDED);
	else
		pool_run(p, &p->jobs[2], "b", 1000);
	pool_run(p, job, "a", 1000);
	if (obstacle == IGNORES)
		return;
	job->end_sec = 1040;
	if (obstacle == CLEANS_UP)
		job->state = ASTRA_JOB_REQUEUED;
	if (obstacle == ENDS)
		job->state = ASTRA_JOB_ENDING;
	if (obstacle == NODE_SETTLES) {
		pool_stop(job, ASTRA_JOB_ENDED);
		pool_order(p, "ab");
		p->nodes[0].settling = true;
	}
}

static void a_promise_that_is_not_kept_is_given_up(void **state)
{
	(void)state;
	for (int obstacle = IGNORES; obstacle <= NODE_SETTLES; obstacle++) {
		struct pool p;

		leave_begin(&p);
		leave_tell(&p, 1030);
		for (double now = 1040; now <= 1080; now += 10) {
			leave_obstruct(&p, obstacle, now > 1070);
			assert_null(pool_round(&p, 8, now));
			assert_int_equal(leave_wait(&p), ASTRA_WAIT_GRANTED);
		}
		assert_string_equal(pool_round(&p, 8, 1081), "b");
		pool_end(&p);
	}
}

/* As in the simulator, where all jobs leave. */
static void nobody_gives_up_where_kill_wait_is_not_known(void **state)
{
	struct pool p;

	(void)state;
	leave_begin(&p);
	p.kill_wait_sec = 0;
	leave_tell(&p, 1030);
	leave_obstruct(&p, IGNORES, true);
	assert_null(pool_round(&p, 8, 2000));
	assert_int_equal(leave_wait(&p), ASTRA_WAIT_GRANTED);
	pool_end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_suspended_job_is_no_contender),
		cmocka_unit_test(a_lease_that_is_not_over_goes_on_after_it),
		cmocka_unit_test(
			gpus_of_one_suspended_in_its_grace_are_not_waited_for),
		cmocka_unit_test(a_promise_that_is_not_kept_is_given_up),
		cmocka_unit_test(nobody_gives_up_where_kill_wait_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
