/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The baselines of the papers' evaluations, as policies: for comparison. One
 * loop serves them all (round.c); a baseline is a const struct that says in
 * which order jobs go, who may have how much, and what comes of those behind
 * one that does not fit.
 *
 * Jobs run on all their GPUs or not at all, and get them consolidated
 * (placement.h). Nobody is stopped: leases have no end.
 */
#ifndef ASTRA_BASELINES_BASELINE_H
#define ASTRA_BASELINES_BASELINE_H

#include "src/policies/baselines/lines.h"
#include "src/policies/policy.h"

struct baseline_run;

/* What comes of the others when the next job does not fit. One that would not
 * fit if nobody else were there is passed over in any case. */
enum baseline_unfit {
	BASELINE_SKIP,	/* those that fit start */
	BASELINE_BLOCK, /* those behind it in its line wait */
};

struct baseline {
	enum baseline_unfit unfit;
	/* Who of a line is first; NULL: first come, first served. Of equals,
	 * those that came first. */
	struct astra_rank (*rank)(const struct baseline_run *run,
				  const struct astra_demand *d);
	/* Which tenant's line is next, the smallest; ties: the first.
	 * NULL: there is one line for all. */
	double (*tenant_key)(const struct baseline_run *run, uint32_t tenant);
	/* The quota rule; NULL: none. */
	bool (*allowed)(const struct baseline_run *run,
			const struct astra_demand *d);
};

struct baseline_tenant {
	double planned; /* GPUs of its jobs as decided so far, as charged */
};

/* One instance. */
struct baseline_run {
	const struct baseline *rule;
	struct baseline_tenant *tenants; /* by number in the offer */
	size_t tenant_room;
	struct astra_baseline_lines lines; /* who waits */
	struct astra_share *shares;	   /* of one job */
	size_t share_room;
	/* The round. */
	const struct astra_offer *offer;
	struct astra_allocation *out;
	struct astra_space *space; /* what is free */
	struct astra_space *whole; /* if nobody ran; NULL: not made yet */
	uint32_t least;		   /* GPUs of the smallest that waits */
};

/* The policies' calls. rule: lives as long as the instance. */
void *baseline_create(const struct baseline *rule, struct astra_error *err);
void baseline_destroy(void *self);
int baseline_allocate(void *self, const struct astra_offer *offer,
		      struct astra_allocation *out, struct astra_error *err);
#define BASELINE_CALLS                                               \
	.slots = true, .endless = true, .destroy = baseline_destroy, \
	.allocate = baseline_allocate

/* Defines NAME_create() of the baseline with that rule. */
#define BASELINE_CREATE(name, rule)                                     \
	static void *name##_create(const struct astra_options *options, \
				   struct astra_error *err)             \
	{                                                               \
		(void)options;                                          \
		return baseline_create(&(rule), err);                   \
	}

extern const struct astra_policy astra_fifo, astra_drf, astra_yarn_cs;

#endif
