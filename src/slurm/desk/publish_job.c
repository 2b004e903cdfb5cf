/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/common/text.h"
#include "src/model/speed.h"
#include "src/slurm/ahead/forecaster.h"
#include "src/slurm/desk/publish_priv.h"
#include "src/slurm/in/charge.h"
#include "src/slurm/note/parked.h"
#include "src/slurm/note/progress.h"

/* Return the phase to report. Without leases, a job that holds GPUs is just
 * running, but a grace that has begun is still shown. */
static enum astra_report_phase phase_of(enum astra_phase phase, bool leases)
{
	static const enum astra_report_phase phases[] = {
		[ASTRA_PHASE_WAITING] = ASTRA_REPORT_WAITING,
		[ASTRA_PHASE_LEASED] = ASTRA_REPORT_LEASED,
		[ASTRA_PHASE_DOOMED] = ASTRA_REPORT_DOOMED,
		[ASTRA_PHASE_GRACE] = ASTRA_REPORT_GRACE,
		[ASTRA_PHASE_LEAVING] = ASTRA_REPORT_LEAVING,
	};

	return phase == ASTRA_PHASE_LEASED && !leases ? ASTRA_REPORT_RUNNING
						      : phases[phase];
}

/* Write a job's id as squeue does. */
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

/* Return why a job is held. If the policy oasis refused the job, return the
 * text that squeue shows. */
static const char *held_reason(const struct astra_job_info *info)
{
	const struct astra_report_bind *bind = info->binds;

	/* Members that a bind does not have are NULL. */
	if (info->bind_count && bind->kind == ASTRA_BIND_HOLD &&
	    !xstrcmp(bind->name, "JobHeldUser") &&
	    !xstrncmp(bind->of, ASTRA_REFUSED_BEGIN,
		      strlen(ASTRA_REFUSED_BEGIN)))
		return bind->of;
	return astra_reason_name(info->state_reason);
}

/* Write why the job waits: Slurm's own reason if that keeps it. */
static void write_reason(const struct publish_filler *f,
			 const struct astra_job_view *v,
			 const struct astra_job_info *job_info, char *text,
			 size_t size)
{
	const char *refused = v->reason.wait == ASTRA_WAIT_REFUSED
				      ? astra_refused_reason(v->id)
				      : NULL;

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
		snprintf(text, size, "%s", held_reason(job_info));
	else if (refused)
		snprintf(text, size, ASTRA_REPORT_REFUSES "%s", refused);
	else
		astra_reason_text(&v->reason, f->now_sec, text, size);
}

/* Return how far apart the GPUs are that the job holds. */
static const char *publish_job_level_of(const struct astra_view *view,
					const struct astra_job *job)
{
	return job->held_count
		       ? astra_level_name(astra_level_of(view->nodes, job->held,
							 job->held_count))
		       : "";
}

/* Return the term of a job's leases; 0: it has no leases. */
static double publish_term(const struct publish_filler *f,
			   const struct astra_job_info *job_info)
{
	if (!f->options->leases)
		return 0;
	return job_info->terms.lease_sec > 0 ? job_info->terms.lease_sec
					     : f->options->lease_sec;
}

/* Return the GPUs that the job holds, or else will hold. */
static uint32_t publish_gpus(const struct publish_filler *f,
			     const struct astra_job_view *v,
			     const struct astra_job *job)
{
	uint32_t gpus = astra_held_gpus(job);

	if (gpus && v->state == ASTRA_JOB_RUNNING)
		return gpus;
	return job->request.whole_node
		       ? astra_charge_gpus(&job->request, f->view->nodes,
					   f->view->map.count)
		       : v->gpus;
}

static bool has_ended(const struct astra_report_job *job)
{
	return job->of.state == ASTRA_JOB_ENDED ||
	       job->of.state == ASTRA_JOB_ENDING ||
	       job->of.state == ASTRA_JOB_REQUEUED;
}

/* A job as the engine and the snapshot know it, with the texts written for its
 * row. It must outlive the row. */
struct publish_one {
	const struct publish_filler *f;
	const struct astra_job_view *v;
	const struct astra_job *job;
	const struct astra_job_info *info;
	struct astra_text id;
	char reason[128], slowdown[ASTRA_SLOWDOWN_TEXT];
	char signal[16];
	struct astra_progress_texts said;
};

/* Write a signal's name without SIG, or its number if it has no name. */
static void write_signal(int number, char *text, size_t size)
{
	const char *name = number ? sigabbrev_np(number) : "";

	if (name)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "%d", number);
}

static void write_texts(struct publish_one *one)
{
	write_id(one->info, one->job->id, &one->id);
	write_reason(one->f, one->v, one->info, one->reason,
		     sizeof(one->reason));
	astra_slowdown_text(one->job->forecast.slowdown, one->slowdown);
	write_signal(one->info->terms.signal, one->signal, sizeof(one->signal));
}

/* Fill in what the history counts. If a job was requeued and runs again, its
 * last run ended when it was submitted again. */
static void fill_run(const struct publish_one *one,
		     struct astra_report_job *out)
{
	const struct astra_job *job = one->job;

	out->run_gpus = one->info->run_gpus;
	out->held_gpus = astra_held_gpus(job);
	out->run_start_sec =
		job->booting || one->v->uncharged ? 0 : job->start_sec;
	out->run_end_sec = job->end_sec;
	out->limit_sec = job->time_limit_sec;
	out->nodes_asked = job->request.nodes_max;
	out->leasable = one->info->terms.leasable;
	if (job->state == ASTRA_JOB_RUNNING && job->time_limit_sec > 0)
		out->limit_end_sec = job->start_sec + job->time_limit_sec;
	if (job->state == ASTRA_JOB_RUNNING && job->restart_cnt)
		out->run_end_sec = job->submit_sec;
}

/* Fill in whose job it is and what it asks for. */
static void fill_job(const struct publish_one *one,
		     struct astra_report_job *out)
{
	const struct astra_job_info *info = one->info;
	struct astra_tenant_view tenant;

	astra_engine_tenant_view(one->f->pool->engine, one->v->tenant,
				 one->f->now_sec, &tenant);
	out->pool = one->f->pool->name;
	out->tenant = tenant.name;
	out->array_id = info->array_job;
	out->array_task =
		info->array_task == NO_VAL ? UINT32_MAX : info->array_task;
	out->id_text = one->id.bytes;
	out->array = info->array;
	out->uid = info->uid;
	out->user = info->user;
	out->account = info->account;
	out->partition = info->partition;
	out->name = info->name;
	out->of.gpus = publish_gpus(one->f, one->v, one->job);
	if (astra_request_elastic(&one->job->request))
		out->gpus_min = one->job->request.gpus_min;
	out->nodes = info->nodes;
	out->state = job_state_string(info->state);
	out->run = one->job->restart_cnt;
	out->level = publish_job_level_of(one->f->view, one->job);
	out->slowdown = one->slowdown;
	out->levels_seen = one->job->forecast.levels_seen;
}

static void fill_lease(const struct publish_one *one,
		       struct astra_report_job *out)
{
	const struct astra_terms *terms = &one->info->terms;
	bool leases = one->f->options->leases;

	out->phase = phase_of(one->v->phase, leases);
	out->pinned = terms->pinned;
	if (terms->revocable && !one->v->revocable)
		out->pinned =
			one->f->options->unprepared == ASTRA_UNPREPARED_KEEP
				? ASTRA_PINNED_KEEP
				: ASTRA_PINNED_SHARE;
	out->signal = one->signal;
	out->unprepared =
		terms->revocable ? one->job->unprepared : terms->unprepared;
	out->lease_sec = publish_term(one->f, one->info);
	out->grace_sec = leases ? one->f->options->grace_sec : 0;
	out->of.revocable = terms->revocable && one->v->revocable;
	if (!leases)
		out->of.lease_start_sec = 0;
	if (!out->of.revocable || !isfinite(out->of.lease_end_sec))
		out->of.lease_end_sec = 0;
}

/* Fill in why the job waits, and until when. */
static void fill_wait(const struct publish_one *one,
		      struct astra_report_job *out)
{
	struct astra_reason *why = &out->of.reason;
	bool leases = one->f->options->leases;

	if (!leases)
		why->bound_sec = 0;
	if (!why->poor)
		why->credits = NAN;
	out->reason = out->reason_long = one->reason;
	out->wait = leases ? astra_wait_name(why->wait) : "";
	out->lack = leases ? astra_lack_text(why->lack) : "";
	out->binds = one->info->binds;
	out->bind_count = one->info->bind_count;
}

static void publish_row(struct publish_one *one, struct astra_report *report,
			struct astra_report_job *row)
{
	if (has_ended(row))
		(void)astra_report_add_ended(report, row);
	if (one->v->state == ASTRA_JOB_ENDED)
		return;
	if (one->f->auctions && astra_job_active(one->v->state))
		row->app = astra_app_of(one->job);
	astra_progress_show(row, one->f->now_sec, &one->said);
	if (!*row->advice && one->info->terms.revocable)
		row->advice = one->info->terms.dropped;
	astra_forecaster_show(row, one->f->now_sec);
	(void)astra_report_add_job(report, row);
}

void astra_publish_job(struct publish_filler *f, const struct astra_job_view *v,
		       size_t index)
{
	struct publish_one one = {
		.f = f,
		.v = v,
		.job = &f->view->jobs[index],
		.info = &f->view->info[index],
	};
	struct astra_report_job row = {.of = *v};

	write_texts(&one);
	fill_job(&one, &row);
	fill_lease(&one, &row);
	fill_wait(&one, &row);
	fill_run(&one, &row);
	publish_row(&one, f->report, &row);
	astra_text_clear(&one.id);
}
