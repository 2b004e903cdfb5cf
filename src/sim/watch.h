/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches a simulation and keeps its accounts, the same for every scheduler:
 * the integrals of LTGF (policy/fairness.h), by job, tenant and interval. */
#ifndef ASTRA_WATCH_H
#define ASTRA_WATCH_H

#include "src/model/fairness.h"
#include "src/sim/simulate.h"

/* So many rows of a tenant in an interval, 320 MB, are no sensible output. */
#define ASTRA_WATCH_ROWS 20000000

struct astra_watch {
	const struct astra_trace *trace;
	struct astra_sim_result *result;
	struct astra_fairness *account;
	uint32_t *tenants; /* numbers in the account */
	uint32_t *jobs;	   /* of those that are active */
	double next_sec;   /* end of the present interval */
	size_t cell_room, used_room;
	bool full; /* there would be more than ASTRA_WATCH_ROWS of them */
	struct astra_usage *before; /* of each tenant, at its begin */
	/* Where users are watched: of each row of the result's users its number
	 * in the account and the next row of the same user; of each user its
	 * first row. */
	uint32_t *user_accounts, *user_next, *user_first;
	astra_user_weight *user_weight;
	const void *user_weight_arg;
	size_t user_room, user_account_room, user_next_room;
};

/* result: jobs and tenants are there, zeroed. Returns 0, or -1 when memory is
 * out. */
int astra_watch_init(struct astra_watch *watch, const struct astra_trace *trace,
		     uint64_t gpus, bool quota_entitlement, double interval_sec,
		     struct astra_sim_result *result);
void astra_watch_clear(struct astra_watch *watch);

/* Account as production does, before anything happens: with all of these
 * options, and where users' weights are given (see astra_user_weight; arg: what
 * it gets) with users between tenants and jobs, which come into the result.
 * Returns 0, or -1 when out of memory. */
int astra_watch_as(struct astra_watch *watch,
		   const struct astra_fairness_options *options,
		   astra_user_weight *weight, const void *arg);

/* Times do not go backwards. Those that return int: 0, or -1 when memory is
 * out or the watch is full. */
int astra_watch_submit(struct astra_watch *watch, uint32_t job, double now_sec);
int astra_watch_start(struct astra_watch *watch, uint32_t job, uint32_t gpus,
		      double now_sec);
int astra_watch_stop(struct astra_watch *watch, uint32_t job, double now_sec);
int astra_watch_done(struct astra_watch *watch, uint32_t job, double now_sec);
/* It was refused, and wants no GPUs any more. */
int astra_watch_drop(struct astra_watch *watch, uint32_t job, double now_sec);

/* At the end: the accounts of jobs that are not done, of all tenants, and the
 * last interval. */
int astra_watch_finish(struct astra_watch *watch, double now_sec);

#endif
