/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/account_shares.h"

#include "src/model/model.h"

const slurmdb_assoc_rec_t *
astra_account_parent(const slurmdb_assoc_rec_t *assoc)
{
	return assoc->usage ? assoc->usage->parent_assoc_ptr : NULL;
}

double astra_shares_of(const slurmdb_assoc_rec_t *assoc)
{
	if (assoc->shares_raw == SLURMDB_FS_USE_PARENT ||
	    assoc->shares_raw == NO_VAL || assoc->shares_raw == INFINITE)
		return 1;
	return assoc->shares_raw;
}

uint32_t astra_account_shares_find(const struct astra_account_shares *s,
				   const slurmdb_assoc_rec_t *account)
{
	uint32_t at = astra_idmap_get(&s->by_id, account->id);

	return at == ASTRA_IDMAP_NONE ? ASTRA_NONE : at;
}

/* An account's number, of a new one after those above it, which are few; the
 * list has them in any order. Slurmdbd counts associations from 1. */
static uint32_t shares_number(struct astra_account_shares *s,
			      const slurmdb_assoc_rec_t *account)
{
	const slurmdb_assoc_rec_t *parent = astra_account_parent(account);
	uint32_t at = astra_account_shares_find(s, account);
	struct astra_tree_account entry = {
		.name = account->acct,
		.parent = ASTRA_NONE,
		.shares = astra_shares_of(account),
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
		account = astra_account_parent(assoc);
	if (!assoc->acct || !account || !account->id)
		return 0;
	at = shares_number(w->shares, account);
	if (at == ASTRA_NONE) {
		w->failed = true;
		return -1;
	}
	if (assoc->user)
		astra_account_tree_user(&w->shares->tree, at,
					astra_shares_of(assoc));
	return 0;
}

int astra_account_shares_read(struct astra_account_shares *shares)
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

void astra_account_shares_free(struct astra_account_shares *shares)
{
	astra_account_tree_clear(&shares->tree);
	astra_idmap_clear(&shares->by_id);
}
