/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was recorded of a pool without leases, as a trace that is simulated with
 * them. Pure.
 *
 * The trace's second 0 is the window's start. What ran then keeps its GPUs
 * until it ends, as where leases come to a pool that runs; what waited then
 * comes a second later, after it. A job's work is what it did from then on.
 * What has not ended is to run on as astra_durations_left_sec() says, which is
 * for the time after the window alone.
 */
#ifndef ASTRA_REPLAY_H
#define ASTRA_REPLAY_H

#include "src/audit/audit.h"
#include "src/model/model.h"

struct astra_replay {
	struct astra_trace trace; /* line: 1 + the job's index in the record */
	struct astra_cluster cluster;
	size_t began;	   /* ran at the window's start */
	size_t runs;	   /* run at its end */
	size_t waits;	   /* have not run by its end */
	size_t unprepared; /* declare no checkpoint, and would have leases */
	size_t never;	   /* left out: ended without having run */
	size_t large;	   /* left out: larger than the cluster */
	uint32_t down;	   /* GPUs of nodes that cannot be used now, left out */
};

/* snapshot: nodes and tenants as they are now; its names are borrowed.
 * record: jobs' tenants are their `tenant`.
 * out: astra_replay_clear() it, either way. Returns 0, or -1 with err set. */
int astra_replay(const struct astra_snapshot *snapshot,
		 const struct astra_record *record,
		 const struct astra_window *window, struct astra_replay *out,
		 struct astra_error *err);
void astra_replay_clear(struct astra_replay *replay);

#endif
