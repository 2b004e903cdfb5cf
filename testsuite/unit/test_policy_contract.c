/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What src/policies/policy.h promises, of every policy of the registry, in
 * random worlds: each flag that a policy sets is kept, and the engine tells a
 * policy the truth about its candidates. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/common/random.h"
#include "src/policies/options.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define BEGIN_SEC 1200.0 /* a slot begins, counted from here or from 0 */
#define SECONDS 300
#define DRAWS 3
#define NODES 2
#define NODE_GPUS 8
#define SLOT_SEC 30 /* and LeaseTerm, which some baselines' slots are */
#define ROUND_SEC 5

static struct vcluster vc;
static struct astra_random rng;
static const struct astra_policy *policy;
/* By job: the end of its lease as of the round before; 0: it did not run. */
static double ends[VC_JOBS + 1];
/* By job: when it was submitted, whatever became of it since. */
static double came[VC_JOBS + 1];

static uint32_t below(uint32_t count)
{
	return (uint32_t)astra_random_below(&rng, count);
}

static void begin(const struct astra_policy *p, uint64_t seed)
{
	policy = p;
	rng = astra_random_seed(seed);
	memset(ends, 0, sizeof(ends));
	vc_init(&vc, NODES, NODE_GPUS);
	vc.now_sec = vc.due_sec = BEGIN_SEC;
	snprintf(vc.options.policy, sizeof(vc.options.policy), "%s", p->name);
	vc.options.promise = false;
	vc.options.lease_sec = SLOT_SEC;
	vc.options.grace_sec = 2;
	vc.options.round_sec = ROUND_SEC;
	vc.options.slot_sec = SLOT_SEC;
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 2);
	vc_begin(&vc);
}

static struct vjob *submit(uint32_t gpus, double work_sec)
{
	struct vjob *v = vc_submit(&vc, below(2), gpus, work_sec);

	v->job.forecast.work_sec = work_sec;
	came[v->job.id] = vc.now_sec;
	v->job.checkpoints = below(2);
	v->job.lease_sec = below(3) ? 0 : 17; /* a term of its own */
	return v;
}

static void note_ends(void)
{
	for (size_t i = 0; i < astra_engine_job_count(vc.engine); i++) {
		struct astra_job_view view;

		astra_engine_job_view(vc.engine, i, vc.now_sec, &view);
		if (view.id)
			ends[view.id] = view.state == ASTRA_JOB_RUNNING
						? view.lease_end_sec
						: 0;
	}
}

/* preempts: only then a lease ends before its time. */
static void check_told(void)
{
	for (size_t i = 0; i < vc.plan.decision_count; i++) {
		const struct astra_decision *d = &vc.plan.decisions[i];

		if (d->action != ASTRA_START && ends[d->job] > vc.now_sec &&
		    !policy->preempts)
			fail_msg("%s: job %u is told to leave at %.0f, before "
				 "its lease's end at %.0f",
				 policy->name, d->job, vc.now_sec - BEGIN_SEC,
				 ends[d->job] - BEGIN_SEC);
	}
}

/* endless: only then a lease has no end. slots: leases end with slots. */
static void check_ends(const struct astra_job_view *view)
{
	double slots = view->lease_end_sec / SLOT_SEC;

	if (view->state != ASTRA_JOB_RUNNING || !view->revocable ||
	    view->phase != ASTRA_PHASE_LEASED || view->lent)
		return;
	if (isinf(view->lease_end_sec) && !policy->endless)
		fail_msg("%s: the lease of job %u has no end", policy->name,
			 view->id);
	if (policy->slots && fabs(slots - round(slots)) > 1e-6)
		fail_msg("%s: the lease of job %u ends at %.2f, within a slot",
			 policy->name, view->id, view->lease_end_sec);
}

static void check_round(struct vcluster *of)
{
	check_told();
	for (size_t i = 0; i < astra_engine_job_count(of->engine); i++) {
		struct astra_job_view view;

		astra_engine_job_view(of->engine, i, of->now_sec, &view);
		if (view.id)
			check_ends(&view);
	}
	note_ends();
}

static void crowd(void)
{
	static const uint32_t sizes[] = {1, 1, 2, 3, 4, 8, 16};

	vc.looked = check_round;
	for (int i = 0; i < SECONDS; i++) {
		if (!below(8))
			submit(sizes[below(ASTRA_COUNT_OF(sizes))],
			       10 + (double)below(150));
		vc_step(&vc);
	}
}

static void leases_end_as_the_flags_say(void **state)
{
	(void)state;
	for (size_t i = 0; astra_policy_all()[i]; i++)
		for (uint64_t seed = 1; seed <= draws(DRAWS); seed++) {
			begin(astra_policy_all()[i], seed);
			crowd();
			vc_fini(&vc);
		}
}

/* conserving: whatever comes, it starts if there are GPUs for all. */
static void everybody_starts_where_there_is_enough(void **state)
{
	(void)state;
	for (size_t i = 0; astra_policy_all()[i]; i++) {
		if (!astra_policy_all()[i]->conserving)
			continue;
		begin(astra_policy_all()[i], 1);
		for (uint32_t left = NODES * NODE_GPUS; left;) {
			uint32_t gpus = 1 + below(left < 3 ? left : 3);

			submit(gpus, HUGE_VAL);
			left -= gpus;
		}
		vc_run(&vc, vc.now_sec + 2 * ROUND_SEC);
		assert_int_equal(vc_running_gpus(&vc), NODES * NODE_GPUS);
		vc_fini(&vc);
	}
}

/* A ranking policy has one GPU at a time for jobs of a tenant that are alike
 * but for their precedence. */
static void check_precedence(const struct astra_policy *p, uint64_t seed)
{
	struct vjob *jobs[8];
	uint32_t served = 0;

	begin(p, seed);
	vc.node_count = 1;
	vc.nodes[0].gpus = vc.nodes[0].gpus_free = 1;
	for (size_t i = 0; i < ASTRA_COUNT_OF(jobs); i++) {
		jobs[i] = vc_submit(&vc, 0, 1, 10);
		jobs[i]->job.precedence = below(4);
	}
	while (served < ASTRA_COUNT_OF(jobs)) {
		served = 0;
		vc_step(&vc);
		for (size_t i = 0; i < ASTRA_COUNT_OF(jobs); i++)
			served += jobs[i]->starts;
		for (size_t i = 0; i < ASTRA_COUNT_OF(jobs); i++)
			for (size_t k = 0; k < ASTRA_COUNT_OF(jobs); k++)
				if (!jobs[i]->starts && jobs[k]->starts &&
				    jobs[i]->job.precedence >
					    jobs[k]->job.precedence)
					fail_msg("%s: job %u of precedence %g "
						 "waits, job %u of %g starts",
						 p->name, jobs[i]->job.id,
						 jobs[i]->job.precedence,
						 jobs[k]->job.id,
						 jobs[k]->job.precedence);
		assert_true(vc.now_sec < BEGIN_SEC + 10 * SLOT_SEC);
	}
	vc_fini(&vc);
}

static void of_two_that_are_alike_precedence_decides(void **state)
{
	(void)state;
	for (size_t i = 0; astra_policy_all()[i]; i++)
		for (uint64_t seed = 1; seed <= draws(8); seed++)
			if (astra_policy_all()[i]->decide)
				check_precedence(astra_policy_all()[i], seed);
}

/* A policy that looks at what it is asked, and decides as ltgf. */
static struct astra_policy spy;
static size_t spied;

static void check_candidate(const struct astra_contest *contest,
			    const struct astra_candidate *c)
{
	uint32_t id = 0;
	struct astra_job_view view = {0};
	const struct vjob *v;

	astra_engine_job_view(vc.engine, c->job, vc.now_sec, &view);
	id = view.id;
	assert_in_range(id, 1, vc.job_count);
	v = vc.jobs[id - 1];
	assert_close(c->submit_sec, came[id], 1e-12);
	assert_close(c->precedence, v->job.precedence, 0);
	assert_int_equal(c->fresh, !v->starts);
	assert_true(c->gpus >= 1 && c->tenant < contest->tenant_count);
	assert_string_equal(contest->tenants[c->tenant].name,
			    vc.tenants[v->job.tenant].name);
	spied += !c->fresh;
}

static int spy_decide(void *self, const struct astra_contest *contest,
		      struct astra_ranking *out, struct astra_error *err)
{
	assert_close(contest->now_sec, vc.now_sec, 0);
	for (size_t i = 0; i < contest->candidate_count; i++)
		check_candidate(contest, &contest->candidates[i]);
	return astra_policy_find("ltgf")->decide(self, contest, out, err);
}

/* A job keeps the time of its first submission over requeues: the host sets its
 * own anew each time. */
static void a_candidate_knows_since_when_it_waits(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= draws(DRAWS); seed++) {
		spy = *astra_policy_find("ltgf");
		spy.decide = spy_decide;
		begin(&spy, seed);
		astra_engine_destroy(vc.engine);
		vc.policy = &spy;
		vc_begin(&vc);
		crowd();
		vc_fini(&vc);
	}
	assert_true(spied > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leases_end_as_the_flags_say),
		cmocka_unit_test(everybody_starts_where_there_is_enough),
		cmocka_unit_test(of_two_that_are_alike_precedence_decides),
		cmocka_unit_test(a_candidate_knows_since_when_it_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
