/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/accounts.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/model/model.h"

uint32_t astra_name_key(const char *name)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h ? h : 1;
}

uint32_t astra_accounts_find(const struct astra_accounts *a, const char *name)
{
	uint32_t at = astra_idmap_get(&a->by_name, astra_name_key(name));

	while (at != ASTRA_NONE && strcmp(a->list[at].name, name))
		at = a->list[at].next;
	return at;
}

/* The caller's copy of a name is not kept. */
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
	double shares = astra_shares_of(assoc);
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

/* An account, or a user's place in one. */
static int accounts_walk(void *x, void *arg)
{
	const slurmdb_assoc_rec_t *assoc = x, *account = assoc;
	struct accounts_walk *w = arg;
	uint32_t at, in_tree = ASTRA_NONE;

	if (!assoc->acct)
		return 0;
	at = astra_accounts_find(w->accounts, assoc->acct);
	if (assoc->user)
		account = astra_account_parent(assoc);
	if (at == ASTRA_NONE) {
		if (account)
			in_tree = astra_account_shares_find(
				&w->accounts->shares, account);
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
	w.failed = astra_account_shares_read(&accounts->shares) < 0;
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
	astra_account_shares_free(&accounts->shares);
	*accounts = (struct astra_accounts){0};
}
