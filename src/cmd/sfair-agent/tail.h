/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A log file that grows, is truncated, rotated, or not there yet. It is looked
 * at now and then, which works on network file systems, too. */
#ifndef AGENT_TAIL_H
#define AGENT_TAIL_H

#include <stdbool.h>
#include <sys/types.h>

#include "src/cmd/sfair-agent/window.h"

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

#endif
