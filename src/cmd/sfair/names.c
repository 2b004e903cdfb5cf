/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads names on the command line, and defines the options with names. */
#include <string.h>

#include "src/cmd/sfair/sfair.h"

int sfair_parse_names(const char *text, struct astra_names *out,
		      struct astra_error *err)
{
	for (;; text++) {
		size_t size = strcspn(text, ",");

		if (!size || size > ASTRA_QUERY_NAME_MAX)
			return astra_error_set(
				err,
				"names of 1 to %d characters, separated by commas",
				ASTRA_QUERY_NAME_MAX);
		if (out->count == ASTRA_QUERY_NAMES_MAX)
			return astra_error_set(err, "at most %d names",
					       ASTRA_QUERY_NAMES_MAX);
		if (astra_names_add(out, text, size) < 0)
			return astra_error_nomem(err);
		text += size;
		if (!*text)
			return 0;
	}
}

int sfair_set_names(const struct astra_cli_option *row, void *at,
		    const char *value, struct astra_error *err)
{
	(void)row;
	return sfair_parse_names(value, at, err);
}

int sfair_set_pool(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err)
{
	const struct astra_names *pools = at;

	(void)row;
	if (sfair_parse_names(value, at, err) < 0)
		return -1;
	return pools->count == 1 ? 0
				 : astra_error_set(err, "one pool at a time");
}

#define NAMES(member) ASTRA_CLI_BY(sfair_set_names, struct astra_query, member)

const struct astra_cli_option sfair_which_options[] = {
	{"accounts", 'A', "NAME,...", "accounts or tenants", NAMES(accounts)},
	{"tenants", 0, "NAME,...", NULL, NAMES(accounts)},
	{"pool", 0, "NAME,...", "pools", NAMES(pools)},
	{"pools", 0, "NAME,...", NULL, NAMES(pools),
	 .spelling = ASTRA_CLI_WORD}, /* so that it can be abbreviated, such as
				       * --poo for --pool */
	{"users", 'u', "NAME,...", "users, by name or number", NAMES(users)},
	ASTRA_CLI_END,
};
