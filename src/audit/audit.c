/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/audit/audit.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/number.h"
#include "src/sim/watch.h"

#define JOB_LOSS_RHO 0.95

struct astra_window astra_record_window(const struct astra_record *r,
					double end_sec)
{
	struct astra_window w = {HUGE_VAL, 0};

	for (size_t i = 0; i < r->job_count; i++) {
		double end = r->jobs[i].end_sec;

		w.start_sec = fmin(w.start_sec, r->jobs[i].submit_sec);
		w.end_sec = fmax(w.end_sec, isfinite(end) ? end : end_sec);
	}
	return w;
}

static double audit_clip(const struct astra_window *w, double sec)
{
	return fmin(fmax(sec, w->start_sec), w->end_sec) - w->start_sec;
}

/* The jobs of the window. */

/* A job with its sort keys: its submission within the window, then its index in
 * the record. */
struct place {
	double submit_sec;
	size_t at;
};

static int audit_by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->submit_sec != y->submit_sec)
		return x->submit_sec < y->submit_sec ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Returns, for each job, how long it ran within the window; for free(). NULL
 * when out of memory. */
static double *ran_within(const struct astra_record *r,
			  const struct astra_window *w)
{
	double *sec = calloc(r->job_count + 1, sizeof(*sec));

	for (size_t i = 0; sec && i < r->run_count; i++)
		sec[r->runs[i].job] += audit_clip(w, r->runs[i].end_sec) -
				       audit_clip(w, r->runs[i].start_sec);
	return sec;
}

static int audit_add_job(struct astra_trace *trace,
			 const struct astra_record_job *j,
			 const struct astra_window *w, size_t at,
			 double ran_sec)
{
	struct astra_trace_job job = {
		.line = (uint32_t)at + 1,
		.tenant = astra_trace_tenant(trace, *j->tenant ? j->tenant
							       : "unknown"),
		.user = astra_trace_user(trace, j->user),
		.app = *j->app ? astra_trace_app(trace, j->app) : 0,
		.gpus = j->gpus,
		.gpus_min = j->gpus_min,
		.nodes = j->nodes,
		.limit_sec = j->limit_sec,
		.submit_sec = audit_clip(w, j->submit_sec),
		.duration_sec = ran_sec,
		.start_sec = -1,
	};

	if (j->start_sec < w->end_sec)
		job.start_sec = audit_clip(w, j->start_sec);
	if (job.tenant == ASTRA_NONE || job.user == ASTRA_NONE ||
	    job.app == ASTRA_NONE)
		return -1;
	return astra_trace_add(trace, &job, j->name);
}

static bool there(const struct astra_record_job *j,
		  const struct astra_window *w)
{
	return audit_clip(w, j->end_sec) > audit_clip(w, j->submit_sec);
}

int astra_audit_trace(const struct astra_record *r,
		      const struct astra_window *w, bool ran,
		      struct astra_trace *trace)
{
	struct place *places = calloc(r->job_count + 1, sizeof(*places));
	double *ran_sec = ran_within(r, w);
	int rc = places && ran_sec ? 0 : -1;

	for (size_t i = 0; !rc && i < r->job_count; i++)
		places[i] =
			(struct place){audit_clip(w, r->jobs[i].submit_sec), i};
	if (!rc)
		qsort(places, r->job_count, sizeof(*places), audit_by_place);
	for (size_t i = 0; !rc && i < r->job_count; i++) {
		size_t at = places[i].at;

		if (there(&r->jobs[at], w) && (!ran || ran_sec[at] > 0))
			rc = audit_add_job(trace, &r->jobs[at], w, at,
					   ran_sec[at]);
	}
	trace->source = r->source;
	free(places);
	free(ran_sec);
	return rc;
}

/* The events of the jobs. */

/* Events at the same time are in this order. */
enum kind { STOP, DONE, SUBMIT, START };

struct happening {
	double sec;
	enum kind kind;
	uint32_t job, gpus;
};

struct measure {
	const struct astra_record *record;
	const struct astra_window *window;
	const struct astra_trace *trace;
	struct happening *all;
	size_t count;
	uint32_t *job_of; /* by job of the record: its index in the trace, or
			   * ASTRA_NONE */
	struct astra_watch watch;
	struct astra_sim_result *result;
};

static int audit_by_time(const void *a, const void *b)
{
	const struct happening *x = a, *y = b;

	if (x->sec != y->sec)
		return x->sec < y->sec ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->job < y->job ? -1 : x->job > y->job;
}

static void audit_add(struct measure *m, double sec, enum kind kind,
		      uint32_t job, uint32_t gpus)
{
	m->all[m->count++] = (struct happening){sec, kind, job, gpus};
}

static void audit_add_run(struct measure *m, const struct astra_record_run *run)
{
	uint32_t job = m->job_of[run->job];
	struct astra_sim_job *out;
	double start = audit_clip(m->window, run->start_sec);
	double end = audit_clip(m->window, run->end_sec);

	if (job == ASTRA_NONE || !(end > start))
		return;
	out = &m->result->jobs[job];
	start = fmax(start, m->trace->jobs[job].submit_sec);
	out->preemptions += out->starts > 0;
	m->result->preemptions += out->starts > 0;
	out->starts++;
	out->start_sec =
		out->start_sec < 0 ? start : fmin(out->start_sec, start);
	m->result->end_sec = fmax(m->result->end_sec, end);
	audit_add(m, start, START, job, run->gpus);
	audit_add(m, end, STOP, job, 0);
}

static void audit_collect(struct measure *m)
{
	const struct astra_record *r = m->record;

	for (size_t i = 0; i < r->job_count; i++)
		m->job_of[i] = ASTRA_NONE;
	for (uint32_t i = 0; i < m->trace->job_count; i++) {
		size_t at = m->trace->jobs[i].line - 1;

		m->job_of[at] = i;
		m->result->jobs[i] = (struct astra_sim_job){
			.start_sec = -1,
			.end_sec = -1,
			.cold_gpu_sec = NAN,
			.checkpoint_gpu_sec = NAN,
			.slow_gpu_sec = NAN,
		};
		audit_add(m, m->trace->jobs[i].submit_sec, SUBMIT, i, 0);
		audit_add(m, audit_clip(m->window, r->jobs[at].end_sec), DONE,
			  i, 0);
	}
	for (size_t i = 0; i < r->run_count; i++)
		audit_add_run(m, &r->runs[i]);
	qsort(m->all, m->count, sizeof(*m->all), audit_by_time);
}

static int happens(struct measure *m, const struct happening *h)
{
	switch (h->kind) {
	case STOP:
		return astra_watch_stop(&m->watch, h->job, h->sec);
	case DONE:
		return astra_watch_done(&m->watch, h->job, h->sec);
	case SUBMIT:
		return astra_watch_submit(&m->watch, h->job, h->sec);
	case START:
		return astra_watch_start(&m->watch, h->job, h->gpus, h->sec);
	}
	return 0;
}

/* Replays the events, and fills the result. Contention needs an end for every
 * job, so jobs that have not ended get the window's end. Jobs that never ran
 * lose this end afterwards. */
static int audit_watch(struct measure *m)
{
	struct astra_sim_result *r = m->result;
	int rc = 0;

	for (size_t i = 0; !rc && i < m->count; i++)
		rc = happens(m, &m->all[i]);
	for (size_t i = 0; i < m->count; i++)
		if (m->all[i].kind == DONE)
			r->jobs[m->all[i].job].end_sec = m->all[i].sec;
	if (!rc)
		rc = astra_watch_finish(&m->watch, r->stop_sec);
	if (!rc)
		rc = astra_contention(r);
	for (size_t i = 0; i < m->trace->job_count; i++)
		if (!r->jobs[i].starts)
			r->jobs[i].end_sec = -1;
	if (!rc)
		rc = astra_bounds_fill(r);
	return rc;
}

static int audit_prepare(struct measure *m, const struct astra_audit_options *o)
{
	struct astra_sim_result *r = m->result;
	const struct astra_trace *t = m->trace;
	const struct astra_fairness_options account = {
		.quota_entitlement = o->quota_entitlement,
		.half_life_sec = o->half_life_sec,
		.lead_max_sec = o->lead_max_sec,
	};

	*r = (struct astra_sim_result){
		.trace = t,
		.interval_sec = o->interval_sec,
		.gpus = o->gpus,
		.term_sec = o->term_sec,
		.grace_sec = o->grace_sec,
		.stop_sec = m->window->end_sec - m->window->start_sec,
		.revenue = NAN,
		.reward = NAN,
		.seed = o->seed,
	};
	r->jobs = calloc(t->job_count + 1, sizeof(*r->jobs));
	r->tenants = calloc(t->tenant_count + 1, sizeof(*r->tenants));
	m->all = calloc(2 * (t->job_count + m->record->run_count) + 1,
			sizeof(*m->all));
	m->job_of = calloc(m->record->job_count + 1, sizeof(*m->job_of));
	if (!r->jobs || !r->tenants || !m->all || !m->job_of)
		return -1;
	if (astra_watch_init(&m->watch, t, o->gpus, o->quota_entitlement,
			     o->interval_sec, r) < 0)
		return -1;
	return astra_watch_as(&m->watch, &account, o->user_weight,
			      o->user_weight_arg);
}

int astra_audit_measure(const struct astra_record *record,
			const struct astra_window *window,
			const struct astra_trace *trace,
			const struct astra_audit_options *options,
			struct astra_sim_result *result,
			struct astra_error *err)
{
	struct measure m = {
		.record = record,
		.window = window,
		.trace = trace,
		.result = result,
	};
	int rc = audit_prepare(&m, options);

	if (!rc) {
		audit_collect(&m);
		rc = audit_watch(&m);
	}
	if (rc < 0 && m.watch.full)
		astra_error_set(err,
				"intervals of %g s are too short for this "
				"window",
				options->interval_sec);
	else if (rc < 0)
		astra_error_nomem(err);
	astra_watch_clear(&m.watch);
	free(m.all);
	free(m.job_of);
	if (rc < 0)
		astra_sim_result_clear(result);
	return rc;
}

/* The jobs that got less GPU time than they were due. */

double astra_audit_loss_gpu_sec(const struct astra_sim_result *r, uint32_t job)
{
	const struct astra_sim_job *j = &r->jobs[job];
	double rho = astra_share_rho(j->alloc_gpu_sec, j->fair_gpu_sec);

	if (isnan(rho) || astra_compare(rho, JOB_LOSS_RHO) >= 0)
		return 0;
	return j->fair_gpu_sec - j->alloc_gpu_sec;
}

struct wrong {
	double gpu_sec;
	uint32_t job;
};

static int by_loss(const void *a, const void *b)
{
	const struct wrong *x = a, *y = b;

	if (!astra_tied(x->gpu_sec, y->gpu_sec))
		return x->gpu_sec > y->gpu_sec ? -1 : 1;
	return x->job < y->job ? -1 : x->job > y->job;
}

size_t astra_audit_wronged(const struct astra_sim_result *r, uint32_t *jobs)
{
	struct wrong *all = calloc(r->trace->job_count + 1, sizeof(*all));
	size_t count = 0;

	for (uint32_t i = 0; all && i < r->trace->job_count; i++) {
		double loss = astra_audit_loss_gpu_sec(r, i);

		if (loss > 0)
			all[count++] = (struct wrong){loss, i};
	}
	if (all)
		qsort(all, count, sizeof(*all), by_loss);
	for (size_t i = 0; i < count; i++)
		jobs[i] = all[i].job;
	free(all);
	return count;
}

/* Waits and slowdowns by size of job, and the tenants' sharing loss. */

#define ALL (ASTRA_AUDIT_SIZES - 1)

struct samples {
	struct astra_sample wait, slowdown;
};

/* Returns the index of the class of a size: 1, 2, 3-4, 5-8, ... */
static int class_of(uint32_t gpus)
{
	int class = 0;

	while (class < ALL - 1 && (1u << class) < gpus)
		class ++;
	return class;
}

static int sizes_put(struct astra_audit_size *size, struct samples *s,
		     const struct astra_sim_result *r, size_t job)
{
	const struct astra_sim_job *j = &r->jobs[job];
	const struct astra_trace_job *t = &r->trace->jobs[job];

	size->jobs++;
	size->gpu_sec += j->alloc_gpu_sec;
	if (j->start_sec < 0) {
		size->never++;
		return 0;
	}
	if (astra_sample_add(&s->wait, j->start_sec - t->submit_sec) < 0)
		return -1;
	if (j->end_sec < 0)
		return 0;
	return astra_sample_add(&s->slowdown,
				(j->end_sec - t->submit_sec) / t->duration_sec);
}

static void sizes_summarise(struct astra_audit_size *size, struct samples *s)
{
	astra_sample_sort(&s->wait);
	astra_sample_sort(&s->slowdown);
	size->wait_mean_sec = astra_sample_mean(&s->wait);
	size->wait_p50_sec = astra_sample_quantile(&s->wait, 0.5);
	size->wait_p95_sec = astra_sample_quantile(&s->wait, 0.95);
	size->wait_max_sec = astra_sample_quantile(&s->wait, 1);
	size->slowdown_mean = astra_sample_mean(&s->slowdown);
	size->slowdown_p50 = astra_sample_quantile(&s->slowdown, 0.5);
	size->slowdown_p95 = astra_sample_quantile(&s->slowdown, 0.95);
	size->slowdown_max = astra_sample_quantile(&s->slowdown, 1);
	astra_sample_clear(&s->wait);
	astra_sample_clear(&s->slowdown);
}

int astra_audit_sizes(const struct astra_sim_result *r, const bool *wanted,
		      struct astra_audit_size sizes[ASTRA_AUDIT_SIZES])
{
	struct samples samples[ASTRA_AUDIT_SIZES] = {0};
	int rc = 0;

	for (int i = 0; i < ALL; i++)
		sizes[i] = (struct astra_audit_size){
			.gpus_min = i ? (1u << (i - 1)) + 1 : 1,
			.gpus_max = 1u << i,
		};
	sizes[ALL] = (struct astra_audit_size){.gpus_min = 1,
					       .gpus_max = UINT32_MAX};
	for (size_t i = 0; !rc && i < r->trace->job_count; i++) {
		int class = class_of(r->trace->jobs[i].gpus);

		if (wanted && !wanted[i])
			continue;
		if (sizes_put(&sizes[class], &samples[class], r, i) < 0 ||
		    sizes_put(&sizes[ALL], &samples[ALL], r, i) < 0)
			rc = -1;
	}
	for (int i = 0; i < ASTRA_AUDIT_SIZES; i++)
		sizes_summarise(&sizes[i], &samples[i]);
	return rc;
}

double astra_audit_tenant_loss(const struct astra_sim_result *r, size_t tenant)
{
	size_t tenants = r->trace->tenant_count, entitled = 0, lost = 0;

	for (size_t i = 0; i < r->interval_count; i++) {
		const struct astra_sim_cell *c =
			&r->cells[i * tenants + tenant];

		if (!(c->fair_gpu_sec > 0))
			continue;
		entitled++;
		lost += c->alloc_gpu_sec < c->fair_gpu_sec * (1 - 1e-9);
	}
	return entitled ? (double)lost / (double)entitled : (double)NAN;
}
