/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Themis in the engine, on a virtual cluster. Times are relative to its begin,
 * 1000; leases end at multiples of the term. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/policies/themis/parties.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))
#define TERM 20

static void begin_terms(struct vcluster *vc, size_t nodes, uint32_t gpus,
			double knob, double term_sec, bool promise)
{
	vc_init(vc, nodes, gpus);
	vc->options.promise = promise;
	strcpy(vc->options.policy, "themis");
	vc->options.lease_sec = term_sec;
	vc->options.grace_sec = 2;
	vc->options.round_sec = 5;
	vc->options.fairness_knob = knob;
	vc_begin(vc);
	vc_tenant(vc, "a", 1);
}

static void begin(struct vcluster *vc, size_t nodes, uint32_t gpus, double knob)
{
	begin_terms(vc, nodes, gpus, knob, TERM, true);
}

static struct vjob *submit(struct vcluster *vc, uint32_t gpus, double work_sec,
			   uint32_t app)
{
	struct vjob *v = vc_submit(vc, 0, gpus, work_sec);

	v->job.forecast.work_sec = work_sec;
	v->job.forecast.app = app;
	v->job.forecast.measured = true;
	return v;
}

/* Three apps that each want the whole node and are alike: rho = (elapsed +
 * left) / T_id grows for those that wait, so they take turns. */
static void apps_that_are_alike_take_turns(void **state)
{
	struct vcluster vc;
	struct vjob *jobs[3];

	(void)state;
	begin(&vc, 1, 4, .8);
	for (int i = 0; i < 3; i++)
		jobs[i] = submit(&vc, 4, 10000, 0);
	vc_run(&vc, AT(12 * TERM));
	for (int i = 0; i < 3; i++) {
		assert_true(jobs[i]->done_sec > 3 * TERM);
		assert_true(jobs[i]->done_sec < 5 * TERM);
		assert_true(jobs[i]->starts >= 3);
	}
	vc_fini(&vc);
}

/* All leases end together, so a job of all GPUs gets them within few terms,
 * though small ones always wait. */
static void a_large_job_among_small_ones_has_its_turn(void **state)
{
	struct vcluster vc;
	struct vjob *large;

	(void)state;
	begin(&vc, 2, 4, .8);
	for (int i = 0; i < 24; i++)
		submit(&vc, 1, 10000, 0);
	vc_run(&vc, AT(TERM));
	large = submit(&vc, 8, 300, 0);
	vc_run(&vc, AT(5 * TERM));
	assert_true(large->starts > 0);
	vc_fini(&vc);
}

/* With f = 0 everybody is offered GPUs. V is proportional to GPUs, so of 8 GPUs
 * two apps of eight jobs win four each. The hidden payment is c = 1/2, so each
 * keeps two, and the others are given away by chance. */
static void two_apps_of_eight_jobs_share(void **state)
{
	struct vcluster vc;
	struct vjob *jobs[16];
	uint32_t running[2] = {0};

	(void)state;
	begin(&vc, 1, 8, 0);
	for (uint32_t i = 0; i < 16; i++)
		jobs[i] = submit(&vc, 1, 10000, 1 + i / 8);
	vc_run(&vc, AT(2));
	for (int i = 0; i < 16; i++)
		running[i / 8] += jobs[i]->job.state == ASTRA_JOB_RUNNING;
	assert_int_equal(running[0] + running[1], 8);
	assert_in_range(running[0], 2, 6);
	vc_fini(&vc);
}

/* An app is done when its last job is, but no job that a term is enough for
 * waits for the longest of its app: at the next end of leases it goes first. */
static void a_short_job_does_not_wait_for_its_app(void **state)
{
	struct vcluster vc;
	struct vjob *lengthy, *brief;

	(void)state;
	begin_terms(&vc, 1, 4, .8, 100, true);
	lengthy = submit(&vc, 4, 10000, 1);
	vc_run(&vc, AT(50));
	brief = submit(&vc, 4, 70, 1);
	vc_run(&vc, AT(90));
	assert_int_equal(brief->starts, 0);
	vc_run(&vc, AT(300));
	assert_int_equal(brief->starts, 1);
	assert_true(brief->done_sec >= 70);
	assert_int_equal(lengthy->starts, 2);
	assert_int_equal(lengthy->job.state, ASTRA_JOB_RUNNING);
	vc_fini(&vc);
}

/* Nothing is gained by moving, so nobody moves: the machines are alike. */
static void who_can_stay_stays(void **state)
{
	struct vcluster vc;
	struct vjob *jobs[6];

	(void)state;
	begin(&vc, 3, 4, 0);
	for (int i = 0; i < 6; i++)
		jobs[i] = submit(&vc, 2, 10000, 0);
	vc_run(&vc, AT(10 * TERM + 5));
	for (int i = 0; i < 6; i++) {
		assert_int_equal(jobs[i]->starts, 1);
		assert_int_equal(jobs[i]->job.state, ASTRA_JOB_RUNNING);
		assert_true(vc_view(&vc, jobs[i]).leases >= 10);
	}
	vc_fini(&vc);
}

/* Of different sizes, with room for all: nothing ever moves. */
static void nobody_moves_where_all_have_room(void **state)
{
	static const uint32_t sizes[] = {3, 1, 2, 4, 1, 2, 1, 4, 2, 3};
	struct vcluster vc;

	(void)state;
	begin(&vc, 6, 4, .5);
	for (size_t i = 0; i < ASTRA_COUNT_OF(sizes); i++)
		submit(&vc, sizes[i], 10000, 1 + (uint32_t)i / 3);
	vc_run(&vc, AT(10 * TERM + 5));
	for (size_t i = 0; i < ASTRA_COUNT_OF(sizes); i++)
		assert_int_equal(vc.jobs[i]->starts, 1);
	vc_fini(&vc);
}

/* An app pays what it takes from the others (at c = 1/2 half of it); what is
 * paid goes to those that were not offered anything, so no GPU idles. */
static void no_gpu_idles_while_somebody_wants_it(void **state)
{
	struct vcluster vc;

	(void)state;
	begin(&vc, 4, 4, .5);
	for (int i = 0; i < 40; i++)
		submit(&vc, 1 + (uint32_t)i % 3, 10000, 0);
	for (int term = 1; term < 8; term++) {
		vc_run(&vc, AT(term * TERM + 12));
		assert_int_equal(vc_running_gpus(&vc), 16);
	}
	vc_fini(&vc);
}

/* An array's record and its tasks are one app; an app of that number by name is
 * another. */
static void an_array_is_one_app(void **state)
{
	const struct astra_job parent = {.id = 7},
			       task = {.id = 9, .array_id = 7},
			       other = {.id = 8, .forecast = {.app = 7}};

	(void)state;
	assert_int_equal(astra_app_of(&parent), astra_app_of(&task));
	assert_int_not_equal(astra_app_of(&parent), astra_app_of(&other));
}

static void elastic_jobs_take_what_there_is(void **state)
{
	struct vcluster vc;
	struct vjob *j;

	(void)state;
	begin(&vc, 1, 4, 0);
	j = submit(&vc, 8, 10000, 0);
	j->job.request.gpus_min = 1;
	vc_run(&vc, AT(5));
	assert_int_equal(j->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(vc.nodes[0].gpus_free, 0);
	vc_fini(&vc);
}

static uint32_t gpus_of(const struct vjob *j)
{
	uint32_t gpus = 0;

	for (size_t i = 0; i < j->job.held_count; i++)
		gpus += j->job.held[i].gpus;
	return gpus;
}

/* Of 1 to 4 GPUs: it gives way to another app, and grows again at a lease's
 * end. */
static void elastic_jobs_follow_what_their_app_wins(void **state)
{
	struct vcluster vc;
	struct vjob *j, *other;

	(void)state;
	begin(&vc, 1, 4, 0);
	j = submit(&vc, 4, 1e5, 0);
	j->job.request.gpus_min = 1;
	vc_run(&vc, AT(5));
	assert_int_equal(gpus_of(j), 4);
	other = submit(&vc, 2, 3 * TERM, 0);
	vc_run(&vc, AT(3 * TERM));
	assert_int_equal(other->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(gpus_of(j), 2);
	vc_run(&vc, AT(12 * TERM));
	assert_int_equal(other->job.state, ASTRA_JOB_ENDED);
	assert_int_equal(gpus_of(j), 4);
	assert_int_equal(j->starts, 3);
	vc_fini(&vc);
}

/* Three jobs of an app: what the first has no use for is the others'. */
static void elastic_jobs_of_an_app_share_what_it_won(void **state)
{
	struct vcluster vc;
	struct vjob *j[3];

	(void)state;
	begin(&vc, 1, 8, 0);
	for (int i = 0; i < 3; i++) {
		j[i] = submit(&vc, 8, 1e5, 7);
		j[i]->job.request.gpus_min = 2;
	}
	vc_run(&vc, AT(5));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(j[i]->job.state, ASTRA_JOB_RUNNING);
		assert_true(gpus_of(j[i]) >= 2);
	}
	assert_int_equal(vc.nodes[0].gpus_free, 0);
	vc_fini(&vc);
}

/* Of 4 GPUs the first of two jobs takes 3, so that 1 is left for the second. As
 * nobody else is there, that one could have all 4 at a lease's end; but what
 * its app had in all would be no more. */
static void elastic_jobs_of_an_app_do_not_grow_into_each_other(void **state)
{
	struct vcluster vc;
	struct vjob *j[2];

	(void)state;
	begin(&vc, 1, 4, 0);
	for (int i = 0; i < 2; i++) {
		j[i] = submit(&vc, 4, 1e5, 7);
		j[i]->job.request.gpus_min = 1;
	}
	vc_run(&vc, AT(10 * TERM + 5));
	assert_int_equal(gpus_of(j[0]), 3);
	assert_int_equal(gpus_of(j[1]), 1);
	for (int i = 0; i < 2; i++)
		assert_int_equal(j[i]->starts, 1);
	vc_fini(&vc);
}

/* Of 8 GPUs a job of 1 to 8 has 2, another app's has 6 and is done after three
 * terms. One of its own app that waits has the fewest that it needs. */
static void elastic_jobs_grow_by_what_others_of_their_app_leave(void **state)
{
	struct vcluster vc;
	struct vjob *j, *other, *next;

	(void)state;
	/* Without a promised start, for which `other` would have to leave. */
	begin_terms(&vc, 1, 8, 0, TERM, false);
	other = submit(&vc, 6, 3 * TERM, 0);
	vc_run(&vc, AT(5));
	j = submit(&vc, 8, 1e6, 7);
	j->job.request.gpus_min = 1;
	vc_run(&vc, AT(12));
	assert_int_equal(gpus_of(j), 2);
	next = submit(&vc, 3, 1e5, 7);
	vc_run(&vc, AT(8 * TERM));
	assert_int_equal(other->job.state, ASTRA_JOB_ENDED);
	assert_int_equal(gpus_of(next), 3);
	assert_int_equal(gpus_of(j), 5);
	assert_int_equal(next->starts, 1);
	vc_fini(&vc);
}

static void who_waits_is_told_its_place(void **state)
{
	struct vcluster vc;
	char text[128];

	(void)state;
	begin(&vc, 1, 4, .8);
	submit(&vc, 4, 10000, 0);
	submit(&vc, 4, 10000, 0);
	vc_run(&vc, AT(8));
	assert_int_equal(vc.plan.reason_count, 1);
	assert_int_equal(vc.plan.reasons[0].wait, ASTRA_WAIT_AUCTION);
	/* In the last auction, in which both took part. */
	assert_int_equal(vc.plan.reasons[0].rank, 2);
	assert_int_equal(vc.plan.reasons[0].ranks, 2);
	astra_reason_text(&vc.plan.reasons[0], vc.now_sec, text, sizeof(text));
	assert_string_equal(text, "Lease: others won the auction, rank 2 of 2");
	vc_fini(&vc);
}

/* It came after the auction: there was none that somebody could have won. */
static void before_an_auction_one_waits_ones_turn(void **state)
{
	struct vcluster vc;

	(void)state;
	begin(&vc, 1, 4, .8);
	submit(&vc, 4, 10000, 0);
	vc_run(&vc, AT(8));
	submit(&vc, 4, 10000, 0);
	vc_run(&vc, AT(14));
	assert_int_equal(vc.plan.reason_count, 1);
	assert_int_equal(vc.plan.reasons[0].wait, ASTRA_WAIT_RANK);
	vc_fini(&vc);
}

static uint64_t last_number(const struct vcluster *vc)
{
	return astra_engine_auction(vc->engine)->number;
}

/* Nor do two auctions have the same number, whatever ruled in between. */
static void auctions_are_numbered_over_restarts(void **state)
{
	static const char *const names[] = {"themis", "ltgf+themis"};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(names); i++) {
		struct astra_reason waits;
		struct astra_auction last;
		struct vcluster vc;
		uint64_t number;

		vc_init(&vc, 1, 2);
		snprintf(vc.options.policy, sizeof(vc.options.policy), "%s",
			 names[i]);
		vc.options.lease_sec = 30;
		vc.options.grace_sec = 5;
		vc_tenant(&vc, "a", 1);
		vc_begin(&vc);
		for (int k = 0; k < 3; k++)
			vc_submit(&vc, 0, 2, 1e4);
		vc_run(&vc, 1100);
		number = last_number(&vc);
		assert_true(number >= 3);
		last = *astra_engine_auction(vc.engine);
		waits = vc.plan.reasons[0];
		vc_restart(&vc);
		assert_int_equal(last_number(&vc), number);
		assert_int_equal(astra_engine_auction(vc.engine)->gpus,
				 last.gpus);
		assert_close(astra_engine_auction(vc.engine)->time_sec,
			     last.time_sec, 0);
		vc.due_sec = vc.now_sec;
		vc_run(&vc, vc.now_sec + 1);
		assert_int_equal(last_number(&vc), number);
		assert_true(waits.wait == ASTRA_WAIT_AUCTION && waits.rank);
		assert_true(vc.plan.reasons[0].wait == waits.wait);
		assert_int_equal(vc.plan.reasons[0].rank, waits.rank);
		assert_int_equal(vc.plan.reasons[0].ranks, waits.ranks);
		vc_run(&vc, 1140);
		assert_true(last_number(&vc) > number);
		vc_fini(&vc);
	}
}

/* A restart in mid-term: the same jobs at the same times as without. */
static void a_restart_changes_nothing(void **state)
{
	uint32_t starts[2][6];

	(void)state;
	for (int restarted = 0; restarted < 2; restarted++) {
		struct vcluster vc;

		begin(&vc, 1, 4, .8);
		for (uint32_t i = 0; i < 6; i++)
			submit(&vc, 1 + i % 4, 500 + 100 * i, 1 + i / 2);
		vc_run(&vc, AT(3.5 * TERM));
		if (restarted)
			vc_restart(&vc);
		vc_run(&vc, AT(20 * TERM));
		for (size_t i = 0; i < 6; i++)
			starts[restarted][i] = vc.jobs[i]->starts;
		vc_fini(&vc);
	}
	assert_memory_equal(starts[0], starts[1], sizeof(starts[0]));
}

static void damaged_memories_are_refused(void **state)
{
	struct vcluster vc;
	struct astra_bytes saved = {0};
	void *fresh;

	(void)state;
	begin(&vc, 1, 4, .8);
	fresh = vc.policy->create(&vc.options, NULL);
	astra_put_f64(&saved, 1000);
	astra_put_f64(&saved, NAN); /* active apps, integrated */
	astra_put_u32(&saved, 1);
	astra_put_u32(&saved, 0);
	assert_int_equal(vc.policy->restore(fresh,
					    &(struct astra_reader){
						    .data = saved.data,
						    .size = saved.size,
					    }),
			 -1);
	vc.policy->destroy(fresh);
	astra_bytes_clear(&saved);
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(apps_that_are_alike_take_turns),
		cmocka_unit_test(a_large_job_among_small_ones_has_its_turn),
		cmocka_unit_test(two_apps_of_eight_jobs_share),
		cmocka_unit_test(a_short_job_does_not_wait_for_its_app),
		cmocka_unit_test(who_can_stay_stays),
		cmocka_unit_test(nobody_moves_where_all_have_room),
		cmocka_unit_test(no_gpu_idles_while_somebody_wants_it),
		cmocka_unit_test(an_array_is_one_app),
		cmocka_unit_test(elastic_jobs_take_what_there_is),
		cmocka_unit_test(elastic_jobs_follow_what_their_app_wins),
		cmocka_unit_test(elastic_jobs_of_an_app_share_what_it_won),
		cmocka_unit_test(
			elastic_jobs_of_an_app_do_not_grow_into_each_other),
		cmocka_unit_test(
			elastic_jobs_grow_by_what_others_of_their_app_leave),
		cmocka_unit_test(who_waits_is_told_its_place),
		cmocka_unit_test(before_an_auction_one_waits_ones_turn),
		cmocka_unit_test(auctions_are_numbered_over_restarts),
		cmocka_unit_test(a_restart_changes_nothing),
		cmocka_unit_test(damaged_memories_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
