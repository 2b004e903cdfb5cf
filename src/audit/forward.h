/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pool as it is, and the last days once more: what a simulation begins with
 * that goes forward from a round of production. Pure.
 *
 * The trace's second 0 is the round's time. First come the jobs that run or
 * wait in the round, then those that were submitted in the window, as long
 * after second 0 as they were after the window's start. Nothing says how long a
 * job will run that has not ended: as long as the median of those of its user's
 * jobs of the window that ended later than it has run by now, or of all users'
 * where there are none, and no longer than its time limit.
 */
#ifndef ASTRA_FORWARD_H
#define ASTRA_FORWARD_H

#include "src/audit/audit.h"
#include "src/engine/engine.h"

struct astra_forward {
	struct astra_trace trace;
	struct astra_cluster cluster; /* the nodes that can be used */
	struct astra_sim_begin begin; /* without users' weights */
	uint32_t *jobs;		      /* begin's */
	size_t job_room;
	size_t running, waiting; /* tasks of arrays are counted */
	size_t blocked;	       /* left out: wait for something else than GPUs */
	size_t come;	       /* submitted once more */
	size_t unended;	       /* of these, have not ended, so that their end is
				* guessed */
	size_t never;	       /* left out: ended without having run */
	size_t large;	       /* left out: larger than the cluster */
	uint32_t foreign_gpus; /* that others have: taken to be theirs on */
};

/* snapshot, engine: of the round; borrowed, and to live as long as out.
 * record: in the times of the window, its jobs charged to tenants.
 * out: astra_forward_clear() it, either way. Returns 0, or -1 with err set. */
int astra_forward(const struct astra_snapshot *snapshot,
		  const struct astra_engine *engine,
		  const struct astra_record *record,
		  const struct astra_window *window, struct astra_forward *out,
		  struct astra_error *err);
void astra_forward_clear(struct astra_forward *forward);

#endif
