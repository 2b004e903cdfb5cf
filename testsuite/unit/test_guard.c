/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether leases are long enough to save something: worked examples. Leases of
 * 120 s, 480 s at most; a round and a report every 10 s. */
#include "src/engine/guard.h"
#include "src/policies/options.h"
#include "testsuite/unit/unit.h"

#define TERM 120
#define LONGEST (4 * TERM)
#define REPORT 10

/* A job as its guard sees it. */
struct world {
	struct astra_guard guard;
	double now_sec;
	uint32_t run;
	bool signalled;
	double longest_sec;
	/* The job: what it takes to start, each iteration, one checkpoint. */
	double startup_sec, iter_sec;
	uint64_t every; /* iterations between checkpoints; 0: none is told */
	uint64_t done, saved;
	bool obeys;   /* it saves at the end of each run */
	bool early;   /* it reports while it starts up */
	bool forgets; /* nothing that it saved is found again */
};

static struct world a_world(void)
{
	return (struct world){
		.now_sec = 1000, .longest_sec = LONGEST, .iter_sec = 1};
}

static double term(const struct world *w)
{
	return w->guard.lease_sec > 0 ? w->guard.lease_sec : TERM;
}

static void follow(struct world *w, double start_sec, double end_sec)
{
	astra_guard_follow(&w->guard, &(struct astra_guard_look){
					      .now_sec = w->now_sec,
					      .run = w->run,
					      .running = end_sec <= 0,
					      .signalled = w->signalled,
					      .start_sec = start_sec,
					      .end_sec = end_sec,
					      .term_sec = term(w),
					      .longest_sec = w->longest_sec,
				      });
}

static void save(struct world *w, uint64_t step)
{
	w->saved = step;
	astra_guard_saved(&w->guard, w->now_sec, step);
}

/* A moment of a run: iterations are done as time goes by. */
static void live(struct world *w, double ran_sec, uint64_t from)
{
	uint64_t before = w->done;

	if (ran_sec > w->startup_sec)
		w->done = from +
			  (uint64_t)((ran_sec - w->startup_sec) / w->iter_sec);
	if ((int)ran_sec % REPORT == 0 &&
	    (w->early || ran_sec > w->startup_sec))
		astra_guard_progress(&w->guard, w->now_sec, w->done,
				     w->iter_sec);
	if (w->every && before / w->every != w->done / w->every)
		save(w, w->done / w->every * w->every);
}

/* Run for so long, as from what was saved. */
static void run(struct world *w, double sec)
{
	double start = w->now_sec;
	uint64_t from = w->done = w->forgets ? 0 : w->saved;

	for (int ran = 0; ran < (int)sec; ran++, w->now_sec++) {
		if (ran % REPORT == 0)
			follow(w, start, 0);
		live(w, ran, from);
	}
	if (w->obeys)
		save(w, w->done);
	w->run++;
	follow(w, 0, w->now_sec);
	w->now_sec += 30; /* until it has GPUs again */
}

static const char *text(const struct world *w)
{
	static char it[ASTRA_GUARD_TEXT];

	astra_guard_text(&w->guard, it);
	return it;
}

/* 45 s + 1 s of 120 s: enough. */
static void a_lease_that_suffices_stays(void **state)
{
	struct world w = a_world();

	(void)state;
	w.signalled = w.obeys = true;
	w.startup_sec = 45;
	for (int i = 0; i < 5; i++)
		run(&w, TERM);
	assert_close(w.guard.startup_sec[0], 45, .1);
	assert_close(w.guard.lease_sec, 0, 0);
	assert_string_equal(text(&w), "");
}

/* Its first run lasts, as nobody waits: 150 s of start-up show. It needs 151 s,
 * so its lease becomes 226.5 s. */
static void a_start_up_longer_than_the_lease_lengthens_it(void **state)
{
	struct world w = a_world();

	(void)state;
	w.signalled = true;
	w.startup_sec = 150;
	run(&w, 400);
	assert_close(w.guard.startup_sec[0], 150, .01);
	assert_close(w.guard.lease_sec, 227, 0);
	assert_string_equal(text(&w),
			    "start-up and one checkpoint take 02:31, its lease "
			    "was 02:00: now it is 03:47");
}

/* Without a signal it must come to its next checkpoint: 60 s + 90 s. */
static void a_job_without_signal_needs_its_next_checkpoint(void **state)
{
	struct world w = a_world();

	(void)state;
	w.startup_sec = 60;
	w.every = 90;
	run(&w, 400);
	assert_close(w.guard.gap_sec, 90, 0);
	assert_close(w.guard.need_sec, 150, .1);
	assert_close(w.guard.lease_sec, 1.5 * 150, .1);
}

/* The same with a signal saves when its lease ends. */
static void a_job_with_a_signal_does_not(void **state)
{
	struct world w = a_world();

	(void)state;
	w.signalled = true;
	w.startup_sec = 60;
	w.every = 90;
	run(&w, 400);
	assert_close(w.guard.lease_sec, 0, 0);
}

/* From the signal to the checkpoint 70 s, after 60 s of start-up. */
static void writing_takes_its_time(void **state)
{
	struct world w = a_world();

	(void)state;
	w.signalled = true;
	w.startup_sec = 60;
	for (int ran = 0; ran < 100; ran++, w.now_sec++) {
		if (ran % REPORT == 0)
			follow(&w, 1000, 0);
		live(&w, ran, 0);
	}
	astra_guard_signal(&w.guard, w.now_sec);
	w.now_sec += 70;
	save(&w, 40);
	assert_close(w.guard.write_sec, 70, 0);
	assert_close(w.guard.need_sec, 131, .1);
	assert_close(astra_guard_need_sec(&w.guard), 131, .1);
	assert_close(w.guard.lease_sec, 197, .1);
}

/* 300 s of start-up in leases of 120 s: it reports, but never gets anywhere.
 * After two runs 240 s, which is too short; after another one 480 s. */
static void runs_that_save_nothing_double_the_lease(void **state)
{
	struct world w = a_world();

	(void)state;
	w.startup_sec = 300;
	w.early = true;
	run(&w, TERM);
	assert_close(w.guard.lease_sec, 0, 0);
	run(&w, TERM);
	assert_close(w.guard.lease_sec, 240, 0);
	assert_string_equal(text(&w), "2 runs in a row saved nothing, its "
				      "lease was 02:00: now it is 04:00");
	run(&w, 240);
	assert_close(w.guard.lease_sec, 480, 0);
	assert_false(w.guard.capped);
	w.obeys = true;
	run(&w, 480);
	run(&w, 480);
	assert_close(w.guard.lease_sec, 480, 0);
	assert_true(w.done > 200);
}

/* It works for 100 s of each lease, tells of no checkpoint, and begins with
 * nothing each time: the third run shows that the first two were in vain. */
static void a_run_that_begins_where_the_last_one_did_was_in_vain(void **state)
{
	struct world w = a_world();

	(void)state;
	w.startup_sec = 20;
	w.forgets = true;
	run(&w, TERM);
	run(&w, TERM);
	assert_close(w.guard.lease_sec, 0, 0);
	run(&w, TERM);
	assert_close(w.guard.lease_sec, 240, 0);
}

static void one_that_goes_on_was_not(void **state)
{
	struct world w = a_world();

	(void)state;
	w.startup_sec = 20;
	for (int i = 0; i < 6; i++) {
		run(&w, TERM);
		w.saved = w.done; /* and does not tell */
	}
	assert_int_equal(w.guard.barren, 0);
	assert_close(w.guard.lease_sec, 0, 0);
}

/* A run that somebody ended early says nothing about leases. */
static void short_runs_do_not_count(void **state)
{
	struct world w = a_world();

	(void)state;
	w.startup_sec = 300;
	w.early = true;
	for (int i = 0; i < 6; i++)
		run(&w, 40);
	assert_int_equal(w.guard.barren, 0);
	assert_close(w.guard.lease_sec, 0, 0);
}

static void a_lease_is_never_longer_than_allowed(void **state)
{
	struct world w = a_world();

	(void)state;
	w.signalled = true;
	w.longest_sec = 180;
	w.startup_sec = 200;
	run(&w, 400);
	assert_close(w.guard.lease_sec, 180, 0);
	assert_string_equal(text(&w),
			    "start-up and one checkpoint take 03:21, but a "
			    "lease here is at most 03:00: what it does may be "
			    "lost");
	assert_int_equal(w.guard.changes, 1);
}

/* LeaseMax=LeaseTerm: told, once, and left alone. */
static void an_admin_can_forbid_it(void **state)
{
	struct world w = a_world();

	(void)state;
	w.longest_sec = TERM;
	w.startup_sec = 200;
	w.early = true;
	for (int i = 0; i < 5; i++)
		run(&w, TERM);
	assert_close(w.guard.lease_sec, 0, 0);
	assert_string_equal(text(&w), "2 runs in a row saved nothing, but a "
				      "lease here is at most 02:00: what it "
				      "does may be lost");
	assert_int_equal(w.guard.changes, 1);
}

/* It begins with an earlier job's 5,000 iterations: not all of these were done
 * within the 50 s until the report. */
static void another_jobs_checkpoint_is_no_work(void **state)
{
	struct world w = a_world();

	(void)state;
	w.signalled = true;
	follow(&w, 1000, 0);
	astra_guard_progress(&w.guard, 1050, 5010, 1);
	assert_close(w.guard.startup_sec[0], 50, 0);
}

static void the_longest_lease_is_leasemax_or_four_terms(void **state)
{
	struct astra_options o;

	(void)state;
	astra_options_init(&o);
	assert_close(astra_guard_max(&o), 4 * o.lease_sec, 0);
	o.lease_max_sec = 1000;
	assert_close(astra_guard_max(&o), 1000, 0);
	assert_int_equal(astra_options_set(&o, "Policy", "oasis", NULL), 0);
	assert_close(astra_guard_max(&o), 0, 0);
	astra_options_init(&o);
	o.leases = false;
	assert_close(astra_guard_max(&o), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lease_that_suffices_stays),
		cmocka_unit_test(a_start_up_longer_than_the_lease_lengthens_it),
		cmocka_unit_test(
			a_job_without_signal_needs_its_next_checkpoint),
		cmocka_unit_test(a_job_with_a_signal_does_not),
		cmocka_unit_test(writing_takes_its_time),
		cmocka_unit_test(runs_that_save_nothing_double_the_lease),
		cmocka_unit_test(
			a_run_that_begins_where_the_last_one_did_was_in_vain),
		cmocka_unit_test(one_that_goes_on_was_not),
		cmocka_unit_test(short_runs_do_not_count),
		cmocka_unit_test(a_lease_is_never_longer_than_allowed),
		cmocka_unit_test(an_admin_can_forbid_it),
		cmocka_unit_test(another_jobs_checkpoint_is_no_work),
		cmocka_unit_test(the_longest_lease_is_leasemax_or_four_terms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
