/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command as a child of the agent, and the signals that reach it. */
#ifndef AGENT_RUN_H
#define AGENT_RUN_H

#include <signal.h>
#include <sys/types.h>

#include "src/client/place.h"
#include "src/cmd/sfair-agent/options.h"
#include "src/common/error.h"

/* The agent's exit codes. The last two are those of a shell for a command that
 * cannot be run or is not found. The first one says that no checkpoints can be
 * made, or that the last one cannot be restored. */
enum {
	AGENT_NO_CHECKPOINT = 124,
	AGENT_BAD_USE = 125,
	AGENT_CANNOT_RUN = 126,
	AGENT_NOT_FOUND = 127
};

/* Become the program. Returns only if exec() fails: the exit status that says
 * so, with err set. */
int agent_become(char **words, struct astra_error *err);

/* Whether this process follows what the command writes. */
static inline bool agent_follows(const struct agent_options *options,
				 const struct sfair_place *place)
{
	return options->log.path && place->speaks;
}

/* Run the command to its end, and end as it ends.
 * place: in a lease. Returns only if the command cannot be started: the exit
 * status that says so, with err set. */
int agent_run(const struct agent_options *options,
	      const struct sfair_place *place, struct astra_error *err);

#endif
