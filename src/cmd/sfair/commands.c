/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfair/reports.h"

struct sfair_command {
	const char *name;
	const char *words; /* for the help; NULL: none */
	const char *help;
	sfair_run *run; /* NULL: one request whose reply is printed */
};

/* tenant and job are requests unless they name a report. */
static const struct sfair_command commands[] = {
	{"tenant", NULL, "what each tenant had and was entitled to", NULL},
	{"job", NULL, "the same for each job, and its place in line", NULL},
	{"lease", NULL, "who holds which GPUs, until when", NULL},
	{"auction", NULL, "the apps and their last auction", NULL},
	{"price", NULL, "what GPUs cost, where they are sold", NULL},
	{"class", NULL, "the shares that ogasched has learned", NULL},
	{"why", "JOBID", "when a job starts and why; without JOBID of all mine",
	 NULL},
	{"diag", NULL, "rounds, locks and counters of the plugin", NULL},
	{"adopt", NULL, "accounts that begin with the past: sfair adopt --help",
	 sfair_adopt},
	{"audit", NULL, "how fair it was, from accounting: sfair audit --help",
	 sfair_audit},
	{"check", "[FILE]",
	 "an astraea.conf, before it is used: sfair check --help", sfair_check},
	{"doctor", NULL,
	 "whether the installation is whole: see sfair doctor --help",
	 sfair_doctor},
	{"cluster", "REPORT", "what pools did: see sfair cluster --help",
	 sfair_report},
	{"job", "REPORT", "over past time: see sfair job --help", sfair_report},
	{"metrics", NULL, "numbers for Prometheus: see sfair metrics --help",
	 sfair_metrics},
	{"record", NULL,
	 "a round as JSON, to be decided again: sfair record --help",
	 sfair_record},
	{"report", NULL, "a page about past time: see sfair report --help",
	 sfair_page},
	{"tenant", "REPORT", "over past time: see sfair tenant --help",
	 sfair_report},
	{"top", NULL, "all of it, live: see sfair top --help", sfair_top},
	{"try", "KEY=VALUE", "who would wait less, who more: sfair try --help",
	 sfair_try},
	{"user", "REPORT", "who used what: see sfair user --help",
	 sfair_report},
	{"watch", NULL, "what leases would have changed: sfair watch --help",
	 sfair_watch},
	{"web", NULL, "a page of all that, live: see sfair web --help",
	 sfair_web},
	{"when", "JOBID", "when a job is expected to start", sfair_when},
	{NULL, NULL, NULL, NULL},
};

bool sfair_command_asks(const char *name)
{
	const struct sfair_command *c = commands;

	while (c->name && (c->run || strcmp(c->name, name) != 0))
		c++;
	return c->name;
}

sfair_run *sfair_command_find(int argc, char **argv)
{
	if (sfair_command_asks(argv[0]) && !sfair_report_meant(argc, argv))
		return NULL;
	for (const struct sfair_command *c = commands; c->name; c++)
		if (c->run && !strcmp(c->name, argv[0]))
			return c->run;
	return NULL;
}

void sfair_command_names(char *text, size_t size)
{
	size_t used = 0;

	for (const struct sfair_command *c = commands; c->name; c++)
		if ((!c->run || !sfair_command_asks(c->name)) && used < size)
			used += (size_t)snprintf(text + used, size - used,
						 "%s%s", used ? ", " : "",
						 c->name);
}

void sfair_list_commands(const struct astra_cli *cli)
{
	char name[32];

	(void)cli;
	printf("\nCommands:\n");
	for (const struct sfair_command *c = commands; c->name; c++) {
		snprintf(name, sizeof(name), "%s%s%s", c->name,
			 c->words ? " " : "", c->words ? c->words : "");
		printf("  %-21s %s\n", name, c->help);
	}
}

void sfair_list_fields(const char *title, const struct sfair_table *table)
{
	printf("%s:\n", title);
	for (const struct sfair_column *c = table->columns; c->name; c++)
		printf("  %-12s %s\n", c->name, c->help);
	printf("  default: %s\n", table->format);
}
