/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an account's shares are worth in the tree of accounts: of its parent's
 * part its shares by those of all that stand there, users and accounts, as
 * sshare's NormShares has it.
 */
#ifndef ASTRA_ACCOUNT_SHARES_H
#define ASTRA_ACCOUNT_SHARES_H

#include "src/common/idmap.h"
#include "src/slurm/compat.h"

/* The shares of those below an account. */
struct astra_children {
	double users, accounts;
};

struct astra_account_shares {
	struct astra_idmap by_id; /* of an account's association -> number */
	struct astra_children *list;
	size_t count, room;
};

/* Add them up anew. Locks: caller holds assoc_mgr's association read lock.
 * Returns 0, or -1 when memory is out. */
int astra_account_shares_sum(struct astra_account_shares *shares);

/* The weight of a tenant that is this account with all below it (`whole`), or
 * what its own users have of it. An account right below root has its shares.
 * Locks: as above. */
double astra_account_weight(const struct astra_account_shares *shares,
			    const slurmdb_assoc_rec_t *account, bool whole);

/* 1, what a new account or user gets, where there is no number. */
double astra_shares_of(const slurmdb_assoc_rec_t *assoc);

const slurmdb_assoc_rec_t *
astra_account_parent(const slurmdb_assoc_rec_t *assoc);

void astra_account_shares_free(struct astra_account_shares *shares);

#endif
