/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Another program, as sacct: its output is read, what it complains of is kept
 * for the error message. No shell. */
#ifndef ASTRA_CHILD_H
#define ASTRA_CHILD_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "src/common/error.h"

struct astra_child {
	const char *name;
	pid_t pid;
	int output;	  /* what it writes on stdout */
	FILE *complaints; /* ... and on stderr */
};

/* Start it. Slurm's programs print times as seconds since 1970.
 * argv: ended by NULL; the program is looked for in PATH.
 * apart: what is typed at our terminal, as ^C, does not reach it.
 * Returns 0, or -1 with err set. */
int astra_child_start(struct astra_child *child, char *const *argv, bool apart,
		      struct astra_error *err);

/* Wait for its end; output is the caller's to close. rc: of reading it.
 * Returns 0, or -1 with err set: what the program says of its own failure goes
 * before what its output was taken for. */
int astra_child_end(struct astra_child *child, int rc, struct astra_error *err);

/* Run it to its end, apart. text: all of its output; caller frees.
 * Returns 0, or -1 with err set. */
int astra_child_text(char *const *argv, char **text, struct astra_error *err);

#endif
