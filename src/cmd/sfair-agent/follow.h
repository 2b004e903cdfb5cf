/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program's progress, by what it writes: a thread looks every second at the
 * newest lines, and says what they tell by libsfair. What a look takes is at
 * most a thousandth of the time between two. */
#ifndef AGENT_FOLLOW_H
#define AGENT_FOLLOW_H

#include <stddef.h>
#include <stdint.h>

#include "src/cmd/sfair-agent/pattern.h"
#include "src/cmd/sfair-agent/stream.h"

/* How long an iteration takes, by when so many were done. */
enum { AGENT_PACE = 16 };

struct agent_pace {
	double done[AGENT_PACE], at_sec[AGENT_PACE]; /* the oldest first */
	size_t count;
};

/* Note that so many were done at a moment. Fewer than before: it begins
 * anew. */
void agent_pace_add(struct agent_pace *pace, double done, double at_sec);

/* The median of the slopes between notes that are a quarter of all apart: a
 * pause, as for a checkpoint, does not move it, and it matters little that
 * moments are off by the time between two looks.
 * Returns seconds an iteration; 0: not known. */
double agent_pace_sec(const struct agent_pace *pace);

/* What is known of the progress. */
struct agent_progress {
	double value[AGENT_FIELDS]; /* the newest; NAN: none yet */
	struct agent_pace pace;
	double epochs; /* of all the work; 0: not known */
};

/* What sfair_progress() takes. */
struct agent_report {
	uint64_t done, total;
	double iter_sec, loss;
};

/* Take in what was seen at a moment. */
void agent_progress_see(struct agent_progress *progress,
			const struct agent_seen *seen, double at_sec);

/* Returns whether there is something to tell. */
bool agent_progress_report(const struct agent_progress *progress,
			   struct agent_report *report);

struct agent_follow {
	const struct agent_patterns *patterns;
	struct agent_progress progress;
	struct agent_tee *tee;	/* one of these two; NULL: the file */
	struct agent_tail tail; /* path NULL: the tee */
	struct agent_window window;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t work;
	bool ends;
};

/* Begin; signals must be blocked. patterns, tee and tail are set before, the
 * rest is zero but the epochs. Returns 0, or -1 with err set. */
int agent_follow_start(struct agent_follow *follow, struct astra_error *err);

/* Have a last look, and end. */
void agent_follow_finish(struct agent_follow *follow);

#endif
