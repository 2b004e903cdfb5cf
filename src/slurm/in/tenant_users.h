/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The users within tenants who have jobs in a snapshot. */
#ifndef ASTRA_TENANT_USERS_H
#define ASTRA_TENANT_USERS_H

#include "src/common/idmap.h"
#include "src/model/model.h"

struct astra_tenant_users {
	struct astra_user *list; /* names are the caller's */
	uint32_t *next; /* index of the same user within another tenant, or
			 * NONE */
	size_t count, room, next_room;
	struct astra_idmap by_uid; /* 1 + uid -> index of the user's first
				    * entry */
};

/* Begin again, without users. */
void astra_tenant_users_begin(struct astra_tenant_users *users);

/* Return the index of a user within a tenant, adding a new user. user:
 * borrowed; its name must live as long as the list is used. Returns ASTRA_NONE
 * when memory is out. */
uint32_t astra_tenant_users_of(struct astra_tenant_users *users, uint32_t uid,
			       const struct astra_user *user);

void astra_tenant_users_free(struct astra_tenant_users *users);

#endif
