/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair-agent's command line. */
#ifndef AGENT_OPTIONS_H
#define AGENT_OPTIONS_H

#include <stdbool.h>
#include <sys/types.h>

#include "src/cmd/sfair-agent/pattern.h"
#include "src/cmd/sfair-agent/watch.h"
#include "src/common/cli.h"
#include "src/common/error.h"

/* --log, --progress, --fields and --epochs: where the program's progress is
 * read, and how. */
struct agent_log {
	const char *path; /* "-": the command's output; NULL: none */
	double epochs;	  /* 0: unknown */
	struct agent_patterns patterns;
	const char *text, *fields; /* of the last --progress, which is not
				    * compiled yet */
};

/* A task that is the agent's child, started by the SPANK plugin. */
struct agent_task {
	pid_t pid;	/* 0: none */
	int outputs[2]; /* read ends of the pipes for its output and error; -1:
			 * not read */
};

struct agent_options {
	bool verbose;
	int send;	  /* signal sent to the processes for a notice; 0: the
			   * checkpoint signal */
	uint32_t exit;	  /* exit code of the agent if the command fails after a
			   * notice; 0: the command's own */
	const char *with; /* --checkpoint-with; NULL: none */
	const char *checkpoint_dir; /* folder of the dumps; NULL: the current
				     * folder */
	struct agent_log log;
	struct agent_task task;
	char **words; /* CMD and its arguments, from argv; ended by NULL */
	struct agent_watch watch; /* the app that this agent watches over, if
				   * any */
};

/* Whether this is the agent of an app. Such an agent runs no command. */
static inline bool agent_watches(const struct agent_options *options)
{
	return options->watch.app || options->watch.job;
}

/* Read the command line. Returns as astra_cli_parse() does. */
int agent_options_read(int argc, char **argv, struct agent_options *options,
		       struct astra_error *err);

#endif
