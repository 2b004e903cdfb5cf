/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Baselines that do not look at tenants. */
#include "src/policies/baselines/baseline.h"

static void *fifo_create(const struct astra_options *options,
			 struct astra_error *err)
{
	static const struct baseline rule = {.unfit = BASELINE_BLOCK};

	(void)options;
	return baseline_create(&rule, err);
}

const struct astra_policy astra_fifo = {
	.name = "fifo",
	.summary = "first come, first served; the first one blocks",
	.source = "the textbook; a baseline of Gandiva (OSDI'18)",
	.create = fifo_create,
	BASELINE_CALLS,
};
