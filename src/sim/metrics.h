/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a simulation says about a scheduler: one number for each question. */
#ifndef ASTRA_METRICS_H
#define ASTRA_METRICS_H

#include "src/sim/simulate.h"

struct astra_metrics {
	size_t jobs, done;
	double job_loss;     /* share of jobs with rho < 0.95 (sharing loss) */
	double job_rho_p[5]; /* rho of jobs, Eq. 12: 5, 25, 50, 75, 95 % */
	double tenant_loss;  /* share of tenant intervals with rho < 1 */
	double tenant_rho_min, tenant_rho_max; /* Eq. 15, over all the time */
	double ftf_mean, ftf_max; /* finish-time fairness, T_SH / T_ID */
	double slowdown_mean, slowdown_p50, slowdown_p95; /* JCT / duration */
	double jct_mean_sec, jct_p50_sec, jct_p95_sec;
	double wait_mean_sec;
	double makespan_sec;
	double utilisation; /* of GPU time until the last submission */
	double preemptions; /* a job */
	double lost_share;  /* of GPU time, to checkpoints and cold starts */
	double jain;	    /* index of the tenants' rho */
};

void astra_metrics_compute(const struct astra_sim_result *result,
			   struct astra_metrics *out);

/* The table: how each is named, printed and documented; ended by a NULL key. */
struct astra_metric {
	const char *key;   /* "job_loss" */
	const char *title; /* "job sharing loss" */
	const char *unit;  /* "", "s", "%" */
	const char *help;  /* definition and equation */
	size_t offset;	   /* of the double in struct astra_metrics */
	bool lower_is_better;
};
extern const struct astra_metric astra_metric_table[];

#endif
