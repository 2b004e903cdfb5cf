/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A user, a pid and a mount namespace for the program and those who dump and
 * restore it. Its processes have the same numbers there in each run, whatever
 * node it is on; and the user may do all to them that a dump needs, without any
 * privilege on the host. User and group stay what they are. */
#ifndef AGENT_APART_H
#define AGENT_APART_H

#include <sys/types.h>

#include "src/common/error.h"

/* Become two: the caller, and a child that is the first process of new
 * namespaces, with all capabilities there, /proc of its own, and descriptors of
 * files opened anew. It dies with the caller.
 * Returns the child's number to the caller and 0 to the child; or -1 with err
 * set where the host allows no such namespaces. */
pid_t agent_apart(struct astra_error *err);

/* The caller's part from then on: hand all signals on to the child.
 * Returns the child's wait status when it has ended. */
int agent_apart_serve(pid_t child);

/* The last number that a process got there, 0 if unknown; and have the next
 * ones get higher numbers, so that those below are free for who is restored. */
long agent_apart_last_pid(void);
void agent_apart_skip_pids(long last);

/* The program's part, in its process: none of those capabilities. */
void agent_apart_leave(void);

#endif
