/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pool's row in a report. It has its own file, since new options change
 * it. */
#ifndef ASTRA_REPORT_POOL_H
#define ASTRA_REPORT_POOL_H

#include "src/policies/options.h"
#include "src/proto/report.h"

/* A pool: partitions that share nodes, a policy, and its options. */
struct astra_report_pool {
	const char *name;
	const char *partitions; /* separated by commas */
	const char *policy;	/* such as "ltgf" */
	const char *variant;	/* tenants' entitlement: "eq8" or "eq16" */
	uint64_t gpus;		/* GPUs of all nodes */
	uint64_t gpus_usable;	/* GPUs of nodes that are up and not drained */
	uint64_t gpus_free;	/* usable and free */
	uint64_t gpus_down;	/* GPUs that are neither usable nor held */
	uint32_t hold_job;	/* job for which GPUs are collected; 0: there is
				 * no hold */
	double hold_start_sec;	/* when these GPUs will be complete */
	struct astra_counters counters;
	uint32_t adoptions; /* how often usage was adopted into its accounts
			     * since the start */
	double reward; /* sum of the rewards by which its policy learns; NaN:
			* none */
	double slots;  /* slots in that sum */
	/* LeaseTerm=auto: when a term was chosen last (0: never), how many jobs
	 * were simulated, how many points the term is behind the best one, and
	 * why. */
	double lease_chosen_sec;
	uint64_t lease_chosen_jobs;
	double lease_chosen_points;
	const char *lease_chosen_why; /* "": nothing is known yet */
	/* The options in force. Without leases all lease terms are 0. */
	struct astra_options of;
};

#endif
