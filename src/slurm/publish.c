/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/publish.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/idmap.h"
#include "src/history/history.h"
#include "src/policy/speed.h"
#include "src/slurm/grace.h"
#include "src/slurm/ledger.h"
#include "src/slurm/progress.h"
#include "src/slurm/publish_auction.h"
#include "src/slurm/publish_nodes.h"
#include "src/slurm/server.h"

/* One pool. */

struct filler {
	struct astra_report *report;
	struct astra_pool *pool;
	const struct astra_view *view;
	const struct astra_options *options;
	struct astra_idmap by_id;    /* job -> index into the view */
	uint32_t *waiting, *running; /* by tenant of the engine */
	struct astra_grace *graces;
	size_t grace_count, grace_room;
	struct astra_ledger_entry *ledger;
	size_t ledger_count, ledger_room;
	double now_sec;
	double start_sec; /* of slurmctld */
	bool auctions;	  /* the pool holds them */
};

static void fill_pool(struct filler *f)
{
	const struct astra_options *o = f->options;
	struct astra_counters c = astra_engine_counters(f->pool->engine);
	struct astra_hold_view hold = astra_engine_hold(f->pool->engine);
	struct astra_report_pool p = {
		.name = f->pool->name,
		.partitions = f->pool->partitions,
		.policy = o->policy,
		.variant = o->quota_entitlement ? "eq16" : "eq8",
		.lease_sec = o->lease_sec,
		.lease_min_sec = o->lease_min_sec,
		.lease_max_sec = o->lease_max_sec,
		.round_sec = o->round_sec,
		.grace_sec = o->grace_sec,
		.min_run_sec = o->min_run_sec,
		.half_life_sec = o->half_life_sec,
		.lead_max_sec = o->lead_max_sec,
		.reclaim_max = o->reclaim_max,
		.hold_job = hold.job,
		.hold_start_sec = hold.start_sec,
		.rounds = c.rounds,
		.granted = c.granted,
		.renewed = c.renewed,
		.revoked = c.revoked,
		.refused = c.refused,
		.reclaim_capped = c.reclaim_capped,
		.lent = c.lent,
	};

	astra_publish_count(f->view, &p);
	(void)astra_report_add_pool(f->report, &p);
}

static const char *phase_name(enum astra_phase phase)
{
	static const char *const names[] = {
		[ASTRA_PHASE_WAITING] = "waiting",
		[ASTRA_PHASE_LEASED] = "leased",
		[ASTRA_PHASE_DOOMED] = "doomed",
		[ASTRA_PHASE_GRACE] = "grace",
		[ASTRA_PHASE_LEAVING] = "leaving",
	};

	return names[phase];
}

/* As squeue writes a job's id. */
static void write_id(const struct astra_job_info *job_info, uint32_t id,
		     char *text, size_t size)
{
	if (job_info->array_task != NO_VAL)
		snprintf(text, size, "%u_%u", job_info->array_job,
			 job_info->array_task);
	else if (*job_info->tasks)
		snprintf(text, size, "%u_[%s]", id, job_info->tasks);
	else
		snprintf(text, size, "%u", id);
}

static void note_grace(struct filler *f, const struct astra_job *job,
		       const struct astra_job_info *job_info)
{
	struct astra_grace *g;

	if (astra_grow(&f->graces, &f->grace_room, f->grace_count + 1,
		       sizeof(*f->graces)) < 0)
		return;
	g = &f->graces[f->grace_count++];
	*g = (struct astra_grace){
		.job = job->id,
		.restart_cnt = job->restart_cnt,
		.signal = job_info->terms.signal,
		.exit_count = f->options->checkpoint_exit_count,
	};
	memcpy(g->exit, f->options->checkpoint_exit, sizeof(g->exit));
}

/* It may have been signalled before slurmctld's start without that being saved,
 * and be taken for one that runs on. */
static bool may_be_in_grace(const struct filler *f, const struct astra_job *job)
{
	return job->state == ASTRA_JOB_RUNNING &&
	       job->start_sec < f->start_sec &&
	       f->now_sec <
		       f->start_sec + f->options->grace_sec + ASTRA_HEARD_SEC &&
	       astra_grace_has(job->id);
}

static void note_ledger(struct filler *f, const struct astra_job_view *v,
			uint32_t run)
{
	if (!f->options->admin_comment ||
	    astra_grow(&f->ledger, &f->ledger_room, f->ledger_count + 1,
		       sizeof(*f->ledger)) < 0)
		return;
	f->ledger[f->ledger_count++] = astra_ledger_of(v, run);
}

/* Slurm's own reason where it is that which holds the job. */
static void write_reason(const struct filler *f, const struct astra_job_view *v,
			 const struct astra_job_info *job_info, char *text,
			 size_t size)
{
	*text = '\0';
	if ((job_info->state & JOB_STATE_BASE) != JOB_PENDING)
		return;
	if (!f->options->leases)
		snprintf(text, size,
			 "Slurm starts it by priority; its reason is %s",
			 astra_reason_name(job_info->state_reason));
	else if (*job_info->limit)
		snprintf(text, size, "%s", job_info->limit);
	else if (v->reason.wait == ASTRA_WAIT_BLOCKED &&
		 job_info->state_reason != FAIL_BURST_BUFFER_OP)
		snprintf(text, size, "%s",
			 astra_reason_name(job_info->state_reason));
	else
		astra_reason_text(&v->reason, f->now_sec, text, size);
}

/* How far apart the GPUs are that it holds. */
static const char *level_of(const struct astra_view *view,
			    const struct astra_job *job)
{
	return job->held_count
		       ? astra_level_name(astra_level_of(view->nodes, job->held,
							 job->held_count))
		       : "";
}

/* What the history counts. A job that was requeued and runs again ended its
 * last run when it was submitted anew. */
static void fill_run(const struct astra_job *job, struct astra_report_job *out)
{
	out->life = job->state;
	for (size_t i = 0; i < job->held_count; i++)
		out->held_gpus += job->held[i].gpus;
	out->run_start_sec = job->booting ? 0 : job->start_sec;
	out->run_end_sec = job->end_sec;
	if (job->state == ASTRA_JOB_RUNNING && job->restart_cnt)
		out->run_end_sec = job->submit_sec;
}

static bool has_ended(const struct astra_report_job *job)
{
	return job->life == ASTRA_JOB_ENDED || job->life == ASTRA_JOB_ENDING ||
	       job->life == ASTRA_JOB_REQUEUED;
}

static void fill_job(struct filler *f, const struct astra_job_view *v,
		     size_t index)
{
	const struct astra_job *job = &f->view->jobs[index];
	const struct astra_job_info *ji = &f->view->info[index];
	struct astra_tenant_view tenant;
	char id[128], reason[128], slowdown[ASTRA_SLOWDOWN_TEXT], sig[16] = "";
	const char *signal_name;
	char advice[ASTRA_GUARD_TEXT];

	astra_engine_tenant_view(f->pool->engine, v->tenant, f->now_sec,
				 &tenant);
	write_id(ji, job->id, id, sizeof(id));
	write_reason(f, v, ji, reason, sizeof(reason));
	astra_slowdown_text(job->forecast.slowdown, slowdown);
	signal_name = ji->terms.signal ? sigabbrev_np(ji->terms.signal) : "";
	if (!signal_name) {
		snprintf(sig, sizeof(sig), "%d", ji->terms.signal);
		signal_name = sig;
	}
	struct astra_report_job j = {
		.pool = f->pool->name,
		.tenant = tenant.name,
		.id = job->id,
		.array_id = ji->array_job,
		.array_task =
			ji->array_task == NO_VAL ? UINT32_MAX : ji->array_task,
		.id_text = id,
		.copies = v->copies,
		.uid = ji->uid,
		.user = ji->user,
		.account = ji->account,
		.partition = ji->partition,
		.name = ji->name,
		.gpus = v->gpus,
		.nodes = ji->nodes,
		.state = job_state_string(ji->state),
		.phase = phase_name(v->phase),
		.revocable = ji->terms.revocable,
		.pinned = ji->terms.pinned,
		.signal = signal_name,
		.weight = v->weight,
		.submit_sec = v->submit_sec,
		.start_sec = v->start_sec,
		.lease_sec = ji->terms.lease_sec > 0 ? ji->terms.lease_sec
						     : f->options->lease_sec,
		.lease_start_sec = v->lease_start_sec,
		.lease_end_sec = ji->terms.revocable ? v->lease_end_sec : 0,
		.grace_sec = f->options->grace_sec,
		.grace_end_sec = v->grace_end_sec,
		.leases = v->leases,
		.revoked = v->revoked,
		.lost_sec = v->lost_sec,
		.run = job->restart_cnt,
		.level = level_of(f->view, job),
		.slowdown = slowdown,
		.levels_seen = job->forecast.levels_seen,
		.alloc_gpu_sec = v->usage.alloc,
		.fair_gpu_sec = v->usage.fair,
		.rho = v->rho,
		.rank = v->reason.rank,
		.ranks = v->reason.ranks,
		.expected_start_sec = v->reason.start_sec,
		.reason = reason,
		.reason_long = reason,
		.wait = f->options->leases ? astra_wait_name(v->reason.wait) : "",
		.binds = ji->binds,
		.bind_count = ji->bind_count,
	};
	fill_run(job, &j);
	if (has_ended(&j))
		(void)astra_report_add_ended(f->report, &j);
	if (v->state == ASTRA_JOB_ENDED)
		return;
	if (f->auctions && astra_job_active(v->state))
		j.app = astra_app_of(job);
	astra_progress_show(&j, advice);
	(void)astra_report_add_job(f->report, &j);
}

static void fill_jobs(struct filler *f, uint32_t *queue)
{
	for (size_t i = 0; i < astra_engine_job_count(f->pool->engine); i++) {
		struct astra_job_view v;
		uint32_t index;

		astra_engine_job_view(f->pool->engine, i, f->now_sec, &v);
		index = v.id ? astra_idmap_get(&f->by_id, v.id)
			     : ASTRA_IDMAP_NONE;
		if (index == ASTRA_IDMAP_NONE)
			continue;
		if (v.state == ASTRA_JOB_ENDED) {
			fill_job(f, &v, index);
			continue;
		}
		note_ledger(f, &v, f->view->jobs[index].restart_cnt);
		if (v.phase == ASTRA_PHASE_GRACE ||
		    may_be_in_grace(f, &f->view->jobs[index]))
			note_grace(f, &f->view->jobs[index],
				   &f->view->info[index]);
		if (v.phase == ASTRA_PHASE_GRACE)
			astra_progress_signalled(
				v.id, f->view->jobs[index].restart_cnt,
				v.grace_end_sec - f->options->grace_sec);
		if (f->waiting && astra_job_active(v.state)) {
			if (v.state == ASTRA_JOB_RUNNING)
				f->running[v.tenant]++;
			else
				f->waiting[v.tenant] += v.copies;
		}
		if (v.state != ASTRA_JOB_RUNNING)
			*queue += v.copies;
		fill_job(f, &v, index);
	}
}

static uint32_t tenant_uid(const struct astra_view *view, const char *name)
{
	uint32_t at = astra_tenants_find(&view->tenants, name);

	if (at == ASTRA_NONE || view->tenants.uid[at] == NO_VAL)
		return ASTRA_REPORT_NO_UID;
	return view->tenants.uid[at];
}

static void fill_tenants(struct filler *f, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct astra_tenant_view v;
		struct astra_policy_report sums = {0};

		astra_engine_tenant_view(f->pool->engine, i, f->now_sec, &v);
		(void)astra_engine_policy_report(f->pool->engine, v.name,
						 &sums);
		struct astra_report_tenant t = {
			.pool = f->pool->name,
			.name = v.name,
			.uid = tenant_uid(f->view, v.name),
			.listed = v.listed,
			.weight = v.weight,
			.quota_gpus = v.quota,
			.demand_gpus = v.demand_gpus,
			.alloc_gpus = v.alloc_gpus,
			.alloc_gpu_sec = v.usage.alloc,
			.fair_gpu_sec = v.usage.fair,
			.rho = v.rho,
			.jobs_waiting = f->waiting ? f->waiting[i] : 0,
			.jobs_running = f->running ? f->running[i] : 0,
			.paid = sums.paid,
			.income = sums.income,
		};
		(void)astra_report_add_tenant(f->report, &t);
	}
}

static void fill(struct filler *f, uint32_t *queue)
{
	size_t tenants = astra_engine_tenant_count(f->pool->engine);

	f->options = astra_engine_options(f->pool->engine);
	f->waiting = calloc(2 * tenants + 1, sizeof(*f->waiting));
	f->running = f->waiting ? f->waiting + tenants : NULL;
	for (size_t i = 0; i < f->view->job_count; i++)
		(void)astra_idmap_put(&f->by_id, f->view->jobs[i].id,
				      (uint32_t)i);
	fill_pool(f);
	f->auctions =
		astra_publish_auction(f->report, f->pool, f->view, &f->by_id);
	fill_jobs(f, queue);
	fill_tenants(f, tenants);
	astra_publish_nodes(f->report, f->pool->name, f->view);
	free(f->waiting);
	astra_idmap_clear(&f->by_id);
}

/* Everything else. */

static void fill_diag(struct astra_report *report,
		      const struct astra_cycle *cycle, uint32_t queue)
{
	const struct astra_diag *d = &cycle->diag;
	double minutes = (d->round_sec - d->reset_sec) / 60;
	struct astra_report_diag out = {
		.started_sec = d->started_sec,
		.reset_sec = d->reset_sec,
		.round_sec = d->round_sec,
		.rounds = d->rounds,
		.rounds_per_min = minutes > 0 ? (double)d->rounds / minutes : 0,
		.round = astra_clock_report(&d->round),
		.decide = astra_clock_report(&d->decide),
		.snapshot = astra_clock_report(&d->snapshot),
		.write_lock = astra_clock_report(&d->write_lock),
		.depth = d->depth,
		.queue = queue,
		.started = d->started,
		.skipped = d->skipped,
		.state_saves = d->state_saves,
		.state_saved_sec = d->state_saved_sec,
		.state_error = d->state_error.text,
		.config_sec = d->config_sec,
		.config_error = d->config_error.text,
		.config_warning = d->config_warning.text,
		.policy_error = d->policy_error.text,
	};
	struct astra_history_stats history;

	astra_history_stats(&history);
	out.history = history.figures;

	for (size_t i = 0; i < report->pool_count; i++) {
		out.granted += report->pools[i].granted;
		out.renewed += report->pools[i].renewed;
		out.revoked += report->pools[i].revoked;
		out.refused += report->pools[i].refused;
	}
	(void)astra_report_set_diag(report, &out);
}

void astra_publish(struct astra_cycle *cycle)
{
	struct filler f = {
		.now_sec = cycle->diag.round_sec,
		.start_sec = (double)cycle->scene.start,
	};
	uint32_t queue = 0;

	f.report = astra_report_create();
	if (!f.report)
		return;
	f.report->time_sec = f.now_sec;
	f.report->privacy.jobs = slurm_conf.private_data & PRIVATE_DATA_JOBS;
	f.report->privacy.usage = slurm_conf.private_data & PRIVATE_DATA_USAGE;
	(void)astra_report_set_cluster(f.report, slurm_conf.cluster_name,
				       SLURM_VERSION_STRING);
	for (size_t i = 0;
	     i < cycle->pools.count && i < cycle->scene.view_count; i++) {
		f.pool = &cycle->pools.list[i];
		f.view = &cycle->scene.views[i];
		if (f.pool->engine)
			fill(&f, &queue);
	}
	astra_grace_set(f.graces, f.grace_count);
	astra_ledger_set(f.ledger, f.ledger_count);
	free(f.graces);
	free(f.ledger);
	fill_diag(f.report, cycle, queue);
	astra_history_note(f.report);
	astra_server_publish(f.report);
}
