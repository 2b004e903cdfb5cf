/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobs and agents said outlives the process. */
#include <stdlib.h>
#include <string.h>

#include "src/proto/query.h"
#include "src/proto/select.h"
#include "src/slurm/note/bids.h"
#include "src/slurm/note/progress.h"
#include "src/slurm/note/told_state.h"
#include "testsuite/unit/auction_sample.h"
#include "testsuite/unit/unit.h"

#define NOW SAMPLE_NOW

static const struct astra_node nodes[] = {{.rack = 0}, {.rack = 1}};
static const struct astra_share near[] = {{.node = 0, .gpus = 2}};
static const struct astra_share far[] = {{.node = 0, .gpus = 2},
					 {.node = 1, .gpus = 2}};

static void report(uint32_t job, uint32_t run, uint64_t done, double iter_sec)
{
	struct astra_job_ref ref = {job, UINT32_MAX};
	const struct astra_query query = {
		.kind = ASTRA_QUERY_PROGRESS,
		.jobs = {.refs = &ref, .count = 1},
		.said = {.run = run,
			 .done = done,
			 .total = 1000,
			 .iter_sec = iter_sec,
			 .loss = NAN},
	};

	assert_int_equal(astra_progress_note(&query, NOW, NULL), 0);
}

static void checkpointed(uint32_t job, uint32_t run, uint64_t step)
{
	struct astra_job_ref ref = {job, UINT32_MAX};
	const struct astra_query query = {
		.kind = ASTRA_QUERY_CHECKPOINTED,
		.jobs = {.refs = &ref, .count = 1},
		.said = {.run = run, .step = step},
	};

	assert_int_equal(astra_progress_note(&query, NOW, NULL), 0);
}

static struct astra_job job_of(uint32_t id, uint32_t run)
{
	return (struct astra_job){
		.id = id,
		.restart_cnt = run,
		.state = ASTRA_JOB_RUNNING,
		.revocable = true,
		.start_sec = NOW - 50,
		.held = run ? far : near,
		.held_count = run ? 2 : 1,
		.forecast = {.app = 33},
	};
}

/* A round of a pool with leases of 100 s. */
static void look(struct astra_job *jobs, size_t count, double now_sec)
{
	struct astra_options options;
	const struct astra_progress_pool pool = {
		.nodes = nodes, .options = &options, .now_sec = now_sec};

	astra_options_init(&options);
	options.lease_sec = 100;
	astra_progress_begin();
	astra_progress_fill(&pool, jobs, count);
	astra_progress_end();
}

static uint32_t last_turn;

/* Alice's agent bids for her app of auction_sample.h. */
static struct astra_bid bid(struct astra_arena *arena, double now_sec)
{
	struct astra_job job = {.id = 30,
				.state = ASTRA_JOB_PENDING,
				.forecast = {.app = (uint32_t)SAMPLE_APP}};
	struct astra_bids_view view = {
		.pool = "auc",
		.lease_sec = 600,
		.now_sec = now_sec,
		.jobs = &job,
		.job_count = 1,
		.arena = arena,
	};

	astra_bids_begin();
	astra_bids_fill(&view);
	astra_bids_end();
	last_turn = job.forecast.turn;
	return view.bid_count ? view.bids[0] : (struct astra_bid){0};
}

static void note_bid(void)
{
	static const char text[] = "{\"astraea\":1,\"request\":\"bid\","
				   "\"app\":\"search\",\"jobs\":[30],\"rho\":"
				   "{\"slot\":[8,4,\"inf\"]},\"rho_now\":3}";
	const struct astra_viewer alice = {.uid = 1001, .now_sec = NOW};
	struct astra_report *report = sample_report();
	struct astra_query query;

	sample_report_auction(report);
	assert_int_equal(astra_query_decode(text, strlen(text), &query, NULL),
			 0);
	assert_int_equal(astra_bids_note(report, &query, &alice, NULL), 0);
	astra_query_destroy(&query);
	astra_report_put(report);
}

static struct astra_report_job shown(uint32_t id)
{
	static struct astra_progress_texts texts;
	struct astra_report_job job = {.of.id = id};

	astra_progress_show(&job, NOW, &texts);
	return job;
}

/* Job 7 ran near, and runs far. */
static void learn(void)
{
	struct astra_job job = job_of(7, 0);

	report(7, 0, 100, .4);
	look(&job, 1, NOW);
	checkpointed(7, 0, 100);
	job = job_of(7, 1);
	look(&job, 1, NOW + 200);
	report(7, 1, 150, .5);
	look(&job, 1, NOW + 201);
	note_bid();
}

static void forget(void)
{
	astra_progress_free();
	astra_bids_free();
}

static struct astra_bytes saved(void)
{
	struct astra_bytes bytes = {0};

	assert_int_equal(astra_told_encode(&bytes), 0);
	return bytes;
}

static int restore(const struct astra_bytes *bytes, struct astra_error *err)
{
	return astra_told_decode(bytes->data, bytes->size, NOW + 300, err);
}

static int fresh(void **state)
{
	(void)state;
	forget();
	return 0;
}

static void what_was_learned_is_known_after_a_restart(void **state)
{
	struct astra_job before = job_of(7, 1), after = before,
			 other = job_of(8, 0);
	struct astra_arena arena = {0};
	struct astra_bytes bytes;
	struct astra_bid b;

	(void)state;
	learn();
	look(&before, 1, NOW + 300);
	bytes = saved();
	forget();
	assert_close(shown(7).progress.time_sec, 0, 0);
	assert_int_equal(restore(&bytes, NULL), 0);
	assert_int_equal(shown(7).progress.done, 150);
	assert_int_equal(shown(7).checkpoint.step, 100);
	assert_true(isnan(shown(7).progress.loss));
	look(&after, 1, NOW + 300);
	assert_int_equal(after.forecast.levels_seen,
			 1 << ASTRA_LEVEL_SLOT | 1 << ASTRA_LEVEL_CROSS);
	assert_memory_equal(&after.forecast, &before.forecast,
			    sizeof(after.forecast));
	assert_true(before.min_run_sec > 0); /* start-up */
	assert_close(after.min_run_sec, before.min_run_sec, 0);
	b = bid(&arena, NOW + 300);
	assert_true(b.app == SAMPLE_APP);
	assert_int_equal(last_turn, 1);
	assert_int_equal(b.gpus_max, 3);
	assert_close(b.table[1], 4, 0);
	assert_true(isinf(b.table[2]));
	assert_close(b.rho_now, 3, 0);
	assert_close(b.time_sec, NOW, 0);
	look(&other, 1, NOW + 300); /* of the same app */
	assert_int_equal(other.forecast.levels_seen,
			 after.forecast.levels_seen);
	astra_arena_free(&arena);
	astra_bytes_clear(&bytes);
}

static void speed_ups_are_known_after_a_restart(void **state)
{
	struct astra_job job = {0};
	struct astra_bytes bytes;

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		job = job_of(7, i / 3);
		job.request.gpus = 8;
		job.request.gpus_min = 1;
		report(7, i / 3, 100 + i, i % 3 ? 1 : 9);
		look(&job, 1, NOW + i);
	}
	assert_int_equal(job.request.gpus, 3);
	bytes = saved();
	forget();
	assert_int_equal(restore(&bytes, NULL), 0);
	assert_string_equal(shown(7).speedup, "2:1,4:1");
	job.request.gpus = 8;
	look(&job, 1, NOW + 6);
	assert_int_equal(job.request.gpus, 3);
	astra_bytes_clear(&bytes);
}

static void longer_leases_stay_and_are_told_once(void **state)
{
	struct astra_advice advice[2];
	struct astra_job job = job_of(7, 0);
	struct astra_bytes bytes;
	double lease_sec;

	(void)state;
	report(7, 0, 0, 0);
	look(&job, 1, NOW);
	report(7, 0, 5, 120); /* it started up for 50 s, and iterates for 120 */
	look(&job, 1, NOW + 1);
	lease_sec = astra_progress_lease(7);
	assert_true(lease_sec > 100);
	assert_int_equal(astra_progress_advice(advice, 2), 1);
	bytes = saved();
	forget();
	assert_close(astra_progress_lease(7), 0, 0);
	assert_int_equal(restore(&bytes, NULL), 0);
	look(&job, 1, NOW + 2);
	assert_close(astra_progress_lease(7), lease_sec, 0);
	assert_string_equal(shown(7).advice, advice[0].text);
	assert_int_equal(astra_progress_advice(advice, 2), 0);
	astra_bytes_clear(&bytes);
}

static void what_is_said_before_it_is_read_counts_more(void **state)
{
	struct astra_job job = job_of(7, 1);
	struct astra_bytes bytes;

	(void)state;
	learn();
	bytes = saved();
	forget();
	report(7, 1, 400, .5);
	assert_int_equal(restore(&bytes, NULL), 0);
	assert_int_equal(shown(7).progress.done, 400);
	assert_int_equal(shown(7).checkpoint.step, 100);
	look(&job, 1, NOW + 300);
	assert_int_equal(job.forecast.levels_seen,
			 1 << ASTRA_LEVEL_SLOT | 1 << ASTRA_LEVEL_CROSS);
	astra_bytes_clear(&bytes);
}

static void a_clock_that_was_set_back_makes_no_future(void **state)
{
	struct astra_arena arena = {0};
	struct astra_bytes bytes;

	(void)state;
	learn();
	bytes = saved();
	forget();
	assert_int_equal(
		astra_told_decode(bytes.data, bytes.size, NOW - 5000, NULL), 0);
	assert_close(shown(7).progress.time_sec, NOW - 5000, 0);
	assert_close(bid(&arena, NOW - 5000).time_sec, NOW - 5000, 0);
	astra_arena_free(&arena);
	astra_bytes_clear(&bytes);
}

static void only_what_is_new_is_saved(void **state)
{
	struct astra_job job = job_of(7, 1);
	struct astra_bytes bytes;

	(void)state;
	assert_false(astra_told_changed());
	learn();
	assert_true(astra_told_changed());
	bytes = saved();
	assert_false(astra_told_changed());
	look(&job, 1, NOW + 300);
	assert_false(astra_told_changed());
	report(7, 1, 151, .5);
	assert_true(astra_told_changed());
	astra_bytes_clear(&bytes);
	bytes = saved();
	astra_bytes_clear(&bytes);
	look(NULL, 0, NOW + 301); /* it has ended */
	assert_true(astra_told_changed());
}

/* Where a part begins: behind its name, before its version. */
static uint8_t *part_of(struct astra_bytes *bytes, const char *name)
{
	return (uint8_t *)memmem(bytes->data, bytes->size, name, strlen(name)) +
	       strlen(name);
}

static void a_damaged_part_costs_the_others_nothing(void **state)
{
	struct astra_error err = {""};
	struct astra_arena arena = {0};
	struct astra_bytes bytes;

	(void)state;
	learn();
	bytes = saved();
	forget();
	part_of(&bytes, "progress")[8 + 3] = 0xff; /* how many jobs */
	assert_int_equal(restore(&bytes, &err), -1);
	assert_string_equal(err.text, "its part \"progress\" makes no sense");
	assert_close(shown(7).progress.time_sec, 0, 0);
	assert_int_equal(bid(&arena, NOW + 300).gpus_max, 3);
	astra_arena_free(&arena);
	astra_bytes_clear(&bytes);
}

static void a_part_of_a_newer_release_is_told(void **state)
{
	struct astra_error err = {""};
	struct astra_bytes bytes;

	(void)state;
	learn();
	bytes = saved();
	forget();
	part_of(&bytes, "bids")[0] = 9; /* its version */
	assert_int_equal(restore(&bytes, &err), -1);
	assert_string_equal(err.text, "its part \"bids\" of version 9 is of "
				      "another release");
	assert_int_equal(shown(7).progress.done, 150);
	bytes.data[0] = 7;
	assert_int_equal(restore(&bytes, &err), -1);
	assert_non_null(strstr(err.text, "version 7"));
	astra_bytes_clear(&bytes);
}

/* Whatever is read is sound: a round works with it. */
static void survive(const struct astra_bytes *bytes)
{
	struct astra_job job = job_of(7, 1);
	struct astra_arena arena = {0};
	struct astra_bytes again = {0};

	forget();
	(void)restore(bytes, NULL);
	look(&job, 1, NOW + 300);
	(void)bid(&arena, NOW + 300);
	for (int l = 0; l < ASTRA_LEVEL_COUNT; l++)
		assert_true(job.forecast.slowdown[l] >= 0 &&
			    job.forecast.slowdown[l] <= 1000);
	assert_true(job.forecast.done_sec >= 0);
	assert_true(isfinite(job.min_run_sec));
	assert_int_equal(astra_told_encode(&again), 0);
	astra_bytes_clear(&again);
	astra_arena_free(&arena);
}

static void no_damage_does_harm(void **state)
{
	struct astra_bytes bytes, part;

	(void)state;
	learn();
	bytes = saved();
	part = bytes;
	for (part.size = 0; part.size < bytes.size; part.size++) {
		forget();
		assert_int_equal(restore(&part, NULL), -1);
		survive(&part);
	}
	for (size_t i = 0; i < bytes.size; i++)
		for (int bit = 0; bit < 8; bit++) {
			bytes.data[i] ^= (uint8_t)(1 << bit);
			survive(&bytes);
			bytes.data[i] ^= (uint8_t)(1 << bit);
		}
	astra_bytes_clear(&bytes);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh, fresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_learned_is_known_after_a_restart),
		TEST(speed_ups_are_known_after_a_restart),
		TEST(longer_leases_stay_and_are_told_once),
		TEST(what_is_said_before_it_is_read_counts_more),
		TEST(a_clock_that_was_set_back_makes_no_future),
		TEST(only_what_is_new_is_saved),
		TEST(a_damaged_part_costs_the_others_nothing),
		TEST(a_part_of_a_newer_release_is_told),
		TEST(no_damage_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
