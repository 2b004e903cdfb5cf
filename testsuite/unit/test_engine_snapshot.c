/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine makes of single snapshots: arrays, refusals, events between
 * two rounds, blocked jobs, jobs it did not start itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/bytes.h"
#include "src/engine/engine.h"
#include "src/policies/options.h"
#include "testsuite/unit/unit.h"

enum { JOBS = 8, NODES = 2 };

struct scene {
	struct astra_engine *engine;
	struct astra_plan plan;
	struct astra_node nodes[NODES];
	struct astra_tenant tenants[2];
	struct astra_job jobs[JOBS];
	struct astra_share held[JOBS];
	size_t job_count;
};

/* Two nodes of 4 GPUs, tenants a and b of weight 1, begun at 100. */
static void begin(struct scene *s)
{
	struct astra_options options;

	memset(s, 0, sizeof(*s));
	astra_options_init(&options);
	options.lease_sec = 50;
	options.grace_sec = 5;
	s->engine = astra_engine_create(&options, 100, NULL);
	assert_non_null(s->engine);
	astra_plan_init(&s->plan);
	for (int i = 0; i < NODES; i++)
		s->nodes[i] = (struct astra_node){.usable = true,
						  .gpus = 4,
						  .gpus_free = 4,
						  .cpus = 16,
						  .cpus_free = 16,
						  .mem_free_mib = 1000};
	s->tenants[0] = (struct astra_tenant){.name = "a", .weight = 1};
	s->tenants[1] = (struct astra_tenant){.name = "b", .weight = 1};
}

static void end(struct scene *s)
{
	astra_engine_destroy(s->engine);
	astra_plan_destroy(&s->plan);
}

static struct astra_job *add(struct scene *s, uint32_t id, uint32_t gpus,
			     double submit_sec)
{
	struct astra_job *job = &s->jobs[s->job_count];

	*job = (struct astra_job){.id = id,
				  .copies = 1,
				  .weight = 1,
				  .request = {.gpus = gpus, .cpus = 1},
				  .state = ASTRA_JOB_PENDING,
				  .submit_sec = submit_sec,
				  .revocable = true,
				  .held = &s->held[s->job_count]};
	s->job_count++;
	return job;
}

static void run_on(struct scene *s, struct astra_job *job, uint32_t node,
		   double start_sec)
{
	s->held[job - s->jobs] = (struct astra_share){
		.node = node, .gpus = job->request.gpus, .cpus = 1};
	job->held_count = 1;
	job->state = ASTRA_JOB_RUNNING;
	job->start_sec = start_sec;
	s->nodes[node].gpus_free -= job->request.gpus;
	s->nodes[node].cpus_free -= 1;
}

static void end_at(struct scene *s, struct astra_job *job, double end_sec)
{
	s->nodes[job->held->node].gpus_free += job->request.gpus;
	s->nodes[job->held->node].cpus_free += 1;
	job->held_count = 0;
	job->state = ASTRA_JOB_ENDED;
	job->end_sec = end_sec;
}

static void round_at(struct scene *s, double now_sec)
{
	struct astra_snapshot snap = {.now_sec = now_sec,
				      .nodes = s->nodes,
				      .node_count = NODES,
				      .tenants = s->tenants,
				      .tenant_count = 2,
				      .jobs = s->jobs,
				      .job_count = s->job_count};
	struct astra_error err = {""};

	if (astra_engine_round(s->engine, &snap, &s->plan, &err) < 0)
		fail_msg("%s", err.text);
}

static size_t starts_of(const struct scene *s, uint32_t id)
{
	size_t count = 0;

	for (size_t i = 0; i < s->plan.decision_count; i++)
		count += s->plan.decisions[i].action == ASTRA_START &&
			 s->plan.decisions[i].job == id;
	return count;
}

static size_t requeues(const struct scene *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->plan.decision_count; i++)
		count += s->plan.decisions[i].action == ASTRA_REQUEUE;
	return count;
}

static struct astra_job_view view(const struct scene *s, uint32_t id,
				  double now_sec)
{
	struct astra_job_view v = {0};

	for (size_t i = 0; i < astra_engine_job_count(s->engine); i++) {
		astra_engine_job_view(s->engine, i, now_sec, &v);
		if (v.id == id)
			return v;
	}
	fail_msg("no job %u", id);
	return v;
}

static void assert_near(double a, double b)
{
	if (fabs(a - b) > 1e-9)
		fail_msg("%.12g is not %.12g", a, b);
}

static void as_many_tasks_start_as_there_is_room_for(void **state)
{
	struct scene s;
	(void)state;

	begin(&s);
	add(&s, 7, 2, 100)->copies = 1000;
	round_at(&s, 100);
	assert_int_equal(starts_of(&s, 7), 4);
	end(&s);
}

/* Eq. 13 per task: 4 tasks of 2 GPUs share a quota of 4, so 1 GPU each. */
static void a_task_that_starts_takes_its_accounts_along(void **state)
{
	struct scene s;
	struct astra_job *task;
	(void)state;

	begin(&s);
	add(&s, 7, 2, 100)->copies = 4;
	round_at(&s, 100);
	round_at(&s, 110);
	assert_near(view(&s, 7, 110).usage.fair, 10);
	s.jobs[0].copies = 3;
	task = add(&s, 8, 2, 100);
	task->array_id = 7;
	run_on(&s, task, 0, 110);
	round_at(&s, 112);
	assert_near(view(&s, 8, 112).usage.fair, 12);
	assert_near(view(&s, 8, 112).usage.alloc, 4);
	assert_near(view(&s, 7, 112).usage.fair, 12);
	assert_near(view(&s, 7, 112).usage.alloc, 0);
	end(&s);
}

/* A refused plan is remembered: not these nodes again within the interval. */
static void a_refused_job_is_tried_elsewhere(void **state)
{
	struct astra_share first;
	struct scene s;
	(void)state;

	begin(&s);
	add(&s, 7, 2, 100);
	round_at(&s, 100);
	assert_int_equal(starts_of(&s, 7), 1);
	first = s.plan.shares[0];
	astra_engine_refuse(s.engine, 7, &first, 1, true, 100);
	round_at(&s, 100);
	assert_int_equal(starts_of(&s, 7), 1);
	assert_int_not_equal(s.plan.shares[0].node, first.node);
	astra_engine_refuse(s.engine, 7, s.plan.shares, 1, true, 100);
	round_at(&s, 100);
	assert_int_equal(starts_of(&s, 7), 0);
	round_at(&s, 111); /* the interval is over */
	assert_int_equal(starts_of(&s, 7), 1);
	end(&s);
}

static void a_job_refused_itself_lets_others_go_first(void **state)
{
	struct scene s;
	(void)state;

	begin(&s);
	add(&s, 7, 4, 100);
	add(&s, 8, 8, 100);
	round_at(&s, 100);
	assert_int_equal(starts_of(&s, 7), 1);
	assert_int_equal(starts_of(&s, 8), 0);
	astra_engine_refuse(s.engine, 7, NULL, 0, false, 100);
	round_at(&s, 100);
	assert_int_equal(starts_of(&s, 7), 0);
	assert_int_equal(starts_of(&s, 8), 1);
	assert_int_equal(view(&s, 7, 100).reason.wait, ASTRA_WAIT_REFUSED);
	end(&s);
}

/* Two jobs of tenant a hold all GPUs, and job 7 of b is refused three times, a
 * round interval (10 s) apart. Leases end at 150. */
static void begin_refused(struct scene *s)
{
	begin(s);
	run_on(s, add(s, 1, 4, 100), 0, 100);
	run_on(s, add(s, 2, 4, 100), 1, 100);
	add(s, 7, 2, 100)->tenant = 1;
	round_at(s, 100);
	for (double at = 101; at < 130; at += 10) {
		astra_engine_refuse(s->engine, 7, NULL, 0, false, at);
		/* the same round, on other nodes */
		astra_engine_refuse(s->engine, 7, NULL, 0, false, at + 9);
	}
	assert_int_equal(astra_engine_refused(s->engine, 7), 3);
	round_at(s, 140);
}

/* It earns nothing from 140 on: it had 40 s of the 4 GPUs that b is due. */
static void
no_lease_ends_for_a_job_that_is_refused_again_and_again(void **state)
{
	struct scene s;
	(void)state;

	begin_refused(&s);
	round_at(&s, 151);
	assert_int_equal(requeues(&s), 0);
	assert_near(view(&s, 7, 151).lease_end_sec, 0);
	assert_int_equal(view(&s, 7, 151).reason.wait, ASTRA_WAIT_REFUSED);
	assert_near(view(&s, 7, 151).reason.bound_sec, 0);
	assert_near(view(&s, 7, 151).usage.fair, 40 * 2);
	assert_int_equal(astra_engine_counters(s.engine).refused_jobs, 1);
	end(&s);
}

static void a_job_that_is_refused_is_tried_where_gpus_are_idle(void **state)
{
	struct scene s;
	(void)state;

	begin_refused(&s);
	end_at(&s, &s.jobs[0], 141);
	round_at(&s, 141);
	assert_int_equal(starts_of(&s, 7), 1);
	run_on(&s, &s.jobs[2], 0, 141);
	round_at(&s, 142);
	assert_int_equal(astra_engine_refused(s.engine, 7), 0);
	assert_int_equal(astra_engine_counters(s.engine).refused_jobs, 0);
	end(&s);
}

/* After one lease term, 50 s, it is a job as any other; refused once more,
 * after two. */
static void a_refused_job_has_another_try_after_a_term(void **state)
{
	struct scene s;
	(void)state;

	begin_refused(&s);
	round_at(&s, 189);
	assert_int_equal(requeues(&s), 0);
	assert_int_equal(view(&s, 7, 189).reason.wait, ASTRA_WAIT_REFUSED);
	round_at(&s, 241);
	assert_int_equal(requeues(&s), 1);
	astra_engine_refuse(s.engine, 7, NULL, 0, false, 241);
	round_at(&s, 260);
	assert_int_equal(view(&s, 7, 260).reason.wait, ASTRA_WAIT_REFUSED);
	round_at(&s, 359);
	assert_int_equal(view(&s, 7, 359).reason.wait, ASTRA_WAIT_REFUSED);
	round_at(&s, 361);
	assert_int_not_equal(view(&s, 7, 361).reason.wait, ASTRA_WAIT_REFUSED);
	end(&s);
}

/* Until a term after that. */
static void a_refused_job_stays_one_over_a_restart(void **state)
{
	struct astra_bytes saved = {0};
	struct astra_options options;
	struct scene s;
	(void)state;

	begin_refused(&s);
	options = *astra_engine_options(s.engine);
	assert_int_equal(astra_engine_save(s.engine, &saved), 0);
	astra_engine_destroy(s.engine);
	s.engine = astra_engine_restore(&options, saved.data, saved.size, NULL);
	assert_non_null(s.engine);
	free(saved.data);
	round_at(&s, 189);
	assert_int_equal(requeues(&s), 0);
	assert_int_equal(view(&s, 7, 189).reason.wait, ASTRA_WAIT_REFUSED);
	assert_near(view(&s, 7, 189).usage.fair, 40 * 2);
	round_at(&s, 241);
	assert_int_equal(requeues(&s), 1);
	astra_engine_refuse(s.engine, 7, NULL, 0, false, 241);
	round_at(&s, 260);
	round_at(&s, 359);
	assert_int_equal(view(&s, 7, 359).reason.wait, ASTRA_WAIT_REFUSED);
	end(&s);
}

/* As for --contiguous: of its possible nodes the host chooses others as they
 * are used. */
static void a_refused_job_stays_one_on_other_nodes(void **state)
{
	static const uint64_t nodes[] = {1, 2, 3};
	struct scene s;
	(void)state;

	begin_refused(&s);
	for (int i = 0; i < 3; i++) {
		s.jobs[2].request.allowed = i < 2 ? &nodes[i] : NULL;
		s.jobs[2].request.possible = i < 2 ? &nodes[2] : NULL;
		round_at(&s, 151 + i);
		assert_int_equal(requeues(&s), 0);
	}
	assert_int_equal(astra_engine_refused(s.engine, 7), 3);
	s.jobs[2].request.allowed = &nodes[0];
	round_at(&s, 155);
	assert_int_equal(astra_engine_refused(s.engine, 7), 0);
	end(&s);
}

static void a_refused_job_that_asks_for_less_begins_anew(void **state)
{
	struct scene s;
	(void)state;

	begin_refused(&s);
	s.jobs[2].request.gpus = 1;
	round_at(&s, 151);
	assert_int_equal(requeues(&s), 1);
	assert_int_equal(astra_engine_refused(s.engine, 7), 0);
	end(&s);
}

/* As one whose --switches, time limit or licences its user has changed. */
static void
a_refused_job_that_changes_what_the_host_goes_by_begins_anew(void **state)
{
	struct scene s;
	(void)state;

	begin_refused(&s);
	s.jobs[2].extras = 1;
	round_at(&s, 151);
	assert_int_equal(requeues(&s), 1);
	assert_int_equal(astra_engine_refused(s.engine, 7), 0);
	end(&s);
}

/* Job 7 of b is refused again and again, and asks for the same as 8, which is
 * younger. Of a's leases that of job 1 ends at 150, that of job 3 at 180. */
static void begin_refused_before(struct scene *s, const char *policy)
{
	struct astra_options options;

	begin(s);
	options = *astra_engine_options(s->engine);
	assert_int_equal(astra_options_set(&options, "Policy", policy, NULL),
			 0);
	options.lease_sec = 50;
	options.promise = false;
	assert_int_equal(astra_engine_configure(s->engine, &options, NULL), 0);
	run_on(s, add(s, 1, 4, 100), 0, 100);
	round_at(s, 100);
	run_on(s, add(s, 3, 4, 130), 1, 130);
	add(s, 7, 4, 100)->tenant = 1;
	round_at(s, 130);
	for (double at = 111; at < 140; at += 10)
		astra_engine_refuse(s->engine, 7, NULL, 0, false, at);
	add(s, 8, 4, 140)->tenant = 1;
	round_at(s, 142);
	assert_int_equal(astra_engine_counters(s->engine).refused_jobs, 1);
}

/* Job 8 has the GPUs of a lease that is over. */
static void a_job_that_is_refused_is_in_nobodys_way(void **state)
{
	static const char *const policies[] = {"ltgf", "ltgf+themis",
					       "gandiva-fair"};
	struct scene s;
	(void)state;

	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++) {
		begin_refused_before(&s, policies[i]);
		round_at(&s, 151);
		assert_int_equal(requeues(&s), 1);
		assert_int_equal(view(&s, 8, 151).reason.wait,
				 ASTRA_WAIT_GRANTED);
		end(&s);
	}
}

/* No lease ends for another job while it is tried where that could start. */
static void a_job_that_is_refused_comes_last_where_gpus_are_idle(void **state)
{
	struct scene s;
	(void)state;

	begin_refused_before(&s, "ltgf");
	end_at(&s, &s.jobs[1], 151);
	round_at(&s, 151);
	assert_int_equal(starts_of(&s, 8), 1);
	assert_int_equal(starts_of(&s, 7), 0);
	assert_int_equal(requeues(&s), 0);
	run_on(&s, &s.jobs[3], 1, 151);
	end_at(&s, &s.jobs[0], 152);
	round_at(&s, 152);
	assert_int_equal(starts_of(&s, 7), 1);
	end(&s);
}

/* Rounds are seconds apart, the integrals are exact all the same. */
static void a_job_that_ran_between_two_rounds_is_accounted(void **state)
{
	struct scene s;
	struct astra_job *job;
	(void)state;

	begin(&s);
	job = add(&s, 7, 4, 100);
	round_at(&s, 100);
	run_on(&s, job, 0, 102);
	end_at(&s, job, 107);
	round_at(&s, 120);
	assert_near(view(&s, 7, 120).usage.alloc, 4 * 5);
	assert_near(view(&s, 7, 120).usage.fair, 4 * 7); /* active 100-107 */
	end(&s);
}

/* As a run that slurmctld had not saved when it was killed. */
static void a_run_requeued_between_two_rounds_is_accounted_once(void **state)
{
	struct scene s;
	struct astra_job *job;
	(void)state;

	begin(&s);
	job = add(&s, 7, 4, 100);
	round_at(&s, 100);
	job->state = ASTRA_JOB_REQUEUED;
	job->start_sec = 102;
	job->end_sec = 107;
	round_at(&s, 120);
	round_at(&s, 130);
	assert_near(view(&s, 7, 130).usage.alloc, 4 * 5);
	assert_near(view(&s, 7, 130).usage.fair, 4 * 30); /* goes on waiting */
	end(&s);
}

/* An elastic job of 2 to 6 GPUs ran on 2 of them from 102 to 107, or what it
 * had is not known. Another's run on both nodes is over, and one is clean
 * already. */
static void a_run_between_two_rounds_is_charged_for_its_size(void **state)
{
	struct scene s;
	struct astra_job *known, *unknown, *cleaned;
	(void)state;

	begin(&s);
	known = add(&s, 7, 6, 100);
	unknown = add(&s, 8, 6, 100);
	cleaned = add(&s, 9, 6, 100);
	known->request.gpus_min = unknown->request.gpus_min = 2;
	round_at(&s, 100);
	s.held[2] = (struct astra_share){.gpus = 2};
	cleaned->held_count = 1;
	known->state = cleaned->state = ASTRA_JOB_ENDING;
	unknown->state = ASTRA_JOB_ENDED;
	known->start_sec = unknown->start_sec = cleaned->start_sec = 102;
	known->end_sec = unknown->end_sec = cleaned->end_sec = 107;
	known->run_charge = 2;
	cleaned->run_charge = 6;
	round_at(&s, 120);
	assert_near(view(&s, 7, 120).usage.alloc, 2 * 5);
	assert_near(view(&s, 8, 120).usage.alloc, 6 * 5);
	assert_near(view(&s, 9, 120).usage.alloc, 6 * 5);
	end(&s);
}

/* Requeued and started again between two rounds. */
static void a_restart_between_two_rounds_is_a_new_lease(void **state)
{
	struct scene s;
	struct astra_job *job;
	(void)state;

	begin(&s);
	job = add(&s, 7, 4, 100);
	round_at(&s, 100);
	run_on(&s, job, 0, 100);
	round_at(&s, 101);
	job->restart_cnt = 1;
	job->submit_sec = 105;
	job->start_sec = 109;
	round_at(&s, 120);
	assert_near(view(&s, 7, 120).usage.alloc, 4 * 5 + 4 * 11);
	assert_int_equal(view(&s, 7, 120).leases, 2);
	assert_near(view(&s, 7, 120).lease_end_sec, 159);
	assert_near(view(&s, 7, 120).submit_sec, 100);
	end(&s);
}

/* A job of 4 GPUs was started at 103, and its nodes boot. */
static struct astra_job *begin_boot(struct scene *s)
{
	struct astra_job *job;

	begin(s);
	job = add(s, 7, 4, 100);
	round_at(s, 100);
	run_on(s, job, 0, 103);
	job->booting = job->uncharged = true;
	round_at(s, 103);
	job->start_sec = 113;
	round_at(s, 113);
	return job;
}

/* Its tenant holds so many GPUs, and has had so many GPU seconds. */
static void assert_charged(const struct scene *s, double now_sec, double held,
			   double gpu_sec)
{
	struct astra_tenant_view tenant;

	astra_engine_tenant_view(s->engine, 0, now_sec, &tenant);
	assert_near(tenant.alloc_gpus, held);
	assert_near(tenant.usage.alloc, gpu_sec);
	assert_near(tenant.used_gpu_sec, gpu_sec);
	assert_near(view(s, 7, now_sec).usage.alloc, gpu_sec);
}

/* Slurm sets the start of the run anew when the nodes are up. */
static void a_run_is_charged_from_when_its_nodes_are_up(void **state)
{
	struct scene s;
	struct astra_job *job;
	(void)state;

	job = begin_boot(&s);
	assert_charged(&s, 113, 4, 0);
	job->booting = job->uncharged = false;
	job->start_sec = 118;
	round_at(&s, 123);
	assert_charged(&s, 123, 4, 4 * 5);
	end_at(&s, job, 130);
	round_at(&s, 133);
	assert_charged(&s, 133, 0, 4 * 12);
	end(&s);
}

/* The lease has its whole term, 50 s, from then on. */
static void a_lease_begins_when_its_nodes_are_up(void **state)
{
	struct scene s;
	struct astra_job *job;
	(void)state;

	job = begin_boot(&s);
	assert_near(view(&s, 7, 113).lease_start_sec, 113);
	job->booting = job->uncharged = false;
	job->start_sec = 118;
	round_at(&s, 123);
	assert_near(view(&s, 7, 123).start_sec, 118);
	assert_near(view(&s, 7, 123).lease_start_sec, 118);
	assert_near(view(&s, 7, 123).lease_end_sec, 118 + 50);
	end(&s);
}

static void a_boot_that_fails_is_not_charged(void **state)
{
	struct scene s;
	struct astra_job *job;
	(void)state;

	job = begin_boot(&s);
	end_at(&s, job, 120);
	job->start_sec = 103;
	round_at(&s, 123);
	assert_charged(&s, 123, 0, 0);
	assert_true(view(&s, 7, 123).uncharged);
	end(&s);
}

static void a_run_after_a_boot_may_end_before_the_next_round(void **state)
{
	struct scene s;
	struct astra_job *job;
	(void)state;

	job = begin_boot(&s);
	end_at(&s, job, 121);
	job->start_sec = 118;
	job->run_charge = 4;
	round_at(&s, 123);
	assert_charged(&s, 123, 0, 4 * 3);
	assert_false(view(&s, 7, 123).uncharged);
	end(&s);
}

/* The engine is saved while the nodes boot. They come up before it is restored,
 * or not at all. */
static void a_boot_is_not_charged_over_a_restart(void **state)
{
	(void)state;

	for (int up = 0; up < 2; up++) {
		struct scene s;
		struct astra_job *job = begin_boot(&s);
		struct astra_options options;
		struct astra_bytes saved = {0};
		struct astra_error err = {""};

		assert_int_equal(astra_engine_save(s.engine, &saved), 0);
		astra_engine_destroy(s.engine);
		astra_options_init(&options);
		s.engine = astra_engine_restore(&options, saved.data,
						saved.size, &err);
		assert_non_null(s.engine);
		astra_bytes_clear(&saved);
		job->booting = job->uncharged = false;
		job->start_sec = 118;
		if (!up) {
			end_at(&s, job, 120);
			job->start_sec = 103;
		}
		round_at(&s, 123);
		assert_charged(&s, 123, up ? 4 : 0, up ? 4 * 5 : 0);
		end(&s);
	}
}

/* Active_ij: a held job earns no entitlement (Eqs. 3, 13, 14). */
static void a_blocked_job_earns_nothing(void **state)
{
	struct scene s;
	(void)state;

	begin(&s);
	add(&s, 7, 4, 100)->state = ASTRA_JOB_BLOCKED;
	round_at(&s, 100);
	round_at(&s, 150);
	assert_near(view(&s, 7, 150).usage.fair, 0);
	assert_int_equal(s.plan.decision_count, 0);
	s.jobs[0].state = ASTRA_JOB_PENDING;
	round_at(&s, 150);
	assert_int_equal(starts_of(&s, 7), 1);
	end(&s);
}

/* The plugin is new on a cluster where jobs run already. */
static void a_running_job_is_adopted_with_a_full_lease(void **state)
{
	struct scene s;
	struct astra_job *job;
	(void)state;

	begin(&s);
	job = add(&s, 7, 4, 10);
	run_on(&s, job, 0, 20);
	round_at(&s, 100);
	assert_near(view(&s, 7, 100).lease_end_sec, 150);
	assert_near(view(&s, 7, 110).usage.alloc, 40); /* from the begin on */
	end(&s);
}

/* Tenant a runs four jobs on node 0; a CPU job has all of node 1's CPUs, so its
 * four GPUs are of no use. By count there is room for b's job beside a's
 * renewals; at the end of the leases one of them has to yield. */
static void gpus_without_cpus_are_nobodys(void **state)
{
	struct scene s;
	(void)state;

	begin(&s);
	s.nodes[1].cpus_free = 0;
	for (uint32_t id = 1; id <= 4; id++)
		run_on(&s, add(&s, id, 1, 100), 0, 100);
	round_at(&s, 100);
	add(&s, 9, 1, 110)->tenant = 1;
	round_at(&s, 110);
	assert_int_equal(requeues(&s), 0);
	round_at(&s, 150);
	assert_int_equal(view(&s, 9, 150).reason.wait, ASTRA_WAIT_GRANTED);
	assert_int_equal(requeues(&s), 1);
	end(&s);
}

/* A grant is kept while its GPUs are being freed, dropped with its node. */
static void a_grant_ends_with_its_node(void **state)
{
	struct scene s;
	struct astra_job *one, *two;
	(void)state;

	begin(&s);
	one = add(&s, 7, 4, 100);
	two = add(&s, 8, 4, 100);
	run_on(&s, one, 0, 100);
	run_on(&s, two, 1, 100);
	round_at(&s, 100);
	add(&s, 9, 4, 140)->tenant = 1;
	round_at(&s, 150);
	assert_int_equal(view(&s, 9, 150).reason.wait, ASTRA_WAIT_GRANTED);
	assert_int_equal(s.plan.decision_count, 1);
	assert_int_equal(s.plan.decisions[0].action, ASTRA_REQUEUE);
	s.nodes[s.plan.decisions[0].job == 7 ? 0 : 1].usable = false;
	round_at(&s, 151);
	assert_int_not_equal(view(&s, 9, 151).reason.wait, ASTRA_WAIT_GRANTED);
	end(&s);
}

static void a_cancelled_winner_spares_who_was_not_told_yet(void **state)
{
	struct scene s;
	struct astra_options options;
	(void)state;

	begin(&s);
	options = *astra_engine_options(s.engine);
	options.reclaim_max = 2;
	assert_int_equal(astra_engine_configure(s.engine, &options, NULL), 0);
	for (uint32_t i = 0; i < 4; i++)
		run_on(&s, add(&s, 1 + i, 2, 100), i / 2, 100);
	round_at(&s, 100);
	add(&s, 9, 8, 140)->tenant = 1;
	round_at(&s, 150);
	assert_int_equal(s.plan.decision_count, 1);
	assert_int_equal(view(&s, 4, 150).phase, ASTRA_PHASE_DOOMED);
	s.jobs[--s.job_count] = (struct astra_job){0}; /* scancel */
	round_at(&s, 151);
	assert_int_equal(view(&s, 4, 151).phase, ASTRA_PHASE_LEASED);
	assert_near(view(&s, 4, 151).lease_end_sec, 201);
	end(&s);
}

/* As after a restart: the configuration is read before the first round. */
static void new_options_do_not_hide_what_happened_before(void **state)
{
	struct scene s;
	struct astra_options options;
	struct astra_job *job;
	(void)state;

	begin(&s);
	job = add(&s, 7, 4, 100);
	run_on(&s, job, 0, 100);
	round_at(&s, 100);
	round_at(&s, 110);
	options = *astra_engine_options(s.engine);
	options.lease_sec = 60;
	assert_int_equal(astra_engine_configure(s.engine, &options, NULL), 0);
	end_at(&s, job, 115);
	round_at(&s, 130);
	assert_near(view(&s, 7, 130).usage.alloc, 4 * 15);
	end(&s);
}

/* The neediest of all waits for one lease's end: it is told when. */
static void the_first_in_line_knows_its_start(void **state)
{
	struct scene s;
	struct astra_job *job;
	(void)state;

	begin(&s);
	job = add(&s, 7, 4, 100);
	run_on(&s, job, 0, 100);
	job = add(&s, 8, 4, 100);
	run_on(&s, job, 1, 100);
	round_at(&s, 100);
	add(&s, 9, 2, 110)->tenant = 1;
	round_at(&s, 110);
	assert_near(view(&s, 9, 110).reason.start_sec, 150);
	end(&s);
}

/* Even an empty cluster would not hold it, or only jobs that stay are in its
 * way: two reasons that ask for different cures. */
static void the_impossible_is_told_from_the_pinned(void **state)
{
	uint64_t first_node = 1;
	struct astra_job *job;
	struct scene s;
	(void)state;

	begin(&s);
	add(&s, 7, 5, 100)->request.allowed = &first_node;
	round_at(&s, 100);
	assert_int_equal(view(&s, 7, 100).reason.wait, ASTRA_WAIT_TOO_BIG);
	s.jobs[0].request.gpus = 3;
	job = add(&s, 8, 4, 100);
	job->revocable = false;
	run_on(&s, job, 0, 100);
	round_at(&s, 101);
	assert_int_equal(view(&s, 7, 101).reason.wait, ASTRA_WAIT_PINNED);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_tasks_start_as_there_is_room_for),
		cmocka_unit_test(a_task_that_starts_takes_its_accounts_along),
		cmocka_unit_test(a_refused_job_is_tried_elsewhere),
		cmocka_unit_test(a_job_refused_itself_lets_others_go_first),
		cmocka_unit_test(
			no_lease_ends_for_a_job_that_is_refused_again_and_again),
		cmocka_unit_test(
			a_job_that_is_refused_is_tried_where_gpus_are_idle),
		cmocka_unit_test(a_refused_job_has_another_try_after_a_term),
		cmocka_unit_test(a_refused_job_stays_one_over_a_restart),
		cmocka_unit_test(a_refused_job_stays_one_on_other_nodes),
		cmocka_unit_test(a_refused_job_that_asks_for_less_begins_anew),
		cmocka_unit_test(
			a_refused_job_that_changes_what_the_host_goes_by_begins_anew),
		cmocka_unit_test(a_job_that_is_refused_is_in_nobodys_way),
		cmocka_unit_test(
			a_job_that_is_refused_comes_last_where_gpus_are_idle),
		cmocka_unit_test(
			a_job_that_ran_between_two_rounds_is_accounted),
		cmocka_unit_test(a_restart_between_two_rounds_is_a_new_lease),
		cmocka_unit_test(a_run_is_charged_from_when_its_nodes_are_up),
		cmocka_unit_test(a_lease_begins_when_its_nodes_are_up),
		cmocka_unit_test(a_boot_that_fails_is_not_charged),
		cmocka_unit_test(
			a_run_after_a_boot_may_end_before_the_next_round),
		cmocka_unit_test(a_boot_is_not_charged_over_a_restart),
		cmocka_unit_test(a_blocked_job_earns_nothing),
		cmocka_unit_test(a_running_job_is_adopted_with_a_full_lease),
		cmocka_unit_test(
			a_run_requeued_between_two_rounds_is_accounted_once),
		cmocka_unit_test(
			a_run_between_two_rounds_is_charged_for_its_size),
		cmocka_unit_test(gpus_without_cpus_are_nobodys),
		cmocka_unit_test(a_grant_ends_with_its_node),
		cmocka_unit_test(new_options_do_not_hide_what_happened_before),
		cmocka_unit_test(the_first_in_line_knows_its_start),
		cmocka_unit_test(the_impossible_is_told_from_the_pinned),
		cmocka_unit_test(
			a_cancelled_winner_spares_who_was_not_told_yet),
	};

	return cmocka_run_group_tests_name("engine_snapshot", tests, NULL,
					   NULL);
}
