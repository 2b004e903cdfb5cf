/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The worth of jobs, and the scheduler's revenue. */

#define HOUR_SEC 3600.0

static double metrics_job_worth(const struct astra_sim_result *r, size_t job,
				double sec)
{
	struct astra_utility u =
		astra_trace_job_utility(r->trace, (uint32_t)job, r->seed);

	return astra_utility_value(&u, sec / HOUR_SEC);
}

double astra_job_worth(const struct astra_sim_result *r, size_t job)
{
	double end_sec = r->jobs[job].end_sec;

	if (end_sec < 0)
		return 0;
	return metrics_job_worth(r, job,
				 end_sec - r->trace->jobs[job].submit_sec);
}

static double job_worth_alone(const struct astra_sim_result *r, size_t job)
{
	return metrics_job_worth(r, job, r->trace->jobs[job].duration_sec);
}

/* Returns Jain's index of the tenants' income; NaN if the scheduler has no
 * revenue. */
static double income_jain(const struct astra_sim_result *r)
{
	const struct astra_sample incomes = {
		.values = r->income,
		.count = r->income ? r->trace->tenant_count : 0,
	};

	return isnan(r->revenue) ? (double)NAN : astra_sample_jain(&incomes);
}

/* The GPU time due, and how much of it was not given. */

struct due {
	double sum, lost; /* GPU seconds */
};

static void due_add(struct due *due, double alloc_gpu_sec, double fair_gpu_sec)
{
	due->sum += fair_gpu_sec;
	due->lost += fmax(0, fair_gpu_sec - alloc_gpu_sec);
}

static double due_share(const struct due *due)
{
	return due->sum > 0 ? due->lost / due->sum : (double)NAN;
}

/* Returns the share of the GPU time due that was not given: sum of max(0, F -
 * A) / sum of F; NaN if nothing was due. The sums are over all jobs, unfinished
 * ones included, with A and F of ASTRAEA's Eqs. 13 to 15; or over each tenant
 * in each interval, with A and F of Eqs. 8 and 16. A surplus in one interval
 * does not make up for a lack in another. Unlike a count of jobs or intervals,
 * this share tells a job that lacks a second of its due from a job that
 * starves. */
static double metrics_job_due_lost(const struct astra_sim_result *r)
{
	struct due due = {0};

	for (size_t i = 0; i < r->trace->job_count; i++)
		due_add(&due, r->jobs[i].alloc_gpu_sec,
			r->jobs[i].fair_gpu_sec);
	return due_share(&due);
}

static double metrics_tenant_due_lost(const struct astra_sim_result *r)
{
	size_t count = r->interval_count * r->trace->tenant_count;
	struct due due = {0};

	for (size_t i = 0; i < count; i++)
		due_add(&due, r->cells[i].alloc_gpu_sec,
			r->cells[i].fair_gpu_sec);
	return due_share(&due);
}

/* A job with less than this share of its due has a sharing loss (ASTRAEA,
 * 5.1.2). */
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
	out->job_due_lost = metrics_job_due_lost(result);
	out->job_rho_p5 = jobs.p5;
	out->job_rho_p50 = jobs.p50;
	out->job_rho_p95 = jobs.p95;
	out->tenant_loss = cells.below_1;
	out->tenant_due_lost = metrics_tenant_due_lost(result);
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

/* Returns the utilisation until the last submission. If the interval of that
 * submission goes on after it, the interval counts in part, as if its use were
 * even. */
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
		alone += job_worth_alone(r, i);
	}
	out->utility_share = alone > 0 ? out->utility / alone : (double)NAN;
	out->revenue = r->revenue;
	out->revenue_jain = income_jain(r);
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

/* First waits, by the size of jobs. */

/* relative rounding error of summed times */
#define WAITS_ROUNDING 1e-9

/* The largest count of GPUs in each class, except in the last class. */
static const double most_gpus[ASTRA_WAIT_SIZES - 1] = {1,  4,  8,  16,
						       32, 64, 128};

double astra_first_wait_sec(const struct astra_sim_result *r, size_t job)
{
	double submit_sec = r->trace->jobs[job].submit_sec;

	if (r->jobs[job].start_sec >= 0)
		return r->jobs[job].start_sec - submit_sec;
	return r->stop_sec < submit_sec ? (double)NAN
					: r->stop_sec - submit_sec;
}

bool astra_is_over_bound(const struct astra_sim_result *r, size_t job)
{
	double bound_sec = r->jobs[job].bound_sec;

	return bound_sec > 0 &&
	       astra_first_wait_sec(r, job) > bound_sec * (1 + WAITS_ROUNDING);
}

static size_t waits_class(uint32_t gpus)
{
	size_t class = 0;

	while (class < ASTRA_WAIT_SIZES - 1 && gpus > most_gpus[class])
		class ++;
	return class;
}

void astra_wait_sizes(const struct astra_sim_result *r,
		      struct astra_wait_size sizes[ASTRA_WAIT_SIZES])
{
	for (size_t i = 0; i < ASTRA_WAIT_SIZES; i++)
		sizes[i] = (struct astra_wait_size){
			.gpus_min = i ? most_gpus[i - 1] + 1 : 1,
			.gpus_max = i < ASTRA_WAIT_SIZES - 1 ? most_gpus[i]
							     : HUGE_VAL,
			.max_sec = NAN,
		};
	for (size_t i = 0; i < r->trace->job_count; i++) {
		double wait_sec = astra_first_wait_sec(r, i);
		struct astra_wait_size *s =
			&sizes[waits_class(r->trace->jobs[i].gpus)];

		if (isnan(wait_sec))
			continue;
		s->jobs++;
		s->never += r->jobs[i].start_sec < 0;
		s->over += astra_is_over_bound(r, i);
		s->mean_sec += wait_sec; /* the sum so far */
		s->max_sec = fmax(s->max_sec, wait_sec);
	}
	for (size_t i = 0; i < ASTRA_WAIT_SIZES; i++)
		sizes[i].mean_sec /=
			sizes[i].jobs; /* NaN if there are no jobs */
}

char *astra_wait_size_text(const struct astra_wait_size *size, char text[32])
{
	if (isinf(size->gpus_max))
		snprintf(text, 32, "%.0f+", size->gpus_min);
	else if (size->gpus_max > size->gpus_min)
		snprintf(text, 32, "%.0f-%.0f", size->gpus_min, size->gpus_max);
	else
		snprintf(text, 32, "%.0f", size->gpus_min);
	return text;
}

/* Finish-time fairness of whole apps. */

struct app {
	struct astra_span span; /* first submission to last end */
	double work_gpu_sec;
	double gpus;	  /* GPUs of all its jobs */
	double least_sec; /* least time from its first submission to its last
			   * end */
	bool done;	  /* all jobs are done */
};

static void apps_join(struct app *app, const struct astra_sim_result *r,
		      size_t job)
{
	const struct astra_trace_job *t = &r->trace->jobs[job];
	double end_sec = r->jobs[job].end_sec;
	bool first = !(app->gpus > 0);

	if (first)
		app->span.begin_sec = t->submit_sec;
	app->done = (first || app->done) && end_sec >= 0;
	app->span.end_sec =
		fmax(app->span.end_sec, end_sec < 0 ? r->stop_sec : end_sec);
	app->work_gpu_sec += t->duration_sec * t->gpus;
	app->gpus += t->gpus;
	app->least_sec =
		fmax(app->least_sec,
		     t->submit_sec - app->span.begin_sec + t->duration_sec);
}

/* Collects the apps of several jobs, by index, and then the jobs that are apps
 * of their own. Returns the count of apps. */
static size_t apps_gather(const struct astra_sim_result *r, struct app *apps)
{
	size_t count = r->trace->app_count;

	for (size_t i = 0; i < r->trace->job_count; i++) {
		uint32_t app = r->trace->jobs[i].app;

		apps_join(app ? &apps[app - 1] : &apps[count++], r, i);
	}
	return count;
}

static double ideal_sec(const struct astra_sim_result *r, const struct app *app,
			bool divisible)
{
	double sec = app->work_gpu_sec / fmin((double)r->gpus, app->gpus);

	return divisible ? sec : fmax(app->least_sec, sec);
}

/* Drops apps without jobs, as all their jobs were too large. Returns how many
 * apps are left. */
static size_t drop_empty(struct app *apps, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (apps[i].gpus > 0)
			apps[kept++] = apps[i];
	return kept;
}

static int apps_collect(const struct astra_sim_result *r,
			const struct app *apps, const double *mean,
			size_t count, bool divisible, struct astra_sample *out)
{
	for (size_t i = 0; i < count; i++) {
		const struct astra_span *s = &apps[i].span;
		double rho = (s->end_sec - s->begin_sec) /
			     (mean[i] * ideal_sec(r, &apps[i], divisible));

		if (apps[i].done && astra_sample_add(out, rho) < 0)
			return -1;
	}
	return 0;
}

int astra_app_ftf(const struct astra_sim_result *r, bool divisible,
		  struct astra_sample *out)
{
	size_t room = r->trace->job_count + r->trace->app_count + 1, count = 0;
	struct app *apps = calloc(room, sizeof(*apps));
	struct astra_span *spans = calloc(room, sizeof(*spans));
	double *mean = calloc(room, sizeof(*mean));
	int rc = -1;

	if (apps && spans && mean) {
		count = drop_empty(apps, apps_gather(r, apps));
		for (size_t i = 0; i < count; i++)
			spans[i] = apps[i].span;
		rc = astra_spans_overlap(spans, count, mean);
	}
	if (!rc)
		rc = apps_collect(r, apps, mean, count, divisible, out);
	free(apps);
	free(spans);
	free(mean);
	return rc;
}
