/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accounts of slurmdbd and whose jobs theirs are, as slurmctld knows them:
 * looked at once a picture, for all pools.
 */
#ifndef ASTRA_ACCOUNTS_H
#define ASTRA_ACCOUNTS_H

#include "src/common/arena.h"
#include "src/common/idmap.h"
#include "src/model/account_tree.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"

struct astra_account_shares {
	struct astra_idmap by_id; /* of an account's association -> number */
	struct astra_account_tree tree; /* names are slurmctld's */
};

/* An account, and the one at or above it that is the tenant. Names lie in the
 * arena. */
struct astra_account {
	const char *name, *tenant;
	double weight;	/* of the tenant */
	bool has_users; /* of its own; but not root, who always has one */
	uint32_t next;	/* account whose name has the same key, or NONE */
};

/* The shares of a user within an account that is a tenant, if not 1. */
struct astra_user_share {
	uint32_t uid, account;
	double shares;
	uint32_t next; /* the same user's within another account, or NONE */
};

struct astra_accounts {
	bool used; /* else there are none: no slurmdbd */
	struct astra_account *list;
	size_t count, room;
	struct astra_idmap by_name; /* key of an account's name -> it */
	struct astra_user_share *users;
	size_t user_count, user_room;
	struct astra_idmap by_uid; /* 1 + uid -> the first of its shares */
	struct astra_account_shares shares;
	struct astra_arena *arena;
};

/* Read them anew.
 * Locks: caller holds slurmctld's; takes assoc_mgr's read lock.
 * Returns 0, or -1 when out of memory. */
int astra_accounts_read(struct astra_accounts *accounts,
			const struct astra_config *config,
			struct astra_arena *arena);

/* The number of the account of that name, or ASTRA_NONE. */
uint32_t astra_accounts_find(const struct astra_accounts *accounts,
			     const char *name);

/* A user's shares, one after the other; NULL: no more. */
const struct astra_user_share *
astra_accounts_user(const struct astra_accounts *accounts, uint32_t uid);
const struct astra_user_share *
astra_accounts_user_next(const struct astra_accounts *accounts,
			 const struct astra_user_share *share);

void astra_accounts_free(struct astra_accounts *accounts);

/* A name's hash, never 0: the key of maps. */
uint32_t astra_name_key(const char *name);

#endif
