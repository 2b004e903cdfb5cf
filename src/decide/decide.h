/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One decision of one policy, from JSON to JSON: `sfairsim decide`. Each policy
 * has a row in the table of decide.c and files of its own:
 *   decide_NAME.h  the instance and the result as structs
 *   NAME_parse.c   JSON -> instance, every field checked
 *   NAME_run.c     instance -> result, by the core that runs in slurmctld
 *                  (NAME_measure.c: the part before the round)
 *   NAME_print.c   result -> JSON
 */
#ifndef ASTRA_DECIDE_H
#define ASTRA_DECIDE_H

#include <jansson.h>

#include "src/common/error.h"

struct astra_decider {
	const char *name; /* of the policy */
	/* instance: an object, borrowed.
	 * Returns the result, a new reference, or NULL with err set. */
	json_t *(*decide)(const json_t *instance, struct astra_error *err);
};

/* The table, ended by a row whose name is NULL. */
extern const struct astra_decider astra_deciders[];

/* The row of that name, or NULL. */
const struct astra_decider *astra_decider_find(const char *policy);

/* Decide one instance; the policy it names, if any, must be this one.
 * instance: any JSON value, borrowed; may be NULL.
 * Returns the result, a new reference, or NULL with err set. */
json_t *astra_decide(const char *policy, const json_t *instance,
		     struct astra_error *err);

#endif
