/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By when jobs are to start for the first time, and who was late. One node of 8
 * GPUs, tenants of weight 1 and 3: quotas of 2 and 6. Leases of 20 s, graces of
 * 2 s and rounds of 5 s: a bound is (2 + GPUs / quota) 20 + 7 s. Job 1, of the
 * second tenant, has all GPUs and cannot be requeued. */
#include <math.h>
#include <string.h>

#include "src/engine/engine.h"
#include "src/policies/options.h"
#include "testsuite/unit/unit.h"

enum { JOBS = 6 };

struct scene {
	struct astra_options options;
	struct astra_engine *engine;
	struct astra_plan plan;
	struct astra_node node;
	struct astra_tenant tenants[2];
	struct astra_user users[2];
	size_t user_count;
	struct astra_job jobs[JOBS];
	struct astra_share held[JOBS];
	size_t job_count;
};

static struct astra_job *add(struct scene *s, uint32_t tenant, uint32_t gpus)
{
	struct astra_job *job = &s->jobs[s->job_count++];

	*job = (struct astra_job){
		.id = (uint32_t)s->job_count,
		.tenant = tenant,
		.copies = 1,
		.weight = 1,
		.request = {.gpus = gpus, .cpus = 1},
		.state = ASTRA_JOB_PENDING,
		.submit_sec = 100,
		.revocable = true,
		.held = &s->held[s->job_count - 1],
	};
	return job;
}

static void run_on(struct scene *s, struct astra_job *job, double start_sec)
{
	s->held[job - s->jobs] =
		(struct astra_share){.gpus = job->request.gpus, .cpus = 1};
	job->held_count = 1;
	job->state = ASTRA_JOB_RUNNING;
	job->start_sec = start_sec;
}

static void round_at(struct scene *s, double now_sec)
{
	struct astra_error err = {""};
	const struct astra_snapshot snapshot = {
		.now_sec = now_sec,
		.nodes = &s->node,
		.node_count = 1,
		.tenants = s->tenants,
		.tenant_count = 2,
		.users = s->users,
		.user_count = s->user_count,
		.jobs = s->jobs,
		.job_count = s->job_count,
	};

	s->node.gpus_free = 8;
	for (size_t i = 0; i < s->job_count; i++)
		if (s->jobs[i].held_count)
			s->node.gpus_free -= s->held[i].gpus;
	if (astra_engine_round(s->engine, &snapshot, &s->plan, &err) < 0)
		fail_msg("%s", err.text);
}

static void begin(struct scene *s)
{
	struct astra_job *first;

	*s = (struct scene){
		.node = {.usable = true,
			 .gpus = 8,
			 .cpus = 16,
			 .cpus_free = 16},
		.tenants = {{.name = "a", .weight = 1},
			    {.name = "b", .weight = 3}},
	};
	astra_options_init(&s->options);
	s->options.lease_sec = 20;
	s->options.grace_sec = 2;
	s->options.round_sec = 5;
	s->engine = astra_engine_create(&s->options, 100, NULL);
	assert_non_null(s->engine);
	astra_plan_init(&s->plan);
	first = add(s, 1, 8);
	first->revocable = false;
	run_on(s, first, 100);
	round_at(s, 100);
}

static void end(struct scene *s)
{
	astra_engine_destroy(s->engine);
	astra_plan_destroy(&s->plan);
}

static double bound_of(const struct scene *s, uint32_t id)
{
	for (size_t i = 0; i < astra_engine_job_count(s->engine); i++) {
		struct astra_job_view view;

		astra_engine_job_view(s->engine, i, 100, &view);
		if (view.id == id)
			return view.bound_sec;
	}
	fail_msg("no job %u", id);
	return NAN;
}

static void expect_bound(const struct scene *s, uint32_t id, double sec)
{
	double bound = bound_of(s, id);

	if (fabs(bound - sec) > 1e-9)
		fail_msg("job %u is to start by %g, not %g", id, bound, sec);
}

static void expect_counts(const struct scene *s, uint64_t starts, uint64_t late)
{
	struct astra_counters c = astra_engine_counters(s->engine);

	assert_int_equal(c.first_starts, starts);
	assert_int_equal(c.over_bound, late);
}

/* 2 of 2 GPUs: 3 terms. 4 more behind them: (2 + 6 / 2) terms. Of the other
 * tenant, 3 of 6: 2.5 terms. */
static void who_is_behind_others_may_wait_for_them(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	add(&s, 0, 2);
	add(&s, 0, 4);
	add(&s, 1, 3);
	round_at(&s, 100);
	expect_bound(&s, 2, 100 + 3 * 20 + 7);
	expect_bound(&s, 3, 100 + 5 * 20 + 7);
	expect_bound(&s, 4, 100 + 2.5 * 20 + 7);
	round_at(&s, 150); /* bounds do not move */
	expect_bound(&s, 2, 167);
	expect_counts(&s, 0, 0);
	round_at(&s, 158); /* job 4 by 157 */
	expect_counts(&s, 0, 1);
	round_at(&s, 168); /* job 2 by 167 */
	round_at(&s, 169);
	expect_counts(&s, 0, 2);
	s.jobs[0].state = ASTRA_JOB_ENDED;
	s.jobs[0].held_count = 0;
	run_on(&s, &s.jobs[1], 169); /* late, which is known */
	run_on(&s, &s.jobs[2], 206); /* just in time */
	round_at(&s, 206);
	expect_counts(&s, 2, 2);
	end(&s);
}

/* A start that no round came before is late all the same. */
static void the_start_itself_counts(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	add(&s, 0, 2);
	round_at(&s, 100);
	s.jobs[0].state = ASTRA_JOB_ENDED;
	s.jobs[0].held_count = 0;
	run_on(&s, &s.jobs[1], 168);
	round_at(&s, 170);
	expect_counts(&s, 1, 1);
	s.jobs[1].state = ASTRA_JOB_PENDING; /* again: no first start */
	s.jobs[1].held_count = 0;
	s.jobs[1].restart_cnt++;
	round_at(&s, 171);
	run_on(&s, &s.jobs[1], 900);
	round_at(&s, 900);
	expect_counts(&s, 1, 1);
	end(&s);
}

/* Nor is a run lost that no round saw, as over a restart of slurmctld. */
static void a_run_between_two_rounds_counts(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	add(&s, 0, 2);
	round_at(&s, 100);
	s.jobs[1].state = ASTRA_JOB_ENDING;
	s.jobs[1].start_sec = 168;
	s.jobs[1].end_sec = 169;
	round_at(&s, 170);
	expect_counts(&s, 1, 1);
	s.jobs[1].state = ASTRA_JOB_ENDED;
	round_at(&s, 171);
	expect_counts(&s, 1, 1);
	end(&s);
}

/* Held for a while, it is promised nothing, and anew once it could run; and it
 * is not before others meanwhile. */
static void who_is_blocked_has_no_bound(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	add(&s, 0, 2);
	round_at(&s, 100);
	s.jobs[1].state = ASTRA_JOB_BLOCKED;
	add(&s, 0, 4);
	round_at(&s, 110);
	expect_bound(&s, 2, 0);
	expect_bound(&s, 3, 110 + (2 + 4 / 2.0) * 20 + 7);
	s.jobs[1].state = ASTRA_JOB_PENDING;
	round_at(&s, 190);
	expect_bound(&s, 2, 190 + (2 + 6 / 2.0) * 20 + 7);
	end(&s);
}

/* Three tasks of 2 GPUs: 3, 4 and 5 terms; a task takes the least with it. */
static void tasks_of_an_array_are_due_one_by_one(void **state)
{
	struct scene s;
	struct astra_job *task;

	(void)state;
	begin(&s);
	add(&s, 0, 2)->copies = 3;
	add(&s, 0, 2);
	round_at(&s, 100);
	expect_bound(&s, 2, 100 + 3 * 20 + 7);
	expect_bound(&s, 3, 100 + 6 * 20 + 7);
	s.jobs[0].state = ASTRA_JOB_ENDED;
	s.jobs[0].held_count = 0;
	s.jobs[1].copies = 2;
	task = add(&s, 0, 2);
	task->array_id = 2;
	run_on(&s, task, 120);
	round_at(&s, 120);
	expect_bound(&s, 4, 167);
	expect_bound(&s, 2, 100 + 4 * 20 + 7);
	expect_counts(&s, 1, 0);
	end(&s);
}

static void a_bound_outlives_a_restart_and_a_clock_that_is_set(void **state)
{
	struct astra_bytes saved = {0};
	struct scene s;

	(void)state;
	begin(&s);
	add(&s, 0, 2);
	add(&s, 1, 1);
	round_at(&s, 100);
	round_at(&s, 151); /* job 3 by 100 + (2 + 1 / 6) 20 + 7 = 150.3 */
	assert_int_equal(astra_engine_save(s.engine, &saved), 0);
	astra_engine_destroy(s.engine);
	s.engine =
		astra_engine_restore(&s.options, saved.data, saved.size, NULL);
	assert_non_null(s.engine);
	round_at(&s, 152);
	expect_bound(&s, 2, 167);
	expect_counts(&s, 0, 1);
	astra_engine_shift(s.engine, 1000);
	expect_bound(&s, 2, 1167);
	astra_bytes_clear(&saved);
	end(&s);
}

/* A tenant of weight 0 is promised nothing; a job larger than its tenant's
 * quota has its bound, one larger than the cluster none. */
static void what_cannot_be_promised_is_not(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	add(&s, 0, 8);
	add(&s, 0, 9);
	round_at(&s, 100);
	round_at(&s, 101);
	expect_bound(&s, 2, 100 + 6 * 20 + 7);
	expect_bound(&s, 3, 0);
	round_at(&s, 9000);
	expect_counts(&s, 0, 1);
	end(&s);
	begin(&s);
	s.tenants[0].weight = 0;
	add(&s, 0, 2);
	round_at(&s, 100);
	expect_bound(&s, 2, 0);
	round_at(&s, 9000);
	expect_counts(&s, 0, 0);
	end(&s);
}

/* With all CPUs of its node, one GPU is 8; so it is for those behind it. */
static void gpus_count_as_they_are_charged(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	add(&s, 0, 1)->request.charge = 8;
	add(&s, 0, 1);
	round_at(&s, 100);
	expect_bound(&s, 2, 100 + (2 + 8 / 2.0) * 20 + 7);
	expect_bound(&s, 3, 100 + (2 + 9 / 2.0) * 20 + 7);
	end(&s);
}

/* One of 1 GPU that becomes one of 4 is behind the next one, as if it had come
 * now; so is one that moves to another tenant. */
static void who_asks_for_more_is_promised_anew(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	add(&s, 0, 1);
	add(&s, 0, 2);
	add(&s, 0, 1);
	round_at(&s, 100);
	expect_bound(&s, 2, 100 + 2.5 * 20 + 7);
	s.jobs[1].request.gpus = 4;
	s.jobs[3].tenant = 1;
	round_at(&s, 110);
	expect_bound(&s, 3, 100 + 3.5 * 20 + 7);
	expect_bound(&s, 2, 110 + (2 + 6 / 2.0) * 20 + 7);
	expect_bound(&s, 4, 110 + (2 + 1 / 6.0) * 20 + 7);
	s.jobs[1].request.gpus = 2; /* less: no later, nor behind itself */
	round_at(&s, 120);
	expect_bound(&s, 2, 110 + (2 + 4 / 2.0) * 20 + 7);
	end(&s);
}

/* A charge that goes up and down again leaves the bound where it was; one that
 * falls late makes nobody late. */
static void another_charge_moves_a_bound(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	add(&s, 0, 2);
	round_at(&s, 100);
	s.jobs[1].request.charge = 4;
	round_at(&s, 105);
	expect_bound(&s, 2, 100 + 4 * 20 + 7);
	s.jobs[1].request.charge = 2;
	round_at(&s, 110);
	expect_bound(&s, 2, 100 + 3 * 20 + 7);
	s.jobs[1].request.charge = 20;
	round_at(&s, 120);
	expect_bound(&s, 2, 100 + 12 * 20 + 7);
	round_at(&s, 300);
	s.jobs[1].request.charge = 2;
	round_at(&s, 301);
	expect_bound(&s, 2, 300 + 2 * 20);
	expect_counts(&s, 0, 0);
	end(&s);
}

/* As soon as a tenant has a weight, its jobs are promised their starts. */
static void a_weight_that_was_0_may_change(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	s.tenants[0].weight = 0;
	add(&s, 0, 2);
	round_at(&s, 100);
	expect_bound(&s, 2, 0);
	s.tenants[0].weight = 1;
	round_at(&s, 110);
	expect_bound(&s, 2, 110 + 3 * 20 + 7);
	end(&s);
}

/* Jobs 2, 3 and 4 of 2, 4 and 2 GPUs of the tenant whose quota is 2: by 167,
 * 207 and 227. */
static void begin_queue(struct scene *s)
{
	begin(s);
	add(s, 0, 2);
	add(s, 0, 4);
	add(s, 0, 2);
	round_at(s, 100);
	expect_bound(s, 2, 167);
	expect_bound(s, 3, 207);
	expect_bound(s, 4, 227);
}

/* Job 1 makes room, the job runs from start_sec on. */
static void run_from(struct scene *s, struct astra_job *job, double start_sec)
{
	s->jobs[0].state = ASTRA_JOB_ENDED;
	s->jobs[0].held_count = 0;
	run_on(s, job, start_sec);
	round_at(s, start_sec);
}

static void end_at(struct scene *s, struct astra_job *job, double end_sec)
{
	job->state = ASTRA_JOB_ENDED;
	job->held_count = 0;
	job->end_sec = end_sec;
	round_at(s, end_sec);
}

/* 2 GPUs for 4 s, and for the 7 s of a start, of a term of 20 s: 9 s of the
 * quota of 2 are left. Job 5 came when job 2 ran, and did not count it. */
static void what_ends_early_repays_those_behind(void **state)
{
	struct scene s;

	(void)state;
	begin_queue(&s);
	run_from(&s, &s.jobs[1], 101);
	add(&s, 0, 2);
	round_at(&s, 102);
	expect_bound(&s, 5, 102 + (2 + 8 / 2.0) * 20 + 7);
	end_at(&s, &s.jobs[1], 105);
	expect_bound(&s, 3, 207 - 9);
	expect_bound(&s, 4, 227 - 9);
	expect_bound(&s, 5, 229);
	round_at(&s, 106); /* once */
	s.jobs[1] = s.jobs[--s.job_count];
	round_at(&s, 107);
	expect_bound(&s, 3, 207 - 9);
	expect_counts(&s, 1, 0);
	end(&s);
}

/* 4 GPUs for 4 + 7 s: 18 s are left. */
static void who_is_before_it_is_not_repaid(void **state)
{
	struct scene s;

	(void)state;
	begin_queue(&s);
	run_from(&s, &s.jobs[2], 101);
	end_at(&s, &s.jobs[2], 105);
	expect_bound(&s, 2, 167);
	expect_bound(&s, 4, 227 - 18);
	end(&s);
}

/* Over several runs, one of which the tenant lost. */
static void a_job_leaves_what_it_never_used(void **state)
{
	struct scene s;

	(void)state;
	begin_queue(&s);
	run_from(&s, &s.jobs[1], 101);
	s.jobs[1].state = ASTRA_JOB_PENDING;
	s.jobs[1].held_count = 0;
	s.jobs[1].end_sec = 104;
	s.jobs[1].restart_cnt++;
	round_at(&s, 104);
	expect_bound(&s, 3, 207);
	run_on(&s, &s.jobs[1], 110);
	round_at(&s, 110);
	end_at(&s, &s.jobs[1], 115);
	expect_bound(&s, 3, 207 - (20 - 3 - 5 - 7));
	end(&s);
}

static void who_used_a_term_leaves_nothing(void **state)
{
	struct scene s;

	(void)state;
	begin_queue(&s);
	run_from(&s, &s.jobs[1], 101);
	end_at(&s, &s.jobs[1], 150);
	expect_bound(&s, 3, 207);
	expect_bound(&s, 4, 227);
	end(&s);
}

/* The whole term; so does a job that is held. */
static void who_is_cancelled_repays_those_behind(void **state)
{
	static const enum astra_job_state states[] = {ASTRA_JOB_ENDED,
						      ASTRA_JOB_BLOCKED};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct scene s;

		begin_queue(&s);
		s.jobs[1].state = states[i];
		round_at(&s, 100);
		expect_bound(&s, 3, 207 - 20);
		expect_bound(&s, 4, 227 - 20);
		s.jobs[1] = s.jobs[3]; /* gone */
		s.job_count--;
		round_at(&s, 100);
		expect_bound(&s, 3, 207 - 20);
		end(&s);
	}
}

/* As if job 3 came at 110; job 4 stays a term of its own behind job 3. */
static void no_bound_is_nearer_than_that_of_a_new_job(void **state)
{
	struct scene s;

	(void)state;
	begin_queue(&s);
	end_at(&s, &s.jobs[1], 110);
	expect_bound(&s, 3, 110 + (2 + 4 / 2.0) * 20 + 7);
	expect_bound(&s, 4, 197 + 2 / 2.0 * 20);
	round_at(&s, 198);
	expect_counts(&s, 0, 1);
	end(&s);
}

/* Two users of a tenant, each with a quota of 1. Of another user's job only the
 * tenant's part of a bound comes forward. */
static void a_user_is_repaid_by_its_own_jobs(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	s.users[0] = (struct astra_user){.name = "u", .weight = 1};
	s.users[1] = (struct astra_user){.name = "v", .weight = 1};
	s.user_count = 2;
	s.jobs[0].user = ASTRA_NONE;
	add(&s, 0, 2);
	add(&s, 0, 2)->user = 1;
	add(&s, 0, 2);
	round_at(&s, 100);
	expect_bound(&s, 2, 100 + (2 + 2 / 1.0) * 20 + 7);
	expect_bound(&s, 4, 100 + (2 + 4 / 1.0) * 20 + 7);
	run_from(&s, &s.jobs[2], 101);
	end_at(&s, &s.jobs[2], 105);
	expect_bound(&s, 2, 187);
	expect_bound(&s, 4, 227);
	run_from(&s, &s.jobs[1], 106);
	end_at(&s, &s.jobs[1], 110);
	expect_bound(&s, 4, 227 - 18);
	end(&s);
}

/* Three tasks of 2 GPUs, and a job behind them. */
static void a_task_repays_the_next_ones(void **state)
{
	struct scene s;
	struct astra_job *task;

	(void)state;
	begin(&s);
	add(&s, 0, 2)->copies = 3;
	add(&s, 0, 2);
	round_at(&s, 100);
	expect_bound(&s, 3, 227);
	s.jobs[1].copies = 2;
	task = add(&s, 0, 2);
	task->array_id = 2;
	run_from(&s, task, 101);
	expect_bound(&s, 2, 187);
	end_at(&s, task, 105);
	expect_bound(&s, 2, 187 - 9);
	expect_bound(&s, 3, 227 - 9);
	s.jobs[1].state = ASTRA_JOB_ENDED; /* both others: 40 s */
	round_at(&s, 105);
	expect_bound(&s, 3, 227 - 9 - 40);
	end(&s);
}

/* What is owed outlives a restart; a state without places, of an earlier
 * release, leaves bounds as they are. */
static void a_job_repays_after_a_restart(void **state)
{
	(void)state;
	for (int older = 0; older < 2; older++) {
		struct astra_bytes saved = {0};
		struct scene s;

		begin_queue(&s);
		run_from(&s, &s.jobs[1], 101);
		assert_int_equal(astra_engine_save(s.engine, &saved), 0);
		if (older)
			saved.size -= 8 + 4 * (4 + 7 * 8) + 8 * (3 + 60) + 8 + 4;
		astra_engine_destroy(s.engine);
		s.engine = astra_engine_restore(&s.options, saved.data,
						saved.size, NULL);
		assert_non_null(s.engine);
		round_at(&s, 103);
		astra_engine_shift(s.engine, 0);
		end_at(&s, &s.jobs[1], 105);
		expect_bound(&s, 3, older ? 207 : 207 - 9);
		expect_bound(&s, 4, older ? 227 : 227 - 9);
		astra_bytes_clear(&saved);
		end(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_behind_others_may_wait_for_them),
		cmocka_unit_test(the_start_itself_counts),
		cmocka_unit_test(a_run_between_two_rounds_counts),
		cmocka_unit_test(who_is_blocked_has_no_bound),
		cmocka_unit_test(tasks_of_an_array_are_due_one_by_one),
		cmocka_unit_test(
			a_bound_outlives_a_restart_and_a_clock_that_is_set),
		cmocka_unit_test(what_cannot_be_promised_is_not),
		cmocka_unit_test(gpus_count_as_they_are_charged),
		cmocka_unit_test(who_asks_for_more_is_promised_anew),
		cmocka_unit_test(another_charge_moves_a_bound),
		cmocka_unit_test(a_weight_that_was_0_may_change),
		cmocka_unit_test(what_ends_early_repays_those_behind),
		cmocka_unit_test(who_is_before_it_is_not_repaid),
		cmocka_unit_test(a_job_leaves_what_it_never_used),
		cmocka_unit_test(who_used_a_term_leaves_nothing),
		cmocka_unit_test(who_is_cancelled_repays_those_behind),
		cmocka_unit_test(no_bound_is_nearer_than_that_of_a_new_job),
		cmocka_unit_test(a_user_is_repaid_by_its_own_jobs),
		cmocka_unit_test(a_task_repays_the_next_ones),
		cmocka_unit_test(a_job_repays_after_a_restart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
