/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs another program, such as sacct, without a shell. Reads its output, and
 * keeps its stderr for the error message. */
#ifndef ASTRA_CHILD_H
#define ASTRA_CHILD_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "src/common/error.h"

struct astra_child {
	const char *name;
	pid_t pid;
	int output;	  /* its stdout */
	FILE *complaints; /* its stderr */
};

/* Starts a program. Slurm's programs then print times as seconds since 1970.
 * argv: ended by NULL; the program is looked up in PATH. apart: the program
 * gets a process group of its own, so that ^C at our terminal does not reach
 * it. Returns 0, or -1 with err set. */
int astra_child_start(struct astra_child *child, char *const *argv, bool apart,
		      struct astra_error *err);

/* Waits until the program ends; the caller closes output. rc: result of reading
 * the output. Returns 0, or -1 with err set. If the program wrote a message,
 * err has that rather than an error in the output. */
int astra_child_end(struct astra_child *child, int rc, struct astra_error *err);

/* Runs a program to its end, as astra_child_start() does with `apart`. text:
 * all of its output; the caller frees it. Returns 0, or -1 with err set. */
int astra_child_text(char *const *argv, char **text, struct astra_error *err);

/* Like astra_child_text(), but kills the program, and all processes that it has
 * started, if its output has not ended after sec seconds. */
int astra_child_text_within(char *const *argv, double sec, char **text,
			    struct astra_error *err);

#endif
