/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --log, --progress, --fields and --epochs: where a program's progress is to be
 * read, and how. */
#ifndef AGENT_LOG_H
#define AGENT_LOG_H

#include "src/cmd/sfair-agent/pattern.h"
#include "src/common/cli.h"

struct agent_log {
	const char *path; /* "-": what the command prints; NULL: none */
	double epochs;	  /* 0: not known */
	struct agent_patterns patterns;
	const char *text, *fields; /* of the last --progress, not compiled */
};

/* Their rows, of a struct agent_log. */
extern const struct astra_cli_option agent_log_options[];

/* When all options were seen: compile, and check that they go together.
 * Returns 0, or -1 with err set. */
int agent_log_complete(struct agent_log *log, struct astra_error *err);

#endif
