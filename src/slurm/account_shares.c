/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/account_shares.h"

#include <stdlib.h>

#include "src/common/grow.h"

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

static struct astra_children *children_of(struct astra_account_shares *s,
					  const slurmdb_assoc_rec_t *account)
{
	uint32_t at = astra_idmap_get(&s->by_id, account->id);

	if (at != ASTRA_IDMAP_NONE)
		return &s->list[at];
	if (astra_grow(&s->list, &s->room, s->count + 1, sizeof(*s->list)) <
		    0 ||
	    astra_idmap_put(&s->by_id, account->id, (uint32_t)s->count) < 0)
		return NULL;
	s->list[s->count] = (struct astra_children){0};
	return &s->list[s->count++];
}

struct sum {
	struct astra_account_shares *shares;
	bool failed;
};

static int sum_assoc(void *x, void *arg)
{
	const slurmdb_assoc_rec_t *assoc = x;
	const slurmdb_assoc_rec_t *parent = astra_account_parent(assoc);
	struct sum *s = arg;
	struct astra_children *c;

	if (!assoc->acct || !parent || !parent->id)
		return 0;
	c = children_of(s->shares, parent);
	if (!c) {
		s->failed = true;
		return -1;
	}
	/* The jobs of an account with fairshare=parent are its parent's. */
	if (assoc->user || assoc->shares_raw == SLURMDB_FS_USE_PARENT)
		c->users += astra_shares_of(assoc);
	else
		c->accounts += astra_shares_of(assoc);
	return 0;
}

int astra_account_shares_sum(struct astra_account_shares *shares)
{
	struct sum s = {.shares = shares};

	shares->count = 0;
	astra_idmap_clear(&shares->by_id);
	if (assoc_mgr_assoc_list)
		list_for_each_ro(assoc_mgr_assoc_list, sum_assoc, &s);
	return s.failed ? -1 : 0;
}

static struct astra_children known(const struct astra_account_shares *s,
				   const slurmdb_assoc_rec_t *account)
{
	uint32_t at = astra_idmap_get(&s->by_id, account->id);

	return at == ASTRA_IDMAP_NONE ? (struct astra_children){0}
				      : s->list[at];
}

double astra_account_weight(const struct astra_account_shares *shares,
			    const slurmdb_assoc_rec_t *account, bool whole)
{
	const slurmdb_assoc_rec_t *parent = astra_account_parent(account);
	struct astra_children c = known(shares, account);
	double weight = astra_shares_of(account);

	if (!whole && c.accounts > 0)
		weight *= c.users / (c.users + c.accounts);
	/* A parent right below root is the last that has shares. */
	for (; parent && astra_account_parent(parent);
	     parent = astra_account_parent(parent)) {
		c = known(shares, parent);
		weight *= astra_shares_of(parent);
		if (c.users + c.accounts > 0)
			weight /= c.users + c.accounts;
	}
	return weight;
}

void astra_account_shares_free(struct astra_account_shares *shares)
{
	free(shares->list);
	astra_idmap_clear(&shares->by_id);
	*shares = (struct astra_account_shares){0};
}
