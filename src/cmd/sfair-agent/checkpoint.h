/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dumps of a program that cannot checkpoint itself, by criu or another program.
 *
 * criu has to give processes the pids that they had and to open the files that
 * they had open. Both take privileges, so the task has namespaces of its own
 * (apart.h). slurmstepd's process waits outside and passes signals on. Its
 * child is the first process inside and the agent proper. The program is a
 * child of that process, without capabilities. File descriptors opened outside
 * belong to mounts that do not exist in the new mount namespace, where criu
 * would look for them; so the files are opened again inside. The agent, criu
 * and its script take pids above those of the dump. slurmstepd executes the
 * agent in place of the program, as an existing process cannot move into a pid
 * namespace.
 *
 * cuda-checkpoint moves what a program has in NVIDIA GPUs into its memory
 * before criu, and back after it. CRIU's own plugin is not used: it suspends
 * seccomp by ptrace, which needs CAP_SYS_ADMIN outside of user namespaces.
 *
 * A dump counts once its manifest is renamed (manifest.c). Only then are the
 * stopped processes killed, so a kill before that leaves the previous dump
 * valid. What files got after a dump is cut off when it is restored.
 * */
#ifndef AGENT_CHECKPOINT_H
#define AGENT_CHECKPOINT_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "src/client/place.h"
#include "src/cmd/sfair-agent/manifest.h"
#include "src/cmd/sfair-agent/options.h"

enum { AGENT_STDIO = 3 };

struct agent_checkpoint {
	struct agent_dumper dumper;
	const char *program;	     /* the checkpoint program; borrowed */
	bool apart;		     /* runs in namespaces of its own; see
				      * apart.h */
	char folder[PATH_MAX];	     /* the dumps of this task */
	char lock[24];		     /* name of this run's lock file in the
				      * folder */
	char names[AGENT_STDIO][64]; /* names of the job's streams, such as
				      * "pipe:[12]" */
	unsigned dumps;		     /* count of dumps that this run has
				      * begun */
};

/* Whether the program gets namespaces of its own; see apart.h. */
bool agent_checkpoint_apart(const struct agent_options *options);

/* Make the folder of the dumps, and check that the checkpoint program works on
 * this host. streams: the command's standard input, output and error. Returns
 * 0, or -1 with err set. */
int agent_checkpoint_open(struct agent_checkpoint *checkpoint,
			  const struct agent_options *options,
			  const struct sfair_place *place, const int *streams,
			  struct astra_error *err);

/* Restore the last dump. Its first process becomes the caller's child, so the
 * caller must be a subreaper or the first process of a namespace. Returns 1
 * with the first process, or 0 if there is no dump. Returns -1 with err set if
 * the dump cannot be restored; then none of its processes runs. */
int agent_checkpoint_restore(struct agent_checkpoint *checkpoint,
			     const int *streams, pid_t *pid,
			     struct astra_error *err);

/* Dump a child of the caller, and all processes below the child, within this
 * time. Returns 0 when the dump is complete and on disk. It then replaces the
 * dump before it, and the processes are stopped or have ended. Returns -1 with
 * err set if the dump failed. Then the dump before it stays, and the processes
 * go on, unless *lost is set: then they cannot. */
int agent_checkpoint_dump(struct agent_checkpoint *checkpoint, pid_t pid,
			  double seconds, bool *lost, struct astra_error *err);

/* Remove all dumps, once the program has finished. */
void agent_checkpoint_remove(const struct agent_checkpoint *checkpoint);

/* Kill all processes below the caller. */
void agent_checkpoint_kill(void);

#endif
