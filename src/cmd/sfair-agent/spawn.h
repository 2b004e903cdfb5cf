/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting CMD, and ending as it has ended. */
#ifndef AGENT_SPAWN_H
#define AGENT_SPAWN_H

#include <signal.h>
#include <sys/types.h>

#include "src/common/error.h"

/* As a shell says that there is no such command, or that it cannot be run. */
enum { AGENT_BAD_USE = 125, AGENT_CANNOT_RUN = 126, AGENT_NOT_FOUND = 127 };

/* Become the program. Returns only where that fails: the exit status that says
 * so, with err set. */
int agent_become(char **words, struct astra_error *err);

/* Start the program as a child, with this signal mask.
 * outputs: what becomes its standard output and error; NULL: the agent's.
 * Returns 0 with its number, or the exit status that says why not, with err
 * set. */
int agent_spawn(char **words, const sigset_t *mask, const int *outputs,
		pid_t *pid, struct astra_error *err);

/* End as the child has, by its wait status: with its exit code, or of the
 * signal that it died of, so that Slurm and a shell see the same. */
void agent_end_as(int status) __attribute__((noreturn));

#endif
