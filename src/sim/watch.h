/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches a simulation, and keeps the same accounts for every scheduler: the
 * integrals of LTGF (src/model/fairness.h), by job, tenant and interval. */
#ifndef ASTRA_WATCH_H
#define ASTRA_WATCH_H

#include "src/model/fairness.h"
#include "src/sim/simulate.h"

/* Most rows, one for each tenant in each interval. They take 320 MB; more is
 * not sensible output. */
#define ASTRA_WATCH_ROWS 20000000

struct astra_watch {
	const struct astra_trace *trace;
	struct astra_sim_result *result;
	struct astra_fairness *account;
	uint32_t *tenants; /* ids in the account */
	uint32_t *jobs;	   /* ids of submitted jobs */
	double next_sec;   /* end of the present interval */
	size_t cell_room, used_room;
	bool full; /* there would be more rows than ASTRA_WATCH_ROWS */
	struct astra_usage *before; /* by tenant: the usage at the interval's
				     * start */
	/* Set if users are watched. By row of the result's users: the id in the
	 * account, and the index of the next row of the same user. By user: the
	 * first row. */
	uint32_t *user_accounts, *user_next, *user_first;
	astra_user_weight *user_weight;
	const void *user_weight_arg;
	size_t user_room, user_account_room, user_next_room;
};

/* Initializes a watch. result: has its jobs and tenants, zeroed. Returns 0, or
 * -1 if out of memory. */
int astra_watch_init(struct astra_watch *watch, const struct astra_trace *trace,
		     uint64_t gpus, bool quota_entitlement, double interval_sec,
		     struct astra_sim_result *result);
void astra_watch_clear(struct astra_watch *watch);

/* Keeps accounts as slurmctld does, with all these options; call it before any
 * event. If weight is given (see astra_user_weight), users are a level between
 * tenants and jobs, and are in the result. arg: passed to weight. Returns 0, or
 * -1 if out of memory. */
int astra_watch_as(struct astra_watch *watch,
		   const struct astra_fairness_options *options,
		   astra_user_weight *weight, const void *arg);

/* Note an event; times must not go backwards. Return 0, or -1 if out of memory
 * or full. */
int astra_watch_submit(struct astra_watch *watch, uint32_t job, double now_sec);
int astra_watch_start(struct astra_watch *watch, uint32_t job, uint32_t gpus,
		      double now_sec);
int astra_watch_stop(struct astra_watch *watch, uint32_t job, double now_sec);
int astra_watch_done(struct astra_watch *watch, uint32_t job, double now_sec);
/* Notes that a job was refused, and no longer wants GPUs. */
int astra_watch_drop(struct astra_watch *watch, uint32_t job, double now_sec);

/* Completes the accounts at the end: those of unfinished jobs, of all tenants,
 * and of the last interval. */
int astra_watch_finish(struct astra_watch *watch, double now_sec);

#endif
