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

/* --log, --progress, --fields and --epochs: the source of the program's
 * progress, and how it is read. */
struct agent_log {
	const char *path; /* "-": the command's output; NULL: none */
	double epochs;	  /* 0: unknown */
	struct agent_patterns patterns;
	const char *text, *fields; /* of the last --progress, not compiled
				    * yet */
};

/* A task that the SPANK plugin has made the agent's child. */
struct agent_task {
	pid_t pid;	/* 0: none */
	int outputs[2]; /* pipes of its output and error; -1: not read */
};

struct agent_options {
	bool verbose;
	int send;	  /* the signal sent for a notice; 0: the checkpoint
			   * signal */
	uint32_t exit;	  /* code for a failure after a notice; 0: none */
	const char *with; /* --checkpoint-with; NULL: none */
	const char *checkpoint_dir; /* the folder; NULL: the current one */
	struct agent_log log;
	struct agent_task task;
	char **words; /* CMD and its arguments, ended by NULL; of argv */
	struct agent_watch watch; /* the app to watch over, if any */
};

/* Whether this is the agent of an app, which runs no command. */
static inline bool agent_watches(const struct agent_options *options)
{
	return options->watch.app || options->watch.job;
}

/* Read the command line. Returns as astra_cli_parse() does. */
int agent_options_read(int argc, char **argv, struct agent_options *options,
		       struct astra_error *err);

#endif
