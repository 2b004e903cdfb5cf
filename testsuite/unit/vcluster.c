/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "testsuite/unit/vcluster.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/engine/engine_priv.h"
#include "testsuite/unit/unit.h"

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
		.held = v->held,
	};
	v->work_sec = work_sec;
	v->waited_from_sec = vc->now_sec;
	vc->jobs[vc->job_count++] = v;
	if (vc->due_sec > vc->now_sec + 1)
		vc->due_sec = vc->now_sec + 1;
	return v;
}

static void hold_shares(struct vcluster *vc, struct vjob *v, int sign)
{
	for (size_t i = 0; i < v->job.held_count; i++) {
		struct astra_node *n = &vc->nodes[v->held[i].node];

		if (sign > 0) {
			assert_true(n->usable);
			assert_false(n->settling);
			assert_true(n->gpus_free >= v->held[i].gpus);
			assert_true(n->cpus_free >= v->held[i].cpus);
			assert_true(n->mem_free_mib >= v->held[i].mem_mib);
			n->gpus_free -= v->held[i].gpus;
			n->cpus_free -= v->held[i].cpus;
			n->mem_free_mib -= v->held[i].mem_mib;
		} else {
			n->gpus_free += v->held[i].gpus;
			n->cpus_free += v->held[i].cpus;
			n->mem_free_mib += v->held[i].mem_mib;
		}
	}
}

static void leave(struct vcluster *vc, struct vjob *v, bool requeue)
{
	v->job.state = requeue ? ASTRA_JOB_REQUEUED : ASTRA_JOB_ENDING;
	v->job.end_sec = vc->now_sec;
	v->clean_sec = vc->now_sec + vc->cleanup_sec;
	v->leave_sec = 0;
	v->waited_from_sec = vc->now_sec;
	if (requeue) {
		v->job.restart_cnt++;
		v->job.submit_sec = vc->now_sec;
	}
}

static void cleaned(struct vcluster *vc, struct vjob *v)
{
	hold_shares(vc, v, -1);
	v->job.held_count = 0;
	v->job.state = v->job.state == ASTRA_JOB_REQUEUED ? ASTRA_JOB_PENDING
							  : ASTRA_JOB_ENDED;
}

static void live(struct vcluster *vc)
{
	for (size_t i = 0; i < vc->job_count; i++) {
		struct vjob *v = vc->jobs[i];

		if (v->job.state == ASTRA_JOB_RUNNING) {
			v->done_sec += 1;
			v->job.forecast.done_sec = v->done_sec;
			if (v->done_sec >= v->work_sec)
				leave(vc, v, false);
			else if (v->leave_sec && v->leave_sec <= vc->now_sec)
				leave(vc, v, true);
		} else if ((v->job.state == ASTRA_JOB_REQUEUED ||
			    v->job.state == ASTRA_JOB_ENDING) &&
			   v->clean_sec <= vc->now_sec) {
			cleaned(vc, v);
		}
		if (v->job.state == ASTRA_JOB_ENDING &&
		    v->job.end_sec == vc->now_sec)
			vc->due_sec = fmin(vc->due_sec, vc->now_sec + 1);
	}
}

static double share_charge(const struct vcluster *vc,
			   const struct astra_share *share)
{
	const struct astra_node *n = &vc->nodes[share->node];

	return astra_charge(n->charge, n->gpus) * share->gpus / n->gpus;
}

/* The task of an array that a start of it is for. */
static struct vjob *task_of(struct vcluster *vc, struct vjob *array)
{
	struct vjob *task;

	if (array->job.copies <= 1)
		return array;
	task = vc_submit(vc, array->job.tenant, array->job.request.gpus,
			 array->work_sec);
	task->job.request = array->job.request;
	task->job.user = array->job.user;
	task->job.submit_sec = array->job.submit_sec;
	task->job.array_id = array->job.id;
	array->job.copies--;
	return task;
}

static void start(struct vcluster *vc, struct vjob *v,
		  const struct astra_decision *d)
{
	uint32_t gpus = 0, most;

	assert_int_equal(v->job.state, ASTRA_JOB_PENDING);
	v->job.held_count = d->share_count;
	v->job.held_charge = 0;
	for (size_t i = 0; i < d->share_count; i++) {
		v->held[i] = vc->plan.shares[d->first_share + i];
		gpus += v->held[i].gpus;
		v->job.held_charge += share_charge(vc, &v->held[i]);
	}
	most = v->job.request.nodes_wish * v->job.request.gpus_per_node;
	if (most < v->job.request.gpus)
		most = v->job.request.gpus;
	assert_in_range(gpus,
			v->job.request.gpus_min ? v->job.request.gpus_min
						: v->job.request.gpus,
			most);
	hold_shares(vc, v, 1);
	v->job.state = ASTRA_JOB_RUNNING;
	v->job.start_sec = vc->now_sec;
	v->job.end_sec = 0;
	v->starts++;
}

static const struct astra_reason *reason_in(const struct astra_plan *plan,
					    uint32_t job)
{
	size_t i = 0;

	while (i < plan->reason_count && plan->reasons[i].job != job)
		i++;
	assert_true(i < plan->reason_count);
	return &plan->reasons[i];
}

static void carry_out(struct vcluster *vc, const struct astra_decision *d)
{
	struct vjob *v = vc->jobs[d->job - 1];

	if (vc->trace)
		printf("%6.0f %s job %u until %.0f\n", vc->now_sec - 1000,
		       d->action == ASTRA_START	   ? "start"
		       : d->action == ASTRA_SIGNAL ? "signal"
						   : "requeue",
		       d->job, d->until_sec > 0 ? d->until_sec - 1000 : 0);
	if (d->action == ASTRA_START) {
		start(vc, task_of(vc, v), d);
		return;
	}
	if (d->action == ASTRA_REFUSE) {
		assert_int_equal(v->job.state, ASTRA_JOB_PENDING);
		v->job.state = ASTRA_JOB_BLOCKED;
		v->refused = *reason_in(&vc->plan, d->job);
		return;
	}
	assert_int_equal(v->job.state, ASTRA_JOB_RUNNING);
	assert_true(v->job.revocable);
	assert_int_equal(v->job.restart_cnt, d->restart_cnt);
	if (d->action == ASTRA_SIGNAL) {
		if (v->checkpoint_sec > 0)
			v->leave_sec = vc->now_sec + v->checkpoint_sec;
	} else {
		leave(vc, v, true);
	}
	for (size_t i = 0; i < v->job.held_count; i++)
		vc->reclaimed += v->held[i].gpus;
}

/* Nothing starts on a node where a job is being cleaned up. */
static void settle_nodes(struct vcluster *vc)
{
	for (size_t i = 0; i < vc->node_count; i++)
		vc->nodes[i].settling = false;
	for (size_t i = 0; i < vc->job_count; i++) {
		const struct vjob *v = vc->jobs[i];

		for (size_t k = 0;
		     v->job.state != ASTRA_JOB_RUNNING && k < v->job.held_count;
		     k++)
			vc->nodes[v->held[k].node].settling = true;
	}
}

static void hold_round(struct vcluster *vc)
{
	struct astra_snapshot snap = {
		.now_sec = vc->now_sec,
		.nodes = vc->nodes,
		.node_count = vc->node_count,
		.bids = vc->bids,
		.bid_count = vc->bid_count,
		.tenants = vc->tenants,
		.tenant_count = vc->tenant_count,
		.users = vc->users,
		.user_count = vc->user_count,
		.jobs = vc->snapshot_jobs,
		.job_count = vc->job_count,
	};
	struct astra_error err = {""};

	for (size_t i = 0; i < vc->job_count; i++)
		vc->snapshot_jobs[i] = vc->jobs[i]->job;
	if (vc->round)
		vc->round(vc, &snap);
	else if (astra_engine_round(vc->engine, &snap, &vc->plan, &err) < 0)
		fail_msg("%s", err.text);
	vc->reclaimed = 0;
	if (vc->trace && astra_engine_hold(vc->engine).job)
		printf("%6.0f hold for job %u at %.0f\n", vc->now_sec - 1000,
		       astra_engine_hold(vc->engine).job,
		       astra_engine_hold(vc->engine).start_sec - 1000);
}

/* Returns whether a start was refused. */
static bool refuse(struct vcluster *vc, const struct astra_decision *d)
{
	if (d->action != ASTRA_START || !vc->refuses || !vc->refuses(vc, d))
		return false;
	astra_engine_refuse(vc->engine, d->job,
			    vc->plan.shares + d->first_share, d->share_count,
			    true, vc->now_sec);
	return true;
}

/* As slurmctld does: what is refused for its nodes is decided again at once. */
static void hold_rounds(struct vcluster *vc)
{
	bool refused = true;

	for (int i = 0; refused && i < VC_TRIES; i++) {
		refused = false;
		hold_round(vc);
		for (size_t k = 0; k < vc->plan.decision_count; k++) {
			if (refuse(vc, &vc->plan.decisions[k]))
				refused = true;
			else
				carry_out(vc, &vc->plan.decisions[k]);
		}
		if (vc->reclaimed > vc->most_reclaimed)
			vc->most_reclaimed = vc->reclaimed;
		settle_nodes(vc);
	}
	vc->due_sec = fmax(vc->plan.wake_sec, vc->now_sec + 1);
	if (vc->looked)
		vc->looked(vc);
}

void vc_step(struct vcluster *vc)
{
	live(vc);
	settle_nodes(vc);
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
	for (size_t i = 0; i < vc->job_count; i++) {
		vc->jobs[i]->clean_sec += by_sec;
		if (vc->jobs[i]->leave_sec > 0)
			vc->jobs[i]->leave_sec += by_sec;
	}
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
