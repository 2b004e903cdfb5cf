/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First starts within their bound under a policy that allocates: here one that
 * starts small jobs as they come and lets who runs go on, so that a larger job
 * never has its turn. Times are relative to the begin, 1000. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/policies/offer.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))
#define TERM 50
#define NODES 2
#define NODE_GPUS 4
#define GPUS (NODES * NODE_GPUS)

static struct {
	uint32_t refused; /* a job's id */
	uint32_t spared;  /* GPUs that it was told of */
	uint32_t spared_job;
} script;

static void *create(const struct astra_options *options,
		    struct astra_error *err)
{
	(void)options;
	(void)err;
	return &script;
}

static void destroy(void *self)
{
	(void)self;
}

static int award(const struct astra_offer *offer, uint32_t demand,
		 const struct astra_share *shares, size_t count,
		 struct astra_space *space, struct astra_allocation *out)
{
	for (size_t i = 0; i < count; i++)
		astra_space_take(space, &shares[i]);
	return astra_allocation_add(out, demand, offer->now_sec + TERM, shares,
				    count);
}

static int allocate(void *self, const struct astra_offer *offer,
		    struct astra_allocation *out, struct astra_error *err)
{
	struct astra_space *space = astra_offer_space(offer);
	struct astra_share place[NODES];

	(void)self;
	(void)err;
	assert_non_null(space);
	for (int runs = 1; runs >= 0; runs--)
		for (uint32_t i = 0; i < offer->demand_count; i++) {
			const struct astra_demand *d = &offer->demands[i];
			const struct astra_share *shares = d->held;
			size_t count = d->held_count;

			if (!d->open || (count > 0) != runs)
				continue;
			if (!runs && d->job->id == script.refused) {
				assert_int_equal(
					astra_allocation_refuse(out, i), 0);
				continue;
			}
			if (!runs) {
				shares = place;
				count = d->job->request.gpus > 1
						? 0
						: astra_demand_place(space, d,
								     1, place);
			}
			if (count)
				assert_int_equal(award(offer, i, shares, count,
						       space, out),
						 0);
		}
	astra_space_destroy(space);
	return 0;
}

static bool spared(void *self, const struct astra_demand *demand, uint32_t gpus,
		   double until_sec)
{
	(void)self;
	(void)until_sec;
	script.spared += gpus;
	script.spared_job = demand->job->id;
	return true;
}

static struct astra_policy scripted = {
	.name = "ltgf", /* so that the state finds it again */
	.summary = "small jobs first",
	.create = create,
	.destroy = destroy,
	.allocate = allocate,
	.spared = spared,
};

static void begin_with(struct vcluster *vc, bool promise, const char *source)
{
	memset(&script, 0, sizeof(script));
	scripted.source = source;
	vc_init(vc, NODES, NODE_GPUS);
	vc->options.lease_sec = TERM;
	vc->options.lease_said = true;
	vc->options.grace_sec = 2;
	vc->options.round_sec = 5;
	vc->options.promise = promise;
	vc->policy = &scripted;
	vc_begin(vc);
	vc_tenant(vc, "a", 1);
}

/* Every GPU has a small job without end; then there is a gang of all GPUs.
 * Its bound: (2 + (8 of its own) / 8) terms, and what jobs take to leave. */
static struct vjob *gang_behind_small_ones(struct vcluster *vc, bool promise,
					   const char *source)
{
	struct vjob *gang;

	begin_with(vc, promise, source);
	for (int i = 0; i < GPUS; i++)
		vc_submit(vc, 0, 1, HUGE_VAL);
	vc_run(vc, AT(10));
	assert_int_equal(vc_running_gpus(vc), GPUS);
	gang = vc_submit(vc, 0, GPUS, HUGE_VAL);
	vc_run(vc, AT(12));
	return gang;
}

static double bound_of(struct vcluster *vc, const struct vjob *v)
{
	return vc_view(vc, v).bound_sec;
}

static void a_gang_of_all_gpus_starts_within_its_bound(void **state)
{
	struct vcluster vc;
	struct vjob *gang = gang_behind_small_ones(&vc, true, NULL);
	double bound = bound_of(&vc, gang);

	(void)state;
	assert_true(bound >= AT(10 + 3 * TERM) && bound <= AT(30 + 3 * TERM));
	vc_run(&vc, bound);
	assert_int_equal(gang->starts, 1);
	assert_int_equal(script.spared, GPUS); /* the policy may charge it */
	assert_int_equal(script.spared_job, gang->job.id);
	assert_int_equal(astra_engine_counters(vc.engine).over_bound, 0);
	/* For a term; then the policy says who runs. */
	vc_run(&vc, bound + 2 * TERM);
	assert_int_equal(gang->starts, 1);
	vc_fini(&vc);
}

static void who_waits_is_told_of_the_hold_and_the_bound(void **state)
{
	struct vcluster vc;
	struct vjob *gang = gang_behind_small_ones(&vc, true, NULL);
	struct astra_hold_view hold = {0};
	struct astra_reason reason;

	(void)state;
	reason = vc_view(&vc, gang).reason;
	assert_int_equal(reason.wait, ASTRA_WAIT_RANK);
	assert_true(reason.bound_sec == bound_of(&vc, gang));
	while (!hold.job && vc.now_sec < AT(4 * TERM)) {
		vc_step(&vc);
		hold = astra_engine_hold(vc.engine);
	}
	assert_int_equal(hold.job, gang->job.id);
	reason = vc_view(&vc, gang).reason;
	assert_int_equal(reason.wait, ASTRA_WAIT_HOLD);
	assert_true(reason.start_sec == hold.start_sec);
	assert_true(reason.start_sec <= reason.bound_sec);
	/* No lease ends early for it, and none goes on beyond its begin. */
	assert_true(hold.start_sec >= vc.now_sec);
	vc_run(&vc, hold.start_sec - 1);
	for (size_t i = 0; i < GPUS; i++) {
		assert_int_equal(vc.jobs[i]->starts, 1);
		assert_true(vc_view(&vc, vc.jobs[i]).lease_end_sec <=
			    hold.start_sec);
	}
	vc_fini(&vc);
}

static void without_the_promise_it_never_starts(void **state)
{
	(void)state;
	for (int baseline = 0; baseline < 2; baseline++) {
		struct vcluster vc;
		struct vjob *gang = gang_behind_small_ones(
			&vc, baseline, baseline ? "a paper" : NULL);

		vc_run(&vc, AT(20 * TERM));
		assert_int_equal(gang->starts, 0);
		assert_int_equal(astra_engine_hold(vc.engine).job, 0);
		assert_true(vc_view(&vc, gang).reason.bound_sec < 1);
		vc_fini(&vc);
	}
}

/* One of the small jobs ends while a hold is planned; another one comes. */
static void an_award_ends_when_a_hold_begins(void **state)
{
	struct vcluster vc;
	struct vjob *gang = gang_behind_small_ones(&vc, true, NULL), *late;
	struct astra_hold_view hold = {0};

	(void)state;
	while (!hold.job && vc.now_sec < AT(4 * TERM)) {
		vc_step(&vc);
		hold = astra_engine_hold(vc.engine);
	}
	assert_true(hold.start_sec > vc.now_sec + 20);
	vc.jobs[0]->work_sec = 0; /* it ends now */
	late = vc_submit(&vc, 0, 1, HUGE_VAL);
	vc_run(&vc, vc.now_sec + 10);
	assert_int_equal(late->starts, 1);
	assert_true(vc_view(&vc, late).lease_end_sec == hold.start_sec);
	/* Nothing begins that would have to leave at once. */
	vc_run(&vc, hold.start_sec - 4);
	vc.jobs[1]->work_sec = 0;
	late = vc_submit(&vc, 0, 1, HUGE_VAL);
	vc_run(&vc, hold.start_sec + 20);
	assert_int_equal(late->starts, 0);
	assert_int_equal(gang->starts, 1);
	vc_fini(&vc);
}

/* Admission goes first: a job that the policy refuses has no hold. */
static void a_refused_job_is_promised_nothing(void **state)
{
	struct vcluster vc;
	struct vjob *gang = gang_behind_small_ones(&vc, true, NULL);

	(void)state;
	while (!astra_engine_hold(vc.engine).job && vc.now_sec < AT(4 * TERM))
		vc_step(&vc);
	assert_int_equal(astra_engine_hold(vc.engine).job, gang->job.id);
	script.refused = gang->job.id;
	vc_run(&vc, vc.now_sec + 10);
	assert_int_equal(astra_engine_hold(vc.engine).job, 0);
	vc_run(&vc, AT(10 * TERM));
	assert_int_equal(gang->starts, 0);
	vc_fini(&vc);
}

/* A restart forgets holds; bounds it does not. */
static void a_restart_keeps_the_bound(void **state)
{
	(void)state;
	for (int term = 1; term < 4; term++) {
		struct vcluster vc;
		struct vjob *gang = gang_behind_small_ones(&vc, true, NULL);
		double bound = bound_of(&vc, gang);

		vc_run(&vc, AT(term * TERM - 20));
		vc_restart(&vc);
		if (!gang->starts)
			assert_true(bound_of(&vc, gang) == bound);
		vc_run(&vc, bound);
		assert_int_equal(gang->starts, 1);
		vc_fini(&vc);
	}
}

/* An elastic job is promised the fewest GPUs that it runs on. */
static void an_elastic_job_is_promised_its_fewest_gpus(void **state)
{
	struct vcluster vc;
	struct vjob *job;
	double bound;

	(void)state;
	begin_with(&vc, true, NULL);
	for (int i = 0; i < GPUS; i++)
		vc_submit(&vc, 0, 1, HUGE_VAL);
	vc_run(&vc, AT(10));
	job = vc_submit(&vc, 0, GPUS, HUGE_VAL);
	job->job.request.gpus_min = 3;
	vc_run(&vc, AT(12));
	bound = bound_of(&vc, job);
	vc_run(&vc, bound);
	assert_int_equal(job->starts, 1);
	assert_int_equal(astra_shares_gpus(job->job.held, job->job.held_count),
			 3);
	vc_fini(&vc);
}

/* Three gangs of all GPUs come at once, where a slot lasts four terms: leases
 * end by themselves up to four terms later, so their holds are planned earlier.
 * at: when they come, from the begin. */
static uint64_t late_with_long_slots(const char *policy, double at)
{
	static const char *const names[] = {"b", "c", "d"};
	struct vcluster vc;
	uint64_t late;

	vc_init(&vc, 2, 8);
	(void)snprintf(vc.options.policy, sizeof(vc.options.policy), "%s",
		       policy);
	vc.options.lease_sec = 900;
	vc.options.slot_sec = 3600;
	vc.options.grace_sec = 5;
	vc.options.round_sec = 10;
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	for (size_t i = 0; i < 3; i++)
		vc_tenant(&vc, names[i], 1);
	for (int i = 0; i < 64; i++)
		vc_submit(&vc, 0, 1, HUGE_VAL);
	vc_run(&vc, AT(at));
	for (uint32_t i = 1; i <= 3; i++)
		vc_submit(&vc, i, 16, HUGE_VAL);
	vc_run(&vc, AT(at + 11 * 900));
	late = astra_engine_counters(vc.engine).over_bound;
	vc_fini(&vc);
	return late;
}

static void slots_may_be_longer_than_a_term(void **state)
{
	static const char *const policies[] = {"oasis", "incentive",
					       "ogasched"};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (double at = 100; at < 3600; at += 1400)
			assert_int_equal(late_with_long_slots(policies[i], at),
					 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gang_of_all_gpus_starts_within_its_bound),
		cmocka_unit_test(who_waits_is_told_of_the_hold_and_the_bound),
		cmocka_unit_test(without_the_promise_it_never_starts),
		cmocka_unit_test(an_award_ends_when_a_hold_begins),
		cmocka_unit_test(a_refused_job_is_promised_nothing),
		cmocka_unit_test(a_restart_keeps_the_bound),
		cmocka_unit_test(an_elastic_job_is_promised_its_fewest_gpus),
		cmocka_unit_test(slots_may_be_longer_than_a_term),
	};

	return cmocka_run_group_tests_name("allot_promise", tests, NULL, NULL);
}
