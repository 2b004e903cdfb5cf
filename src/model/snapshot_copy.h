/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A snapshot that outlives the host's. */
#ifndef ASTRA_SNAPSHOT_COPY_H
#define ASTRA_SNAPSHOT_COPY_H

#include "src/common/arena.h"
#include "src/model/model.h"

/* Copy all that it points to into the arena. Returns 0, or -1 when memory is
 * out. */
int astra_snapshot_copy(const struct astra_snapshot *from,
			struct astra_arena *arena, struct astra_snapshot *to);

#endif
