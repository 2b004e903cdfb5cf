/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfair/sfair.h"

/* By name; ended by a NULL one. */
static const struct sfair_command commands[] = {
	{"audit", sfair_audit},
	{"metrics", sfair_metrics},
	{"record", sfair_record},
	{"top", sfair_top},
	{NULL, NULL},
};

const struct sfair_command *sfair_command_find(const char *name)
{
	for (const struct sfair_command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

void sfair_command_names(char *text, size_t size)
{
	*text = '\0';
	for (const struct sfair_command *c = commands; c->name; c++) {
		size_t used = strlen(text);

		snprintf(text + used, size - used, ", %s", c->name);
	}
}
