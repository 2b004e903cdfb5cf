/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What GPUs are worth to an app: one number for each of 1, 2, ... GPUs, at each
 * level of distance. Uses the C library alone, since spank/astraea links it,
 * too. */
#ifndef ASTRA_CURVES_H
#define ASTRA_CURVES_H

#include <stddef.h>
#include <stdint.h>

#include "src/model/model.h"

struct astra_curves {
	double *values; /* level by level, in the order given */
	size_t count, room;
	/* Index of the first value of each level, and how many values it has;
	 * 0: the level is not given. */
	uint32_t first[ASTRA_LEVEL_COUNT], gpus[ASTRA_LEVEL_COUNT];
};

/* Returns the level of this name, or ASTRA_LEVEL_COUNT. */
enum astra_level astra_level_find(const char *name, size_t size);

/* Appends the next number of a level. All numbers of a level must come one
 * after the other. Returns 0, or -1 if out of memory. */
int astra_curves_add(struct astra_curves *curves, enum astra_level level,
		     double value);

/* Returns the most GPUs that any level has a number for. */
uint32_t astra_curves_gpus(const struct astra_curves *curves);

/* Writes the whole table; see struct astra_bid. A level that was not given gets
 * the row of the level before, times the ratio of their slowdowns. For more
 * GPUs than a level has numbers, its last number is repeated. The slot must be
 * given.
 * slowdown: of each level; 0: not known, and taken as equal to the level
 * before.
 * gpus: astra_curves_gpus(). table: ASTRA_LEVEL_COUNT * gpus numbers. */
void astra_curves_table(const struct astra_curves *curves,
			const double slowdown[ASTRA_LEVEL_COUNT], uint32_t gpus,
			double *table);

void astra_curves_clear(struct astra_curves *curves);

#endif
