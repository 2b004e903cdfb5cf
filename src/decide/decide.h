/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One decision of one policy, from JSON to JSON: `sfairsim decide`. Each policy
 * has a row in the table of decide.c and files of its own:
 *   decide_NAME.h  the instance and the result as structs
 *   NAME_parse.c   JSON -> instance, by tables of its fields and their bounds
 *   NAME_run.c     instance -> result, by the same code as in slurmctld
 *                  (NAME_measure.c: the part before the round)
 *   NAME_print.c   result -> JSON */
#ifndef ASTRA_DECIDE_H
#define ASTRA_DECIDE_H

#include <jansson.h>

#include "src/decide/instance.h"

struct astra_decider {
	const char *name; /* of the policy */
	/* in: the instance. out: the result, a new reference, or NULL when
	 * memory is out. Returns 0, or -1 with in->err set. */
	int (*decide)(struct astra_in *in, json_t **out);
};

/* The table; ends with a NULL name. */
extern const struct astra_decider astra_deciders[];

/* Returns the row of this name, or NULL. */
const struct astra_decider *astra_decider_find(const char *policy);

/* Decides one instance. If the instance names a policy, it must be the same
 * one. instance: any JSON value, borrowed; may be NULL. Returns the result as a
 * new reference, or NULL with err set. */
json_t *astra_decide(const char *policy, const json_t *instance,
		     struct astra_error *err);

#endif
