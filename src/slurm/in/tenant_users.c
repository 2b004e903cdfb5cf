/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/tenant_users.h"

#include <stdlib.h>

#include "src/common/grow.h"

void astra_tenant_users_begin(struct astra_tenant_users *u)
{
	u->count = 0;
	astra_idmap_clear(&u->by_uid);
}

uint32_t astra_tenant_users_of(struct astra_tenant_users *u, uint32_t uid,
			       const struct astra_user *user)
{
	uint32_t key = 1 + uid, first = astra_idmap_get(&u->by_uid, key);
	uint32_t at = first;

	while (at != ASTRA_NONE && u->list[at].tenant != user->tenant)
		at = u->next[at];
	if (at != ASTRA_NONE)
		return at;
	at = (uint32_t)u->count;
	if (astra_grow(&u->list, &u->room, u->count + 1, sizeof(*u->list)) <
		    0 ||
	    astra_grow(&u->next, &u->next_room, u->count + 1,
		       sizeof(*u->next)) < 0 ||
	    astra_idmap_put(&u->by_uid, key, at) < 0)
		return ASTRA_NONE;
	u->list[at] = *user;
	u->next[at] = first;
	u->count++;
	return at;
}

void astra_tenant_users_free(struct astra_tenant_users *u)
{
	free(u->list);
	free(u->next);
	astra_idmap_clear(&u->by_uid);
	*u = (struct astra_tenant_users){0};
}
