/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fair it really was: a record measured as the simulator measures what it
 * simulates, so that the two can be held against each other.
 *
 * Only the window counts: a job that was submitted before it counts as
 * submitted at its start, a run that goes on after it as ended at its end.
 */
#ifndef ASTRA_AUDIT_H
#define ASTRA_AUDIT_H

#include "src/audit/record.h"
#include "src/sim/metrics.h"

struct astra_window {
	double start_sec, end_sec; /* as the record counts */
};

/* A window of all that is in the record: from the first submission to the last
 * end. What has not ended is there until end_sec. */
struct astra_window astra_record_window(const struct astra_record *record,
					double end_sec);

/* The jobs of the window as a trace whose second 0 is the window's start. A
 * job's work is what it did within the window. ran: only those that did any,
 * which are those that can be simulated; of the others the duration means
 * nothing. The line of a job is 1 + its index in the record.
 * trace: initialized. Returns 0, or -1 when out of memory. */
int astra_audit_trace(const struct astra_record *record,
		      const struct astra_window *window, bool ran,
		      struct astra_trace *trace);

struct astra_audit_options {
	uint64_t gpus;		/* of the cluster */
	bool quota_entitlement; /* Eq. 16 instead of Eq. 8 for tenants */
	double interval_sec;	/* of the tenants' rows */
	double term_sec;	/* of a lease, for the bounds of first waits; 0:
				 * they have none */
	double grace_sec;	/* and the grace at a lease's end */
	uint64_t seed;		/* of utilities, where they are made up */
	double half_life_sec;	/* as in struct astra_fairness_options; */
	double lead_max_sec;	/* the intervals want them 0 */
	/* Users between tenants and jobs weigh so; NULL: none are. */
	astra_user_weight *user_weight;
	const void *user_weight_arg;
};

/* Measure what happened to the jobs of the trace, which is of that record and
 * window. What never ran has no start and no end in the result; what ran and
 * has not ended has the window's end for its own. Times lost to cold starts and
 * the like are not known, and NaN. contenders is filled. Returns 0, or -1 with
 * err set. result: astra_sim_result_clear(). */
int astra_audit_measure(const struct astra_record *record,
			const struct astra_window *window,
			const struct astra_trace *trace,
			const struct astra_audit_options *options,
			struct astra_sim_result *result,
			struct astra_error *err);

/* The GPU time that a job of a result did not get though it was its due: F - A
 * of Eqs. 12 and 13, where its A / F is below 0.95, which is the sharing loss
 * of ASTRAEA's section 5.1.2; else 0. */
double astra_audit_loss_gpu_sec(const struct astra_sim_result *result,
				uint32_t job);

/* The jobs that have lost, those that lost most first; of those that lost the
 * same, the earlier. jobs: room for all of the trace.
 * Returns how many there are. */
size_t astra_audit_wronged(const struct astra_sim_result *result,
			   uint32_t *jobs);

/* Waits and slowdowns of the jobs of one size. */
struct astra_audit_size {
	uint32_t gpus_min, gpus_max; /* the class: 1, 2, 3-4, 5-8, ... */
	size_t jobs, never;	     /* those that never started among them */
	double gpu_sec;
	double wait_mean_sec, wait_p50_sec, wait_p95_sec, wait_max_sec;
	double slowdown_mean, slowdown_p50, slowdown_p95, slowdown_max;
};
#define ASTRA_AUDIT_SIZES 33 /* classes, and all together as the last */

/* sizes: so many; those without jobs have 0 of them. wanted: which jobs of the
 * trace count; NULL: all. Returns 0, or -1 when out of memory. */
int astra_audit_sizes(const struct astra_sim_result *result, const bool *wanted,
		      struct astra_audit_size sizes[ASTRA_AUDIT_SIZES]);

/* A tenant's sharing loss: the share of the intervals in which it was entitled
 * to anything that had A / F below 1; NaN: it never was. */
double astra_audit_tenant_loss(const struct astra_sim_result *result,
			       size_t tenant);

#endif
