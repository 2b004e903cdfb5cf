/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one table of notes by job, against an array that is as simple as can be.
 */
#include <string.h>
#include <time.h>

#include "src/policies/options.h"
#include "src/slurm/note/note.h"
#include "testsuite/unit/unit.h"

enum { JOBS = 40 };

static struct astra_note model[JOBS + 1]; /* by job */

static bool same(const struct astra_note *a, const struct astra_note *b)
{
	return a->job == b->job && a->refused == b->refused &&
	       a->expected_sec == b->expected_sec &&
	       a->run_end_sec == b->run_end_sec &&
	       a->maint_end_sec == b->maint_end_sec &&
	       a->limited == b->limited && a->sited == b->sited &&
	       a->in_grace == b->in_grace && a->in_ledger == b->in_ledger &&
	       (!a->in_grace || a->grace.run == b->grace.run) &&
	       (!a->in_ledger || a->ledger.leases == b->ledger.leases);
}

static void assert_as_model(void)
{
	for (uint32_t job = 1; job <= JOBS; job++) {
		struct astra_note note = astra_note_of(job);

		model[job].job = job;
		if (!same(&note, &model[job]))
			fail_msg("the note of job %u is another one", job);
	}
}

/* One fact of a note, set or taken away. */
static void change(struct astra_note *note, int what, uint32_t value)
{
	switch (what) {
	case 0:
		note->refused = value;
		break;
	case 1:
		note->expected_sec = value;
		break;
	case 2:
		note->run_end_sec = value;
		break;
	case 3:
		note->maint_end_sec = value;
		break;
	case 4:
		note->limited = value;
		break;
	case 5:
		note->sited = value;
		break;
	default:
		note->in_grace = value;
		note->grace.run = value;
	}
}

static void change_one(void)
{
	uint32_t job = 1 + (uint32_t)rand() % JOBS;
	uint32_t value = (uint32_t)rand() % 3; /* 0: taken away */
	int what = rand() % 7;
	struct astra_note *note = astra_note_open(job);

	change(note, what, value);
	astra_note_close(note);
	change(&model[job], what, value);
}

/* A round tells of some jobs; the others are in no grace and no ledger. */
static void tell_round(void)
{
	struct astra_grace grace = {.run = 7};
	struct astra_ledger_entry ledger = {.leases = 3};

	for (uint32_t job = 1; job <= JOBS; job++) {
		int how = rand() % 5;

		model[job].in_grace = how == 1 || how == 2;
		model[job].in_ledger = how == 2 || how == 3;
		model[job].grace = grace;
		model[job].ledger = ledger;
		if (how)
			astra_note_tell(job,
					model[job].in_grace ? &grace : NULL,
					model[job].in_ledger ? &ledger : NULL);
	}
	astra_note_tell_end();
}

static void forget_refusal(struct astra_note *note, void *arg)
{
	uint32_t *seen = arg;

	seen[note->job]++;
	note->refused = 0;
}

/* A sweep in parts of seven sees each note, also when it removes some. */
static void sweep(void)
{
	uint32_t seen[JOBS + 1] = {0};
	size_t at = 0;

	for (int i = 0; i < JOBS / 7 + 1; i++)
		astra_note_each(&at, 7, forget_refusal, seen);
	for (uint32_t job = 1; job <= JOBS; job++) {
		if (model[job].refused)
			assert_in_range(seen[job], 1, JOBS);
		model[job].refused = 0;
	}
}

static void random_changes_are_as_in_an_array(void **state)
{
	(void)state;
	srand(1);
	memset(model, 0, sizeof(model));
	for (int i = 0; i < 20000; i++) {
		if (i % 50 == 0)
			tell_round();
		else if (i % 50 == 25)
			sweep();
		else
			change_one();
		if (i % 10 == 0)
			assert_as_model();
	}
	astra_note_free();
}

static void count(struct astra_note *note, void *arg)
{
	(void)note;
	++*(int *)arg;
}

static void a_note_that_says_nothing_is_gone(void **state)
{
	struct astra_note *note;
	size_t at = 0;
	int notes = 0;

	(void)state;
	assert_null(astra_note_find(5));
	note = astra_note_open(5);
	note->limited = true;
	astra_note_close(note);
	astra_note_close(astra_note_open(6));
	astra_note_each(&at, 100, count, &notes);
	assert_int_equal(notes, 1);
	note = astra_note_find(5);
	assert_non_null(note);
	note->limited = false;
	astra_note_close(note);
	assert_null(astra_note_find(5));
	astra_note_free();
}

/* A doubt is of runs that began before it and may end until it is over. */
static void a_doubt_is_of_runs_of_before(void **state)
{
	int64_t now = time(NULL);

	(void)state;
	assert_false(astra_grace_is_doubtful(now - 100, now + 10));
	astra_grace_doubt(60);
	assert_true(astra_grace_is_doubtful(now - 100, now + 10));
	assert_false(astra_grace_is_doubtful(now + 100, now + 10));
	assert_false(astra_grace_is_doubtful(now - 100, now + 1000));
	astra_grace_doubt(1);
	assert_true(astra_grace_is_doubtful(now - 100, now + 70));
	astra_note_free();
	assert_false(astra_grace_is_doubtful(now - 100, now + 10));
}

static void a_grace_has_the_exit_codes_of_its_pool(void **state)
{
	struct astra_options o = {.checkpoint_exit = {85, 255},
				  .checkpoint_exit_count = 2};
	struct astra_grace g = astra_grace_make(&o, 4, 64);

	(void)state;
	assert_int_equal(g.run, 4);
	assert_int_equal(g.signal, 64);
	assert_int_equal(g.exit_count, 2);
	assert_int_equal(g.exit[0], 85);
	assert_int_equal(g.exit[1], 255);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_changes_are_as_in_an_array),
		cmocka_unit_test(a_note_that_says_nothing_is_gone),
		cmocka_unit_test(a_doubt_is_of_runs_of_before),
		cmocka_unit_test(a_grace_has_the_exit_codes_of_its_pool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
