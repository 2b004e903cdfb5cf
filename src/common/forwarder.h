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

/* Start the forwarder of the caller's process group, whose leader is the
 * caller. It is no child of the caller, and ends with the caller. Returns 0, or
 * -1 with errno set: then there is none. */
int astra_forwarder_start(int signal);

/* Whether the process survives the signal and gets it: it has a handler, or
 * blocks the signal in all threads to wait for it. False if there is no such
 * process. */
bool astra_process_catches(pid_t pid, int signal);

/* Send the signal to the processes of the group that catch it, except srun:
 * Slurm signals the steps itself. If there is an srun, the leader does not get
 * the signal either, as a batch shell does not in Slurm. */
void astra_signal_catchers(pid_t group, int signal);

#endif
