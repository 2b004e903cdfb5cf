/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of the forecaster: forecaster.c asks, answers and knows how long
 * jobs run; forecaster_look.c looks ahead. */
#ifndef ASTRA_FORECASTER_PRIV_H
#define ASTRA_FORECASTER_PRIV_H

#include <stdatomic.h>

#include "src/common/arena.h"
#include "src/common/bytes.h"
#include "src/foresee/runtimes.h"
#include "src/slurm/ahead/forecaster.h"
#include "src/slurm/in/reserved.h"

#define ASTRA_GUESSES 3

/* A snapshot to look ahead from. */
struct look {
	char pool[ASTRA_POOL_NAME_MAX];
	struct astra_options options;
	struct astra_bytes image;
	struct astra_arena arena; /* of the snapshot */
	struct astra_snapshot snapshot;
	struct astra_run_guess *guesses[ASTRA_GUESSES];
	struct astra_release *releases[ASTRA_GUESSES]; /* by other jobs */
	size_t release_count[ASTRA_GUESSES];
	struct astra_pause pause;
};

struct entry {
	uint32_t job;
	struct astra_forecast_time time;
};

/* What was foreseen for a pool, sorted by job. */
struct table {
	char pool[ASTRA_POOL_NAME_MAX];
	struct entry *entries;
	size_t count;
};

/* Run ahead, once with each guess. Ends soon after stop is set. Returns 0 with
 * a table whose entries are to be freed, or -1. */
int astra_look_ahead(const struct look *look, const atomic_bool *stop,
		     struct table *out);

/* Correct a time by the maintenance, which the engine does not know: what it
 * would start in one, or later, starts later by the time in which nothing
 * starts. */
double astra_look_past(const struct astra_pause *pause, double sec);

/* Return what was foreseen for a job, or NULL. table may be NULL. */
const struct entry *astra_look_find(const struct table *table, uint32_t job);

/* Accepts NULL. */
void astra_look_free(struct look *look);

#endif
