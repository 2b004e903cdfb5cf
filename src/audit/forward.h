/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The start of a simulation that goes forward from a round of the live cluster.
 * It has the pool as it is, and repeats the jobs of the last days. Pure.
 *
 * The trace's second 0 is the round's time. First come the jobs that run or
 * wait in the round. Then come the jobs that were submitted in the window; the
 * time from second 0 to each is its time after the window's start. For jobs
 * that have not ended the run time is a guess, see durations.h. */
#ifndef ASTRA_FORWARD_H
#define ASTRA_FORWARD_H

#include "src/audit/audit.h"
#include "src/engine/engine.h"

struct astra_forward {
	struct astra_trace trace;
	struct astra_cluster cluster; /* only the nodes that can be used */
	struct astra_sim_begin begin; /* without users' weights */
	uint32_t *jobs;		      /* begin.jobs */
	size_t job_room;
	size_t running, waiting; /* jobs and tasks of arrays */
	size_t blocked;		 /* left out: waiting for something other than
				  * GPUs */
	size_t come;		 /* jobs submitted once more */
	size_t unended;		 /* of these: not ended in the record, so that
				  * the end is a guess */
	size_t never;		 /* left out: ended without having run */
	size_t large;		 /* left out: larger than the cluster */
	uint32_t foreign_gpus;	 /* GPUs held by other jobs, during the whole
				  * simulation */
};

/* Makes the start of a simulation from a round. snapshot, engine: the round's;
 * borrowed, must outlive out. record: with the window's times, and with the
 * tenants of its jobs set. out: call astra_forward_clear() in both cases.
 * Returns 0, or -1 with err set. */
int astra_forward(const struct astra_snapshot *snapshot,
		  const struct astra_engine *engine,
		  const struct astra_record *record,
		  const struct astra_window *window, struct astra_forward *out,
		  struct astra_error *err);
void astra_forward_clear(struct astra_forward *forward);

#endif
