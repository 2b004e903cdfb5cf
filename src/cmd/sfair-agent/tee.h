/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard output and error of a child: passed on as they come, and kept for
 * who looks at their newest lines. */
#ifndef AGENT_TEE_H
#define AGENT_TEE_H

#include <pthread.h>

#include "src/cmd/sfair-agent/window.h"
#include "src/common/error.h"

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
