/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose job it is, and how much each tenant is worth: the accounts and shares
 * of accounting where it is on, else the Tenant= lines of astraea.conf, else
 * every user is a tenant of weight 1.
 */
#ifndef ASTRA_TENANTS_H
#define ASTRA_TENANTS_H

#include "src/policy/model.h"
#include "src/slurm/arena.h"
#include "src/slurm/compat.h"
#include "src/slurm/config.h"

struct astra_tenants {
	struct astra_tenant *list; /* names lie in the arena */
	uint32_t *uid; /* of a tenant that is one user; else NO_VAL */
	size_t count, room, uid_room;
	bool unnamed;  /* a user's name is not known yet */
	bool accounts; /* they are accounts of slurmdbd */
	struct astra_arena *arena;
};

/* Begin anew with all tenants that are known without looking at jobs.
 * Locks: caller holds slurmctld's; takes assoc_mgr's read lock.
 * Returns 0, or -1 when memory is out. */
int astra_tenants_begin(struct astra_tenants *tenants,
			const struct astra_config *config,
			struct astra_arena *arena);

/* The number of a job's tenant; a new one is added.
 * Locks: caller holds job read.
 * Returns ASTRA_NONE when memory is out. */
uint32_t astra_tenants_of(struct astra_tenants *tenants,
			  const struct astra_config *config,
			  const job_record_t *job);

void astra_tenants_free(struct astra_tenants *tenants);

#endif
