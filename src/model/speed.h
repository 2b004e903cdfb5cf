/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Learned slowdown profiles: how much longer an iteration takes when the GPUs
 * are further apart. (Themis, section 5.2: S(G), profiled) */
#ifndef ASTRA_SPEED_H
#define ASTRA_SPEED_H

#include "src/model/model.h"

/* Return how far apart the GPUs of these shares are. Each share is on another
 * node. Without GPUs, the level is that of a slot. */
enum astra_level astra_level_of(const struct astra_node *nodes,
				const struct astra_share *shares, size_t count);

#define ASTRA_SPEED_RECENT 5

/* Recent measurements of a job, or of the jobs of an app, which are assumed to
 * be alike. If zeroed, nothing was measured. */
struct astra_speed {
	double recent[ASTRA_LEVEL_COUNT][ASTRA_SPEED_RECENT];
	uint8_t count[ASTRA_LEVEL_COUNT], next[ASTRA_LEVEL_COUNT];
};

/* Note the GPU seconds of an iteration: its time multiplied by the number of
 * GPUs. So runs on different numbers of GPUs can be compared. gpu_sec > 0,
 * finite. */
void astra_speed_note(struct astra_speed *speed, enum astra_level level,
		      double gpu_sec);

/* Return which levels were measured: bit l stands for level l. */
uint32_t astra_speed_seen(const struct astra_speed *speed);

/* Put measurements into a slowdown that was stated or guessed: slowdown[l] =
 * t(l) / t(slot). t is the median of the last five times, so that a slow first
 * iteration does not count. For a level without measurements, t keeps its
 * stated ratio to that of the neighbouring level. No level is faster than the
 * one before; none is above 1000. slowdown: before and after the call, all > 0
 * and none below the one before. */
void astra_speed_refine(const struct astra_speed *speed,
			double slowdown[ASTRA_LEVEL_COUNT]);

#define ASTRA_SLOWDOWN_TEXT 64

/* Write a slowdown in the form of --slowdown; "" if slowdown[0] is 0. */
void astra_slowdown_text(const double slowdown[ASTRA_LEVEL_COUNT],
			 char text[ASTRA_SLOWDOWN_TEXT]);

#endif
