/* SPDX-License-Identifier: GPL-2.0-or-later */
/* App schedulers: how an app values GPUs, which of its jobs are to have those
 * that it won, and which are given up. They see an offer and what the agent
 * remembers; no clock, no I/O. (Mahajan et al., Themis, NSDI'20, section 5.2;
 * SPEC section 2) */
#ifndef AGENT_SCHEDULER_H
#define AGENT_SCHEDULER_H

#include "src/agent/bid.h"
#include "src/agent/memory.h"

#define AGENT_RUNGS_MAX 32

/* What --scheduler=NAME:KEY=VALUE,... says. */
struct agent_settings {
	const struct agent_scheduler *scheduler;
	const char *program; /* exec: what to run; borrowed from the option */
	double eta;	     /* halving: one of so many is kept; > 1 */
	double first;	     /* halving: iterations of the first rung; 0: by the
			      * number of jobs */
	double total;	     /* iterations of a whole job; 0: as jobs say */
	uint32_t jobs;	     /* halving: that the search began with; 0: as many
			      * as were seen */
	double rungs[AGENT_RUNGS_MAX]; /* halving: in place of all that */
	size_t rung_count;
	double target;	 /* curve: the loss that is looked for; NAN: none */
	double margin;	 /* curve: part of the best loss */
	uint32_t points; /* curve: losses before a job is judged */
};

struct agent_scheduler {
	const char *name;
	const char *keys[6]; /* of its settings, NULL at the end */
	/* bid: initialised. Returns 0, or -1 with err set. */
	int (*decide)(const struct agent_settings *settings,
		      struct agent_memory *memory,
		      const struct agent_offer *offer, struct agent_bid *bid,
		      struct astra_error *err);
};

extern const struct agent_scheduler agent_single, agent_halving, agent_curve,
	agent_exec; /* which decides as agent_single, while PROGRAM fails */

/* Read single, halving[:KEY=VALUE,...], curve[:KEY=VALUE,...] or exec:PROGRAM.
 * Returns 0, or -1 with err naming what is wrong; settings undefined then. */
int agent_settings_read(struct agent_settings *settings, const char *text,
			struct astra_error *err);

/* Take in an offer and answer it.
 * bid: destroy it, after failures too. Returns 0, or -1 with err set. */
int agent_decide(const struct agent_settings *settings,
		 struct agent_memory *memory, const struct agent_offer *offer,
		 struct agent_bid *bid, struct astra_error *err);

/* Take in an offer that a program has answered: jobs that it gives up again
 * and again are stopped once a minute.
 * bid: of agent_bid_read(). Returns 0, or -1 with err set. */
int agent_take_answer(struct agent_memory *memory,
		      const struct agent_offer *offer, struct agent_bid *bid,
		      struct astra_error *err);

#endif
