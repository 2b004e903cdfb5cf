/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/curves.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"

enum astra_level astra_level_find(const char *name, size_t size)
{
	for (int i = 0; i < ASTRA_LEVEL_COUNT; i++) {
		const char *known = astra_level_name((enum astra_level)i);

		if (strlen(known) == size && !memcmp(known, name, size))
			return (enum astra_level)i;
	}
	return ASTRA_LEVEL_COUNT;
}

int astra_curves_add(struct astra_curves *curves, enum astra_level level,
		     double value)
{
	if (astra_grow(&curves->values, &curves->room, curves->count + 1,
		       sizeof(*curves->values)) < 0)
		return -1;
	if (!curves->gpus[level]++)
		curves->first[level] = (uint32_t)curves->count;
	curves->values[curves->count++] = value;
	return 0;
}

uint32_t astra_curves_gpus(const struct astra_curves *curves)
{
	uint32_t most = 0;

	for (int i = 0; i < ASTRA_LEVEL_COUNT; i++)
		if (curves->gpus[i] > most)
			most = curves->gpus[i];
	return most;
}

/* Returns how much slower a level is than the one before; 1 if not known. */
static double ratio_of(const double slowdown[ASTRA_LEVEL_COUNT], int level)
{
	if (level == 0 || slowdown[level] <= 0 || slowdown[level - 1] <= 0)
		return 1;
	return slowdown[level] / slowdown[level - 1];
}

void astra_curves_table(const struct astra_curves *curves,
			const double slowdown[ASTRA_LEVEL_COUNT], uint32_t gpus,
			double *table)
{
	for (int level = 0; level < ASTRA_LEVEL_COUNT; level++) {
		const double *said = curves->values + curves->first[level];
		double *row = table + (size_t)level * gpus;
		uint32_t count = curves->gpus[level];
		double ratio = ratio_of(slowdown, level);

		for (uint32_t k = 0; k < gpus; k++) {
			if (count)
				row[k] = said[k < count ? k : count - 1];
			else
				row[k] = level ? row[(int64_t)k - gpus] * ratio
					       : 0;
		}
	}
}

void astra_curves_clear(struct astra_curves *curves)
{
	free(curves->values);
	*curves = (struct astra_curves){0};
}
