/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair audit --set: options of astraea.conf. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/cmd/sfair/audit.h"

/* Of options that say who the tenants are.
 * Returns 0, or 1 if it is none of them, or -1 with err set. */
static int set_tenants(struct sfair_audit *a, const char *key,
		       const char *value, struct astra_error *err)
{
	const char *allowed;
	int rc;

	if (!strcasecmp(key, "TenantLevel"))
		rc = astra_tenant_level_parse(value, &a->tenant_level,
					      &allowed);
	else if (!strcasecmp(key, "TenantShares"))
		rc = astra_tenant_shares_parse(value, &a->shares_tree,
					       &allowed);
	else
		return 1;
	if (rc)
		return astra_error_set(err, "--set=%s=%.64s: %s", key, value,
				       allowed);
	if (a->args->trace || a->args->weights)
		return astra_error_set(err,
				       "--set=%s: sacctmgr's accounts are not "
				       "asked for with --trace or --weights",
				       key);
	return 0;
}

static int audit_set_option(struct sfair_audit *a, const char *key,
			    const char *value, struct astra_error *err)
{
	int rc = set_tenants(a, key, value, err);

	return rc == 1 ? astra_options_set(&a->options, key, value, err) : rc;
}

int sfair_audit_set(struct sfair_audit *a, struct astra_error *err)
{
	int rc = 0;

	a->shares_tree = true;
	astra_options_init(&a->options);
	for (size_t i = 0; !rc && i < a->args->set_count; i++) {
		char *key = strdup(a->args->sets[i]);
		char *value = key ? strchr(key, '=') : NULL;

		if (!value) {
			free(key);
			return astra_error_nomem(err);
		}
		*value++ = '\0';
		rc = audit_set_option(a, key, value, err);
		free(key);
	}
	return rc ? rc : astra_options_check(&a->options, err);
}
