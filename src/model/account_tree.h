/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of sacctmgr's accounts: which accounts are tenants, and their
 * weights. An account's part of its parent is its own shares divided by the
 * shares of all users and accounts right below the parent, as in sshare's
 * NormShares. */
#ifndef ASTRA_ACCOUNT_TREE_H
#define ASTRA_ACCOUNT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASTRA_TENANT_LEVEL_MAX 99

struct astra_tree_account {
	const char *name; /* borrowed */
	uint32_t parent;  /* index in the list; ASTRA_NONE for root */
	double shares;	  /* if its shares are no number: 1, as for a new
			   * account */
	bool of_parent;	  /* fairshare=parent: not a tenant, unless it is right
			   * below root */
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

/* Add a user's shares in an account. */
void astra_account_tree_user(struct astra_account_tree *tree, uint32_t account,
			     double shares);

/* Add up the shares below each account. Call once all accounts have their
 * parents. */
void astra_account_tree_sum(struct astra_account_tree *tree);

/* Return the tenant of an account. It is the account above it that is `level`
 * levels below root (0: any level), or the account itself if that is higher up.
 * From there the search goes on upwards while accounts have fairshare=parent,
 * but not to root. */
uint32_t astra_account_tree_tenant(const struct astra_account_tree *tree,
				   uint32_t account, unsigned level);

/* Return a tenant's weight. If the tenant is at `level`, the weight includes
 * all accounts below it; otherwise it is the part that its own users have.
 * Right below root the weight is the tenant's shares. For root it is the sum of
 * its users' shares, which compete with these. If not by_tree, each tenant's
 * weight is its own shares. */
double astra_account_tree_weight(const struct astra_account_tree *tree,
				 uint32_t tenant, unsigned level, bool by_tree);

/* Read the value of TenantLevel= or TenantShares=. Return 0, or -1 with
 * *allowed naming the valid values. */
int astra_tenant_level_parse(const char *text, unsigned *level,
			     const char **allowed);
int astra_tenant_shares_parse(const char *text, bool *by_tree,
			      const char **allowed);

void astra_account_tree_clear(struct astra_account_tree *tree);

#endif
