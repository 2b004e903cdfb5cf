/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfairsim: runs the policies without Slurm. This file only dispatches
 * commands. */
#include <getopt.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfairsim/sfairsim.h"
#include "src/common/cli.h"

static const struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
} commands[] = {
	{"run", "simulate a trace under one policy", sfairsim_run},
	{"compare", "several policies side by side", sfairsim_compare},
	{"tune", "find the lease term, or vary another option", sfairsim_tune},
	{"replay", "run a trace on a live cluster, and compare",
	 sfairsim_replay},
	{"decide", "one decision, JSON in, JSON out", sfairsim_decide},
	{"options", "what astraea.conf can say of a pool", sfairsim_options},
	{NULL, NULL, NULL},
};

int sfairsim_error(const char *fmt, ...)
{
	va_list ap;

	fputs("sfairsim: error: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return 1;
}

static void list_commands(const struct astra_cli *cli)
{
	(void)cli;
	printf("\nCommands:\n");
	for (const struct command *c = commands; c->name; c++)
		printf("  %-10s %s\n", c->name, c->summary);
}

static const struct astra_cli_option options[] = {
	ASTRA_CLI_HELP,
	ASTRA_CLI_VERSION,
	ASTRA_CLI_END,
};

static const struct astra_cli cli = {
	.name = "sfairsim",
	.usage = "sfairsim COMMAND [OPTION]...",
	.summary =
		"Fair GPU scheduling without Slurm: the policies of Astraea by\n"
		"the very code that runs in slurmctld.",
	.lists = list_commands,
	.options = options,
	.end = "See sfairsim COMMAND --help for a command's options.",
	.stop = true,
};

/* Lets malloc() keep freed memory. Each round of a simulation allocates and
 * frees memory for thousands of jobs. Giving it back to the kernel and getting
 * it again would take a third of the time. */
static void keep_memory(void)
{
#ifdef M_TRIM_THRESHOLD
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TOP_PAD, 4 << 20);
#endif
}

int main(int argc, char **argv)
{
	static char help[] = "--help";
	struct astra_error err = {""};
	int rc;

	keep_memory();
	if (argc > 1 && !strcmp(argv[1], "help"))
		argv[1] = help;
	rc = astra_cli_parse(&cli, argc, argv, NULL, &err);
	if (rc)
		return rc < 0 ? sfairsim_error("%s", err.text) : 0;
	argc -= optind;
	argv += optind;
	if (!argc)
		return sfairsim_error("a command is missing; see sfairsim "
				      "--help");
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, *argv))
			return c->run(argc, argv);
	return sfairsim_error("there is no command %s; see sfairsim --help",
			      *argv);
}
