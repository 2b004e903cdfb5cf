/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A user, a pid and a mount namespace for the program and for the tool that
 * dumps and restores it. The program's processes have the same pids in each
 * run, on any node. The user may do all that a dump needs without any privilege
 * on the host. User and group stay the same. */
#ifndef AGENT_APART_H
#define AGENT_APART_H

#include <sys/types.h>

#include "src/common/error.h"

/* Fork a child that is the first process of new namespaces. The child has all
 * capabilities there, a /proc of its own and reopened files. It dies with the
 * caller. Returns the child's pid to the caller and 0 to the child. Returns -1
 * with err set if the host allows no such namespaces. */
pid_t agent_apart(struct astra_error *err);

/* Hand all signals on to the child until it has ended: the caller has nothing
 * else to do. Returns the child's wait status. */
int agent_apart_serve(pid_t child);

/* Return the last pid that was given to a process there, 0 if unknown. From
 * then on new processes get higher pids, so that lower ones are free for
 * restored processes. */
long agent_apart_last_pid(void);
void agent_apart_skip_pids(long last);

/* Drop the capabilities of the namespaces, in the process of the program. */
void agent_apart_leave(void);

#endif
