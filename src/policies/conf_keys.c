/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/conf_keys.h"

#include <strings.h>

#include "src/policies/options.h"

const char *const astra_conf_gone[] = {
	"BatchEpoch", "LeaseBonus",	"NewJobsFirst",
	"OnUnfit",    "SatisfiedOrder", NULL,
};

bool astra_conf_is_gone(const char *key)
{
	for (size_t i = 0; astra_conf_gone[i]; i++)
		if (!strcasecmp(astra_conf_gone[i], key))
			return true;
	return false;
}

/* Whether the key applies to the whole file, unlike an option. */
static bool is_global(const char *key)
{
	static const char *const keys[] = {
		"Pool",		 "Tenant",	 "TenantLevel", "TenantShares",
		"Socket",	 "Listen",	 "History",	"HistoryFile",
		"HistoryRounds", "HistoryHours", "HistoryDays", "HistoryLeases",
		"LeaseProgram",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcasecmp(keys[i], key))
			return true;
	return false;
}

static bool is_option(const char *key)
{
	for (const struct astra_option *o = astra_option_table; o->key; o++)
		if (!strcasecmp(o->key, key))
			return true;
	return astra_conf_is_gone(key);
}

bool astra_conf_known(const char *first, const char *key)
{
	static const char *const tenant_keys[] = {"Accounts", "Users",
						  "Weight"};

	if (!strcasecmp(first, key))
		return is_option(key) || is_global(key);
	if (!strcasecmp(first, "Pool"))
		return is_option(key) || !strcasecmp(key, "Partitions");
	if (!strcasecmp(first, "Tenant"))
		for (size_t i = 0; i < 3; i++)
			if (!strcasecmp(key, tenant_keys[i]))
				return true;
	return false;
}
