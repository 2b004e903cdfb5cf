/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "src/slurm/conf/config_priv.h"

bool astra_names_have(const struct astra_config_names *names, const char *name)
{
	for (size_t i = 0; name && i < names->count; i++)
		if (!strcmp(names->name[i], name))
			return true;
	return false;
}

void astra_names_free(struct astra_config_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->name[i]);
	free(names->name);
	*names = (struct astra_config_names){0};
}

int astra_names_split(const char *text, struct astra_config_names *out)
{
	char *copy = strdup(text ? text : ""), *save = NULL;

	if (!copy)
		return -1;
	for (char *t = strtok_r(copy, ", ", &save); t;
	     t = strtok_r(NULL, ", ", &save)) {
		char **grown =
			realloc(out->name, (out->count + 1) * sizeof(*grown));

		if (!grown)
			break;
		out->name = grown;
		out->name[out->count] = strdup(t);
		if (!out->name[out->count])
			break;
		out->count++;
	}
	free(copy);
	return 0;
}
