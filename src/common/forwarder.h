/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checkpoint signal of a batch script's processes. It would kill a process
 * that does not catch it, such as the shell that waits for the program. So
 * slurmctld sends ASTRA_FORWARD_SIGNAL to the script's process group instead.
 * All processes of the group ignore that signal except the forwarder, which
 * looks into /proc and sends the checkpoint signal to the processes that catch
 * it. */
#ifndef ASTRA_FORWARDER_H
#define ASTRA_FORWARDER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#define ASTRA_FORWARD_SIGNAL SIGURG

/* Start the forwarder of the caller's process group. The caller must be the
 * group's leader. The forwarder is not a child of the caller, and ends when the
 * caller ends. Returns 0, or -1 with errno set if no forwarder runs. */
int astra_forwarder_start(int signal);

/* Whether the process survives the signal and gets it. That is so if it has a
 * handler, or if it blocks the signal in all threads to wait for it. Returns
 * false if there is no such process. */
bool astra_process_catches(pid_t pid, int signal);

/* Send the signal to the processes of the group that catch it, except srun:
 * Slurm itself sends the signal to the steps. If the group has an srun, the
 * leader does not get the signal either: a batch shell does not get it from
 * Slurm. */
void astra_signal_catchers(pid_t group, int signal);

#endif
