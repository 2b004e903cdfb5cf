/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes below one process, in any sessions and groups. */
#ifndef AGENT_TREE_H
#define AGENT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Whether a process has a handler for the signal. */
bool agent_catches(pid_t pid, int signal);

/* Find all processes below the root: its children, their children and so on;
 * not the root.
 * pids: free() it. A process that is forked during the search may be missing.
 * Returns how many there are. Returns -1 if memory is out or /proc cannot be
 * read. */
long agent_tree(pid_t root, pid_t **pids);

/* Send a signal to all processes below root that catch it; others would die.
 * Returns how many got it, or -1 as above. */
long agent_tree_signal(pid_t root, int signal);

/* How many processes below root catch a signal; or -1 as above. */
long agent_tree_catches(pid_t root, int signal);

#endif
