/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine in a simulation grants what `sfairsim decide` does for the same
 * state (ASTRAEA, Algorithms 1 and 2).
 *
 * The two can be compared where the engine does not knowingly differ: it
 * charges a tenant with what is left of running leases, because leases end at
 * different times, and keeps promises that the paper does not make
 * (doc/design.md). So rounds are one lease apart here, as in the paper: at each
 * of them all leases are over; and nothing is promised. A job that leaves needs
 * no time for it, as decide knows no grace. Which free GPUs a job gets is not
 * compared: the engine takes back no more than it needs. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/decide/decide.h"
#include "testsuite/unit/sim_random.h"

#define SEEDS 20
#define LEASE_SEC 300

struct run {
	double start_sec, end_sec; /* infinite: it holds its GPUs */
};

struct past {
	bool seen;
	double submit_sec, end_sec; /* infinite: not finished */
	struct run *runs;
	size_t run_count, run_room;
	struct astra_share held[RANDOM_NODES];
	size_t held_count;
};

/* Stands between the simulation and the engine, and remembers. */
static struct probe {
	const struct astra_scheduler *engine;
	void *self;
	const struct random_world *world;
	struct past jobs[RANDOM_JOBS];
	double now_sec;
	json_t *expected; /* of now_sec; NULL: not comparable */
	unsigned compared, granted, renewed, waited;
} probe;

static json_t *shares_of(const struct past *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->held_count; i++)
		json_array_append_new(list,
				      json_pack("[ii]", (int)p->held[i].node,
						(int)p->held[i].gpus));
	return list;
}

static bool holds(const struct past *p)
{
	return p->run_count && isinf(p->runs[p->run_count - 1].end_sec);
}

static json_t *job_of(uint32_t index, double now_sec)
{
	const struct past *p = &probe.jobs[index];
	const struct astra_trace_job *t = &probe.world->jobs[index];
	json_t *runs = json_array();

	for (size_t i = 0; i < p->run_count; i++)
		json_array_append_new(
			runs, json_pack("[ff]", p->runs[i].start_sec,
					fmin(p->runs[i].end_sec, now_sec)));
	return json_pack(
		"{s:i, s:s, s:f, s:i, s:f, s:o, s:o, s:o}", "id", (int)index,
		"tenant", probe.world->tenants[t->tenant].name, "weight", 1.0,
		"gpus", (int)t->gpus, "submit", p->submit_sec, "runs", runs,
		"end", isinf(p->end_sec) ? json_null() : json_real(p->end_sec),
		"held", shares_of(p));
}

/* In the order of the snapshot, for ties go to the first; then what has ended.
 */
static json_t *jobs_of(const struct astra_snapshot *snapshot)
{
	json_t *jobs = json_array();

	for (size_t i = 0; i < snapshot->job_count; i++)
		if (snapshot->jobs[i].state != ASTRA_JOB_ENDED)
			json_array_append_new(jobs,
					      job_of(snapshot->jobs[i].id - 1,
						     snapshot->now_sec));
	for (uint32_t i = 0; i < RANDOM_JOBS; i++)
		if (probe.jobs[i].seen && !isinf(probe.jobs[i].end_sec))
			json_array_append_new(jobs,
					      job_of(i, snapshot->now_sec));
	return jobs;
}

/* All leases are over, so all GPUs are free. */
static json_t *instance_of(const struct astra_snapshot *snapshot)
{
	json_t *tenants = json_array(), *nodes = json_array();

	for (size_t i = 0; i < RANDOM_TENANTS; i++)
		json_array_append_new(
			tenants,
			json_pack("{s:s, s:f}", "id",
				  probe.world->tenants[i].name, "weight",
				  probe.world->tenants[i].weight));
	for (size_t i = 0; i < RANDOM_NODES; i++)
		json_array_append_new(nodes, json_pack("{s:i, s:i}", "free",
						       RANDOM_NODE_GPUS, "size",
						       RANDOM_NODE_GPUS));
	return json_pack("{s:s, s:i, s:f, s:f, s:f, s:o, s:o, s:o}", "variant",
			 probe.world->policy.quota_entitlement ? "eq16" : "eq8",
			 "gpus", (int)probe.world->cluster.gpus, "begin", 1e6,
			 "now", snapshot->now_sec, "lease", (double)LEASE_SEC,
			 "tenants", tenants, "jobs", jobs_of(snapshot), "nodes",
			 nodes);
}

static void decide(const struct astra_snapshot *snapshot)
{
	struct astra_error err = {""};
	json_t *instance = instance_of(snapshot);

	assert_non_null(instance);
	probe.expected = astra_decide("ltgf", instance, &err);
	json_decref(instance);
	if (!probe.expected)
		fail_msg("decide: %s", err.text);
}

/* Take what decide says, if it was asked. */
static bool take_expected(bool *granted, bool *renewed)
{
	json_t *expected = probe.expected, *grant;
	bool comparable = expected != NULL;
	size_t i;

	json_array_foreach(json_object_get(expected, "grants"), i, grant)
	{
		json_int_t job =
			json_integer_value(json_object_get(grant, "job"));

		granted[job] = true;
		renewed[job] = json_is_true(json_object_get(grant, "renew"));
	}
	json_decref(expected);
	probe.expected = NULL;
	return comparable;
}

/* The grants of the last round are the jobs that hold GPUs after it, and those
 * that were renewed are those that held them before. */
static void compare(void)
{
	bool granted[RANDOM_JOBS] = {false}, renewed[RANDOM_JOBS] = {false};

	if (!take_expected(granted, renewed))
		return;
	for (uint32_t job = 0; job < RANDOM_JOBS; job++) {
		const struct past *p = &probe.jobs[job];
		bool has = holds(p);
		bool kept = has &&
			    p->runs[p->run_count - 1].start_sec < probe.now_sec;

		if (has != granted[job] || kept != renewed[job])
			fail_msg("seed %u, %g s: job %u is %s, decide: %s",
				 (unsigned)probe.world->options.seed,
				 probe.now_sec - 1e6, job,
				 kept  ? "renewed"
				 : has ? "granted"
				       : "not granted",
				 renewed[job]	? "renewed"
				 : granted[job] ? "granted"
						: "not granted");
		probe.granted += has;
		probe.renewed += kept;
		probe.waited += p->seen && isinf(p->end_sec) && !has;
	}
	probe.compared++;
}

static void observe(const struct astra_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->job_count; i++) {
		const struct astra_job *job = &snapshot->jobs[i];
		struct past *p = &probe.jobs[job->id - 1];

		if (!p->seen)
			*p = (struct past){
				.seen = true,
				.submit_sec = job->submit_sec,
				.end_sec = HUGE_VAL,
			};
		if (job->state != ASTRA_JOB_ENDED || !isinf(p->end_sec))
			continue;
		p->end_sec = job->end_sec;
		p->runs[p->run_count - 1].end_sec = job->end_sec;
		p->held_count = 0;
	}
}

static void carry_out(const struct astra_plan *plan, double now_sec)
{
	for (size_t i = 0; i < plan->decision_count; i++) {
		const struct astra_decision *d = &plan->decisions[i];
		struct past *p = &probe.jobs[d->job - 1];

		if (d->action != ASTRA_START) {
			p->runs[p->run_count - 1].end_sec = now_sec;
			p->held_count = 0;
			continue;
		}
		assert_int_equal(astra_grow(&p->runs, &p->run_room,
					    p->run_count + 1, sizeof(*p->runs)),
				 0);
		p->runs[p->run_count++] = (struct run){now_sec, HUGE_VAL};
		p->held_count = d->share_count;
		memcpy(p->held, plan->shares + d->first_share,
		       d->share_count * sizeof(*p->held));
	}
}

static void *create_probe(const struct astra_scheduler_setup *setup,
			  struct astra_error *err)
{
	probe.self = probe.engine->create(setup, err);
	return probe.self ? &probe : NULL;
}

static void destroy_probe(void *self)
{
	(void)self;
	probe.engine->destroy(probe.self);
}

/* Several rounds may be at one time: the first takes GPUs back, the next gives
 * them away. */
static int round_of_probe(void *self, const struct astra_snapshot *snapshot,
			  struct astra_plan *plan, struct astra_error *err)
{
	(void)self;
	if (snapshot->now_sec > probe.now_sec) {
		compare();
		observe(snapshot);
		probe.now_sec = snapshot->now_sec;
		decide(snapshot);
	}
	if (probe.engine->round(probe.self, snapshot, plan, err) < 0)
		return -1;
	carry_out(plan, snapshot->now_sec);
	return 0;
}

static void play(uint64_t seed)
{
	static const struct astra_scheduler scheduler = {
		.name = "probe",
		.create = create_probe,
		.destroy = destroy_probe,
		.round = round_of_probe,
	};
	struct random_world w;
	struct astra_sim_result result;
	struct astra_error err = {""};

	random_world(&w, seed);
	w.policy.lease_sec = w.options.round_sec = LEASE_SEC;
	w.policy.promise = w.policy.attained_first = false;
	w.options.checkpoint_sec = 0;
	memset(probe.jobs, 0, sizeof(probe.jobs));
	probe.world = &w;
	probe.now_sec = 0;
	if (astra_simulate(&w.trace, &w.cluster, &scheduler, &w.policy,
			   &w.options, &result, &err) < 0)
		fail_msg("seed %u: %s", (unsigned)seed, err.text);
	compare();
	for (size_t i = 0; i < RANDOM_JOBS; i++)
		free(probe.jobs[i].runs);
	astra_sim_result_clear(&result);
	astra_cluster_clear(&w.cluster);
}

static void the_engine_grants_what_decide_does(void **state)
{
	(void)state;
	probe.engine = astra_scheduler_find("ltgf", NULL);
	assert_non_null(probe.engine);
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		play(seed);
	printf("%u rounds: %u leases, %u of them renewals; %u times a job "
	       "waited\n",
	       probe.compared, probe.granted, probe.renewed, probe.waited);
	assert_true(probe.compared > 20 * SEEDS);
	assert_true(probe.renewed > 100 && probe.waited > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_engine_grants_what_decide_does),
	};

	return cmocka_run_group_tests_name("sim_decide", tests, NULL, NULL);
}
