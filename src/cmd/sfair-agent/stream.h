/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the newest lines that a program writes, from its log file or its
 * pipes. */
#ifndef AGENT_STREAM_H
#define AGENT_STREAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "src/common/error.h"

enum {
	AGENT_WINDOW = 65536, /* bytes that are kept */
	AGENT_LINE = 4096,    /* most bytes of a line that are looked at */
};

/* The newest lines of a stream. */
struct agent_window {
	char bytes[AGENT_WINDOW];
	size_t size;
	double at_sec; /* when the newest bytes came */
};

/* Add bytes; if there is no room, forget the oldest. */
void agent_window_add(struct agent_window *window, const char *bytes,
		      size_t size, double at_sec);

/* Return the complete lines, from the newest to the oldest, one per call. A
 * line ends with a newline or a carriage return. end: AGENT_WINDOW before the
 * first call; each call sets it for the next. line: AGENT_LINE bytes; a longer
 * line is cut. Returns false if there are no more lines. */
bool agent_window_line(const struct agent_window *window, size_t *end,
		       char *line);

/* Forget all bytes except the last incomplete line. */
void agent_window_trim(struct agent_window *window);

/* A log file, which may grow, be truncated, be rotated, or not exist yet. The
 * file is polled, which works on network file systems, too. */
struct agent_tail {
	const char *path; /* borrowed */
	int fd;		  /* -1: none yet */
	off_t at;	  /* bytes read so far */
	bool looked;	  /* the first look is over: a later file is read from
			   * its beginning */
	bool told;	  /* the message that the log cannot be read was
			   * printed */
};

#define AGENT_TAIL(file) ((struct agent_tail){.path = (file), .fd = -1})

/* Add the bytes that have come since the last call. Contents from before the
 * first call are ignored. If the new output is large, only its end is added. */
void agent_tail_read(struct agent_tail *tail, struct agent_window *window,
		     double now_sec);

/* The standard output and error of a child. They are passed on immediately, and
 * their newest lines are kept. */
enum { AGENT_STREAMS = 2 };

struct agent_tee {
	int from[AGENT_STREAMS]; /* ends of the pipes that are read here; -1:
				  * closed */
	int into[AGENT_STREAMS]; /* ends of the pipes that the child writes
				  * to */
	int end[2];		 /* a pipe that is closed when the child ends */
	pthread_t thread;
	pthread_mutex_t lock; /* protects the windows */
	struct agent_window windows[AGENT_STREAMS];
};

/* Start the thread. Signals must be blocked. from: read ends of the pipes to
 * which the child writes; NULL: the pipes are made here. Returns 0, or -1 with
 * err set. */
int agent_tee_start(struct agent_tee *tee, const int *from,
		    struct astra_error *err);

/* Close the pipe ends that the child has inherited. */
void agent_tee_given(struct agent_tee *tee);

/* Pass the rest of the output on, and end the thread. */
void agent_tee_finish(struct agent_tee *tee);

#endif
