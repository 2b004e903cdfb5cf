/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dumps of a program that writes no checkpoints. criu makes the dumps, or a
 * program of the site. */
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
	bool apart;		     /* in namespaces of its own, see apart.h */
	char folder[PATH_MAX];	     /* the dumps of this task */
	char lock[24];		     /* the lock file of this run in the
				      * folder */
	char names[AGENT_STDIO][64]; /* names of the job's streams, such as
				      * "pipe:[12]" */
	unsigned dumps;		     /* dumps that this run has begun */
};

/* Whether the program gets namespaces of its own, see apart.h. */
bool agent_checkpoint_apart(const struct agent_options *options);

/* Make the folder of the dumps and check that the checkpoint program works
 * here.
 * streams: the command's standard input, output and error.
 * Returns 0, or -1 with err set. */
int agent_checkpoint_open(struct agent_checkpoint *checkpoint,
			  const struct agent_options *options,
			  const struct sfair_place *place, const int *streams,
			  struct astra_error *err);

/* Restore the last dump. The first process becomes the caller's child; so the
 * caller must be a subreaper or the first process of a namespace.
 * Returns 1 with the first process, or 0 if there is no dump. Returns -1 with
 * err set if the dump cannot be restored; then no process of it runs. */
int agent_checkpoint_restore(struct agent_checkpoint *checkpoint,
			     const int *streams, pid_t *pid,
			     struct astra_error *err);

/* Dump a child of the caller and all processes below it within this time.
 * Returns 0 when the dump is complete and on disk: it replaces the dump before,
 * and the processes are stopped or have ended. Returns -1 with err set if it
 * failed: the dump before stays, and the processes go on. If *lost is set, they
 * cannot go on. */
int agent_checkpoint_dump(struct agent_checkpoint *checkpoint, pid_t pid,
			  double seconds, bool *lost, struct astra_error *err);

/* Remove all dumps: the program has finished. */
void agent_checkpoint_remove(const struct agent_checkpoint *checkpoint);

/* Kill all processes below the caller. */
void agent_checkpoint_kill(void);

#endif
