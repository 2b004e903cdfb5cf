/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfair/reports.h"

/* By name; ended by a NULL one. */
static const struct sfair_command commands[] = {
	{"adopt", sfair_adopt},
	{"audit", sfair_audit},
	{"check", sfair_check},
	{"cluster", sfair_report},
	{"metrics", sfair_metrics},
	{"record", sfair_record},
	{"report", sfair_page},
	{"top", sfair_top},
	{"user", sfair_report},
	{"when", sfair_when},
	{NULL, NULL},
};

/* Those that are live views where no report is named. */
static const struct sfair_command live[] = {
	{"tenant", sfair_report},
	{"job", sfair_report},
	{NULL, NULL},
};

static const struct sfair_command *find(const struct sfair_command *list,
					const char *name)
{
	for (const struct sfair_command *c = list; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

const struct sfair_command *sfair_command_find(int argc, char **argv)
{
	const struct sfair_command *command = find(commands, argv[0]);

	if (!command && sfair_report_meant(argc, argv))
		command = find(live, argv[0]);
	return command;
}

void sfair_command_names(char *text, size_t size)
{
	*text = '\0';
	for (const struct sfair_command *c = commands; c->name; c++) {
		size_t used = strlen(text);

		snprintf(text + used, size - used, ", %s", c->name);
	}
}
