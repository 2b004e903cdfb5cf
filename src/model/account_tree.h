/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of sacctmgr's accounts: which of them are tenants, and what their
 * shares are worth. Of its parent's part an account has its shares by those of
 * all that stand there, users and accounts, as sshare's NormShares has it.
 */
#ifndef ASTRA_ACCOUNT_TREE_H
#define ASTRA_ACCOUNT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASTRA_TENANT_LEVEL_MAX 99

struct astra_tree_account {
	const char *name; /* borrowed */
	uint32_t parent;  /* ASTRA_NONE: it is root */
	double shares;	  /* 1, what a new one gets, where it has no number */
	bool of_parent;	  /* fairshare=parent: no tenant, but below root */
	bool has_users;
	double users, accounts; /* the shares of those right below it */
};

struct astra_account_tree {
	struct astra_tree_account *list;
	size_t count, room;
};

/* The number of a new account, or ASTRA_NONE when out of memory. */
uint32_t astra_account_tree_add(struct astra_account_tree *tree,
				const struct astra_tree_account *account);

/* A user of that account, who has so many shares in it. */
void astra_account_tree_user(struct astra_account_tree *tree, uint32_t account,
			     double shares);

/* Once all accounts have their parents: add up their shares there. */
void astra_account_tree_sum(struct astra_account_tree *tree);

/* The account whose jobs an account's are: the one at that level below root
 * (0: any) or the account itself where it stands higher; from there up as long
 * as it has fairshare=parent, but not to root. */
uint32_t astra_account_tree_tenant(const struct astra_account_tree *tree,
				   uint32_t account, unsigned level);

/* What a tenant weighs: with all below it, where it stands at that level, else
 * what its own users have of it. Right below root it has its shares; root
 * has those of its users, which stand beside these. Where not all levels count (not
 * by_tree) each has its shares. */
double astra_account_tree_weight(const struct astra_account_tree *tree,
				 uint32_t tenant, unsigned level, bool by_tree);

/* The values of TenantLevel= and TenantShares=. Return 0, or -1: allowed says
 * what they can be. */
int astra_tenant_level_parse(const char *text, unsigned *level,
			     const char **allowed);
int astra_tenant_shares_parse(const char *text, bool *by_tree,
			      const char **allowed);

void astra_account_tree_clear(struct astra_account_tree *tree);

#endif
