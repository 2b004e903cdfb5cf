/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the forecaster's own files. forecaster.c asks for forecasts, answers, and
 * learns how long jobs run; forecaster_look.c looks ahead. */
#ifndef ASTRA_FORECASTER_PRIV_H
#define ASTRA_FORECASTER_PRIV_H

#include <stdatomic.h>

#include "src/common/arena.h"
#include "src/common/bytes.h"
#include "src/foresee/runtimes.h"
#include "src/slurm/ahead/forecaster.h"
#include "src/slurm/in/reserved.h"

#define ASTRA_GUESSES 3

/* The snapshot from which a forecast begins. */
struct look {
	char pool[ASTRA_POOL_NAME_MAX];
	struct astra_options options;
	struct astra_bytes image;
	struct astra_arena arena; /* the snapshot's memory */
	struct astra_snapshot snapshot;
	struct astra_run_guess *guesses[ASTRA_GUESSES];
	struct astra_release *releases[ASTRA_GUESSES]; /* what other jobs
							* release */
	size_t release_count[ASTRA_GUESSES];
	struct astra_pause pause;
};

struct entry {
	uint32_t job;
	struct astra_forecast_time time;
};

/* The forecasts for a pool's jobs, sorted by job. */
struct table {
	char pool[ASTRA_POOL_NAME_MAX];
	struct entry *entries;
	size_t count;
};

/* Run ahead, once with each kind of guess. Returns soon after stop is set.
 * Returns 0 with a table whose entries the caller frees, or -1. */
int astra_look_ahead(const struct look *look, const atomic_bool *stop,
		     struct table *out);

/* Correct a time by a maintenance, which the engine does not know. Starts
 * during the maintenance or later are delayed by its length. */
double astra_look_past(const struct astra_pause *pause, double sec);

/* Return the forecast for a job, or NULL. table may be NULL. */
const struct entry *astra_look_find(const struct table *table, uint32_t job);

/* look may be NULL. */
void astra_look_free(struct look *look);

#endif
