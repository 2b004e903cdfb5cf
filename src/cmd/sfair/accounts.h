/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accounts of a cluster and their users, as sacctmgr has them: who has
 * which share. sacctmgr knows how to find slurmdbd and what its user may see.
 */
#ifndef SFAIR_ACCOUNTS_H
#define SFAIR_ACCOUNTS_H

#include "src/common/error.h"
#include "src/common/intern.h"
#include "src/model/account_tree.h"

struct sfair_accounts {
	char *text;		   /* what sacctmgr said */
	struct astra_intern names; /* numbered as in the tree */
	struct astra_account_tree tree;
	struct sfair_account_user *users; /* by account and name */
	size_t user_count;
};

/* cluster: its name. Returns 0, or -1 with err set; to be cleared either way.
 */
int sfair_accounts_ask(struct sfair_accounts *accounts, const char *cluster,
		       struct astra_error *err);

/* As the plugin weighs users: by their share in the tenant's own account, else
 * 1. arg: the accounts. */
double sfair_accounts_user_share(const void *arg, const char *tenant,
				 const char *user);

void sfair_accounts_clear(struct sfair_accounts *accounts);

#endif
