/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accounts of slurmdbd and the tenants of their jobs, as slurmctld knows
 * them. Read once per snapshot, for all pools. */
#ifndef ASTRA_ACCOUNTS_H
#define ASTRA_ACCOUNTS_H

#include "src/common/arena.h"
#include "src/common/idmap.h"
#include "src/model/account_tree.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"

struct astra_account_shares {
	struct astra_idmap by_id; /* id of an account's association -> index */
	struct astra_account_tree tree; /* its names are slurmctld's */
};

/* An account, and its tenant: the account itself or one above it. Names lie in
 * the arena. */
struct astra_account {
	const char *name, *tenant;
	double weight;	/* of its tenant */
	bool has_users; /* the account has users of its own; never set for root,
			 * which always has one */
	uint32_t next;	/* next account whose name has the same key, or NONE */
};

/* The shares of a user within an account that is a tenant. Users with 1 share
 * are not listed. */
struct astra_user_share {
	uint32_t uid, account;
	double shares;
	uint32_t next; /* index of the same user's share in another account, or
			* NONE */
};

struct astra_accounts {
	bool used; /* false: there is no slurmdbd, so there are no accounts */
	struct astra_account *list;
	size_t count, room;
	struct astra_idmap by_name; /* key of an account's name -> index */
	struct astra_user_share *users;
	size_t user_count, user_room;
	struct astra_idmap by_uid; /* 1 + uid -> index of the user's first
				    * share */
	struct astra_account_shares shares;
	struct astra_arena *arena;
};

/* Read all accounts again. Locks: caller holds slurmctld's; takes assoc_mgr's
 * read lock. Returns 0, or -1 when memory is out. */
int astra_accounts_read(struct astra_accounts *accounts,
			const struct astra_config *config,
			struct astra_arena *arena);

/* Return the index of the account of that name, or ASTRA_NONE. */
uint32_t astra_accounts_find(const struct astra_accounts *accounts,
			     const char *name);

/* Return a user's first share, or the one after `share`; NULL: there are no
 * more. */
const struct astra_user_share *
astra_accounts_user(const struct astra_accounts *accounts, uint32_t uid);
const struct astra_user_share *
astra_accounts_user_next(const struct astra_accounts *accounts,
			 const struct astra_user_share *share);

void astra_accounts_free(struct astra_accounts *accounts);

/* Return a name's hash, which is the key of maps; it is never 0. */
uint32_t astra_name_key(const char *name);

#endif
