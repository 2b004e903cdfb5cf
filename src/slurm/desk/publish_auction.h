/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The auctions in the report. */
#ifndef ASTRA_PUBLISH_AUCTION_H
#define ASTRA_PUBLISH_AUCTION_H

#include "src/common/idmap.h"
#include "src/proto/report.h"
#include "src/slurm/in/snapshot.h"
#include "src/slurm/round/pool.h"

/* Add a pool's last auction and its apps. Call before the pool's jobs are
 * added. by_id: job -> index in the view. Returns whether the pool's policy
 * holds auctions. */
bool astra_publish_auction(struct astra_report *report,
			   const struct astra_pool *pool,
			   const struct astra_view *view,
			   const struct astra_idmap *by_id);

#endif
