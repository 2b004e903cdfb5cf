/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bids of apps' agents: each app's newest bid and its order of jobs. They
 * are kept until the app is gone, or until two lease terms pass without another
 * bid. The socket's thread writes them; the rounds' thread reads and saves them
 * (told_state.h). A lock of this module is held only while they are copied, and
 * nobody waits for an agent. The bids of users' --bid are in bid_files.h. Pure:
 * no Slurm, no I/O. A process has one table. */
#ifndef ASTRA_BIDS_H
#define ASTRA_BIDS_H

#include "src/common/arena.h"
#include "src/common/bytes.h"
#include "src/common/error.h"
#include "src/model/auction.h"

#define ASTRA_BIDS_APPS_MAX 4096
#define ASTRA_BIDS_NUMBERS_MAX (1 << 20) /* of all bids together */
#define ASTRA_BIDS_USER_PART                                           \
	4		  /* one user may have this fraction of either \
			   * maximum */
#define ASTRA_BID_TERMS 2 /* lease terms for which a bid is valid */

struct astra_query;
struct astra_report;
struct astra_viewer;

/* Keep a bid that astra_answer() has accepted. If the bid has no table or no
 * order, the old one stays. Returns 0, or -1 with err set when there is no
 * room. */
int astra_bids_note(const struct astra_report *report,
		    const struct astra_query *query,
		    const struct astra_viewer *viewer, struct astra_error *err);

/* The jobs of a pool, and the bids for the engine. The jobs' forecasts get
 * their turns. The bids are sorted by app, in the arena. */
struct astra_bids_view {
	const char *pool;
	double lease_sec; /* the pool's term */
	double now_sec;
	struct astra_job *jobs;
	size_t job_count;
	struct astra_arena *arena;
	const struct astra_bid *bids;
	size_t bid_count;
};

/* Pass bids to the engine. An agent's bid is in rho, a user's in seconds. Call
 * begin, then fill for each pool, then end, all in one thread and without other
 * calls in between. end forgets bids of apps that had no active job in any
 * pool. When memory is out, fill leaves bids out. */
void astra_bids_begin(void);
void astra_bids_fill(struct astra_bids_view *view);
void astra_bids_end(void);

/* Move all times by by_sec, as astra_progress_shift() does. */
void astra_bids_shift(double by_sec);

#define ASTRA_BIDS_VERSION 1

/* Save all bids; return whether any bid has changed since the last save. */
void astra_bids_save(struct astra_bytes *out);
bool astra_bids_changed(void);

/* Take over the bids that an earlier process saved, in this version of the
 * layout or an older one, except for apps that have bid since. now_sec: the
 * present time; no bid can be newer. Returns 0, or -1 when memory is out or the
 * data is invalid; then nothing is taken over. */
int astra_bids_restore(struct astra_reader *in, uint32_t version,
		       double now_sec);

void astra_bids_free(void);

#endif
