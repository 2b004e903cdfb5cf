/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program writes, read as a log file or from its pipes: the newest
 * lines. */
#ifndef AGENT_STREAM_H
#define AGENT_STREAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "src/common/error.h"

enum {
	AGENT_WINDOW = 65536, /* so much is kept */
	AGENT_LINE = 4096,    /* so much of a line is looked at */
};

/* The newest lines of a stream. */
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

/* A log file that grows, is truncated, rotated, or not there yet. It is polled,
 * which works on network file systems, too. */
struct agent_tail {
	const char *path; /* borrowed */
	int fd;		  /* -1: none yet */
	off_t at;	  /* read so far */
	bool looked;	  /* what is there later is new from its beginning */
	bool told;	  /* that it cannot be read */
};

#define AGENT_TAIL(file) ((struct agent_tail){.path = (file), .fd = -1})

/* Add what has come since the last call; nothing of what was there before the
 * first one. Where much has come, only the end of it. */
void agent_tail_read(struct agent_tail *tail, struct agent_window *window,
		     double now_sec);

/* Standard output and error of a child: passed on as they come, and the newest
 * lines kept. */
enum { AGENT_STREAMS = 2 };

struct agent_tee {
	int from[AGENT_STREAMS]; /* the pipes' ends that are read; -1: over */
	int into[AGENT_STREAMS]; /* theirs that the child writes to */
	int end[2];		 /* closed to say that the child has ended */
	pthread_t thread;
	pthread_mutex_t lock; /* of the windows */
	struct agent_window windows[AGENT_STREAMS];
};

/* Begin. Signals must be blocked.
 * from: pipes whose other ends the child has; NULL: make them.
 * Returns 0, or -1 with err set. */
int agent_tee_start(struct agent_tee *tee, const int *from,
		    struct astra_error *err);

/* The child has them. */
void agent_tee_given(struct agent_tee *tee);

/* Pass on what is there still, and end. */
void agent_tee_finish(struct agent_tee *tee);

#endif
