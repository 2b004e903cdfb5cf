/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/desk/publish.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/idmap.h"
#include "src/history/history.h"
#include "src/model/speed.h"
#include "src/proto/report_pool.h"
#include "src/slurm/ahead/forecaster.h"
#include "src/slurm/ahead/tuner.h"
#include "src/slurm/check/selfcheck.h"
#include "src/slurm/conf/site.h"
#include "src/slurm/desk/publish_auction.h"
#include "src/slurm/desk/publish_nodes.h"
#include "src/slurm/desk/publish_priv.h"
#include "src/slurm/desk/server.h"
#include "src/slurm/note/note.h"
#include "src/slurm/note/progress.h"
#include "src/slurm/out/notify.h"

/* One pool. */

static void fill_pool(struct publish_filler *f)
{
	const struct astra_options *o = f->options;
	struct astra_hold_view hold = astra_engine_hold(f->pool->engine);
	struct astra_report_pool p = {
		.name = f->pool->name,
		.partitions = f->pool->partitions,
		.policy = o->policy,
		.variant = o->quota_entitlement ? "eq16" : "eq8",
		.of = *o,
		.hold_job = hold.job,
		.hold_start_sec = hold.start_sec,
		.counters = astra_engine_counters(f->pool->engine),
		.adoptions = f->pool->adoptions,
		.lease_chosen_why = "",
	};
	struct astra_policy_report sums;

	p.of.min_run_sec = astra_min_run_sec(o, astra_policy_find(o->policy),
					     o->lease_sec, 0);
	if (!o->leases)
		p.of.lease_sec = p.of.lease_min_sec = p.of.lease_max_sec =
			p.of.grace_sec = p.of.min_run_sec = 0;
	(void)astra_engine_policy_report(f->pool->engine, NULL, &sums);
	p.reward = sums.reward;
	p.slots = sums.slots;

	astra_publish_count(f->view, &p);
	astra_tuner_show(&p);
	(void)astra_report_add_pool(f->report, &p);
}

/* Whether the job may be in its grace: it may have got its signal before
 * slurmctld's start without that being saved, and so seem to run on. */
static bool publish_may_be_in_grace(const struct publish_filler *f,
				    const struct astra_job *job)
{
	return job->state == ASTRA_JOB_RUNNING &&
	       job->start_sec < f->start_sec &&
	       f->now_sec <
		       f->start_sec + f->options->grace_sec + ASTRA_HEARD_SEC &&
	       astra_note_of(job->id).in_grace;
}

static void fill_class(const struct astra_class *class, void *arg)
{
	struct publish_filler *f = arg;
	const struct astra_report_class out = {f->pool->name, *class};

	(void)astra_report_add_class(f->report, &out);
}

/* Note what a hook needs to know at the job's end. */
static void publish_remember(const struct publish_filler *f,
			     const struct astra_job_view *v, uint32_t index)
{
	const struct astra_job *job = &f->view->jobs[index];
	bool in_grace = v->phase == ASTRA_PHASE_GRACE ||
			publish_may_be_in_grace(f, job);
	struct astra_grace grace =
		astra_grace_make(f->options, job->restart_cnt,
				 f->view->info[index].terms.signal);
	struct astra_ledger_entry ledger = astra_ledger_of(v, job->restart_cnt);

	astra_note_tell(v->id, in_grace ? &grace : NULL,
			f->options->admin_comment ? &ledger : NULL);
}

static void fill_jobs(struct publish_filler *f, uint32_t *queue)
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
			astra_publish_job(f, &v, index);
			continue;
		}
		publish_remember(f, &v, index);
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
		astra_publish_job(f, &v, index);
	}
}

/* Set when a hold's GPUs will be complete: at the expected start of its job. */
static void settle_hold(struct publish_filler *f)
{
	struct astra_report_pool *pool;
	const struct astra_report_job *job;

	if (!f->report->pool_count)
		return;
	pool = &f->report->pools[f->report->pool_count - 1];
	job = astra_report_find(f->report, pool->hold_job);
	if (job && !strcmp(pool->name, job->pool))
		pool->hold_start_sec = job->of.reason.start_sec;
}

static uint32_t tenant_uid(const struct astra_view *view, const char *name)
{
	uint32_t at = astra_tenants_find(&view->tenants, name);

	if (at == ASTRA_NONE || view->tenants.uid[at] == NO_VAL)
		return ASTRA_REPORT_NO_UID;
	return view->tenants.uid[at];
}

static void fill_tenants(struct publish_filler *f, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct astra_report_tenant t = {
			.pool = f->pool->name,
			.jobs_waiting = f->waiting ? f->waiting[i] : 0,
			.jobs_running = f->running ? f->running[i] : 0,
		};

		astra_engine_tenant_view(f->pool->engine, i, f->now_sec, &t.of);
		(void)astra_engine_policy_report(f->pool->engine, t.of.name,
						 &t.sums);
		t.uid = tenant_uid(f->view, t.of.name);
		(void)astra_report_add_tenant(f->report, &t);
	}
}

static void fill_prices(struct publish_filler *f)
{
	struct astra_report_price price = {.pool = f->pool->name};

	for (size_t i = 0; i < ASTRA_REPORT_PRICES &&
			   astra_engine_price(f->pool->engine, i, &price.of);
	     i++)
		(void)astra_report_add_price(f->report, &price);
}

static void publish_fill(struct publish_filler *f, uint32_t *queue)
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
	settle_hold(f);
	fill_tenants(f, tenants);
	fill_prices(f);
	(void)astra_engine_classes(f->pool->engine, fill_class, f);
	astra_publish_nodes(f->report, f->pool->name, f->view);
	free(f->waiting);
	astra_idmap_clear(&f->by_id);
}

/* Everything else. */

/* Return the error of the first pool that has one, or "". */
static const char *first_error(const struct astra_pools *pools, bool state)
{
	for (size_t i = 0; i < pools->count; i++) {
		const struct astra_pool *p = &pools->list[i];
		const char *text = state ? p->state_error.text : p->error.text;

		if (*text)
			return text;
	}
	return "";
}

static void fill_diag(struct astra_report *report,
		      const struct astra_pools *pools,
		      const struct astra_diag *d, uint32_t queue)
{
	struct astra_report_diag out = d->of;
	double minutes = (out.round_sec - out.reset_sec) / 60;
	struct astra_history_stats history;

	astra_history_stats(&history);
	out.history = history.figures;
	out.rounds_per_min = minutes > 0 ? (double)out.rounds / minutes : 0;
	out.queue = queue;
	astra_notify_count(&out);
	out.state_error = first_error(pools, true);
	out.config_error = d->config_error.text;
	out.config_warning = d->config_warning.text;
	out.policy_error = *d->scene_error.text ? d->scene_error.text
						: first_error(pools, false);
	out.aside = astra_selfcheck_reason();
	for (size_t i = 0; i < report->pool_count; i++) {
		const struct astra_counters *c = &report->pools[i].counters;

		out.granted += c->granted;
		out.renewed += c->renewed;
		out.revoked += c->revoked;
		out.refused += c->refused;
	}
	(void)astra_report_set_diag(report, &out);
}

void astra_publish(const struct astra_pools *pools,
		   const struct astra_scene *scene,
		   const struct astra_diag *diag)
{
	const struct astra_site site = astra_site_take();
	struct publish_filler f = {
		.now_sec = diag->of.round_sec,
		.start_sec = (double)scene->start,
	};
	uint32_t queue = 0;

	f.report = astra_report_create();
	if (!f.report)
		return;
	f.report->time_sec = f.now_sec;
	if (f.start_sec + ASTRA_HEARD_SEC > f.now_sec)
		f.report->heard_sec = f.start_sec + ASTRA_HEARD_SEC;
	f.report->privacy.jobs = site.private_jobs;
	f.report->privacy.usage = site.private_usage;
	f.report->privacy.nodes = site.private_nodes;
	(void)astra_report_set_cluster(f.report, site.cluster,
				       SLURM_VERSION_STRING);
	for (size_t i = 0; i < pools->count && i < scene->view_count; i++) {
		f.pool = &pools->list[i];
		f.view = &scene->views[i];
		if (f.pool->engine)
			publish_fill(&f, &queue);
	}
	astra_note_tell_end();
	fill_diag(f.report, pools, diag, queue);
	astra_history_note(f.report);
	astra_server_publish(f.report);
}
