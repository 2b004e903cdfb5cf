/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User names that become known, or change, while their jobs exist. */
#include "src/slurm/cycle.h"
#include "src/slurm/in/users.h"

/* Rename a user, who keeps the account of GPU time, also if the user is a
 * tenant. */
static void rename_user(void *arg, uint32_t uid, const char *before,
			const char *name)
{
	struct astra_cycle *cycle = arg;
	bool tenant = false;

	for (size_t i = 0; i < cycle->scene.view_count; i++) {
		const struct astra_tenants *t = &cycle->scene.views[i].tenants;
		uint32_t at = astra_tenants_find(t, before);

		tenant |= at != ASTRA_NONE && t->uid[at] == uid;
	}
	astra_pools_rename(&cycle->pools, tenant, before, name);
}

void astra_cycle_name_users(struct astra_cycle *cycle)
{
	(void)astra_users_resolve((double)astra_usec() / 1e6, rename_user,
				  cycle);
}
