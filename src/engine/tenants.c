/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/engine/engine_priv.h"

/* Tenants: remembered by name, in no particular order. */

uint32_t astra_engine_find_tenant(const struct astra_engine *e,
				  const char *name)
{
	for (size_t i = 0; i < e->tenant_count; i++)
		if (!strcmp(e->tenants[i].name, name))
			return (uint32_t)i;
	return ASTRA_NONE;
}

static uint32_t tenants_add_tenant(struct astra_engine *e, const char *name)
{
	struct etenant *t;

	if (astra_grow(&e->tenants, &e->tenant_room, e->tenant_count + 1,
		       sizeof(*e->tenants)) < 0)
		return ASTRA_NONE;
	t = &e->tenants[e->tenant_count];
	t->name = strdup(name);
	if (!t->name)
		return ASTRA_NONE;
	t->account = astra_fairness_add_tenant(e->account, e->now_sec, 0);
	if (t->account == ASTRA_NONE) {
		free(t->name);
		return ASTRA_NONE;
	}
	return (uint32_t)e->tenant_count++;
}

bool astra_engine_rename_tenant(struct astra_engine *e, const char *from,
				const char *to)
{
	uint32_t at = astra_engine_find_tenant(e, from);
	char *name = at == ASTRA_NONE || astra_engine_find_tenant(e, to) !=
						 ASTRA_NONE
			     ? NULL
			     : strdup(to);

	if (!name)
		return false;
	free(e->tenants[at].name);
	e->tenants[at].name = name;
	return true;
}

/* Map the snapshot's tenants to ours. Their order rarely changes, so the index
 * of the last round is tried first. */
int astra_tenants_map(struct astra_engine *e, const struct astra_snapshot *snap)
{
	size_t known = e->tenant_count;

	if (astra_grow(&e->tenant_of, &e->tenant_of_room,
		       snap->tenant_count + 1, sizeof(*e->tenant_of)) < 0)
		return -1;
	for (size_t i = 0; i < snap->tenant_count; i++) {
		const char *name = snap->tenants[i].name;
		uint32_t at = e->tenant_of[i];

		if (at >= known || strcmp(e->tenants[at].name, name) != 0)
			at = astra_engine_find_tenant(e, name);
		if (at == ASTRA_NONE)
			at = tenants_add_tenant(e, name);
		if (at == ASTRA_NONE)
			return -1;
		e->tenant_of[i] = at;
	}
	return 0;
}

/* Apply weights and capacity from now on. A tenant that is no longer listed
 * keeps its account, in case it comes back, but has no share meanwhile. */
void astra_tenants_set_shares(struct astra_engine *e,
			      const struct astra_snapshot *snap, bool *changed)
{
	double now = snap->now_sec, charge = 0;

	for (size_t i = 0; i < e->tenant_count; i++)
		e->tenants[i].listed = false;
	for (size_t i = 0; i < snap->tenant_count; i++) {
		struct etenant *t = &e->tenants[e->tenant_of[i]];

		t->listed = true;
		if (t->weight != snap->tenants[i].weight)
			*changed = true;
		t->weight = snap->tenants[i].weight;
	}
	for (size_t i = 0; i < e->tenant_count; i++) {
		struct etenant *t = &e->tenants[i];

		astra_fairness_set_weight(e->account, now, t->account,
					  t->listed ? t->weight : 0);
	}
	for (size_t i = 0; i < snap->node_count; i++)
		if (snap->nodes[i].usable)
			charge += astra_charge(snap->nodes[i].charge,
					       snap->nodes[i].gpus);
	astra_fairness_set_capacity(e->account, now, charge);
}

double astra_engine_capacity(const struct astra_engine *e)
{
	return astra_fairness_capacity(e->account);
}
