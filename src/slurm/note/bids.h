/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agents of apps bid with: the newest bid of each app and its order of
 * jobs, until the app is gone, or two lease terms are over without another one.
 * The thread of the socket writes, that of the rounds reads and saves
 * (told_state.h); a lock of its own is held for as long as a copy takes, and
 * nobody waits for an
 * agent. What users said with --bid is beside it, see bid_files.h. Pure: no
 * Slurm, no I/O.
 *
 * There is one in a process.
 */
#ifndef ASTRA_BIDS_H
#define ASTRA_BIDS_H

#include "src/common/arena.h"
#include "src/common/bytes.h"
#include "src/common/error.h"
#include "src/model/auction.h"

#define ASTRA_BIDS_APPS_MAX 4096
#define ASTRA_BIDS_NUMBERS_MAX (1 << 20) /* of all bids together */
#define ASTRA_BIDS_USER_PART 4 /* one user has this part of both at most */
#define ASTRA_BID_TERMS 2      /* lease terms that a bid holds */

struct astra_query;
struct astra_report;
struct astra_viewer;

/* Keep a bid, which astra_answer() has let pass. What it does not speak of,
 * table or order, stays as it was.
 * Returns 0, or -1 with err set when there is no room. */
int astra_bids_note(const struct astra_report *report,
		    const struct astra_query *query,
		    const struct astra_viewer *viewer, struct astra_error *err);

/* The jobs of a pool, into which the turns of their forecasts are written, and
 * where its bids are put: by app, in memory of the arena. */
struct astra_bids_view {
	const char *pool;
	double lease_sec; /* its term */
	double now_sec;
	struct astra_job *jobs;
	size_t job_count;
	struct astra_arena *arena;
	const struct astra_bid *bids;
	size_t bid_count;
};

/* Tell the engine: an agent's bid is of rho, a user's of seconds. Call begin,
 * fill for each pool, and end, in one thread; end forgets bids of apps that had
 * no active job in any of them. No calls in between. Fill leaves out what there
 * is no memory for. */
void astra_bids_begin(void);
void astra_bids_fill(struct astra_bids_view *view);
void astra_bids_end(void);

/* Move all times by so much, as astra_progress_shift() does. */
void astra_bids_shift(double by_sec);

#define ASTRA_BIDS_VERSION 1

/* All that is known; and whether anything changed since that was saved. */
void astra_bids_save(struct astra_bytes *out);
bool astra_bids_changed(void);

/* What a process before this one saved, by this version or an older one, but
 * for apps that have bid since. now_sec: no bid was made later than that.
 * Returns 0, or -1 when out of memory or the data makes no sense: nothing is
 * taken over. */
int astra_bids_restore(struct astra_reader *in, uint32_t version,
		       double now_sec);

void astra_bids_free(void);

#endif
