/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tune tries: one option of astraea.conf, and values of it. */
#ifndef ASTRA_SFAIRSIM_SWEEP_H
#define ASTRA_SFAIRSIM_SWEEP_H

#include <stdbool.h>

#include "src/cmd/sfairsim/terms.h"

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
