/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values that tune tries for an option of astraea.conf. */
#ifndef ASTRA_SFAIRSIM_SWEEP_H
#define ASTRA_SFAIRSIM_SWEEP_H

#include <stdbool.h>

#include "src/common/error.h"
#include "src/common/text.h"
#include "src/sim/compare.h"

/* Lease terms: which ones to try, and which one to recommend. */

#define SFAIRSIM_TERMS_MAX 64

/* Writes a term as it is written in astraea.conf. Returns text. */
#define SFAIRSIM_TERM_SIZE 24

char *sfairsim_term_text(double sec, char text[SFAIRSIM_TERM_SIZE]);

/* Reads terms separated by commas. text: NULL means the terms of ASTRAEA's
 * 5.1.3, from five minutes to several hours. argument: the option with the
 * terms, for messages. out: ascending, without duplicates. Returns their count,
 * or 0 with err set. */
size_t sfairsim_terms_parse(const char *argument, const char *text,
			    double out[SFAIRSIM_TERMS_MAX],
			    struct astra_error *err);

/* Recommends the term that is least behind the best one in its worst criterion.
 * One point behind is one percentage point of job loss, of tenant loss or of
 * GPU time lost to overhead, or 5 % more mean completion time. Ties go to the
 * longest term, which disturbs least. why: set to the reason in words. Returns
 * the index of the case. */
size_t sfairsim_terms_recommend(const struct astra_comparison *comparison,
				struct astra_text *why);

#define SFAIRSIM_VALUES_MAX SFAIRSIM_TERMS_MAX
#define SFAIRSIM_VALUE_SIZE 64

struct sfairsim_sweep {
	const char *key; /* spelled as in astraea.conf(5) */
	char values[SFAIRSIM_VALUES_MAX][SFAIRSIM_VALUE_SIZE];
	size_t count;
	bool is_terms; /* the key is LeaseTerm */
	double terms_sec[SFAIRSIM_VALUES_MAX];
	const char *argument; /* option with the values, for messages, such as
			       * "--vary" */
};

/* Reads the values to try. terms: TIME,... or NULL. vary: KEY=VALUE,... or
 * NULL. If both are NULL, the standard terms are tried; not both may be given.
 * Terms are sorted, without duplicates; other values keep their order.
 * sfairsim_sweep_set() checks the values. Returns 0, or -1 with err set. */
int sfairsim_sweep_parse(struct sfairsim_sweep *sweep, const char *terms,
			 const char *vary, struct astra_error *err);

/* Sets the options to one of the values. Returns 0, or -1 with err naming key
 * and value; options are then unchanged. */
int sfairsim_sweep_set(const struct sfairsim_sweep *sweep, size_t index,
		       struct astra_options *options, struct astra_error *err);

#endif
