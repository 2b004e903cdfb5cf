/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which tenant a job belongs to, and the weight of each tenant: from the
 * accounts and shares of slurmdbd if it is used, else from the Tenant= lines of
 * astraea.conf; otherwise every user is a tenant of weight 1. */
#ifndef ASTRA_TENANTS_H
#define ASTRA_TENANTS_H

#include "src/common/arena.h"
#include "src/common/idmap.h"
#include "src/model/model.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"
#include "src/slurm/in/accounts.h"

struct astra_tenants {
	struct astra_tenant *list; /* names lie in the arena */
	uint32_t *uid;	/* uid of a tenant that is a single user; else NO_VAL */
	uint32_t *next; /* index of the next tenant whose name has the same
			 * hash, or NONE */
	size_t count, room, uid_room, next_room;
	struct astra_idmap by_name; /* hash of a tenant's name -> index */
	const struct astra_accounts *accounts;
	uint32_t *of_account; /* an account's tenant; ASTRA_NONE: none of its
			       * jobs or users was seen yet */
	size_t of_account_room;
	bool unnamed;	      /* a user's name is not known yet */
	const char *unknown;  /* account that slurmdbd does not know, of a job
			       * that has not ended; or NULL */
	uint32_t unknown_job; /* the job of that account */
	struct astra_arena *arena;
};

/* Begin again, with all tenants that are known without looking at jobs.
 * accounts: must outlive tenants. Locks: none. Returns 0, or -1 when memory is
 * out. */
int astra_tenants_begin(struct astra_tenants *tenants,
			const struct astra_config *config,
			const struct astra_accounts *accounts,
			struct astra_arena *arena);

/* Return the index of a job's tenant, adding a new one. Locks: caller holds job
 * read. Returns ASTRA_NONE when memory is out. */
uint32_t astra_tenants_of(struct astra_tenants *tenants,
			  const struct astra_config *config,
			  const job_record_t *job);

/* Return the shares of a user within a tenant: those of its association, or
 * 1. */
double astra_tenants_user_weight(const struct astra_tenants *tenants,
				 uint32_t tenant, uint32_t uid);

/* Return the index of the tenant of that name, or ASTRA_NONE. Locks: none, as
 * long as the arena is unchanged. */
uint32_t astra_tenants_find(const struct astra_tenants *tenants,
			    const char *name);

void astra_tenants_free(struct astra_tenants *tenants);

#endif
