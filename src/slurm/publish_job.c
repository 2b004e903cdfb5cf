/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "src/common/text.h"
#include "src/policy/speed.h"
#include "src/slurm/charge.h"
#include "src/slurm/forecaster.h"
#include "src/slurm/progress.h"
#include "src/slurm/publish_priv.h"

/* Without leases a job that holds GPUs does just that. A grace of before goes
 * on. */
static const char *phase_name(enum astra_phase phase, bool leases)
{
	static const char *const names[] = {
		[ASTRA_PHASE_WAITING] = "waiting",
		[ASTRA_PHASE_LEASED] = "leased",
		[ASTRA_PHASE_DOOMED] = "doomed",
		[ASTRA_PHASE_GRACE] = "grace",
		[ASTRA_PHASE_LEAVING] = "leaving",
	};

	return phase == ASTRA_PHASE_LEASED && !leases ? "running"
						      : names[phase];
}

/* As squeue writes a job's id. */
static void write_id(const struct astra_job_info *job_info, uint32_t id,
		     struct astra_text *out)
{
	if (job_info->array_task != NO_VAL)
		astra_text_printf(out, "%u_%u", job_info->array_job,
				  job_info->array_task);
	else if (*job_info->tasks)
		astra_text_printf(out, "%u_[%s]", id, job_info->tasks);
	else
		astra_text_printf(out, "%u", id);
}

/* Slurm's own reason where it is that which holds the job. */
static void write_reason(const struct publish_filler *f,
			 const struct astra_job_view *v,
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

/* The term of a job's leases; 0: it has none. */
static double publish_term(const struct publish_filler *f,
			   const struct astra_job_info *job_info)
{
	if (!f->options->leases)
		return 0;
	return job_info->terms.lease_sec > 0 ? job_info->terms.lease_sec
					     : f->options->lease_sec;
}

/* What it holds; else what it is to hold. */
static uint32_t publish_gpus(const struct publish_filler *f,
			     const struct astra_job_view *v,
			     const struct astra_job *job)
{
	uint32_t gpus = 0;

	for (size_t i = 0; i < job->held_count; i++)
		gpus += job->held[i].gpus;
	if (gpus && v->state == ASTRA_JOB_RUNNING)
		return gpus;
	return job->request.whole_node
		       ? astra_charge_gpus(&job->request, f->view->nodes,
					   f->view->map.count)
		       : v->gpus;
}

static bool has_ended(const struct astra_report_job *job)
{
	return job->life == ASTRA_JOB_ENDED || job->life == ASTRA_JOB_ENDING ||
	       job->life == ASTRA_JOB_REQUEUED;
}

void astra_publish_job(struct publish_filler *f, const struct astra_job_view *v,
		       size_t index)
{
	const struct astra_job *job = &f->view->jobs[index];
	const struct astra_job_info *ji = &f->view->info[index];
	struct astra_tenant_view tenant;
	struct astra_text id = {0};
	char reason[128], slowdown[ASTRA_SLOWDOWN_TEXT], sig[16] = "";
	bool leases = f->options->leases;
	const char *signal_name;
	char advice[ASTRA_GUARD_TEXT];

	astra_engine_tenant_view(f->pool->engine, v->tenant, f->now_sec,
				 &tenant);
	write_id(ji, job->id, &id);
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
		.id_text = id.bytes,
		.copies = v->copies,
		.array = ji->array,
		.uid = ji->uid,
		.user = ji->user,
		.account = ji->account,
		.partition = ji->partition,
		.name = ji->name,
		.gpus = publish_gpus(f, v, job),
		.nodes = ji->nodes,
		.state = job_state_string(ji->state),
		.phase = phase_name(v->phase, leases),
		.revocable = ji->terms.revocable,
		.pinned = ji->terms.pinned,
		.signal = signal_name,
		.weight = v->weight,
		.submit_sec = v->submit_sec,
		.start_sec = v->start_sec,
		.lease_sec = publish_term(f, ji),
		.lease_start_sec = leases ? v->lease_start_sec : 0,
		.lease_end_sec = ji->terms.revocable ? v->lease_end_sec : 0,
		.grace_sec = leases ? f->options->grace_sec : 0,
		.grace_end_sec = v->grace_end_sec,
		.lent = v->lent,
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
		.user_rho = v->user_rho,
		.rank = v->reason.rank,
		.ranks = v->reason.ranks,
		.expected_start_sec = v->reason.start_sec,
		.bound_sec = leases ? v->reason.bound_sec : 0,
		.reason = reason,
		.reason_long = reason,
		.wait = leases ? astra_wait_name(v->reason.wait) : "",
		.lack = f->options->leases ? astra_lack_text(v->reason.lack)
					   : "",
		.binds = ji->binds,
		.bind_count = ji->bind_count,
	};
	fill_run(job, &j);
	if (has_ended(&j))
		(void)astra_report_add_ended(f->report, &j);
	if (v->state != ASTRA_JOB_ENDED) {
		if (f->auctions && astra_job_active(v->state))
			j.app = astra_app_of(job);
		astra_progress_show(&j, advice);
		astra_forecaster_show(&j, f->now_sec);
		(void)astra_report_add_job(f->report, &j);
	}
	astra_text_clear(&id);
}
