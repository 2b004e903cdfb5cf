/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Weights by name, as an admin writes them: "a100:2,v100:1". */
#ifndef ASTRA_WEIGHTS_H
#define ASTRA_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>

#include "src/common/error.h"

#define ASTRA_WEIGHTS_MAX 32
#define ASTRA_WEIGHT_NAME_MAX 64

struct astra_weights {
	struct astra_weight {
		char name[ASTRA_WEIGHT_NAME_MAX];
		double weight;
	} row[ASTRA_WEIGHTS_MAX];
	size_t count;
};

/* Read a text. "none" and "" mean no weights. zero: whether a weight may be 0.
 * Returns 0, or -1 with err naming what is valid and out untouched. */
int astra_weights_parse(struct astra_weights *out, const char *text, bool zero,
			struct astra_error *err);

/* Return the row of a name, or NULL. Names are case-sensitive. name may be
 * NULL. */
const struct astra_weight *
astra_weights_find(const struct astra_weights *weights, const char *name);

/* Return the weight of a name, or 1 if it has none. Names are case-sensitive.
 * name may be NULL. */
double astra_weight_of(const struct astra_weights *weights, const char *name);

/* Whether there is a row of that name. Names are case-sensitive. name may be
 * NULL. */
bool astra_weights_have(const struct astra_weights *weights, const char *name);

#endif
