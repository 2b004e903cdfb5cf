/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares several runs side by side, and tells which is best by each
 * metric. */
#ifndef ASTRA_COMPARE_H
#define ASTRA_COMPARE_H

#include <stdio.h>

#include "src/common/text.h"
#include "src/sim/digest.h"
#include "src/sim/grid.h"

struct astra_compared {
	char label[64]; /* policy, or lease term */
	const struct astra_digest *digest;
};

struct astra_comparison {
	const char *what; /* what the cases differ in, such as "policy" or
			   * "LeaseTerm" */
	const struct astra_trace *trace;
	uint64_t gpus;
	const struct astra_compared *cases;
	size_t count;
};

/* Whether a case is the best by a metric, alone or tied. No case is best if all
 * are tied, or if the metric has no better or worse. */
bool astra_compare_best(const struct astra_comparison *comparison,
			const struct astra_metric *metric, size_t index);

/* Whether any case has a value of this metric. Tables for people leave out
 * metrics without values. */
bool astra_compare_known(const struct astra_comparison *comparison,
			 const struct astra_metric *metric);

#define ASTRA_COMPARE_WAITS_TITLE \
	"First waits by size of jobs, mean / longest in seconds"

/* Makes a table of first waits by size; sizes that no job has are left out.
 * grid: clear with astra_grid_clear(). Returns 0, or -1 with err set. */
int astra_compare_waits(const struct astra_comparison *comparison,
			struct astra_grid *grid, struct astra_error *err);

/* Write a comparison for people, with a star at the best values. width: as in
 * astra_grid_print(). Return 0, or -1 with err set. */
int astra_compare_print(const struct astra_comparison *comparison, FILE *file,
			size_t width, struct astra_error *err);
int astra_compare_markdown(const struct astra_comparison *comparison,
			   FILE *file, struct astra_error *err);

/* Write a comparison for programs: numbers with all digits and without stars.
 * First waits are only in JSON. Return 0, or -1 with err set. */
int astra_compare_csv(const struct astra_comparison *comparison, FILE *file,
		      struct astra_error *err);
int astra_compare_json(const struct astra_comparison *comparison, FILE *file,
		       struct astra_error *err);

#endif
