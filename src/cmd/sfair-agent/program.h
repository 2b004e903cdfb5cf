/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs programs that read a text from standard input and write one to standard
 * output, with limits on time and size. No shell is used. */
#ifndef AGENT_PROGRAM_H
#define AGENT_PROGRAM_H

#include <stddef.h>

#include "src/common/error.h"

#define AGENT_WORDS_MAX 64

/* Split a command at its blanks; there is no quoting. text: changed in place;
 * the words point into it. */
void agent_program_split(char *text, char *words[AGENT_WORDS_MAX + 1]);

struct agent_limits {
	double seconds; /* after this time the program and all its processes are
			 * killed */
	size_t output;	/* most bytes of output; the program is killed if it
			 * writes more */
	int errors;	/* descriptor for its standard error; 0: the agent's */
};

/* Run a program to its end.
 * words: as for execvp(), ended by NULL.
 * output: malloced and ended by a NUL; NULL on failure.
 * Returns 0 if it exited with 0, or -1 with err naming the program and how it
 * ended. */
int agent_program_run(char *const *words, const char *input,
		      const struct agent_limits *limits, char **output,
		      struct astra_error *err);

#endif
