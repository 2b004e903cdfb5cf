/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tenants in astraea.conf. */
#include <stdlib.h>
#include <string.h>

#include "src/model/account_tree.h"
#include "src/slurm/conf/config_priv.h"

static int config_tenants_read_tenant(const s_p_hashtbl_t *table,
				      const char *path,
				      struct astra_tenant_config *t,
				      struct astra_error *err)
{
	char *accounts = astra_conf_text(table, "Accounts");
	char *users = astra_conf_text(table, "Users");
	char *weight = astra_conf_text(table, "Weight"), *end = NULL;
	int rc = 0;

	t->name = astra_conf_text(table, "Tenant");
	t->weight = weight ? strtod(weight, &end) : 1;
	if (!t->name || astra_names_split(accounts, &t->accounts) < 0 ||
	    astra_names_split(users, &t->users) < 0)
		rc = astra_error_nomem(err);
	else if (weight && (*end || !(t->weight >= 0 && t->weight <= 1e9))) {
		astra_error_set(err, "a number from 0 to 1e9");
		rc = astra_conf_blame(path, "Weight", weight, err);
	} else if (!t->accounts.count && !t->users.count) {
		astra_error_set(err, "a tenant needs Accounts= or Users=");
		rc = astra_conf_blame(path, "Tenant", t->name, err);
	}
	free(accounts);
	free(users);
	free(weight);
	return rc;
}

/* Warn about names that two tenants have. They belong to the first tenant. */
static void warn_twice(struct astra_config *config, size_t a, size_t b,
		       const char *what, const struct astra_config_names *of_a,
		       const struct astra_config_names *of_b)
{
	for (size_t i = 0; i < of_b->count; i++)
		if (astra_names_have(of_a, of_b->name[i]))
			astra_error_add(
				&config->warning,
				"Tenant=%s: %s %s is tenant %s's already "
				"and stays so",
				config->tenants[b].name, what, of_b->name[i],
				config->tenants[a].name);
}

/* Check a tenant against the tenants before it. */
static int check_tenant(struct astra_config *config, size_t index,
			const char *path, struct astra_error *err)
{
	const struct astra_tenant_config *t = &config->tenants[index];

	for (size_t i = 0; i < index; i++) {
		const struct astra_tenant_config *u = &config->tenants[i];

		if (!strcmp(t->name, u->name)) {
			astra_error_set(err, "there is another tenant of that "
					     "name");
			return astra_conf_blame(path, "Tenant", t->name, err);
		}
		warn_twice(config, i, index, "account", &u->accounts,
			   &t->accounts);
		warn_twice(config, i, index, "user", &u->users, &t->users);
	}
	return 0;
}

static int config_tenants_read_level(const s_p_hashtbl_t *table,
				     const char *path,
				     struct astra_config *config,
				     struct astra_error *err)
{
	char *text = astra_conf_text(table, "TenantLevel");
	const char *allowed;
	int rc = 0;

	if (text &&
	    astra_tenant_level_parse(text, &config->tenant_level, &allowed)) {
		astra_error_set(err, "%s", allowed);
		rc = astra_conf_blame(path, "TenantLevel", text, err);
	}
	free(text);
	return rc;
}

static int read_shares(const s_p_hashtbl_t *table, const char *path,
		       struct astra_config *config, struct astra_error *err)
{
	char *text = astra_conf_text(table, "TenantShares");
	const char *allowed;
	int rc = 0;

	config->shares_tree = true;
	if (text &&
	    astra_tenant_shares_parse(text, &config->shares_tree, &allowed)) {
		astra_error_set(err, "%s", allowed);
		rc = astra_conf_blame(path, "TenantShares", text, err);
	}
	free(text);
	return rc;
}

int astra_conf_tenants(const s_p_hashtbl_t *table, const char *path,
		       struct astra_config *config, struct astra_error *err)
{
	void **lines = NULL;
	int count = 0;

	if (config_tenants_read_level(table, path, config, err) < 0 ||
	    read_shares(table, path, config, err) < 0)
		return -1;
	if (!s_p_get_array(&lines, &count, "Tenant", table) || count < 1)
		return 0;
	config->tenants = calloc((size_t)count, sizeof(*config->tenants));
	if (!config->tenants)
		return astra_error_nomem(err);
	for (size_t i = 0; i < (size_t)count; i++) {
		config->tenant_count++;
		if (config_tenants_read_tenant(lines[i], path,
					       &config->tenants[i], err) < 0 ||
		    check_tenant(config, i, path, err) < 0)
			return -1;
	}
	return 0;
}
