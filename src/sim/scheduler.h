/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler that the simulator runs: the engine as in slurmctld, with one
 * of its policies. It takes the same kind of snapshot and returns the same kind
 * of plan. */
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
	const struct astra_sim_begin *begin; /* see simulate.h; or NULL */
	struct astra_lies lies;
};

/* What a scheduler reports on itself; NaN: it does not keep the figure. */
struct astra_scheduler_report {
	double revenue; /* what tenants paid each other */
	double reward;	/* what it maximizes */
	double late;	/* count of first starts later than the last promised
			 * bound */
	double *income; /* by tenant of the trace: the tenant's part of revenue;
			 * zeroed */
	double *net;	/* by tenant of the trace: income less payments;
			 * zeroed */
};

struct astra_scheduler {
	const char *name;
	const char *summary; /* one line */
	const char *source;  /* for a baseline: its paper or source */
	bool blind;	     /* the scheduler ignores the progress of jobs */
	/* Creates an instance. setup: borrowed; its trace must outlive the
	 * instance. Returns NULL with err set on failure. */
	void *(*create)(const struct astra_scheduler_setup *setup,
			struct astra_error *err);
	void (*destroy)(void *self);
	/* Runs a round. ENDED jobs are shown once. The plan may have START
	 * (until_sec: latest time of the next round; may be infinite), SIGNAL
	 * (checkpoint, then leave) and REQUEUE. plan->wake_sec: the latest time
	 * of the next round. Returns 0; or -1 with err set, which ends the
	 * simulation. */
	int (*round)(void *self, const struct astra_snapshot *snapshot,
		     struct astra_plan *plan, struct astra_error *err);
	/* Sets the options from the next round on. If this is NULL, options
	 * cannot change. Returns 0, or -1 with err set. */
	int (*configure)(void *self, const struct astra_options *options,
			 struct astra_error *err);
	/* Fills the report at the end of a simulation. The caller sets out's
	 * numbers to NaN. If this is NULL, there is no report. */
	void (*report)(void *self, struct astra_scheduler_report *out);
};

/* Finds a scheduler by name. Returns NULL if no scheduler has the name; then
 * err (may be NULL) lists all names. */
const struct astra_scheduler *astra_scheduler_find(const char *name,
						   struct astra_error *err);
/* Returns all schedulers, one for each policy; ends with NULL. */
const struct astra_scheduler *const *astra_scheduler_all(void);

#endif
