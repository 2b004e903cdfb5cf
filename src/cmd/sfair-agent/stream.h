/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The newest lines of what a program writes, from its log file or its pipes. */
#ifndef AGENT_STREAM_H
#define AGENT_STREAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "src/common/error.h"

enum {
	AGENT_WINDOW = 65536, /* bytes that are kept */
	AGENT_LINE = 4096,    /* bytes of a line that are looked at */
};

/* The newest lines of a stream. */
struct agent_window {
	char bytes[AGENT_WINDOW];
	size_t size;
	double at_sec; /* the moment at which the newest bytes came */
};

/* Add bytes; if there is no room, forget the oldest. */
void agent_window_add(struct agent_window *window, const char *bytes,
		      size_t size, double at_sec);

/* Go from the newest complete line to the oldest. A line ends with a newline or
 * a carriage return.
 * end: AGENT_WINDOW before the first call; each call sets it for the next call.
 * line: AGENT_LINE bytes; what does not fit is left out.
 * Returns false if there is no line any more. */
bool agent_window_line(const struct agent_window *window, size_t *end,
		       char *line);

/* Forget all bytes except the last incomplete line. */
void agent_window_trim(struct agent_window *window);

/* A log file that grows, is cut, is rotated or does not exist yet. It is
 * polled, which works on network file systems, too. */
struct agent_tail {
	const char *path; /* borrowed */
	int fd;		  /* -1: none yet */
	off_t at;	  /* bytes read so far */
	bool looked;	  /* a later file is read from its beginning */
	bool told;	  /* the log has said that it cannot be read */
};

#define AGENT_TAIL(file) ((struct agent_tail){.path = (file), .fd = -1})

/* Add what has come since the last call. What was in the file before the first
 * call is ignored. Of much new output only the end is added. */
void agent_tail_read(struct agent_tail *tail, struct agent_window *window,
		     double now_sec);

/* The standard output and error of a child: passed on immediately, keeping the
 * newest lines. */
enum { AGENT_STREAMS = 2 };

struct agent_tee {
	int from[AGENT_STREAMS]; /* pipe ends that are read; -1: closed */
	int into[AGENT_STREAMS]; /* pipe ends that the child writes to */
	int end[2];		 /* a pipe that is closed when the child ends */
	pthread_t thread;
	pthread_mutex_t lock; /* protects the windows */
	struct agent_window windows[AGENT_STREAMS];
};

/* Start the thread. Signals must be blocked.
 * from: pipes whose other ends the child has; NULL: make them.
 * Returns 0, or -1 with err set. */
int agent_tee_start(struct agent_tee *tee, const int *from,
		    struct astra_error *err);

/* Close the pipe ends that the child has got. */
void agent_tee_given(struct agent_tee *tee);

/* Pass on what is left, and end the thread. */
void agent_tee_finish(struct agent_tee *tee);

#endif
