/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking a policy's state from an older saved state, if its last one is
 * damaged. */
#include <string.h>

#include "src/engine/engine_priv.h"

bool astra_engine_policy_lost(const struct astra_engine *e)
{
	return e->policy_lost;
}

/* Whether this engine's first tenants are the older engine's tenants. A policy
 * keeps its sums by tenant index, and newer tenants come after the older
 * ones. */
static bool has_its_tenants(const struct astra_engine *e,
			    const struct astra_engine *older)
{
	if (older->tenant_count > e->tenant_count)
		return false;
	for (size_t i = 0; i < older->tenant_count; i++)
		if (strcmp(e->tenants[i].name, older->tenants[i].name) != 0)
			return false;
	return true;
}

/* Take the older engine's policy, with the nodes that its node indices stand
 * for. */
static void take_policy(struct astra_engine *e, struct astra_engine *older)
{
	struct astra_node_names *nodes =
		older->back ? &older->back_nodes : &older->nodes;
	void *self = e->policy_self;

	e->policy_self = older->policy_self;
	older->policy_self = self;
	astra_node_names_clear(&e->back_nodes);
	e->back = e->policy->renumber != NULL;
	if (e->back) {
		e->back_nodes = *nodes;
		*nodes = (struct astra_node_names){0};
	}
	e->policy_lost = false;
}

bool astra_engine_policy_from(struct astra_engine *e, const void *data,
			      size_t size)
{
	struct astra_engine *older =
		astra_engine_restore(&e->options, data, size, NULL);
	bool found = older && older->policy == e->policy &&
		     !older->policy_lost && has_its_tenants(e, older);

	if (found)
		take_policy(e, older);
	astra_engine_destroy(older);
	return found;
}
