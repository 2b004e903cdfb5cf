/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metrics of an instance. Its histories become events in order of time, and
 * go through the same fairness account as in slurmctld. */
#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/decide/decide_ltgf.h"

struct event {
	double at_sec;
	uint32_t job;
	enum { EVENT_ACTIVE, EVENT_ALLOC } kind;
	uint32_t value;
};

struct history {
	struct event *events;
	size_t count, room;
	uint32_t *accounts; /* per job */
};

/* Adds two events: `what` at start, and its end with the value 0. The span
 * [start, end) is first cut to the time from begin to now. */
static int add_span(struct history *h, const struct ltgf_instance *in,
		    double start, double end, struct event what)
{
	start = fmax(start, in->begin_sec);
	end = fmin(end, in->now_sec);
	if (start >= end)
		return 0;
	if (astra_grow(&h->events, &h->room, h->count + 2, sizeof(*h->events)) <
	    0)
		return -1;
	what.at_sec = start;
	h->events[h->count++] = what;
	what.at_sec = end;
	what.value = 0;
	h->events[h->count++] = what;
	return 0;
}

static int add_job_events(struct history *h, const struct ltgf_instance *in,
			  uint32_t index)
{
	const struct ltgf_job *job = &in->jobs[index];
	struct event what = {.job = index, .kind = EVENT_ACTIVE, .value = 1};

	if (add_span(h, in, job->submit_sec, job->end_sec, what) < 0)
		return -1;
	what.kind = EVENT_ALLOC;
	what.value = job->gpus;
	for (size_t i = 0; i < job->run_count; i++)
		if (add_span(h, in, job->runs[i].start_sec,
			     job->runs[i].end_sec, what) < 0)
			return -1;
	return 0;
}

/* Two spans of the same job and kind do not touch, so their order does not
 * matter. */
static int ltgf_measure_compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->at_sec != y->at_sec)
		return x->at_sec < y->at_sec ? -1 : 1;
	return x->job < y->job ? -1 : x->job > y->job;
}

static int build_account(const struct ltgf_instance *in, struct history *h,
			 struct astra_fairness *f)
{
	double begin = in->begin_sec;

	h->accounts = calloc(in->job_count + 1, sizeof(*h->accounts));
	if (!h->accounts)
		return -1;
	astra_fairness_set_capacity(f, begin, in->gpus);
	for (size_t i = 0; i < in->tenant_count; i++)
		if (astra_fairness_add_tenant(f, begin,
					      in->tenants[i].weight) != i)
			return -1;
	for (uint32_t i = 0; i < in->job_count; i++) {
		const struct ltgf_job *job = &in->jobs[i];

		h->accounts[i] = astra_fairness_add_job(f, job->tenant,
							job->weight, job->gpus);
		if (h->accounts[i] == ASTRA_NONE ||
		    add_job_events(h, in, i) < 0)
			return -1;
	}
	return 0;
}

static void ltgf_measure_play(const struct history *h, struct astra_fairness *f)
{
	for (size_t i = 0; i < h->count; i++) {
		const struct event *e = &h->events[i];
		uint32_t account = h->accounts[e->job];

		if (e->kind == EVENT_ACTIVE)
			astra_fairness_set_active(f, e->at_sec, account,
						  e->value);
		else
			astra_fairness_set_alloc(f, e->at_sec, account,
						 e->value);
	}
}

static void read_metrics(const struct ltgf_instance *in,
			 const struct history *h,
			 const struct astra_fairness *f,
			 struct ltgf_result *out)
{
	for (uint32_t i = 0; i < in->tenant_count; i++) {
		struct ltgf_metric *m = &out->tenants[i];

		m->usage = astra_fairness_tenant(f, in->now_sec, i);
		m->quota = astra_fairness_quota(f, i);
		m->rho = astra_rho(m->usage, in->tenants[i].weight > 0);
	}
	for (size_t i = 0; i < in->job_count; i++) {
		const struct ltgf_job *job = &in->jobs[i];
		struct ltgf_metric *m = &out->jobs[i];

		m->usage = astra_fairness_job(f, in->now_sec, h->accounts[i]);
		m->rho = astra_rho(m->usage,
				   job->weight > 0 &&
					   in->tenants[job->tenant].weight > 0);
	}
}

int ltgf_measure(const struct ltgf_instance *in, struct ltgf_result *out,
		 struct astra_error *err)
{
	const struct astra_fairness_options options = {
		.quota_entitlement = in->quota_entitlement,
	};
	struct astra_fairness *f =
		astra_fairness_create(&options, in->begin_sec);
	struct history h = {0};
	int rc = -1;

	out->tenants = calloc(in->tenant_count + 1, sizeof(*out->tenants));
	out->jobs = calloc(in->job_count + 1, sizeof(*out->jobs));
	if (f && out->tenants && out->jobs && build_account(in, &h, f) == 0) {
		if (h.count)
			qsort(h.events, h.count, sizeof(*h.events),
			      ltgf_measure_compare_events);
		ltgf_measure_play(&h, f);
		read_metrics(in, &h, f, out);
		rc = 0;
	}
	free(h.events);
	free(h.accounts);
	astra_fairness_destroy(f);
	return rc < 0 ? astra_error_nomem(err) : 0;
}
