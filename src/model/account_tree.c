/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/account_tree.h"

#include <stdlib.h>
#include <strings.h>

#include "src/common/grow.h"
#include "src/model/model.h"

uint32_t astra_account_tree_add(struct astra_account_tree *tree,
				const struct astra_tree_account *account)
{
	if (astra_grow(&tree->list, &tree->room, tree->count + 1,
		       sizeof(*tree->list)) < 0)
		return ASTRA_NONE;
	tree->list[tree->count] = *account;
	return (uint32_t)tree->count++;
}

void astra_account_tree_user(struct astra_account_tree *tree, uint32_t account,
			     double shares)
{
	tree->list[account].has_users = true;
	tree->list[account].users += shares;
}

void astra_account_tree_sum(struct astra_account_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct astra_tree_account *a = &tree->list[i];

		if (a->parent == ASTRA_NONE)
			continue;
		/* The jobs of an account with fairshare=parent belong to its
		 * parent. */
		if (a->of_parent)
			tree->list[a->parent].users += a->shares;
		else
			tree->list[a->parent].accounts += a->shares;
	}
}

/* Return how far an account is below root. If the accounts form a circle, the
 * result is at most their number. */
static unsigned tree_depth(const struct astra_account_tree *tree,
			   uint32_t account)
{
	unsigned depth = 0;

	while (depth < tree->count &&
	       (account = tree->list[account].parent) != ASTRA_NONE)
		depth++;
	return depth;
}

uint32_t astra_account_tree_tenant(const struct astra_account_tree *tree,
				   uint32_t account, unsigned level)
{
	unsigned depth = tree_depth(tree, account);

	while ((level && depth > level) ||
	       (depth > 1 && tree->list[account].of_parent)) {
		account = tree->list[account].parent;
		depth--;
	}
	return account;
}

double astra_account_tree_weight(const struct astra_account_tree *tree,
				 uint32_t tenant, unsigned level, bool by_tree)
{
	const struct astra_tree_account *a = &tree->list[tenant];
	unsigned depth = tree_depth(tree, tenant);
	double weight = a->shares;

	if (!by_tree)
		return weight;
	if (depth == 0)
		return a->users; /* its users' shares compete with the accounts'
				  * shares */
	if (!(level && depth == level) && a->accounts > 0)
		weight *= a->users / (a->users + a->accounts);
	/* The shares of accounts right below root are the last factor. */
	for (; depth > 1; depth--) {
		a = &tree->list[a->parent];
		weight *= a->shares;
		if (a->users + a->accounts > 0)
			weight /= a->users + a->accounts;
	}
	return weight;
}

int astra_tenant_level_parse(const char *text, unsigned *level,
			     const char **allowed)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*allowed = "account, or a level from 1 to 99 below root";
	if (!strcasecmp(text, "account"))
		value = 0;
	else if (*end || end == text || *text == '-' || value < 1 ||
		 value > ASTRA_TENANT_LEVEL_MAX)
		return -1;
	*level = (unsigned)value;
	return 0;
}

int astra_tenant_shares_parse(const char *text, bool *by_tree,
			      const char **allowed)
{
	bool tree = !strcasecmp(text, "tree");

	*allowed = "tree or account";
	if (!tree && strcasecmp(text, "account") != 0)
		return -1;
	*by_tree = tree;
	return 0;
}

void astra_account_tree_clear(struct astra_account_tree *tree)
{
	free(tree->list);
	*tree = (struct astra_account_tree){0};
}
