/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several runs side by side: which is best in what. */
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
	const char *what; /* the labels are: "policy", "LeaseTerm" */
	const struct astra_trace *trace;
	uint64_t gpus;
	const struct astra_compared *cases;
	size_t count;
};

/* Whether a case is the best one by a metric, or one of those tied for it. None
 * is when all are tied, or where there is no better or worse. */
bool astra_compare_best(const struct astra_comparison *comparison,
			const struct astra_metric *metric, size_t index);

/* Whether any case has this number; tables for people leave out what none has.
 */
bool astra_compare_known(const struct astra_comparison *comparison,
			 const struct astra_metric *metric);

#define ASTRA_COMPARE_WAITS_TITLE \
	"First waits by size of jobs, mean / longest in seconds"

/* First waits by size as a table; sizes that no job has are left out.
 * grid: astra_grid_clear() it. Returns 0, or -1 with err set.
 * */
int astra_compare_waits(const struct astra_comparison *comparison,
			struct astra_grid *grid, struct astra_error *err);

/* For people, the best marked with a star; width: as astra_grid_print().
 * All return 0, or -1 with err set. */
int astra_compare_print(const struct astra_comparison *comparison, FILE *file,
			size_t width, struct astra_error *err);
int astra_compare_markdown(const struct astra_comparison *comparison,
			   FILE *file, struct astra_error *err);

/* For programs: all digits, and no stars; first waits in JSON only. */
int astra_compare_csv(const struct astra_comparison *comparison, FILE *file,
		      struct astra_error *err);
int astra_compare_json(const struct astra_comparison *comparison, FILE *file,
		       struct astra_error *err);

#endif
