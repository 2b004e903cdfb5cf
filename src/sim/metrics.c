/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A job has lost by sharing when it had less than this of what was its due
 * (ASTRAEA, 5.1.2). */
#define JOB_LOSS_RHO 0.95

struct summary {
	double mean, p5, p50, p95, min, max, below_1, below_job_loss, jain;
};

static int metrics_summarise(const struct astra_sim_result *result,
			     enum astra_series kind, struct summary *out)
{
	struct astra_sample s = {0};

	if (astra_series_collect(result, kind, &s) < 0)
		return -1;
	*out = (struct summary){
		.mean = astra_sample_mean(&s),
		.p5 = astra_sample_quantile(&s, 0.05),
		.p50 = astra_sample_quantile(&s, 0.5),
		.p95 = astra_sample_quantile(&s, 0.95),
		.min = astra_sample_quantile(&s, 0),
		.max = astra_sample_quantile(&s, 1),
		.below_1 = astra_sample_below(&s, 1),
		.below_job_loss = astra_sample_below(&s, JOB_LOSS_RHO),
		.jain = astra_sample_jain(&s),
	};
	astra_sample_clear(&s);
	return 0;
}

static int metrics_fairness(const struct astra_sim_result *result,
			    struct astra_metrics *out)
{
	struct summary jobs, cells, tenants, ftf, share, apps, rho;

	if (metrics_summarise(result, ASTRA_SERIES_JOB_RHO, &jobs) < 0 ||
	    metrics_summarise(result, ASTRA_SERIES_CELL_RHO, &cells) < 0 ||
	    metrics_summarise(result, ASTRA_SERIES_TENANT_RHO, &tenants) < 0 ||
	    metrics_summarise(result, ASTRA_SERIES_FTF, &ftf) < 0 ||
	    metrics_summarise(result, ASTRA_SERIES_SHARE_FTF, &share) < 0 ||
	    metrics_summarise(result, ASTRA_SERIES_APP_FTF, &apps) < 0 ||
	    metrics_summarise(result, ASTRA_SERIES_APP_RHO, &rho) < 0)
		return -1;
	out->job_loss = jobs.below_job_loss;
	out->job_due_lost = astra_job_due_lost(result);
	out->job_rho_p5 = jobs.p5;
	out->job_rho_p50 = jobs.p50;
	out->job_rho_p95 = jobs.p95;
	out->tenant_loss = cells.below_1;
	out->tenant_due_lost = astra_tenant_due_lost(result);
	out->tenant_rho_min = tenants.min;
	out->tenant_rho_max = tenants.max;
	out->jain = tenants.jain;
	out->ftf_mean = ftf.mean;
	out->ftf_max = ftf.max;
	out->share_ftf_mean = share.mean;
	out->share_ftf_max = share.max;
	out->app_ftf_mean = apps.mean;
	out->app_ftf_max = apps.max;
	out->app_rho_max = rho.max;
	return 0;
}

static double longest_wait(const struct astra_sim_result *result)
{
	double longest_sec = NAN;

	for (size_t i = 0; i < result->trace->job_count; i++)
		longest_sec =
			fmax(longest_sec, astra_first_wait_sec(result, i));
	return longest_sec;
}

static double over_bound(const struct astra_sim_result *result)
{
	double jobs = 0;

	for (size_t i = 0; i < result->trace->job_count; i++)
		jobs += astra_is_over_bound(result, i);
	return result->term_sec > 0 ? jobs : (double)NAN;
}

static int metrics_times(const struct astra_sim_result *result,
			 struct astra_metrics *out)
{
	struct summary slowdown, bounded, jct, wait;

	if (metrics_summarise(result, ASTRA_SERIES_SLOWDOWN, &slowdown) < 0 ||
	    metrics_summarise(result, ASTRA_SERIES_BOUNDED_SLOWDOWN, &bounded) <
		    0 ||
	    metrics_summarise(result, ASTRA_SERIES_JCT, &jct) < 0 ||
	    metrics_summarise(result, ASTRA_SERIES_WAIT, &wait) < 0)
		return -1;
	out->slowdown_mean = slowdown.mean;
	out->slowdown_p50 = slowdown.p50;
	out->slowdown_p95 = slowdown.p95;
	out->slowdown_bounded = bounded.mean;
	out->jct_mean_sec = jct.mean;
	out->jct_p50_sec = jct.p50;
	out->jct_p95_sec = jct.p95;
	out->wait_mean_sec = wait.mean;
	out->wait_max_sec = longest_wait(result);
	out->over_bound = over_bound(result);
	out->makespan_sec = result->end_sec;
	return 0;
}

/* Of the interval in which the last job came only the part until then counts,
 * as if the GPUs were used evenly in it. */
static double utilisation(const struct astra_sim_result *r)
{
	size_t count = r->trace->job_count;
	double last = count ? r->trace->jobs[count - 1].submit_sec : 0;
	double until = fmin(last > 0 ? last : r->stop_sec, r->stop_sec);
	double used = 0;

	for (size_t i = 0; i < r->interval_count; i++) {
		double begin = (double)i * r->interval_sec;
		double end = fmin(begin + r->interval_sec, r->stop_sec);

		if (begin < until && end > begin)
			used += r->used_gpu_sec[i] *
				(fmin(end, until) - begin) / (end - begin);
	}
	if (!r->interval_count || !(until > 0) || !r->gpus)
		return NAN;
	return used / (until * (double)r->gpus);
}

static void cost(const struct astra_sim_result *r, struct astra_metrics *out)
{
	double alloc = 0, lost = 0, slow = 0, preemptions = 0;
	double jobs = (double)r->trace->job_count, done = 0;

	for (size_t i = 0; i < r->trace->job_count; i++) {
		const struct astra_sim_job *j = &r->jobs[i];

		alloc += j->alloc_gpu_sec;
		lost += j->cold_gpu_sec + j->checkpoint_gpu_sec;
		slow += j->slow_gpu_sec;
		preemptions += j->preemptions;
		done += j->end_sec >= 0;
	}
	out->done = done;
	out->gpu_sec = alloc;
	out->utilisation = utilisation(r);
	out->preemptions = jobs > 0 ? preemptions / jobs : (double)NAN;
	out->lost_share = alloc > 0 ? lost / alloc : (double)NAN;
	out->slow_share = alloc > 0 ? slow / alloc : (double)NAN;
}

static void metrics_worth(const struct astra_sim_result *r,
			  struct astra_metrics *out)
{
	double alone = 0;

	out->utility = 0;
	for (size_t i = 0; i < r->trace->job_count; i++) {
		out->utility += astra_job_worth(r, i);
		alone += astra_job_worth_alone(r, i);
	}
	out->utility_share = alone > 0 ? out->utility / alone : (double)NAN;
	out->revenue = r->revenue;
	out->revenue_jain = astra_income_jain(r);
	out->reward = r->reward;
}

int astra_metrics_compute(const struct astra_sim_result *result,
			  struct astra_metrics *out)
{
	cost(result, out);
	metrics_worth(result, out);
	if (metrics_fairness(result, out) < 0 || metrics_times(result, out) < 0)
		return -1;
	return 0;
}

const struct astra_metric *astra_metric_find(const char *key)
{
	const struct astra_metric *m = astra_metric_table;

	while (m->key && strcmp(m->key, key) != 0)
		m++;
	return m;
}

double astra_metric_value(const struct astra_metrics *metrics,
			  const struct astra_metric *metric)
{
	double value;

	memcpy(&value, (const char *)metrics + metric->offset, sizeof(value));
	return value;
}

static void span_text(double sec, char text[32])
{
	double s = floor(sec + 0.5), hours = floor(s / 3600);
	int rest = (int)(s - hours * 3600);

	snprintf(text, 32, "%.0f:%02d:%02d", hours, rest / 60, rest % 60);
}

char *astra_metric_text(const struct astra_metric *metric, double value,
			char text[32])
{
	if (isnan(value))
		snprintf(text, 32, "-");
	else if (isinf(value))
		snprintf(text, 32, "inf");
	else if (*metric->unit == '%')
		snprintf(text, 32, "%.1f %%", 100 * value);
	else if (*metric->unit == 's')
		span_text(value, text);
	else if (*metric->unit == 'j')
		snprintf(text, 32, "%.0f", value);
	else
		snprintf(text, 32, fabs(value) < 100 ? "%.3f" : "%.1f", value);
	return text;
}
