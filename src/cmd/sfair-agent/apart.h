/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A user, a pid and a mount namespace for the program and for the tool that
 * dumps and restores it. The program's processes keep their pids in each run,
 * on any node. In the namespaces the user may do all that a dump needs, without
 * any privilege on the host. User and group stay the same. */
#ifndef AGENT_APART_H
#define AGENT_APART_H

#include <sys/types.h>

#include "src/common/error.h"

/* Fork a child that is the first process of new namespaces. In them, the child
 * has all capabilities, a /proc of its own, and reopened files. The child dies
 * with the caller. Returns the child's pid to the caller and 0 to the child.
 * Returns -1 with err set if the host does not allow such namespaces. */
pid_t agent_apart(struct astra_error *err);

/* Pass all signals on to the child until it has ended; this is the caller's
 * only task. Returns the child's wait status. */
int agent_apart_serve(pid_t child);

/* agent_apart_last_pid() returns the pid given last in the namespace; 0:
 * unknown. agent_apart_skip_pids() gives higher pids to new processes, so that
 * lower ones are free for restored processes. */
long agent_apart_last_pid(void);
void agent_apart_skip_pids(long last);

/* Drop the capabilities in the namespaces. Call this in the program's
 * process. */
void agent_apart_leave(void);

#endif
