/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows the progress of a program by the lines that it writes. A thread looks
 * at the newest lines every second, and reports the progress through libsfair.
 * It takes at most a thousandth of the time. */
#ifndef AGENT_FOLLOW_H
#define AGENT_FOLLOW_H

#include <stddef.h>
#include <stdint.h>

#include "src/cmd/sfair-agent/pattern.h"
#include "src/cmd/sfair-agent/stream.h"

/* Measures the time of an iteration. The notes say when which count of
 * iterations was seen. */
enum { AGENT_PACE = 16 };

struct agent_pace {
	double done[AGENT_PACE], at_sec[AGENT_PACE]; /* the oldest first */
	size_t count;
};

/* Note a count of iterations and when it was seen. If the count is less than
 * before, the old notes are dropped. */
void agent_pace_add(struct agent_pace *pace, double done, double at_sec);

/* Return the seconds per iteration, 0 if unknown. This is the median of the
 * slopes between notes that are a quarter of all notes apart. A pause, such as
 * for a checkpoint, does not change it. A note may be late by the time between
 * two looks, which hardly matters. */
double agent_pace_sec(const struct agent_pace *pace);

/* The known progress of a program. */
struct agent_progress {
	double value[AGENT_FIELDS]; /* the newest values; NAN: none yet */
	struct agent_pace pace;
	double epochs; /* epochs of the whole work; 0: unknown */
};

/* The arguments of sfair_progress(). */
struct agent_report {
	uint64_t done, total;
	double iter_sec, loss;
};

/* Update the progress with the values seen at a moment. */
void agent_progress_see(struct agent_progress *progress,
			const struct agent_seen *seen, double at_sec);

/* Compute the report. Returns whether there is any progress to report. */
bool agent_progress_report(const struct agent_progress *progress,
			   struct agent_report *report);

struct agent_follow {
	const struct agent_patterns *patterns;
	struct agent_progress progress;
	struct agent_tee *tee;	/* the tee to follow; NULL: the tail is
				 * followed */
	struct agent_tail tail; /* its path is NULL if the tee is followed */
	struct agent_window window;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t work;
	bool ends;
};

/* Start the thread; signals must be blocked. The caller has set patterns,
 * epochs, and either tee or tail; all other members are zero. Returns 0, or -1
 * with err set. */
int agent_follow_start(struct agent_follow *follow, struct astra_error *err);

/* Look at the lines for the last time, and end the thread. */
void agent_follow_finish(struct agent_follow *follow);

#endif
