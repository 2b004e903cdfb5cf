/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that read a text from standard input and write one to standard
 * output, with bounds on time and size. No shell is used. */
#ifndef AGENT_PROGRAM_H
#define AGENT_PROGRAM_H

#include <stddef.h>

#include "src/common/error.h"

#define AGENT_WORDS_MAX 64

/* Split a command at its blanks; nothing is quoted.
 * text: is changed in place, and the words point into it. */
void agent_program_split(char *text, char *words[AGENT_WORDS_MAX + 1]);

struct agent_limits {
	double seconds; /* then it is killed with all its processes */
	size_t output;	/* bytes; more, and it is killed too */
	int errors;	/* its standard error; 0: the agent's */
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
