/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The newest of a stream, in lines; pure. */
#ifndef AGENT_WINDOW_H
#define AGENT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

enum {
	AGENT_WINDOW = 65536, /* so much is kept */
	AGENT_LINE = 4096,    /* so much of a line is looked at */
};

struct agent_window {
	char bytes[AGENT_WINDOW];
	size_t size;
	double at_sec; /* when the newest came */
};

/* Add bytes; the oldest are forgotten where there is no room. */
void agent_window_add(struct agent_window *window, const char *bytes,
		      size_t size, double at_sec);

/* Go from the newest line that is complete, ended by a newline or a carriage
 * return, to the oldest.
 * end: AGENT_WINDOW at first, and as it is left then.
 * line: AGENT_LINE bytes; what is beyond is left out.
 * Returns false when there is none any more. */
bool agent_window_line(const struct agent_window *window, size_t *end,
		       char *line);

/* Forget all but the line that is not complete. */
void agent_window_trim(struct agent_window *window);

#endif
