/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The host's clock is set forward in random histories. Each decision is the one
 * of a second cluster with the same jobs, whose clock is not set. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/common/random.h"
#include "src/policies/options.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define SECONDS 400
#define DRAWS 6
#define STEP_SEC 7200.0 /* slots, hours and minutes begin where they did */
/* All times are between this and twice this: adding STEP_SEC rounds nothing. */
#define BEGIN_SEC 1048576.0

static struct vcluster plain, set;
static double set_by_sec;
static struct astra_random rng;

static uint32_t below(uint32_t count)
{
	return (uint32_t)astra_random_below(&rng, count);
}

/* The others decide by how long ago a job was submitted. That time is the
 * host's, which stays as it was recorded. */
static const char *const policies[] = {
	"ltgf", "incentive", "ogasched", "ltgf+incentive", "ltgf+ogasched",
	"fifo", "drf",	     "gandiva",	 "dorm",
};

static void begin(struct vcluster *vc, const char *policy, bool promise)
{
	vc_init(vc, 2, 8);
	vc->now_sec = vc->due_sec = BEGIN_SEC;
	vc->kill_wait_sec = 5;
	snprintf(vc->options.policy, sizeof(vc->options.policy), "%s", policy);
	vc->options.lease_sec = 30;
	vc->options.grace_sec = 15;
	vc->options.round_sec = 5;
	vc->options.slot_sec = 60;
	vc->options.promise = promise;
	vc_tenant(vc, "a", 1);
	vc_tenant(vc, "b", 2);
	vc_tenant(vc, "c", 1);
	vc_begin(vc);
}

/* In one of the two worlds. */
static void add(struct vcluster *vc, const struct vjob *like, uint32_t gpus)
{
	struct vjob *v = vc_submit(vc, like->job.tenant, gpus, like->work_sec);

	v->job.checkpoints = like->job.checkpoints;
	v->checkpoint_sec = like->checkpoint_sec;
	v->job.revocable = like->job.revocable;
	v->job.copies = like->job.copies;
	v->job.forecast.work_sec = like->work_sec;
	v->job.request.gpus_min = like->job.request.gpus_min;
}

/* The start of an array's new task is the host's, and leases that are recalled
 * for a promise depend on it: there are arrays only where nothing is promised.
 */
static void submit(void)
{
	static const uint32_t sizes[] = {1, 1, 2, 3, 4, 8, 16};
	uint32_t gpus = sizes[below(ASTRA_COUNT_OF(sizes))];
	struct vjob like = {
		.job = {.tenant = below(3),
			.copies = set.options.promise || below(5) ? 1 : 3,
			.checkpoints = below(3) > 0,
			.revocable = below(8) > 0},
		.work_sec = 10 + (double)below(200),
		.checkpoint_sec = below(2) ? 10 : 0,
	};

	if (gpus > 2 && like.job.copies == 1 && !below(3))
		like.job.request.gpus_min = gpus / 2;
	add(&plain, &like, gpus);
	add(&set, &like, gpus);
}

static void compare_jobs(const char *policy, size_t at)
{
	const struct astra_job *a = &plain.jobs[at]->job;
	const struct astra_job *b = &set.jobs[at]->job;
	bool same = a->state == b->state && a->held_count == b->held_count &&
		    a->copies == b->copies &&
		    plain.jobs[at]->starts == set.jobs[at]->starts;

	for (size_t i = 0; same && i < a->held_count; i++)
		same = a->held[i].node == b->held[i].node &&
		       a->held[i].gpus == b->held[i].gpus;
	if (!same)
		fail_msg("%s: at %.0f job %u differs", policy,
			 plain.now_sec - BEGIN_SEC, a->id);
}

static void compare_leases(const char *policy, size_t at)
{
	struct astra_job_view a, b;

	astra_engine_job_view(plain.engine, at, plain.now_sec, &a);
	astra_engine_job_view(set.engine, at, set.now_sec, &b);
	assert_int_equal(a.id, b.id);
	if (a.id && a.lease_end_sec > 0 && isfinite(a.lease_end_sec) &&
	    fabs(a.lease_end_sec + set_by_sec - b.lease_end_sec) > 1e-3)
		fail_msg(
			"%s: at %.0f the lease of job %u ends at %.0f, not %.0f",
			policy, plain.now_sec - BEGIN_SEC, a.id,
			b.lease_end_sec - set_by_sec - BEGIN_SEC,
			a.lease_end_sec - BEGIN_SEC);
}

static void compare(const char *policy)
{
	if (plain.job_count != set.job_count)
		fail_msg("%s: at %.0f another task starts", policy,
			 plain.now_sec - BEGIN_SEC);
	for (size_t i = 0; i < plain.job_count; i++)
		compare_jobs(policy, i);
	assert_int_equal(astra_engine_job_count(plain.engine),
			 astra_engine_job_count(set.engine));
	for (size_t i = 0; i < astra_engine_job_count(plain.engine); i++)
		compare_leases(policy, i);
	assert_int_equal(astra_engine_counters(plain.engine).over_bound,
			 astra_engine_counters(set.engine).over_bound);
}

/* The clock is set after a round: what is recorded between the two is not
 * counted from its own time, but from the round's. */
static void step(void)
{
	uint64_t rounds = astra_engine_counters(set.engine).rounds;

	vc_step(&plain);
	vc_step(&set);
	if (astra_engine_counters(set.engine).rounds == rounds || below(3))
		return;
	vc_set_clock(&set, STEP_SEC);
	set_by_sec += STEP_SEC;
}

static void run(const char *policy, uint64_t seed)
{
	rng = astra_random_seed(seed);
	set_by_sec = 0;
	begin(&plain, policy, seed % 2);
	begin(&set, policy, seed % 2);
	for (int i = 0; i < SECONDS; i++) {
		if (!below(7))
			submit();
		step();
		compare(policy);
	}
	vc_fini(&plain);
	vc_fini(&set);
}

static void a_clock_that_is_set_changes_no_decision(void **state)
{
	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(policies); i++)
		for (uint64_t seed = 1; seed <= draws(DRAWS); seed++)
			run(policies[i], seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_that_is_set_changes_no_decision),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
