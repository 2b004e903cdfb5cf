/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/accounts.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/fnv.h"
#include "src/common/grow.h"
#include "src/model/model.h"

static const slurmdb_assoc_rec_t *
account_parent(const slurmdb_assoc_rec_t *assoc)
{
	return assoc->usage ? assoc->usage->parent_assoc_ptr : NULL;
}

/* Return the shares of an association: 1, as for a new account or user, if it
 * has no number of its own. */
static double shares_of(const slurmdb_assoc_rec_t *assoc)
{
	if (assoc->shares_raw == SLURMDB_FS_USE_PARENT ||
	    assoc->shares_raw == NO_VAL || assoc->shares_raw == INFINITE)
		return 1;
	return assoc->shares_raw;
}

/* Return an account's index in the tree, or ASTRA_NONE. Locks: association read
 * lock of assoc_mgr. */
static uint32_t account_shares_find(const struct astra_account_shares *s,
				    const slurmdb_assoc_rec_t *account)
{
	uint32_t at = astra_idmap_get(&s->by_id, account->id);

	return at == ASTRA_IDMAP_NONE ? ASTRA_NONE : at;
}

/* Return an account's index. A new account is added after its parents, as
 * Slurm's list may name a child first. Ids of associations begin with 1. */
static uint32_t shares_number(struct astra_account_shares *s,
			      const slurmdb_assoc_rec_t *account)
{
	const slurmdb_assoc_rec_t *parent = account_parent(account);
	uint32_t at = account_shares_find(s, account);
	struct astra_tree_account entry = {
		.name = account->acct,
		.parent = ASTRA_NONE,
		.shares = shares_of(account),
		.of_parent = account->shares_raw == SLURMDB_FS_USE_PARENT,
	};

	if (at != ASTRA_NONE || !account->id)
		return at;
	if (parent && parent->id) {
		entry.parent = shares_number(s, parent);
		if (entry.parent == ASTRA_NONE)
			return ASTRA_NONE;
	}
	at = astra_account_tree_add(&s->tree, &entry);
	if (at == ASTRA_NONE || astra_idmap_put(&s->by_id, account->id, at) < 0)
		return ASTRA_NONE;
	return at;
}

struct shares_walk {
	struct astra_account_shares *shares;
	bool failed;
};

static int shares_assoc(void *x, void *arg)
{
	const slurmdb_assoc_rec_t *assoc = x, *account = assoc;
	struct shares_walk *w = arg;
	uint32_t at;

	if (assoc->user)
		account = account_parent(assoc);
	if (!assoc->acct || !account || !account->id)
		return 0;
	at = shares_number(w->shares, account);
	if (at == ASTRA_NONE) {
		w->failed = true;
		return -1;
	}
	if (assoc->user)
		astra_account_tree_user(&w->shares->tree, at, shares_of(assoc));
	return 0;
}

/* Build the tree again. Locks: caller holds assoc_mgr's association read lock.
 * Returns 0, or -1 when memory is out. */
static int account_shares_read(struct astra_account_shares *shares)
{
	struct shares_walk w = {.shares = shares};

	shares->tree.count = 0;
	astra_idmap_clear(&shares->by_id);
	if (assoc_mgr_assoc_list)
		list_for_each_ro(assoc_mgr_assoc_list, shares_assoc, &w);
	if (w.failed)
		return -1;
	astra_account_tree_sum(&shares->tree);
	return 0;
}

static void account_shares_free(struct astra_account_shares *shares)
{
	astra_account_tree_clear(&shares->tree);
	astra_idmap_clear(&shares->by_id);
}

uint32_t astra_name_key(const char *name)
{
	uint32_t hash = astra_fnv32_text(ASTRA_FNV32_BASIS, name);

	return hash ? hash : 1;
}

uint32_t astra_accounts_find(const struct astra_accounts *a, const char *name)
{
	uint32_t at = astra_idmap_get(&a->by_name, astra_name_key(name));

	while (at != ASTRA_NONE && strcmp(a->list[at].name, name))
		at = a->list[at].next;
	return at;
}

/* Add an account; its name is copied. in_tree: its index in the tree. Returns
 * its index in the list, or ASTRA_NONE when memory is out. */
static uint32_t accounts_add(struct astra_accounts *a, const char *name,
			     uint32_t in_tree,
			     const struct astra_config *config)
{
	const struct astra_account_tree *tree = &a->shares.tree;
	uint32_t level = config->tenant_level;
	uint32_t tenant = astra_account_tree_tenant(tree, in_tree, level);
	uint32_t key = astra_name_key(name), at = (uint32_t)a->count;
	struct astra_account account = {
		.name = astra_arena_text(a->arena, name),
		.tenant = astra_arena_text(a->arena, tree->list[tenant].name),
		.weight = astra_account_tree_weight(tree, tenant, level,
						    config->shares_tree),
		.has_users = tree->list[in_tree].has_users &&
			     strcmp(name, "root") != 0,
		.next = astra_idmap_get(&a->by_name, key),
	};

	if (!account.name || !account.tenant ||
	    astra_grow(&a->list, &a->room, a->count + 1, sizeof(*a->list)) <
		    0 ||
	    astra_idmap_put(&a->by_name, key, at) < 0)
		return ASTRA_NONE;
	a->list[a->count++] = account;
	return at;
}

static int accounts_add_user(struct astra_accounts *a, uint32_t account,
			     const slurmdb_assoc_rec_t *assoc)
{
	double shares = shares_of(assoc);
	uint32_t at = (uint32_t)a->user_count, key = 1 + assoc->uid;

	if (shares == 1 || assoc->uid == NO_VAL ||
	    strcmp(a->list[account].name, a->list[account].tenant))
		return 0;
	if (astra_grow(&a->users, &a->user_room, a->user_count + 1,
		       sizeof(*a->users)) < 0)
		return -1;
	a->users[at] = (struct astra_user_share){
		.uid = assoc->uid,
		.account = account,
		.shares = shares,
		.next = astra_idmap_get(&a->by_uid, key),
	};
	a->user_count++;
	return astra_idmap_put(&a->by_uid, key, at);
}

struct accounts_walk {
	struct astra_accounts *accounts;
	const struct astra_config *config;
	bool failed;
};

/* Add the account of an association and, if this is a user's, the user's
 * shares. */
static int accounts_walk(void *x, void *arg)
{
	const slurmdb_assoc_rec_t *assoc = x, *account = assoc;
	struct accounts_walk *w = arg;
	uint32_t at, in_tree = ASTRA_NONE;

	if (!assoc->acct)
		return 0;
	at = astra_accounts_find(w->accounts, assoc->acct);
	if (assoc->user)
		account = account_parent(assoc);
	if (at == ASTRA_NONE) {
		if (account)
			in_tree = account_shares_find(&w->accounts->shares,
						      account);
		if (in_tree == ASTRA_NONE)
			return 0;
		at = accounts_add(w->accounts, assoc->acct, in_tree, w->config);
	}
	if (at == ASTRA_NONE ||
	    (assoc->user && w->accounts->list[at].has_users &&
	     accounts_add_user(w->accounts, at, assoc) < 0)) {
		w->failed = true;
		return -1;
	}
	return 0;
}

int astra_accounts_read(struct astra_accounts *accounts,
			const struct astra_config *config,
			struct astra_arena *arena)
{
	assoc_mgr_lock_t locks = {.assoc = READ_LOCK};
	struct accounts_walk w = {.accounts = accounts, .config = config};

	accounts->count = accounts->user_count = 0;
	accounts->arena = arena;
	astra_idmap_clear(&accounts->by_name);
	astra_idmap_clear(&accounts->by_uid);
	accounts->used = slurm_with_slurmdbd();
	if (!accounts->used)
		return 0;
	assoc_mgr_lock(&locks);
	w.failed = account_shares_read(&accounts->shares) < 0;
	if (assoc_mgr_assoc_list && !w.failed)
		list_for_each_ro(assoc_mgr_assoc_list, accounts_walk, &w);
	assoc_mgr_unlock(&locks);
	return w.failed ? -1 : 0;
}

const struct astra_user_share *
astra_accounts_user(const struct astra_accounts *a, uint32_t uid)
{
	uint32_t at = astra_idmap_get(&a->by_uid, 1 + uid);

	return at == ASTRA_IDMAP_NONE ? NULL : &a->users[at];
}

const struct astra_user_share *
astra_accounts_user_next(const struct astra_accounts *a,
			 const struct astra_user_share *share)
{
	return share->next == ASTRA_NONE ? NULL : &a->users[share->next];
}

void astra_accounts_free(struct astra_accounts *accounts)
{
	free(accounts->list);
	free(accounts->users);
	astra_idmap_clear(&accounts->by_name);
	astra_idmap_clear(&accounts->by_uid);
	account_shares_free(&accounts->shares);
	*accounts = (struct astra_accounts){0};
}
