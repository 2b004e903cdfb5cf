/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurmctld's copy of sacctmgr's accounts as a tree.
 */
#ifndef ASTRA_ACCOUNT_SHARES_H
#define ASTRA_ACCOUNT_SHARES_H

#include "src/common/idmap.h"
#include "src/model/account_tree.h"
#include "src/slurm/compat/compat.h"

struct astra_account_shares {
	struct astra_idmap by_id; /* of an account's association -> number */
	struct astra_account_tree tree; /* names are slurmctld's */
};

/* Read it anew. Locks: caller holds assoc_mgr's association read lock.
 * Returns 0, or -1 when memory is out. */
int astra_account_shares_read(struct astra_account_shares *shares);

/* An account's number in the tree, or ASTRA_NONE. Locks: as above. */
uint32_t astra_account_shares_find(const struct astra_account_shares *shares,
				   const slurmdb_assoc_rec_t *account);

/* 1, what a new account or user gets, where there is no number. */
double astra_shares_of(const slurmdb_assoc_rec_t *assoc);

const slurmdb_assoc_rec_t *
astra_account_parent(const slurmdb_assoc_rec_t *assoc);

void astra_account_shares_free(struct astra_account_shares *shares);

#endif
