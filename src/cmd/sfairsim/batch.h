/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs many simulations of one trace, on all cores. */
#ifndef ASTRA_SFAIRSIM_BATCH_H
#define ASTRA_SFAIRSIM_BATCH_H

#include "src/cmd/sfairsim/setup.h"
#include "src/policies/options.h"
#include "src/sim/digest.h"

struct sfairsim_case {
	const char *name; /* for messages */
	const struct astra_scheduler *scheduler;
	struct astra_options options;
	/* Set by sfairsim_batch(): the results, in memory of their own. */
	struct sfairsim_share *share;
	const struct astra_digest *digest;
};

/* Runs each case in a process of its own, at most `cores` at a time (0: as many
 * as there are cores). The results do not depend on `cores`. quiet: shows no
 * progress. Returns 0, or -1 with err set; call sfairsim_batch_clear() in both
 * cases. */
int sfairsim_batch(const struct sfairsim_setup *setup,
		   struct sfairsim_case *cases, size_t count, uint32_t cores,
		   bool quiet, struct astra_error *err);
void sfairsim_batch_clear(const struct sfairsim_setup *setup,
			  struct sfairsim_case *cases, size_t count);

/* A progress bar on stderr, if that is a terminal. It is updated once a second
 * of real time. */
struct sfairsim_progress {
	double begin_sec;
	bool wanted, drawn;
};
void sfairsim_progress_begin(struct sfairsim_progress *p, bool quiet);
void sfairsim_progress_show(struct sfairsim_progress *p, double done);
void sfairsim_progress_end(struct sfairsim_progress *p);

#endif
