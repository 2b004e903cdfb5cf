/* SPDX-License-Identifier: GPL-2.0-or-later */
/* App schedulers: how an app values GPUs, which of its jobs get the GPUs that
 * it won, and which are given up. They see an offer and the agent's memory; no
 * clock, no I/O. (Mahajan et al., Themis, NSDI'20, section 5.2; SPEC section 2)
 */
#ifndef AGENT_SCHEDULER_H
#define AGENT_SCHEDULER_H

#include "src/agent/bid.h"
#include "src/agent/memory.h"

#define AGENT_RUNGS_MAX 32

/* The settings of --scheduler=NAME:KEY=VALUE,... */
struct agent_settings {
	const struct agent_scheduler *scheduler;
	const char *program; /* exec: the program; borrowed from the option */
	double eta;	     /* halving: one in eta jobs is kept; > 1 */
	double first;	     /* halving: iterations of the first rung; 0:
			      * computed from the number of jobs */
	double total;	     /* iterations of a whole job; 0: as jobs say */
	uint32_t jobs;	     /* halving: jobs at the start of the search; 0:
			      * as many as were seen */
	double rungs[AGENT_RUNGS_MAX]; /* halving: the rungs, instead of
					* computed ones */
	size_t rung_count;
	double target;	 /* curve: target loss; NAN: none */
	double margin;	 /* curve: margin, as a part of the best loss */
	uint32_t points; /* curve: losses before a job is judged */
};

struct agent_scheduler {
	const char *name;
	const char *keys[6]; /* its settings' names, NULL at the end */
	/* bid: initialised. Returns 0, or -1 with err set. */
	int (*decide)(const struct agent_settings *settings,
		      struct agent_memory *memory,
		      const struct agent_offer *offer, struct agent_bid *bid,
		      struct astra_error *err);
};

extern const struct agent_scheduler agent_single, agent_halving, agent_curve,
	agent_exec; /* agent_exec decides as agent_single while PROGRAM fails */

/* Reads single, halving[:KEY=VALUE,...], curve[:KEY=VALUE,...] or exec:PROGRAM.
 * Returns 0, or -1 with err naming what is wrong; then settings is undefined.
 */
int agent_settings_read(struct agent_settings *settings, const char *text,
			struct astra_error *err);

/* Updates memory from an offer and makes the bid.
 * bid: destroy it, after failures too. Returns 0, or -1 with err set. */
int agent_decide(const struct agent_settings *settings,
		 struct agent_memory *memory, const struct agent_offer *offer,
		 struct agent_bid *bid, struct astra_error *err);

/* Updates memory from an offer that a program has answered. A job that the
 * program keeps giving up is stopped at most once a minute.
 * bid: of agent_bid_read(). Returns 0, or -1 with err set. */
int agent_take_answer(struct agent_memory *memory,
		      const struct agent_offer *offer, struct agent_bid *bid,
		      struct astra_error *err);

#endif
