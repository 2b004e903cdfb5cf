/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a simulation tells about a scheduler, as numbers. An undefined number,
 * such as the mean of no jobs, is NaN. */
#ifndef ASTRA_METRICS_H
#define ASTRA_METRICS_H

#include "src/sim/sample.h"
#include "src/sim/simulate.h"

struct astra_metrics {
	double done;	 /* jobs that were completed */
	double job_loss; /* share of jobs with rho < 0.95 (sharing loss) */
	double job_rho_p5, job_rho_p50, job_rho_p95; /* ASTRAEA, Eq. 15 */
	double job_due_lost;	/* share of the GPU time due to jobs that was
				 * not given */
	double tenant_loss;	/* share of tenant intervals with rho < 1 */
	double tenant_due_lost; /* the same, of tenants' intervals */
	double tenant_rho_min, tenant_rho_max; /* over the whole time (Eqs. 8,
						* 12, 16) */
	double jain;			       /* index of the tenants' rho */
	double ftf_mean, ftf_max;	       /* T_SH / T_ID, Themis */
	double share_ftf_mean, share_ftf_max;  /* with 1/N of the GPUs */
	double app_ftf_mean, app_ftf_max;      /* of apps, Themis */
	double app_rho_max;		       /* of divisible apps */
	double slowdown_mean, slowdown_p50, slowdown_p95; /* JCT / duration */
	double slowdown_bounded; /* mean; a duration below ten seconds counts as
				  * ten */
	double jct_mean_sec, jct_p50_sec, jct_p95_sec;
	double wait_mean_sec; /* until the first start; only jobs that
			       * started */
	double wait_max_sec;  /* of all jobs, including those that never
			       * started */
	double over_bound;    /* count of jobs that waited longer than their
			       * bound */
	double makespan_sec;
	double utilisation;   /* share of the GPU time until the last
			       * submission */
	double preemptions;   /* per job */
	double gpu_sec;	      /* GPU time of all jobs */
	double lost_share;    /* share of gpu_sec lost to checkpoints and cold
			       * starts */
	double slow_share;    /* share of gpu_sec lost to GPUs that are far
			       * apart */
	double utility;	      /* sum over all jobs; unfinished ones add none */
	double utility_share; /* share of the utility if each job ran alone */
	double revenue, revenue_jain, reward; /* from the scheduler */
};

/* Fills jobs[].contenders: how many jobs were active on average during a job's
 * life. N(t) counts the jobs submitted and not done at t. A job's value is
 *	1 / (end - submit) * integral of N over [submit, end),
 * or N(submit) if end = submit. Unfinished jobs end with the result. Returns 0,
 * or -1 if out of memory. (contention.c) */
int astra_contention(struct astra_sim_result *result);

/* Like astra_contention() for any spans: sets mean[i] to the average count of
 * spans during the i-th one. Returns 0, or -1 if out of memory. */
struct astra_span {
	double begin_sec, end_sec;
};
int astra_spans_overlap(const struct astra_span *spans, size_t count,
			double *mean);

/* Appends T_SH / T_ID of each app whose jobs are all done; a job without an app
 * is an app of its own. T_SH is the time from the app's first submission to its
 * last end. T_ID is N_avg, the average number of apps present, times the time
 * that the app takes alone: its GPU work over min(R_C, its GPUs) (Themis, Eq.
 * 2). Unless divisible, that is at least the time that its longest job needs.
 * Returns 0, or -1 if out of memory. */
int astra_app_ftf(const struct astra_sim_result *result, bool divisible,
		  struct astra_sample *out);

/* Returns the job's worth to its owner; 0 if the job is not done. */
double astra_job_worth(const struct astra_sim_result *result, size_t job);

/* Return how long the job would have taken with an equal share. themis: T_ID =
 * N_avg * work / min(R_C, demand), as if apps took turns on the whole cluster
 * (Themis, Eq. 1). share: the job has min(demand, R_C / N_avg) GPUs all the
 * time, as in Gavel and Shockwave. Call astra_contention() first. */
double astra_ideal_themis_sec(const struct astra_sim_result *result,
			      size_t job);
double astra_ideal_share_sec(const struct astra_sim_result *result, size_t job);

/* Returns rho = A / F of a job or a tenant (ASTRAEA, Eqs. 12 and 15); NaN if it
 * had neither use nor entitlement. */
double astra_share_rho(double alloc_gpu_sec, double fair_gpu_sec);

/* Returns how long a job waited for its first start, or until the end of the
 * simulation if it never started. NaN if the simulation ended before its
 * submission. */
double astra_first_wait_sec(const struct astra_sim_result *result, size_t job);

/* Whether a job waited longer for its first start than its bound
 * (astra_bounds_fill()). For a job that never started, its wait so far
 * counts. */
bool astra_is_over_bound(const struct astra_sim_result *result, size_t job);

/* First waits of the jobs of one size. Mean and maximum are NaN if there are no
 * such jobs. */
#define ASTRA_WAIT_SIZES 8
struct astra_wait_size {
	double gpus_min, gpus_max; /* 1, 2-4, 5-8, 9-16, ..., 129 and more */
	double jobs, never;	   /* never: those that did not start */
	double over; /* jobs that waited longer than their bound */
	double mean_sec, max_sec;
};

/* Fills the sizes. In the last class gpus_max is infinite. */
void astra_wait_sizes(const struct astra_sim_result *result,
		      struct astra_wait_size sizes[ASTRA_WAIT_SIZES]);

/* Writes the size for people, such as "1", "2-4" or "129+". Returns text. */
char *astra_wait_size_text(const struct astra_wait_size *size, char text[32]);

/* A kind of numbers. A job counts if it has the number: rho if it had use or
 * entitlement; waits if it started; other times if it is done. */
enum astra_series {
	ASTRA_SERIES_JOB_RHO,
	ASTRA_SERIES_CELL_RHO, /* tenants' intervals with entitlement */
	ASTRA_SERIES_TENANT_RHO,
	ASTRA_SERIES_FTF,
	ASTRA_SERIES_SHARE_FTF,
	ASTRA_SERIES_APP_FTF,
	ASTRA_SERIES_APP_RHO, /* the same, of divisible apps */
	ASTRA_SERIES_SLOWDOWN,
	ASTRA_SERIES_BOUNDED_SLOWDOWN,
	ASTRA_SERIES_JCT,
	ASTRA_SERIES_WAIT,
};

/* Collects the numbers of a kind, sorted. out: empty; clear with
 * astra_sample_clear(). Returns 0, or -1 if out of memory; then out is empty.
 */
int astra_series_collect(const struct astra_sim_result *result,
			 enum astra_series kind, struct astra_sample *out);

/* Computes all metrics. result: after astra_contention(). Returns 0, or -1 if
 * out of memory. */
int astra_metrics_compute(const struct astra_sim_result *result,
			  struct astra_metrics *out);

/* How a metric is named, printed and documented; the table ends with a NULL
 * key. */
struct astra_metric {
	const char *key;   /* "job_loss" */
	const char *head;  /* "job loss", for the head of a column */
	const char *title; /* "job sharing loss" */
	const char *unit;  /* "", "s", "jobs"; "%": the value 1 is 100 % */
	const char *help;  /* definition and equation */
	size_t offset;	   /* offset of the double in struct astra_metrics */
	int better;	   /* -1: lower is better; 1: higher is better; 0:
			    * neither */
};
extern const struct astra_metric astra_metric_table[];

/* Finds a metric by key, which must be in the table. */
const struct astra_metric *astra_metric_find(const char *key);

double astra_metric_value(const struct astra_metrics *metrics,
			  const struct astra_metric *metric);

/* Writes a value for people, such as "7.1 %", "1:02:03" or "1.234"; "-" for
 * NaN. Returns text. */
char *astra_metric_text(const struct astra_metric *metric, double value,
			char text[32]);

#endif
