/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a simulation says about a scheduler: one number for each question.
 * A number that has no answer, as the mean of no jobs, is NaN.
 */
#ifndef ASTRA_METRICS_H
#define ASTRA_METRICS_H

#include "src/sim/sample.h"
#include "src/sim/simulate.h"

struct astra_metrics {
	double done;	 /* jobs that were completed */
	double job_loss; /* share of jobs with rho < 0.95 (sharing loss) */
	double job_rho_p5, job_rho_p50, job_rho_p95; /* Eq. 15 */
	double job_due_lost;	/* share of GPU time due to jobs, not given */
	double tenant_loss;	/* share of tenant intervals with rho < 1 */
	double tenant_due_lost; /* the same of tenants in intervals */
	double tenant_rho_min, tenant_rho_max; /* Eqs. 8, 12, 16; all the time */
	double jain;			       /* index of the tenants' rho */
	double ftf_mean, ftf_max;	       /* T_SH / T_ID, Themis */
	double share_ftf_mean, share_ftf_max;  /* with 1/N of the GPUs */
	double app_ftf_mean, app_ftf_max;      /* of apps, Themis */
	double app_rho_max;		       /* of divisible ones */
	double slowdown_mean, slowdown_p50, slowdown_p95; /* JCT / duration */
	double slowdown_bounded; /* mean, short jobs taken as ten seconds */
	double jct_mean_sec, jct_p50_sec, jct_p95_sec;
	double wait_mean_sec; /* until the first start, of those that had it */
	double wait_max_sec;  /* of all, those that never started included */
	double over_bound;    /* jobs that waited longer than their bound */
	double makespan_sec;
	double utilisation;   /* of GPU time until the last submission */
	double preemptions;   /* a job */
	double gpu_sec;	      /* GPU time of all jobs */
	double lost_share;    /* of GPU time, to checkpoints and cold starts */
	double slow_share;    /* of GPU time, to places far apart */
	double utility;	      /* of all jobs; one that was not done has none */
	double utility_share; /* of that if all were alone */
	double revenue, revenue_jain, reward; /* as the scheduler says */
};

/* Fill jobs[].contenders: how many jobs were active on average during each
 * one's life. N(t) counts the jobs submitted and not done at t; a job's is
 *   1 / (end - submit) * integral of N over [submit, end),
 * or N(submit) where that is no time. What is not done ends with the result.
 * Returns 0, or -1 when out of memory. (contention.c) */
int astra_contention(struct astra_sim_result *result);

/* The same of anything else: mean[i] becomes how many spans there were during
 * the i-th one, on average. */
struct astra_span {
	double begin_sec, end_sec;
};
int astra_spans_overlap(const struct astra_span *spans, size_t count,
			double *mean);

/* T_SH / T_ID of each app all of whose jobs are done; jobs without an app are
 * one each. T_SH is the time from its first submission to its last end. T_ID is
 * N_avg, the number of apps that were there on average, times the time that it
 * takes alone: its GPU work over min(R_C, its GPUs) (Themis, Eq. 2), and not
 * less than its longest job needs, unless divisible. Returns 0, or -1 when
 * out of memory. */
int astra_app_ftf(const struct astra_sim_result *result, bool divisible,
		  struct astra_sample *out);

/* What a job was worth to its owner, and what it would have been if it had
 * started at once and been alone. */
double astra_job_worth(const struct astra_sim_result *result, size_t job);

/* How long the job would have taken alone with an equal share.
 * themis: T_ID = N_avg * work / min(R_C, demand), each app in its turn on all
 * the cluster (Themis, Eq. 1). share: with min(demand, R_C / N_avg) GPUs all
 * the time, as Gavel and Shockwave have it. Need astra_contention(). */
double astra_ideal_themis_sec(const struct astra_sim_result *result,
			      size_t job);
double astra_ideal_share_sec(const struct astra_sim_result *result, size_t job);

/* rho = A / F of a job or a tenant, Eqs. 12 and 15; NaN where there was neither
 * use nor entitlement. */
double astra_share_rho(double alloc_gpu_sec, double fair_gpu_sec);

/* How long a job waited for its first start; until the end of the result if it
 * never had one. NaN: it would have come only after that. */
double astra_first_wait_sec(const struct astra_sim_result *result, size_t job);

/* Whether its first wait, as far as it is known, was longer than its bound
 * (astra_bounds_fill()). */
bool astra_is_over_bound(const struct astra_sim_result *result, size_t job);

/* First waits of the jobs of one size; the means and maxima of all, NaN: there
 * are no such jobs. */
#define ASTRA_WAIT_SIZES 8
struct astra_wait_size {
	double gpus_min, gpus_max; /* 1, 2-4, 5-8, 9-16, ..., 129 and more */
	double jobs, never;	   /* those that never started among them */
	double over; /* those that waited longer than their bound */
	double mean_sec, max_sec;
};

/* The largest class has no gpus_max: it is infinite. */
void astra_wait_sizes(const struct astra_sim_result *result,
		      struct astra_wait_size sizes[ASTRA_WAIT_SIZES]);

/* For people: "1", "2-4", "129+". Returns text. */
char *astra_wait_size_text(const struct astra_wait_size *size, char text[32]);

/* Numbers of one kind, sorted. Jobs count where they have the number: rho with
 * use or entitlement, times when done (wait: when started). */
enum astra_series {
	ASTRA_SERIES_JOB_RHO,
	ASTRA_SERIES_CELL_RHO, /* tenants in intervals with entitlement */
	ASTRA_SERIES_TENANT_RHO,
	ASTRA_SERIES_FTF,
	ASTRA_SERIES_SHARE_FTF,
	ASTRA_SERIES_APP_FTF,
	ASTRA_SERIES_APP_RHO, /* the same, divisible */
	ASTRA_SERIES_SLOWDOWN,
	ASTRA_SERIES_BOUNDED_SLOWDOWN,
	ASTRA_SERIES_JCT,
	ASTRA_SERIES_WAIT,
};

/* out: empty; astra_sample_clear() it. Returns 0, or -1 when out of memory;
 * out is empty then. */
int astra_series_collect(const struct astra_sim_result *result,
			 enum astra_series kind, struct astra_sample *out);

/* result: after astra_contention(). Returns 0, or -1 when out of memory. */
int astra_metrics_compute(const struct astra_sim_result *result,
			  struct astra_metrics *out);

/* The table: how each is named, printed and documented; ended by a NULL key. */
struct astra_metric {
	const char *key;   /* "job_loss" */
	const char *head;  /* "job loss", for the head of a column */
	const char *title; /* "job sharing loss" */
	const char *unit;  /* "", "s", "jobs", "%": of 1 */
	const char *help;  /* definition and equation */
	size_t offset;	   /* of the double in struct astra_metrics */
	int better;	   /* -1: lower is better, 1: higher, 0: neither */
};
extern const struct astra_metric astra_metric_table[];

/* By key, which must be one of the table's. */
const struct astra_metric *astra_metric_find(const char *key);

double astra_metric_value(const struct astra_metrics *metrics,
			  const struct astra_metric *metric);

/* For people: "7.1 %", "1:02:03", "1.234"; "-" for NaN. Returns text. */
char *astra_metric_text(const struct astra_metric *metric, double value,
			char text[32]);

#endif
