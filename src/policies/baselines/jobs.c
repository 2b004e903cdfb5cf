/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Baselines that do not look at tenants. */
#include "src/policies/baselines/baseline.h"

static const struct baseline jobs_fifo = {.unfit = BASELINE_BLOCK};

BASELINE_CREATE(fifo, jobs_fifo)

const struct astra_policy astra_fifo = {
	.name = "fifo",
	.summary = "first come, first served; the first one blocks",
	.source = "the textbook; a baseline of Gandiva (OSDI'18)",
	.create = fifo_create,
	BASELINE_CALLS,
};
