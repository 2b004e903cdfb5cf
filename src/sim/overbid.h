/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An agent that lies in its bids for an app, to see what a policy makes of it.
 * (Mahajan et al., Themis, NSDI'20, the experiment of Figure 18)
 */
#ifndef ASTRA_OVERBID_H
#define ASTRA_OVERBID_H

#include "src/model/auction.h"
#include "src/model/model.h"

enum astra_lie {
	/* rho of any GPUs is stated (1 + X) times what it is. */
	ASTRA_LIE_WORSE,
	/* So is that of no GPUs, of all that it wants as it is, and in
	 * proportion in between. */
	ASTRA_LIE_GAIN,
	/* So is that of GPUs on several machines. */
	ASTRA_LIE_SPREAD,
};

/* Who lies, and how. */
struct astra_lies {
	uint32_t app; /* number of --app; 0: nobody lies */
	enum astra_lie kind;
	double part; /* X */
};

struct astra_overbid {
	struct astra_lies lies;
	struct astra_bid bid;
	double *table, *work_sec;
	size_t table_room, work_room;
};

/* Make the app's bid for a round.
 * snapshot: what the policy is about to be told.
 * auction: what it has shown of its last round, which was at shown_sec.
 * Returns 1, 0 if there is nothing to bid for or by, -1 when out of memory. */
int astra_overbid_make(struct astra_overbid *agent,
		       const struct astra_snapshot *snapshot,
		       const struct astra_auction *auction, double shown_sec);

void astra_overbid_clear(struct astra_overbid *agent);

#endif
