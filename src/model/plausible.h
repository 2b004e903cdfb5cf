/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a snapshot can be that of a real cluster. */
#ifndef ASTRA_PLAUSIBLE_H
#define ASTRA_PLAUSIBLE_H

#include "src/common/error.h"
#include "src/model/model.h"

/* Check a snapshot for values that no user, configuration, clock or change of
 * nodes can cause. These are numbers beyond any cluster's, times more than a
 * year off, and shares of nodes that do not exist. Times are UNIX seconds.
 * Locks: none. Returns 0, or -1 with err set. */
int astra_snapshot_plausible(const struct astra_snapshot *snapshot,
			     struct astra_error *err);

#endif
