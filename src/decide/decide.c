/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/decide/decide.h"

#include <string.h>

#include "src/decide/decide_incentive.h"
#include "src/decide/decide_ltgf.h"
#include "src/decide/decide_oasis.h"
#include "src/decide/decide_ogasched.h"
#include "src/decide/decide_themis.h"
#include "src/decide/instance.h"

const struct astra_decider astra_deciders[] = {
	{"ltgf", astra_decide_ltgf},	 {"incentive", astra_decide_incentive},
	{"oasis", astra_decide_oasis},	 {"ogasched", astra_decide_ogasched},
	{"themis", astra_decide_themis}, {NULL, NULL},
};

const struct astra_decider *astra_decider_find(const char *policy)
{
	for (const struct astra_decider *d = astra_deciders; d->name; d++)
		if (!strcmp(d->name, policy))
			return d;
	return NULL;
}

/* Decides one instance with one row of the table. ids: an empty object, filled
 * with the instance's identifiers. Returns NULL with err set on failure. */
static json_t *decide_by(const struct astra_decider *decider,
			 const json_t *instance, json_t *ids,
			 struct astra_error *err)
{
	const char *const names[] = {decider->name, NULL};
	struct astra_arena arena = {0};
	struct astra_in in = {
		.object = instance, .err = err, .arena = &arena, .ids = ids};
	json_t *out = NULL;
	size_t ignored;

	if (astra_in_word(&in, "policy", ASTRA_OPTIONAL, names, &ignored) ==
		    0 &&
	    decider->decide(&in, &out) == 0 && !out)
		astra_error_nomem(err);
	astra_arena_free(&arena);
	return out;
}

json_t *astra_decide(const char *policy, const json_t *instance,
		     struct astra_error *err)
{
	const struct astra_decider *decider = astra_decider_find(policy);
	json_t *ids = json_object(), *out = NULL;

	if (!decider)
		astra_error_set(err, "there is no policy %s to decide by",
				policy);
	else if (!json_is_object(instance))
		astra_error_set(err, "the instance must be one JSON object");
	else if (!ids)
		astra_error_nomem(err);
	else
		out = decide_by(decider, instance, ids, err);
	json_decref(ids);
	return out;
}
