/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures how fair a record is, in the same way as the simulator measures its
 * results, so that the two can be compared. Only the window counts. A job
 * submitted before the window counts as submitted at its start; a run that goes
 * on after the window counts as ended at its end. */
#ifndef ASTRA_AUDIT_H
#define ASTRA_AUDIT_H

#include "src/audit/record.h"
#include "src/sim/metrics.h"

struct astra_window {
	double start_sec, end_sec; /* in the record's times */
};

/* Returns the window that covers the whole record, from the first submission to
 * the last end. Jobs that have not ended last until end_sec. */
struct astra_window astra_record_window(const struct astra_record *record,
					double end_sec);

/* Makes a trace of the window's jobs; its second 0 is the window's start. A
 * job's duration is how long it ran within the window. A job's line is 1 + its
 * index in the record. ran: take only jobs that ran, as only these can be
 * simulated. trace: initialized. Returns 0, or -1 when out of memory. */
int astra_audit_trace(const struct astra_record *record,
		      const struct astra_window *window, bool ran,
		      struct astra_trace *trace);

struct astra_audit_options {
	uint64_t gpus;		/* of the cluster */
	bool quota_entitlement; /* for tenants: Eq. 16 instead of Eq. 8 */
	double interval_sec;	/* of the tenants' rows */
	double term_sec;	/* term of a lease, for the bounds of first
				 * waits; 0: no bounds */
	double grace_sec;	/* grace at a lease's end */
	uint64_t seed;		/* for made-up utilities */
	double half_life_sec;	/* as in struct astra_fairness_options; with
				 * intervals both must be 0 */
	double lead_max_sec;
	/* Weights of users, as a level between tenants and jobs. NULL: there is
	 * no such level. */
	astra_user_weight *user_weight;
	const void *user_weight_arg;
};

/* Measures the jobs of the trace, which must be made from this record and
 * window. In the result, jobs that never ran have no start and no end. Jobs
 * that ran but have not ended get the window's end. Times lost to cold starts
 * and the like are unknown, so NaN. contenders is filled. Returns 0, or -1 with
 * err set. result: clear it with astra_sim_result_clear(). */
int astra_audit_measure(const struct astra_record *record,
			const struct astra_window *window,
			const struct astra_trace *trace,
			const struct astra_audit_options *options,
			struct astra_sim_result *result,
			struct astra_error *err);

/* Returns the GPU time that a job was due but did not get. This is F - A of
 * Eqs. 12 and 13 if the job's A / F is below 0.95 (the sharing loss of
 * ASTRAEA's section 5.1.2), else 0. */
double astra_audit_loss_gpu_sec(const struct astra_sim_result *result,
				uint32_t job);

/* Lists the jobs with a loss, the largest loss first; ties by index. jobs: room
 * for all jobs of the trace. Returns their count; 0 when out of memory. */
size_t astra_audit_wronged(const struct astra_sim_result *result,
			   uint32_t *jobs);

/* Waits and slowdowns of the jobs of one size. */
struct astra_audit_size {
	uint32_t gpus_min, gpus_max; /* the class: 1, 2, 3-4, 5-8, ... */
	size_t jobs, never;	     /* never: those that never started */
	double gpu_sec;
	double wait_mean_sec, wait_p50_sec, wait_p95_sec, wait_max_sec;
	double slowdown_mean, slowdown_p50, slowdown_p95, slowdown_max;
};
#define ASTRA_AUDIT_SIZES 33 /* all classes, and a last one for all jobs */

/* Fills sizes; in a class without jobs, `jobs` is 0. wanted: which jobs of the
 * trace count; NULL: all. Returns 0, or -1 when out of memory. */
int astra_audit_sizes(const struct astra_sim_result *result, const bool *wanted,
		      struct astra_audit_size sizes[ASTRA_AUDIT_SIZES]);

/* Returns a tenant's sharing loss: among the intervals in which it was entitled
 * to GPUs, the share with A / F below 1. NaN if it never was entitled. */
double astra_audit_tenant_loss(const struct astra_sim_result *result,
			       size_t tenant);

#endif
