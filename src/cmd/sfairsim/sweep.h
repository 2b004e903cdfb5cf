/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tune tries: one option of astraea.conf, and values of it. */
#ifndef ASTRA_SFAIRSIM_SWEEP_H
#define ASTRA_SFAIRSIM_SWEEP_H

#include <stdbool.h>

#include "src/common/error.h"
#include "src/common/text.h"
#include "src/sim/compare.h"

/* Lease terms: which are tried, and which one is recommended. */

#define SFAIRSIM_TERMS_MAX 64

/* A term as astraea.conf has it. */
#define SFAIRSIM_TERM_SIZE 24

char *sfairsim_term_text(double sec, char text[SFAIRSIM_TERM_SIZE]);

/* Terms separated by commas, or NULL for those of ASTRAEA's 5.1.3: from five
 * minutes to several hours. argument: that has them, for messages. out:
 * ascending, each once.
 * Returns how many, or 0 with err set. */
size_t sfairsim_terms_parse(const char *argument, const char *text,
			    double out[SFAIRSIM_TERMS_MAX],
			    struct astra_error *err);

/* The term that is least far behind the best one in what it is worst at. Points
 * behind are counted as: one percentage point of job loss, of tenant loss or of
 * GPU time lost to overhead; 5 % more mean completion time. Of equal terms the
 * longest, which disturbs least.
 * why: gets the reason in words. Returns the index of the case. */
size_t sfairsim_terms_recommend(const struct astra_comparison *comparison,
				struct astra_text *why);

#define SFAIRSIM_VALUES_MAX SFAIRSIM_TERMS_MAX
#define SFAIRSIM_VALUE_SIZE 64

struct sfairsim_sweep {
	const char *key; /* as astraea.conf(5) spells it */
	char values[SFAIRSIM_VALUES_MAX][SFAIRSIM_VALUE_SIZE];
	size_t count;
	bool is_terms; /* the key is LeaseTerm */
	double terms_sec[SFAIRSIM_VALUES_MAX];
	const char *argument; /* that has them, for messages: "--vary" */
};

/* terms: TIME,... or NULL; vary: KEY=VALUE,... or NULL; not both. With neither
 * the standard terms are tried. Terms are sorted and come once, other values
 * stay as they are. Whether a value is one of the option's is looked at when it
 * is set.
 * Returns 0, or -1 with err set. */
int sfairsim_sweep_parse(struct sfairsim_sweep *sweep, const char *terms,
			 const char *vary, struct astra_error *err);

/* The options of one value, all else as it is.
 * Returns 0, or -1 with err naming key and value; options are untouched then.
 */
int sfairsim_sweep_set(const struct sfairsim_sweep *sweep, size_t index,
		       struct astra_options *options, struct astra_error *err);

#endif
