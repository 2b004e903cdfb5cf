/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "src/model/fairness.h"
#include "src/sim/metrics.h"

double astra_share_rho(double alloc_gpu_sec, double fair_gpu_sec)
{
	const struct astra_usage usage = {alloc_gpu_sec, fair_gpu_sec};

	if (!(fair_gpu_sec > 0) && !(alloc_gpu_sec > 0))
		return NAN;
	return astra_rho(usage, true);
}

/* Shorter durations count as this long. */
#define BOUNDED_TAU_SEC 10

/* Returns the bounded slowdown of a job: max(1, jct / max(duration, tau)), tau
 * = 10 s. jct_sec is the time from submission to end, and duration_sec that of
 * its undisturbed work. (Feitelson, Rudolph, Schwiegelshohn, Sevcik, Wong,
 * "Theory and Practice in Parallel Job Scheduling", JSSPP'97, whose wait + run
 * is jct.) Unlike jct / duration, it is not dominated by jobs of a second. */
static double bounded_slowdown(double jct_sec, double duration_sec)
{
	return fmax(1, jct_sec / fmax(duration_sec, BOUNDED_TAU_SEC));
}

/* Returns the job's number of this kind; NaN if the job has none. */
static double of_job(const struct astra_sim_result *r, enum astra_series kind,
		     size_t job)
{
	const struct astra_sim_job *s = &r->jobs[job];
	const struct astra_trace_job *t = &r->trace->jobs[job];
	double jct_sec = s->end_sec - t->submit_sec;

	if (kind == ASTRA_SERIES_JOB_RHO)
		return astra_share_rho(s->alloc_gpu_sec, s->fair_gpu_sec);
	if (kind == ASTRA_SERIES_WAIT)
		return s->start_sec < 0 ? (double)NAN
					: s->start_sec - t->submit_sec;
	if (s->end_sec < 0)
		return NAN;
	if (kind == ASTRA_SERIES_FTF)
		return jct_sec / astra_ideal_themis_sec(r, job);
	if (kind == ASTRA_SERIES_SHARE_FTF)
		return jct_sec / astra_ideal_share_sec(r, job);
	if (kind == ASTRA_SERIES_SLOWDOWN)
		return jct_sec / t->duration_sec;
	if (kind == ASTRA_SERIES_BOUNDED_SLOWDOWN)
		return bounded_slowdown(jct_sec, t->duration_sec);
	return jct_sec;
}

static double of_cell(const struct astra_sim_result *r, size_t index)
{
	const struct astra_sim_cell *c = &r->cells[index];

	if (!(c->fair_gpu_sec > 0))
		return NAN;
	return astra_share_rho(c->alloc_gpu_sec, c->fair_gpu_sec);
}

static double of_tenant(const struct astra_sim_result *r, size_t index)
{
	const struct astra_sim_tenant *t = &r->tenants[index];

	return astra_share_rho(t->alloc_gpu_sec, t->fair_gpu_sec);
}

static size_t series_count(const struct astra_sim_result *r,
			   enum astra_series kind)
{
	if (kind == ASTRA_SERIES_CELL_RHO)
		return r->interval_count * r->trace->tenant_count;
	if (kind == ASTRA_SERIES_TENANT_RHO)
		return r->trace->tenant_count;
	return r->trace->job_count;
}

static double series_value(const struct astra_sim_result *r,
			   enum astra_series kind, size_t index)
{
	if (kind == ASTRA_SERIES_CELL_RHO)
		return of_cell(r, index);
	if (kind == ASTRA_SERIES_TENANT_RHO)
		return of_tenant(r, index);
	return of_job(r, kind, index);
}

int astra_series_collect(const struct astra_sim_result *result,
			 enum astra_series kind, struct astra_sample *out)
{
	size_t count = series_count(result, kind);

	if (kind == ASTRA_SERIES_APP_FTF || kind == ASTRA_SERIES_APP_RHO) {
		if (astra_app_ftf(result, kind == ASTRA_SERIES_APP_RHO, out) <
		    0) {
			astra_sample_clear(out);
			return -1;
		}
		count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		double value = series_value(result, kind, i);

		if (isnan(value))
			continue;
		if (astra_sample_add(out, value) < 0) {
			astra_sample_clear(out);
			return -1;
		}
	}
	astra_sample_sort(out);
	return 0;
}
