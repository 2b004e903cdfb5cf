/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CMD as a child, and what signals do meanwhile. */
#ifndef AGENT_RUN_H
#define AGENT_RUN_H

#include <signal.h>
#include <sys/types.h>

#include "src/client/place.h"
#include "src/cmd/sfair-agent/options.h"
#include "src/common/error.h"

/* As a shell says that there is no such command, or that it cannot be run; and
 * that there are no checkpoints, or that the one that there is cannot be
 * restored. */
enum {
	AGENT_NO_CHECKPOINT = 124,
	AGENT_BAD_USE = 125,
	AGENT_CANNOT_RUN = 126,
	AGENT_NOT_FOUND = 127
};

/* Become the program. Returns only where that fails: the exit status that says
 * so, with err set. */
int agent_become(char **words, struct astra_error *err);

/* Whether it is for this process to follow what the command writes. */
static inline bool agent_follows(const struct agent_options *options,
				 const struct sfair_place *place)
{
	return options->log.path && place->speaks;
}

/* Run the command to its end, and end as it does.
 * place: in a lease. Returns only where the command cannot be started: the exit
 * status that says so, with err set. */
int agent_run(const struct agent_options *options,
	      const struct sfair_place *place, struct astra_error *err);

#endif
