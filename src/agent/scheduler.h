/* SPDX-License-Identifier: GPL-2.0-or-later */
/* App schedulers. They decide how an app values GPUs, which of its jobs get the
 * GPUs that it won, and which jobs are given up. Their inputs are an offer and
 * the agent's memory; no clock, no I/O. (Mahajan et al., Themis, NSDI'20,
 * section 5.2; SPEC section 2) */
#ifndef AGENT_SCHEDULER_H
#define AGENT_SCHEDULER_H

#include "src/agent/bid.h"
#include "src/agent/memory.h"

#define AGENT_RUNGS_MAX 32

/* The settings of --scheduler=NAME:KEY=VALUE,... */
struct agent_settings {
	const struct agent_scheduler *scheduler;
	const char *program; /* exec: the program; borrowed from the option's
			      * text */
	double eta;	     /* halving: one in eta jobs is kept; > 1 */
	double first;	     /* halving: iterations of the first rung; 0:
			      * computed from the number of jobs */
	double total;	     /* iterations of a whole job; 0: as the jobs
			      * report */
	uint32_t jobs;	     /* halving: jobs at the start of the search; 0:
			      * those seen so far */
	double rungs[AGENT_RUNGS_MAX]; /* halving: the rungs, if they are not
					* computed */
	size_t rung_count;
	double target;	 /* curve: target loss; NAN: none */
	double margin;	 /* curve: margin, as a fraction of the best loss */
	uint32_t points; /* curve: how many losses a job needs before it is
			  * judged */
};

struct agent_scheduler {
	const char *name;
	const char *keys[6]; /* names of its settings; ends with NULL */
	/* Fills the bid, which is initialised. Returns 0, or -1 with err
	 * set. */
	int (*decide)(const struct agent_settings *settings,
		      struct agent_memory *memory,
		      const struct agent_offer *offer, struct agent_bid *bid,
		      struct astra_error *err);
};

extern const struct agent_scheduler agent_single, agent_halving, agent_curve,
	agent_exec; /* while PROGRAM fails, agent_exec decides as
		     * agent_single */

/* Reads single, halving[:KEY=VALUE,...], curve[:KEY=VALUE,...] or exec:PROGRAM.
 * Returns 0, or -1 with err naming what is wrong; settings is then
 * undefined. */
int agent_settings_read(struct agent_settings *settings, const char *text,
			struct astra_error *err);

/* Updates memory from an offer, and makes the bid. bid: destroy it, also after
 * a failure. Returns 0, or -1 with err set. */
int agent_decide(const struct agent_settings *settings,
		 struct agent_memory *memory, const struct agent_offer *offer,
		 struct agent_bid *bid, struct astra_error *err);

/* Updates memory from an offer that a program has answered. A job that the
 * program gives up again and again is stopped at most once a minute. bid: from
 * agent_bid_read(). Returns 0, or -1 with err set. */
int agent_take_answer(struct agent_memory *memory,
		      const struct agent_offer *offer, struct agent_bid *bid,
		      struct astra_error *err);

#endif
