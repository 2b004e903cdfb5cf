/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An agent that lies in its bids for an app, to see how a policy copes.
 * (Mahajan et al., Themis, NSDI'20, the experiment of Figure 18) */
#ifndef ASTRA_OVERBID_H
#define ASTRA_OVERBID_H

#include "src/model/auction.h"
#include "src/model/model.h"

enum astra_lie {
	/* states (1 + X) times the true rho for any GPUs */
	ASTRA_LIE_WORSE,
	/* states (1 + X) times rho for no GPUs, the true rho for all GPUs that
	 * the app wants, and interpolates between these */
	ASTRA_LIE_GAIN,
	/* states (1 + X) times rho for GPUs on several machines */
	ASTRA_LIE_SPREAD,
};

/* Which app lies, and how. */
struct astra_lies {
	uint32_t app; /* id of --app; 0: nobody lies */
	enum astra_lie kind;
	double part; /* X */
};

struct astra_overbid {
	struct astra_lies lies;
	struct astra_bid bid;
	double *table, *work_sec;
	size_t table_room, work_room;
};

/* Makes the app's bid for a round. snapshot: what the policy will get. auction:
 * what the policy showed of its last round, at shown_sec. Returns 1; 0 if there
 * is nothing to bid for, or no app that bids; -1 if out of memory. */
int astra_overbid_make(struct astra_overbid *agent,
		       const struct astra_snapshot *snapshot,
		       const struct astra_auction *auction, double shown_sec);

void astra_overbid_clear(struct astra_overbid *agent);

#endif
