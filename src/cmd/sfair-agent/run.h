/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the command as a child of the agent, and passes signals on to it. */
#ifndef AGENT_RUN_H
#define AGENT_RUN_H

#include <signal.h>
#include <sys/types.h>

#include "src/client/place.h"
#include "src/cmd/sfair-agent/options.h"
#include "src/common/error.h"

/* The agent's exit codes. The last two are the codes of a shell for a command
 * that cannot be run, or is not found. The first means that checkpoints cannot
 * be made, or that the last one cannot be restored. */
enum {
	AGENT_NO_CHECKPOINT = 124,
	AGENT_BAD_USE = 125,
	AGENT_CANNOT_RUN = 126,
	AGENT_NOT_FOUND = 127
};

/* Become the program. Returns only if exec() fails: the exit status for the
 * failure, with err set. */
int agent_become(char **words, struct astra_error *err);

/* Whether this process follows the command's output. */
static inline bool agent_follows(const struct agent_options *options,
				 const struct sfair_place *place)
{
	return options->log.path && place->speaks;
}

/* Run the command to its end, and end in the same way. place: in a lease.
 * Returns only if the command cannot be started: the exit status for the
 * failure, with err set. */
int agent_run(const struct agent_options *options,
	      const struct sfair_place *place, struct astra_error *err);

#endif
