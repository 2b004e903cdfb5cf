/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What GPUs do for an app: a number for 1, 2, ... GPUs, for each level of
 * distance. Uses the C library alone, since spank/astraea links it, too. */
#ifndef ASTRA_CURVES_H
#define ASTRA_CURVES_H

#include <stddef.h>
#include <stdint.h>

#include "src/model/model.h"

struct astra_curves {
	double *values; /* level by level, in the order given */
	size_t count, room;
	/* The first value of each level, and their count; 0: not given. */
	uint32_t first[ASTRA_LEVEL_COUNT], gpus[ASTRA_LEVEL_COUNT];
};

/* Returns the level of this name, or ASTRA_LEVEL_COUNT. */
enum astra_level astra_level_find(const char *name, size_t size);

/* Appends the next number of a level. The numbers of a level must come
 * together. Returns 0, or -1 if out of memory. */
int astra_curves_add(struct astra_curves *curves, enum astra_level level,
		     double value);

/* Returns the most GPUs that any level has a number for. */
uint32_t astra_curves_gpus(const struct astra_curves *curves);

/* Writes the whole table; see struct astra_bid. A level that was not given is
 * the one before, times the ratio of their slowdowns. Beyond its end a level
 * repeats its last number. The slot must be given.
 * slowdown: of each level; 0: not known, taken as equal to the level before.
 * gpus: astra_curves_gpus(). table: ASTRA_LEVEL_COUNT * gpus. */
void astra_curves_table(const struct astra_curves *curves,
			const double slowdown[ASTRA_LEVEL_COUNT], uint32_t gpus,
			double *table);

void astra_curves_clear(struct astra_curves *curves);

#endif
