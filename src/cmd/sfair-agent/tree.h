/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the processes below one process, in whatever sessions and groups. */
#ifndef AGENT_TREE_H
#define AGENT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Whether a process has a handler for the signal. */
bool agent_catches(pid_t pid, int signal);

/* Find all processes below the root: its children, their children and so on,
 * but not the root itself. pids: free() it. May miss a process that is forked
 * during the search. Returns their count, or -1 if memory is out or /proc
 * cannot be read. */
long agent_tree(pid_t root, pid_t **pids);

/* Send a signal to all processes below root that catch it, as other processes
 * would die of it. Returns how many got it, or -1 as agent_tree(). */
long agent_tree_signal(pid_t root, int signal);

/* Return how many processes below root catch a signal, or -1 as
 * agent_tree(). */
long agent_tree_catches(pid_t root, int signal);

#endif
