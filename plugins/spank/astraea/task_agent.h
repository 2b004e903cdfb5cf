/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --agent: sfair-agent as the parent of a task, whose command line stays as it
 * is. */
#ifndef SPANK_TASK_AGENT_H
#define SPANK_TASK_AGENT_H

#include <slurm/spank.h>

#define TASK_AGENT_MAX 1024 /* characters of the agent's options */

/* In the task's process, before its program is executed: go on in a child, and
 * let this process, whose end slurmstepd waits for, become the agent; it is the
 * one that gets signals, whatever tracks the processes. Where there is no lease
 * nothing happens, and where the agent cannot be executed the task goes on
 * without it.
 * path: the agent. options: of its command line, separated by blanks. */
void task_agent_start(spank_t spank, const char *path, const char *options);

#endif
