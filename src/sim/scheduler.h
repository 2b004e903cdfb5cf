/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the simulator runs: the engine with one of its policies. It
 * gets the snapshot that slurmctld's plugin gives the engine, and answers with
 * the same plan.
 */
#ifndef ASTRA_SCHEDULER_H
#define ASTRA_SCHEDULER_H

#include "src/model/model.h"
#include "src/model/plan.h"
#include "src/sim/overbid.h"
#include "src/sim/trace.h"

struct astra_options;

struct astra_sim_begin;

struct astra_scheduler_setup {
	const struct astra_options *options;
	const struct astra_trace *trace;
	double begin_sec;
	const struct astra_sim_begin *begin; /* simulate.h; NULL: anew */
	struct astra_lies lies;
};

/* What a scheduler says of itself; NaN: it has no such thing. */
struct astra_scheduler_report {
	double revenue; /* what tenants paid each other */
	double reward;	/* what it tries to make large */
	double late;	/* first starts, by what was promised last */
	double *income; /* of revenue, what each tenant of the trace was paid;
			 * zeroed */
	double *net;	/* of each tenant of the trace, its income less what it
			 * paid; zeroed */
};

struct astra_scheduler {
	const char *name;
	const char *summary; /* one line */
	const char *source;  /* of a baseline: where it comes from */
	bool blind;	     /* it does not ask how far the work of jobs is */
	/* setup: borrowed; trace lives as long as the instance.
	 * NULL with err set on failure. */
	void *(*create)(const struct astra_scheduler_setup *setup,
			struct astra_error *err);
	void (*destroy)(void *self);
	/* One round. ENDED jobs are shown once.
	 * The plan may say: START (until_sec: when to be asked again at the
	 * latest, infinite: need not), SIGNAL (checkpoint, then leave),
	 * REQUEUE. plan->wake_sec: the latest time of the next round.
	 * Returns 0, or -1 with err set, which ends the simulation. */
	int (*round)(void *self, const struct astra_snapshot *snapshot,
		     struct astra_plan *plan, struct astra_error *err);
	/* Go on with these options from the next round on. NULL: its options
	 * do not change. Returns 0, or -1 with err set. */
	int (*configure)(void *self, const struct astra_options *options,
			 struct astra_error *err);
	/* At the end; out: NaN. NULL: there is nothing to say. */
	void (*report)(void *self, struct astra_scheduler_report *out);
};

/* By name; NULL with err naming those there are: there is none. */
const struct astra_scheduler *astra_scheduler_find(const char *name,
						   struct astra_error *err);
/* One for each policy; NULL-terminated. */
const struct astra_scheduler *const *astra_scheduler_all(void);

#endif
