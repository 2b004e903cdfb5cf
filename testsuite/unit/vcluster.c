/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "testsuite/unit/vcluster.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/engine/engine_priv.h"
#include "testsuite/unit/unit.h"

/* What a job that left holds is free at the next step at the earliest. */
#define LEAST_CLEANUP_SEC 0.5

/* What the world calls. */

static bool vcluster_refuses(void *arg, const struct astra_decision *d)
{
	struct vcluster *vc = arg;
	bool refuses =
		d->action == ASTRA_START && vc->refuses && vc->refuses(vc, d);

	if (refuses)
		astra_engine_refuse(vc->engine, d->job,
				    vc->plan.shares + d->first_share,
				    d->share_count, true, vc->now_sec);
	else if (vc->trace)
		printf("%6.0f %s job %u until %.0f\n", vc->now_sec - 1000,
		       d->action == ASTRA_START	   ? "start"
		       : d->action == ASTRA_SIGNAL ? "signal"
						   : "requeue",
		       d->job, d->until_sec > 0 ? d->until_sec - 1000 : 0);
	vc->refused |= refuses;
	return refuses;
}

static uint32_t vcluster_split(void *arg, uint32_t number)
{
	struct vcluster *vc = arg;
	struct vjob *array = vc->jobs[number];
	struct vjob *task = vc_submit(vc, array->job.tenant,
				      array->job.request.gpus, array->work_sec);

	task->job.request = array->job.request;
	task->job.user = array->job.user;
	task->job.submit_sec = array->job.submit_sec;
	task->job.array_id = array->job.id;
	array->job.copies--;
	return task->job.id - 1;
}

static int vcluster_started(void *arg, uint32_t number, double *end_sec)
{
	struct vcluster *vc = arg;

	(void)end_sec;
	vc->jobs[number]->starts++;
	return 0;
}

static double vcluster_leaves(void *arg, uint32_t number,
			      const struct astra_decision *d)
{
	struct vcluster *vc = arg;
	const struct vjob *v = vc->jobs[number];

	assert_true(v->job.revocable);
	assert_int_equal(v->job.restart_cnt, d->restart_cnt);
	for (size_t i = 0; i < v->job.held_count; i++)
		vc->reclaimed += v->job.held[i].gpus;
	if (d->action == ASTRA_REQUEUE)
		return vc->now_sec;
	return v->checkpoint_sec > 0 ? vc->now_sec + v->checkpoint_sec
				     : HUGE_VAL;
}

static int vcluster_left(void *arg, uint32_t number, double at_sec,
			 bool requeued)
{
	struct vcluster *vc = arg;
	struct vjob *v = vc->jobs[number];

	v->waited_from_sec = at_sec;
	if (requeued)
		v->job.submit_sec = at_sec;
	return 0;
}

static int vcluster_dropped(void *arg, uint32_t number)
{
	struct vcluster *vc = arg;
	size_t i = 0;

	if (vc->plan.terse)
		return 0;
	while (i < vc->plan.reason_count &&
	       vc->plan.reasons[i].job != number + 1)
		i++;
	assert_true(i < vc->plan.reason_count);
	vc->jobs[number]->refused = vc->plan.reasons[i];
	return 0;
}

static const struct astra_world_host vcluster_host = {
	.refuses = vcluster_refuses,
	.split = vcluster_split,
	.started = vcluster_started,
	.leaves = vcluster_leaves,
	.left = vcluster_left,
	.dropped = vcluster_dropped,
	.dropped_state = ASTRA_JOB_BLOCKED,
};

void vc_init(struct vcluster *vc, size_t nodes, uint32_t gpus)
{
	memset(vc, 0, sizeof(*vc));
	astra_options_init(&vc->options);
	vc->node_count = nodes;
	for (size_t i = 0; i < nodes; i++)
		vc->nodes[i] = (struct astra_node){
			.usable = true,
			.gpus = gpus,
			.gpus_free = gpus,
			.cpus = 8 * gpus,
			.cpus_free = 8 * gpus,
			.mem_free_mib = 1 << 20,
		};
	vc->now_sec = vc->due_sec = 1000;
	vc->cleanup_sec = 1;
	vc->world.host = &vcluster_host;
	vc->world.arg = vc;
	vc->world.nodes = vc->nodes;
	astra_plan_init(&vc->plan);
}

void vc_begin(struct vcluster *vc)
{
	struct astra_error err = {""};

	assert_int_equal(astra_options_check(&vc->options, &err), 0);
	if (!vc->policy)
		vc->policy = astra_policy_find(vc->options.policy);
	vc->engine = astra_engine_create_with(&vc->options, vc->policy,
					      vc->now_sec, &err);
	if (!vc->engine)
		fail_msg("%s", err.text);
}

void vc_fini(struct vcluster *vc)
{
	astra_engine_destroy(vc->engine);
	astra_plan_destroy(&vc->plan);
	astra_world_clear(&vc->world);
	for (size_t i = 0; i < vc->job_count; i++)
		free(vc->jobs[i]);
}

uint32_t vc_tenant(struct vcluster *vc, const char *name, double weight)
{
	vc->tenants[vc->tenant_count] =
		(struct astra_tenant){.name = name, .weight = weight};
	return (uint32_t)vc->tenant_count++;
}

uint32_t vc_user(struct vcluster *vc, uint32_t tenant, const char *name)
{
	vc->users[vc->user_count] = (struct astra_user){
		.name = name,
		.tenant = tenant,
		.weight = 1,
	};
	return (uint32_t)vc->user_count++;
}

struct vjob *vc_submit(struct vcluster *vc, uint32_t tenant, uint32_t gpus,
		       double work_sec)
{
	struct vjob *v = calloc(1, sizeof(*v));

	assert_non_null(v);
	assert_true(vc->job_count < VC_JOBS);
	v->job = (struct astra_job){
		.id = (uint32_t)vc->job_count + 1,
		.tenant = tenant,
		.copies = 1,
		.weight = 1,
		.request = {.gpus = gpus, .cpus = gpus},
		.state = ASTRA_JOB_PENDING,
		.submit_sec = vc->now_sec,
		.revocable = true,
	};
	v->work_sec = work_sec;
	v->waited_from_sec = vc->now_sec;
	assert_int_equal(astra_world_add(&vc->world, &v->job), 0);
	vc->jobs[vc->job_count++] = v;
	if (vc->due_sec > vc->now_sec + 1)
		vc->due_sec = vc->now_sec + 1;
	return v;
}

static void vcluster_live(struct vcluster *vc)
{
	vc->world.node_count = vc->node_count;
	vc->world.cleanup_sec = fmax(vc->cleanup_sec, LEAST_CLEANUP_SEC);
	for (uint32_t i = 0; i < vc->job_count; i++) {
		struct vjob *v = vc->jobs[i];

		if (v->job.state != ASTRA_JOB_RUNNING)
			continue;
		v->done_sec += 1;
		v->job.forecast.done_sec = v->done_sec;
		if (v->done_sec < v->work_sec)
			continue;
		assert_int_equal(
			astra_world_leave(&vc->world, i, vc->now_sec, false),
			0);
		vc->due_sec = fmin(vc->due_sec, vc->now_sec + 1);
	}
	assert_int_equal(astra_world_advance(&vc->world, vc->now_sec), 0);
}

/* One that is over has been so since the same time, or goes on; but for one
 * that was to leave before, says the host. */
static void check_leases(struct vcluster *vc)
{
	for (size_t i = 0; i < astra_engine_job_count(vc->engine); i++) {
		struct astra_job_view view;
		struct vjob *v;
		double least;

		astra_engine_job_view(vc->engine, i, vc->now_sec, &view);
		if (!view.id || view.id > vc->job_count)
			continue;
		v = vc->jobs[view.id - 1];
		least = astra_lease_cut(&v->job,
					fmin(v->lease_end_sec, vc->now_sec));
		if (v->lease_run == v->job.restart_cnt &&
		    view.lease_end_sec > 0 && view.lease_end_sec < least)
			fail_msg("at %.0f the lease of job %u, over at %.0f, "
				 "ended at %.0f",
				 vc->now_sec, view.id, v->lease_end_sec,
				 view.lease_end_sec);
		v->lease_end_sec = view.lease_end_sec;
		v->lease_run = v->job.restart_cnt;
	}
}

static void hold_round(struct vcluster *vc)
{
	struct astra_snapshot snap = {
		.now_sec = vc->now_sec,
		.kill_wait_sec = vc->kill_wait_sec,
		.nodes = vc->nodes,
		.node_count = vc->node_count,
		.bids = vc->bids,
		.bid_count = vc->bid_count,
		.tenants = vc->tenants,
		.tenant_count = vc->tenant_count,
		.users = vc->users,
		.user_count = vc->user_count,
		.preempts = vc->preempts,
		.limits = vc->world.limits,
		.limit_count = vc->world.limit_count,
		.jobs = vc->snapshot_jobs,
		.job_count = vc->job_count,
	};
	struct astra_error err = {""};

	if (vc->period_sec > 0) {
		snap.period_begin_sec =
			vc->now_sec - fmod(vc->now_sec - 1000, vc->period_sec);
		snap.period_end_sec = snap.period_begin_sec + vc->period_sec;
	}
	for (size_t i = 0; i < vc->job_count; i++)
		vc->snapshot_jobs[i] = vc->jobs[i]->job;
	if (vc->round)
		vc->round(vc, &snap);
	else if (astra_engine_round(vc->engine, &snap, &vc->plan, &err) < 0)
		fail_msg("%s", err.text);
	else
		check_leases(vc);
	vc->reclaimed = 0;
	if (vc->trace && astra_engine_hold(vc->engine).job)
		printf("%6.0f hold for job %u at %.0f\n", vc->now_sec - 1000,
		       astra_engine_hold(vc->engine).job,
		       astra_engine_hold(vc->engine).start_sec - 1000);
}

/* As slurmctld does: what is refused for its nodes is decided again at once. */
static void hold_rounds(struct vcluster *vc)
{
	struct astra_error err;

	vc->refused = true;
	for (int i = 0; vc->refused && i < VC_TRIES; i++) {
		vc->refused = false;
		hold_round(vc);
		if (astra_world_apply(&vc->world, &vc->plan, &err) < 0)
			fail_msg("%s", err.text);
		if (vc->reclaimed > vc->most_reclaimed)
			vc->most_reclaimed = vc->reclaimed;
	}
	vc->due_sec = fmax(vc->plan.wake_sec, vc->now_sec + 1);
	if (vc->looked)
		vc->looked(vc);
}

void vc_step(struct vcluster *vc)
{
	vcluster_live(vc);
	if (vc->due_sec <= vc->now_sec)
		hold_rounds(vc);
	vc->now_sec += 1;
}

void vc_run(struct vcluster *vc, double until_sec)
{
	while (vc->now_sec < until_sec)
		vc_step(vc);
}

void vc_set_clock(struct vcluster *vc, double by_sec)
{
	vc->now_sec += by_sec;
	vc->due_sec += by_sec;
	for (size_t i = 0; i < vc->world.queue.count; i++)
		vc->world.queue.heap[i].at_sec += by_sec;
	astra_engine_shift(vc->engine, by_sec);
}

void vc_restart(struct vcluster *vc)
{
	struct astra_bytes saved = {0};
	struct astra_error err = {""};

	assert_int_equal(astra_engine_save(vc->engine, &saved), 0);
	astra_engine_destroy(vc->engine);
	vc->engine = astra_engine_restore(&vc->options, saved.data, saved.size,
					  &err);
	if (!vc->engine)
		fail_msg("%s", err.text);
	astra_bytes_clear(&saved);
}

struct astra_job_view vc_view(struct vcluster *vc, const struct vjob *v)
{
	struct astra_job_view view;

	for (size_t i = 0; i < astra_engine_job_count(vc->engine); i++) {
		astra_engine_job_view(vc->engine, i, vc->now_sec, &view);
		if (view.id == v->job.id)
			return view;
	}
	fail_msg("job %u is not known to the engine", v->job.id);
	return view;
}

struct astra_tenant_view vc_tenant_view(struct vcluster *vc, uint32_t tenant)
{
	struct astra_tenant_view view;

	for (size_t i = 0; i < astra_engine_tenant_count(vc->engine); i++) {
		astra_engine_tenant_view(vc->engine, i, vc->now_sec, &view);
		if (!strcmp(view.name, vc->tenants[tenant].name))
			return view;
	}
	fail_msg("tenant %s is not known", vc->tenants[tenant].name);
	return view;
}

uint32_t vc_running_gpus(const struct vcluster *vc)
{
	uint32_t gpus = 0;

	for (size_t i = 0; i < vc->job_count; i++)
		if (vc->jobs[i]->job.state == ASTRA_JOB_RUNNING)
			gpus += vc->jobs[i]->job.request.gpus;
	return gpus;
}
