/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accounts of a cluster, with users and shares, as sacctmgr lists them.
 * sacctmgr finds slurmdbd by itself, and lists only what its user may see. */
#ifndef SFAIR_ACCOUNTS_H
#define SFAIR_ACCOUNTS_H

#include "src/common/error.h"
#include "src/common/intern.h"
#include "src/model/account_tree.h"

struct sfair_accounts {
	char *text;		   /* the output of sacctmgr */
	struct astra_intern names; /* indices as in the tree */
	struct astra_account_tree tree;
	struct sfair_account_user *users; /* sorted by account and name */
	size_t user_count;
};

/* Asks sacctmgr for the accounts. cluster: its name. wait_sec: how long
 * sacctmgr may take; may be infinite. Returns 0, or -1 with err set; clear
 * accounts in both cases. */
int sfair_accounts_ask(struct sfair_accounts *accounts, const char *cluster,
		       double wait_sec, struct astra_error *err);

/* Returns a user's weight as in the plugin: the user's share in the tenant's
 * own account, or 1 without one. arg: the accounts. */
double sfair_accounts_user_share(const void *arg, const char *tenant,
				 const char *user);

void sfair_accounts_clear(struct sfair_accounts *accounts);

#endif
