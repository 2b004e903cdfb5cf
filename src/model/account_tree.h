/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of sacctmgr's accounts: which of them are tenants, and their
 * weights. An account's part of its parent is its shares divided by those of
 * all users and accounts there, as in sshare's NormShares. */
#ifndef ASTRA_ACCOUNT_TREE_H
#define ASTRA_ACCOUNT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASTRA_TENANT_LEVEL_MAX 99

struct astra_tree_account {
	const char *name; /* borrowed */
	uint32_t parent;  /* ASTRA_NONE: it is root */
	double shares;	  /* 1, as for a new account, if it has no number */
	bool of_parent;	  /* fairshare=parent: no tenant, except right below
			   * root */
	bool has_users;
	double users, accounts; /* sum of the shares right below it */
};

struct astra_account_tree {
	struct astra_tree_account *list;
	size_t count, room;
};

/* Add an account. Returns its index, or ASTRA_NONE when memory is out. */
uint32_t astra_account_tree_add(struct astra_account_tree *tree,
				const struct astra_tree_account *account);

/* Add a user of an account, with shares in it. */
void astra_account_tree_user(struct astra_account_tree *tree, uint32_t account,
			     double shares);

/* Add up the shares below each account, once all accounts have their
 * parents. */
void astra_account_tree_sum(struct astra_account_tree *tree);

/* Return the tenant of an account: the account above it at that level below
 * root (0: any), or itself if it is higher; from there up while accounts have
 * fairshare=parent, but not to root. */
uint32_t astra_account_tree_tenant(const struct astra_account_tree *tree,
				   uint32_t account, unsigned level);

/* Return a tenant's weight: including all below it if it is at that level,
 * otherwise what its own users have of it. Right below root it is the tenant's
 * shares; root has the sum of its users' shares, which count beside these. If
 * not by_tree, each tenant has its own shares. */
double astra_account_tree_weight(const struct astra_account_tree *tree,
				 uint32_t tenant, unsigned level, bool by_tree);

/* Read TenantLevel= and TenantShares=. Return 0, or -1: allowed says what is
 * valid. */
int astra_tenant_level_parse(const char *text, unsigned *level,
			     const char **allowed);
int astra_tenant_shares_parse(const char *text, bool *by_tree,
			      const char **allowed);

void astra_account_tree_clear(struct astra_account_tree *tree);

#endif
