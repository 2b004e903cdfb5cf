/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The batches of Wang et al. (SPEC.md section 3), which determine when each job
 * is offered to the market. */
#ifndef ASTRA_INCENTIVE_H
#define ASTRA_INCENTIVE_H

#include "src/policies/incentive/market.h"

/* Interval l = 1 … intervals collects the jobs that arrived in (tau_(l-1),
 * tau_l], with tau_l = 2^l, and those that no earlier interval scheduled. The
 * first interval collects all jobs that arrived up to 2. Round i = 1 … lambda
 * of the interval has the window ((lambda + i - 1) tau_l, (lambda + i)
 * tau_l]. */
struct astra_incentive_batches {
	uint32_t lambda;    /* >= 1 */
	uint32_t intervals; /* L; 2 lambda 2^L must fit into 32 bits */
};

/* Return the window of a round. interval and round count from 1. */
struct astra_market_window
astra_incentive_window(const struct astra_incentive_batches *batches,
		       uint32_t interval, uint32_t round);

/* Run all intervals on a fresh market. jobs: borrowed. left: room for all jobs;
 * gets the left_count indices of jobs that were not scheduled, ascending.
 * Returns 0, or -1 with err set; clear book in both cases. */
int astra_incentive_run(struct astra_market *market,
			const struct astra_incentive_batches *batches,
			const struct astra_market_job *jobs, size_t job_count,
			struct astra_market_book *book, uint32_t *left,
			size_t *left_count, struct astra_error *err);

#endif
