/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was recorded without leases, replayed with them. One node of 4 GPUs,
 * tenants a and b of weight 1, leases of 100 s. a's job has all GPUs from
 * second 10 to 1000 while b's waits from 20 on; it then runs for 50 s. */
#include <math.h>
#include <string.h>

#include "src/audit/replay.h"
#include "src/policies/options.h"
#include "testsuite/unit/unit.h"

#define BEGIN 1700000000.0
#define UNTIL 2000

struct replayed {
	struct astra_record record;
	struct astra_window window;
	struct astra_replay replay;
	struct astra_options options;
	struct astra_sim_result real, leases;
};

static struct astra_node node = {.usable = true, .gpus = 4, .charge = 4};
static struct astra_tenant tenants[] = {{"a", 1}, {"b", 1}};
static const struct astra_snapshot snapshot = {
	.now_sec = BEGIN + UNTIL,
	.nodes = &node,
	.node_count = 1,
	.tenants = tenants,
	.tenant_count = ASTRA_COUNT_OF(tenants),
};

/* To the second or two in which rounds come. */
static void assert_about(double a, double b)
{
	assert_in_range((uint64_t)(a - b + 10), 8, 12);
}

static struct astra_record_job job_of(const char *name, const char *tenant,
				      double submit_sec, double start_sec,
				      double end_sec)
{
	return (struct astra_record_job){
		.name = name,
		.account = tenant,
		.user = tenant,
		.tenant = tenant,
		.gpus = 4,
		.submit_sec = BEGIN + submit_sec,
		.start_sec = BEGIN + start_sec,
		.end_sec = BEGIN + end_sec,
		.ran_sec = isfinite(end_sec) ? end_sec - start_sec : 0,
	};
}

static void begin(struct replayed *r)
{
	struct astra_error err = {""};

	*r = (struct replayed){.window = {BEGIN, BEGIN + UNTIL}};
	r->record.source = "test";
	astra_options_init(&r->options);
	assert_int_equal(
		astra_options_set(&r->options, "LeaseTerm", "100", &err), 0);
	assert_int_equal(
		astra_options_set(&r->options, "CheckpointGrace", "10", &err),
		0);
	assert_int_equal(
		astra_options_set(&r->options, "Unprepared", "requeue", &err),
		0);
	assert_int_equal(
		astra_options_set(&r->options, "RecallAfter", "none", &err), 0);
}

static void replay(struct replayed *r)
{
	const struct astra_audit_options audit = {.gpus = 4,
						  .interval_sec = 3600};
	const struct astra_sim_options sim = {
		.round_sec = 1,
		.checkpoint_sec = 5,
		.cold_start_sec = 20,
		.warm = true,
		.slowdown = {1, 1, 1, 1},
		.interval_sec = 3600,
		.until_sec = UNTIL,
	};
	struct astra_error err = {""};

	if (astra_replay(&snapshot, &r->record, &r->window, &r->replay, &err) <
		    0 ||
	    astra_audit_measure(&r->record, &r->window, &r->replay.trace,
				&audit, &r->real, &err) < 0 ||
	    astra_simulate(&r->replay.trace, &r->replay.cluster,
			   astra_scheduler_find("ltgf", &err), &r->options,
			   &sim, &r->leases, &err) < 0)
		fail_msg("%s", err.text);
}

static void end(struct replayed *r)
{
	astra_sim_result_clear(&r->real);
	astra_sim_result_clear(&r->leases);
	astra_replay_clear(&r->replay);
	astra_record_clear(&r->record);
}

static uint32_t at(const struct replayed *r, const char *name)
{
	for (uint32_t i = 0; i < r->replay.trace.job_count; i++)
		if (!strcmp(r->replay.trace.jobs[i].name, name))
			return i;
	fail_msg("no job %s", name);
	return 0;
}

static void pair(struct replayed *r, bool unprepared, bool pinned)
{
	struct astra_record_job a = job_of("a", "a", 10, 10, 1000);
	struct astra_record_job b = job_of("b", "b", 20, 1000, 1050);

	begin(r);
	a.unprepared = unprepared;
	a.pinned = pinned;
	assert_int_equal(astra_record_add(&r->record, &a), 0);
	assert_int_equal(astra_record_add(&r->record, &b), 0);
}

/* a's lease ends at 110, its checkpoint at 115; b's 50 s of work are over at
 * 165. a's restart costs 20 s: of 990 s of work 100 are done. */
static void who_waits_would_start_at_the_end_of_a_lease(void **state)
{
	struct replayed r;
	const struct astra_sim_job *a, *b;

	(void)state;
	pair(&r, false, false);
	replay(&r);
	a = &r.leases.jobs[at(&r, "a")];
	b = &r.leases.jobs[at(&r, "b")];
	assert_close(astra_first_wait_sec(&r.real, at(&r, "b")), 980, 1e-9);
	assert_close(astra_first_wait_sec(&r.real, at(&r, "a")), 0, 1e-9);
	assert_about(b->start_sec, 115);
	assert_close(b->end_sec, b->start_sec + 50, 1e-9);
	assert_int_equal(b->preemptions, 0);
	assert_int_equal(a->preemptions, 1);
	assert_close(a->cold_gpu_sec, 4 * 20, 1e-9);
	assert_close(a->checkpoint_gpu_sec, 4 * 5, 1e-9);
	assert_close(r.real.tenants[0].alloc_gpu_sec, 4 * 990, 1e-6);
	assert_int_equal(r.replay.unprepared, 0);
	end(&r);
}

/* It does its 100 s once more. */
static void a_job_that_declares_no_checkpoint_would_begin_anew(void **state)
{
	struct replayed r;
	const struct astra_sim_job *a;

	(void)state;
	pair(&r, true, false);
	replay(&r);
	a = &r.leases.jobs[at(&r, "a")];
	assert_int_equal(a->preemptions, 1);
	assert_about(a->checkpoint_gpu_sec / 4, 100);
	assert_int_equal(r.replay.unprepared, 1);
	end(&r);
}

static void Unprepared_says_what_becomes_of_it(void **state)
{
	struct astra_error err;
	struct replayed r;

	(void)state;
	pair(&r, true, false);
	assert_int_equal(
		astra_options_set(&r.options, "Unprepared", "keep", &err), 0);
	replay(&r);
	assert_int_equal(r.leases.jobs[at(&r, "a")].preemptions, 0);
	assert_about(r.leases.jobs[at(&r, "b")].start_sec, 1000);
	end(&r);
}

static void a_job_that_can_have_no_lease_runs_on(void **state)
{
	struct replayed r;

	(void)state;
	pair(&r, true, true);
	replay(&r);
	assert_int_equal(r.leases.jobs[at(&r, "a")].preemptions, 0);
	assert_int_equal(r.replay.unprepared, 0);
	end(&r);
}

/* As where leases come to a pool that runs. The window is a's last 500 s and
 * what comes then. */
static void what_ran_when_the_window_begins_keeps_its_GPUs(void **state)
{
	struct replayed r;

	(void)state;
	pair(&r, true, false);
	r.window.start_sec = BEGIN + 500;
	replay(&r);
	assert_int_equal(r.replay.began, 1);
	assert_int_equal(r.leases.jobs[at(&r, "a")].preemptions, 0);
	assert_close(r.leases.jobs[at(&r, "a")].start_sec, 0, 1e-9);
	assert_close(r.leases.jobs[at(&r, "a")].end_sec, 500, 1e-9);
	assert_about(r.leases.jobs[at(&r, "b")].start_sec, 500);
	end(&r);
}

/* c runs at the window's end, d waits, e was cancelled before it ran, and f is
 * larger than the pool. */
static void what_has_not_ended_is_cut(void **state)
{
	struct astra_record_job c = job_of("c", "b", 1100, 1100, HUGE_VAL);
	struct astra_record_job d = job_of("d", "b", 1200, HUGE_VAL, HUGE_VAL);
	struct astra_record_job e = job_of("e", "b", 1200, HUGE_VAL, 1300);
	struct astra_record_job f = job_of("f", "b", 1200, HUGE_VAL, HUGE_VAL);
	struct replayed r;

	(void)state;
	pair(&r, false, false);
	f.gpus = 5;
	e.ran_sec = 0;
	for (int i = 0; i < 4; i++)
		assert_int_equal(astra_record_add(&r.record, i == 0   ? &c
							     : i == 1 ? &d
							     : i == 2 ? &e
								      : &f),
				 0);
	replay(&r);
	assert_int_equal(r.replay.trace.job_count, 4);
	assert_int_equal(r.replay.runs, 1);
	assert_int_equal(r.replay.waits, 1);
	assert_int_equal(r.replay.never, 1);
	assert_int_equal(r.replay.large, 1);
	assert_close(r.replay.trace.jobs[at(&r, "c")].start_sec, 1100, 1e-9);
	assert_true(r.replay.trace.jobs[at(&r, "c")].duration_sec > 900);
	assert_close(astra_first_wait_sec(&r.real, at(&r, "d")), UNTIL - 1200,
		     1e-9);
	end(&r);
}

/* Time and memory are bounded. */
static void too_many_jobs_are_refused(void **state)
{
	struct astra_record record = {.job_count = 100001};
	const struct astra_window window = {BEGIN, BEGIN + UNTIL};
	struct astra_replay out;
	struct astra_error err = {""};

	(void)state;
	assert_int_equal(astra_replay(&snapshot, &record, &window, &out, &err),
			 -1);
	assert_non_null(strstr(err.text, "100001 jobs are too many"));
	astra_replay_clear(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waits_would_start_at_the_end_of_a_lease),
		cmocka_unit_test(
			a_job_that_declares_no_checkpoint_would_begin_anew),
		cmocka_unit_test(Unprepared_says_what_becomes_of_it),
		cmocka_unit_test(a_job_that_can_have_no_lease_runs_on),
		cmocka_unit_test(
			what_ran_when_the_window_begins_keeps_its_GPUs),
		cmocka_unit_test(what_has_not_ended_is_cut),
		cmocka_unit_test(too_many_jobs_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
