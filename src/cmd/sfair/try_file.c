/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair/try_file.h"

#include <string.h>
#include <strings.h>

#include "src/cmd/sfair/check.h"
#include "src/slurm/conf/config.h"

static const struct astra_pool_config *
try_find_pool(const struct astra_config *config, const char *name,
	      struct astra_error *err)
{
	struct astra_error names = {""};

	for (size_t i = 0; i < config->pool_count; i++) {
		astra_error_add(&names, "%s", config->pools[i].name);
		if (!strcasecmp(name ? name : "", config->pools[i].name))
			return &config->pools[i];
	}
	if (!name && config->pool_count == 1)
		return config->pools;
	if (name)
		astra_error_set(err, "there is no pool %.64s; there are: %s",
				name, names.text);
	else
		astra_error_set(err, "which pool? Say pool=NAME; there are: %s",
				names.text);
	return NULL;
}

int sfair_try_file_read(const char *path, const char *pool,
			struct sfair_try_file *out, struct astra_error *err)
{
	struct astra_error warnings[SFAIR_CONF_WARNINGS];
	const struct astra_pool_config *p;

	*out = (struct sfair_try_file){0};
	if (!path && !sfair_conf_is_here())
		return 0;
	out->config = sfair_conf_read(path, warnings, err);
	p = out->config ? try_find_pool(out->config, pool, err) : NULL;
	if (!p)
		return -1;
	out->pool = p->name;
	out->options = &p->options;
	out->said = p->said;
	out->partitions = p->partition_text;
	out->tenant_level = out->config->tenant_level;
	out->tenants = out->config->tenant_count > 0;
	return 0;
}

const char *sfair_try_file_tenant(const struct sfair_try_file *file,
				  const char *account, const char *user)
{
	const struct astra_config *c = file->config;

	for (size_t i = 0; c && i < c->tenant_count; i++)
		if (astra_names_have(&c->tenants[i].accounts, account))
			return c->tenants[i].name;
	for (size_t i = 0; c && i < c->tenant_count; i++)
		if (astra_names_have(&c->tenants[i].users, user))
			return c->tenants[i].name;
	return NULL;
}

void sfair_try_file_clear(struct sfair_try_file *file)
{
	astra_config_destroy(file->config);
	*file = (struct sfair_try_file){0};
}
