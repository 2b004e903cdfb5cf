/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the plugin listens, for an agent outside a job. */
#ifndef AGENT_WHERE_H
#define AGENT_WHERE_H

#include "src/client/place.h"
#include "src/common/error.h"

/* Read the environment; where it does not say, ask "sfair --where", which reads
 * Slurm's configuration.
 * Returns 0, or -1 with err set. */
int agent_where(struct sfair_place *place, struct astra_error *err);

#endif
