/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long an iteration takes, by when so many were done; pure. */
#ifndef AGENT_PACE_H
#define AGENT_PACE_H

#include <stddef.h>

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

#endif
