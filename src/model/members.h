/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of the members of the model, the plan and the bids. Lists, sets of
 * nodes, and the members that say where these are, are left out. */
#ifndef ASTRA_MEMBERS_H
#define ASTRA_MEMBERS_H

#include "src/common/arena.h"
#include "src/common/member.h"
#include "src/model/model.h"

/* Copies of snapshots, which outlive the host's own. */

/* Copy a snapshot and all that it points to into the arena. Returns 0, or -1
 * when memory is out. */
int astra_snapshot_copy(const struct astra_snapshot *from,
			struct astra_arena *arena, struct astra_snapshot *to);

extern const struct astra_member astra_node_members[];
extern const struct astra_member astra_tenant_members[];
extern const struct astra_member astra_user_members[];
extern const struct astra_member astra_job_members[];
extern const struct astra_member astra_limit_members[];
extern const struct astra_member astra_use_members[];
extern const struct astra_member astra_share_members[];
extern const struct astra_member astra_bid_members[];
extern const struct astra_member astra_decision_members[];
extern const struct astra_member astra_reason_members[];

#endif
