/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "testsuite/unit/step_world.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "src/policies/options.h"
#include "testsuite/unit/unit.h"

/* What the cluster calls; who is to leave does so at world_leave(). */

static bool step_refuses(void *arg, const struct astra_decision *d)
{
	const struct world *w = arg;

	assert_int_equal(d->restart_cnt, w->jobs[d->job - 1].restart_cnt);
	return false;
}

static double step_leaves(void *arg, uint32_t n, const struct astra_decision *d)
{
	const struct world *w = arg;

	assert_false(w->cluster.jobs[n].leaving);
	assert_int_equal(d->action == ASTRA_SIGNAL, w->checkpoints);
	return DBL_MAX;
}

static const struct astra_world_host step_host = {
	.refuses = step_refuses,
	.leaves = step_leaves,
	.dropped_state = ASTRA_JOB_BLOCKED,
};

void world_init(struct world *w, const char *scheduler, size_t nodes,
		uint32_t gpus, const double *weights)
{
	static const char *const names[] = {"a", "b", "c", "d",
					    "e", "f", "g", "h"};

	memset(w, 0, sizeof(*w));
	w->scheduler = astra_scheduler_find(scheduler, NULL);
	assert_non_null(w->scheduler);
	astra_options_init(&w->options);
	assert_int_equal(
		astra_options_set(&w->options, "Policy", scheduler, NULL), 0);
	w->options.lease_sec = 600;
	w->node_count = nodes;
	w->cluster = (struct astra_world){
		.host = &step_host,
		.arg = w,
		.begin_sec = WORLD_BEGIN,
		.nodes = w->nodes,
		.node_count = nodes,
	};
	for (size_t i = 0; i < nodes; i++)
		w->nodes[i] = (struct astra_node){
			.usable = true,
			.gpus = gpus,
			.gpus_free = gpus,
			.cpus = UINT32_MAX,
			.cpus_free = UINT32_MAX,
			.mem_free_mib = ASTRA_UNCOUNTED_MIB,
		};
	for (; *weights >= 0; weights++) {
		w->names[w->trace.tenant_count].weight = *weights;
		w->tenants[w->trace.tenant_count].name =
			names[w->trace.tenant_count];
		w->tenants[w->trace.tenant_count++].weight = *weights;
	}
	w->trace.jobs = w->lines;
	w->trace.tenants = w->names;
	astra_plan_init(&w->plan);
}

void world_fini(struct world *w)
{
	if (w->self)
		w->scheduler->destroy(w->self);
	astra_plan_destroy(&w->plan);
	astra_world_clear(&w->cluster);
}

uint32_t world_job(struct world *w, uint32_t tenant, uint32_t gpus,
		   double submit_sec, double duration_sec)
{
	uint32_t n = (uint32_t)w->trace.job_count++;

	assert_true(n < WORLD_JOBS && !w->self);
	w->lines[n] = (struct astra_trace_job){
		.tenant = tenant,
		.gpus = gpus,
		.submit_sec = submit_sec,
		.duration_sec = duration_sec,
	};
	w->jobs[n] = (struct astra_job){
		.id = n + 1,
		.tenant = tenant,
		.copies = 1,
		.weight = 1,
		.request = {.gpus = gpus},
		.state = ASTRA_JOB_PENDING,
		.submit_sec = WORLD_BEGIN + submit_sec,
		.revocable = true,
		.forecast = {.work_sec = duration_sec, .measured = true},
	};
	assert_int_equal(astra_world_add(&w->cluster, &w->jobs[n]), 0);
	return n;
}

uint32_t world_gpus(const struct world *w, uint32_t n)
{
	return astra_held_gpus(&w->jobs[n]);
}

static void step_leave(struct world *w, uint32_t n, bool requeue)
{
	assert_int_equal(astra_world_leave(&w->cluster, n, w->now_sec, requeue),
			 0);
}

void world_leave(struct world *w)
{
	for (uint32_t n = 0; n < w->trace.job_count; n++)
		if (w->cluster.jobs[n].leaving)
			step_leave(w, n, true);
}

void world_pass(struct world *w, double sec)
{
	w->now_sec += sec;
	for (uint32_t n = 0; n < w->trace.job_count; n++) {
		struct astra_job *job = &w->jobs[n];

		if (job->state != ASTRA_JOB_RUNNING ||
		    w->cluster.jobs[n].leaving)
			continue;
		job->forecast.done_sec +=
			sec * world_gpus(w, n) / job->request.gpus;
		if (job->forecast.done_sec >= w->lines[n].duration_sec)
			step_leave(w, n, false);
	}
	assert_int_equal(astra_world_advance(&w->cluster, w->now_sec), 0);
}

void world_round(struct world *w)
{
	struct astra_snapshot s = {
		.now_sec = WORLD_BEGIN + w->now_sec,
		.nodes = w->nodes,
		.node_count = w->node_count,
		.tenants = w->tenants,
		.tenant_count = w->trace.tenant_count,
		.jobs = w->seen,
	};
	struct astra_scheduler_setup setup = {
		.options = &w->options,
		.trace = &w->trace,
		.begin_sec = WORLD_BEGIN,
	};
	struct astra_error err;

	if (!w->self)
		w->self = w->scheduler->create(&setup, &err);
	assert_non_null(w->self);
	for (size_t n = 0; n < w->trace.job_count; n++) {
		w->jobs[n].checkpoints = w->checkpoints;
		if (w->lines[n].submit_sec > w->now_sec)
			continue;
		w->seen[s.job_count++] = w->jobs[n];
	}
	assert_int_equal(w->scheduler->round(w->self, &s, &w->plan, &err), 0);
	if (astra_world_apply(&w->cluster, &w->plan, &err) < 0)
		fail_msg("%s", err.text);
	if (!w->checkpoints)
		world_leave(w);
}

void world_rounds(struct world *w)
{
	int rounds = 0;

	do {
		world_round(w);
		assert_true(++rounds < 10);
	} while (w->plan.decision_count);
}

bool world_runs(const struct world *w, const char *numbers)
{
	char text[WORLD_JOBS + 1] = "";
	size_t length = 0;

	for (uint32_t n = 0; n < w->trace.job_count; n++)
		if (w->jobs[n].state == ASTRA_JOB_RUNNING)
			text[length++] = (char)('0' + n);
	if (strcmp(text, numbers))
		print_message("at %g: \"%s\" run, not \"%s\"\n", w->now_sec,
			      text, numbers ? numbers : ""); /* for UBSan */
	return !strcmp(text, numbers);
}

size_t world_count(const struct world *w, enum astra_job_state state)
{
	size_t count = 0;

	for (size_t n = 0; n < w->trace.job_count; n++)
		count += w->jobs[n].state == state;
	return count;
}
