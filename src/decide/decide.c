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

json_t *astra_decide(const char *policy, const json_t *instance,
		     struct astra_error *err)
{
	const struct astra_decider *decider = astra_decider_find(policy);
	const char *const names[] = {policy, NULL};
	struct astra_in in = {.object = instance, .err = err};
	size_t ignored;

	if (!decider) {
		astra_error_set(err, "there is no policy %s to decide by",
				policy);
		return NULL;
	}
	if (!json_is_object(instance)) {
		astra_error_set(err, "the instance must be one JSON object");
		return NULL;
	}
	if (astra_in_word(&in, "policy", names, &ignored) < 0)
		return NULL;
	return decider->decide(instance, err);
}
