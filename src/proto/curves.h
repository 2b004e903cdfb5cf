/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What GPUs do for an app: a number of 1, 2, ... GPUs, for each level of how
 * far apart they are. Of the C library alone, as spank/astraea links it too.
 */
#ifndef ASTRA_CURVES_H
#define ASTRA_CURVES_H

#include <stddef.h>
#include <stdint.h>

#include "src/model/model.h"

struct astra_curves {
	double *values; /* level by level as they came */
	size_t count, room;
	/* Of each level: where its values begin, and how many; 0: not given. */
	uint32_t first[ASTRA_LEVEL_COUNT], gpus[ASTRA_LEVEL_COUNT];
};

/* The level of that name, or ASTRA_LEVEL_COUNT. */
enum astra_level astra_level_find(const char *name, size_t size);

/* Append the next number of a level. All of a level come in a row.
 * Returns 0, or -1 when out of memory. */
int astra_curves_add(struct astra_curves *curves, enum astra_level level,
		     double value);

/* The most GPUs that any level tells of. */
uint32_t astra_curves_gpus(const struct astra_curves *curves);

/* Write the whole table, see struct astra_bid. A level that was not given is as
 * the one before, times the ratio of their slowdowns; beyond its end a level
 * goes on as it ends. The slot must have been said.
 * slowdown: of each level; 0: not known, as the one before.
 * gpus: astra_curves_gpus(). table: of ASTRA_LEVEL_COUNT * gpus. */
void astra_curves_table(const struct astra_curves *curves,
			const double slowdown[ASTRA_LEVEL_COUNT], uint32_t gpus,
			double *table);

void astra_curves_clear(struct astra_curves *curves);

#endif
