/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/speed.h"

#include <math.h>
#include <stdio.h>

#define SLOWDOWN_MAX 1000

enum astra_level astra_level_of(const struct astra_node *nodes,
				const struct astra_share *shares, size_t count)
{
	uint32_t slot;

	if (!count)
		return ASTRA_LEVEL_SLOT;
	slot = nodes[shares->node].slot_gpus;
	if (count == 1)
		return !slot || shares->gpus <= slot ? ASTRA_LEVEL_SLOT
						     : ASTRA_LEVEL_MACHINE;
	for (size_t i = 1; i < count; i++)
		if (nodes[shares[i].node].rack != nodes[shares->node].rack)
			return ASTRA_LEVEL_CROSS;
	return ASTRA_LEVEL_RACK;
}

void astra_speed_note(struct astra_speed *speed, enum astra_level level,
		      double gpu_sec)
{
	uint8_t at = speed->next[level];

	speed->recent[level][at] = gpu_sec;
	speed->next[level] = (uint8_t)((at + 1) % ASTRA_SPEED_RECENT);
	if (speed->count[level] < ASTRA_SPEED_RECENT)
		speed->count[level]++;
}

uint32_t astra_speed_seen(const struct astra_speed *speed)
{
	uint32_t seen = 0;

	for (uint32_t l = 0; l < ASTRA_LEVEL_COUNT; l++)
		seen |= (uint32_t)(speed->count[l] > 0) << l;
	return seen;
}

/* Return the median of a level's measurements; of an even number, the lower of
 * the middle two. 0: none. */
static double median(const struct astra_speed *speed, int level)
{
	double sorted[ASTRA_SPEED_RECENT];
	int count = speed->count[level];

	for (int i = 0; i < count; i++) {
		double value = speed->recent[level][i];
		int at = i;

		for (; at > 0 && sorted[at - 1] > value; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = value;
	}
	return count ? sorted[(count - 1) / 2] : 0;
}

void astra_speed_refine(const struct astra_speed *speed,
			double slowdown[ASTRA_LEVEL_COUNT])
{
	double t[ASTRA_LEVEL_COUNT];
	int first = 0;

	while (first < ASTRA_LEVEL_COUNT && !speed->count[first])
		first++;
	if (first == ASTRA_LEVEL_COUNT)
		return;
	t[first] = median(speed, first);
	for (int l = first; l-- > 0;)
		t[l] = t[l + 1] * slowdown[l] / slowdown[l + 1];
	for (int l = first + 1; l < ASTRA_LEVEL_COUNT; l++)
		t[l] = speed->count[l]
			       ? fmax(median(speed, l), t[l - 1])
			       : t[l - 1] * slowdown[l] / slowdown[l - 1];
	for (int l = 0; l < ASTRA_LEVEL_COUNT; l++)
		slowdown[l] = fmin(t[l] / t[0], SLOWDOWN_MAX);
}

void astra_slowdown_text(const double slowdown[ASTRA_LEVEL_COUNT],
			 char text[ASTRA_SLOWDOWN_TEXT])
{
	*text = '\0';
	if (slowdown[0] > 0)
		snprintf(text, ASTRA_SLOWDOWN_TEXT, "%.3g,%.3g,%.3g,%.3g",
			 slowdown[0], slowdown[1], slowdown[2], slowdown[3]);
}
