/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a trace from the record of a pool without leases, to simulate the pool
 * with leases. Pure.
 *
 * The trace's second 0 is the window's start. Jobs that ran at that time keep
 * their GPUs until they end, as when leases are introduced in a live pool. Jobs
 * that waited at that time come one second later. A job's work is its run time
 * from second 0 on. For jobs that have not ended, astra_durations_left_sec()
 * gives the run time after the window. */
#ifndef ASTRA_REPLAY_H
#define ASTRA_REPLAY_H

#include "src/audit/audit.h"
#include "src/model/model.h"

struct astra_replay {
	struct astra_trace trace; /* line: 1 + the job's index in the record */
	struct astra_cluster cluster;
	size_t began;	   /* ran at the window's start */
	size_t runs;	   /* run at the window's end */
	size_t waits;	   /* have not run before the window's end */
	size_t unprepared; /* will have leases, but declare no checkpoint */
	size_t never;	   /* left out: ended without having run */
	size_t large;	   /* left out: larger than the cluster */
	uint32_t down;	   /* left out: GPUs of unusable nodes */
};

/* Makes the trace and the cluster. snapshot: the present nodes and tenants;
 * their names are borrowed. record: with the tenants of its jobs set. out: call
 * astra_replay_clear() in both cases. Returns 0, or -1 with err set. */
int astra_replay(const struct astra_snapshot *snapshot,
		 const struct astra_record *record,
		 const struct astra_window *window, struct astra_replay *out,
		 struct astra_error *err);
void astra_replay_clear(struct astra_replay *replay);

#endif
