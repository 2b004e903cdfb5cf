/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfairsim: the policies without Slurm. This file only routes. */
#include "astra_config.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfairsim/sfairsim.h"

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

static int help(void)
{
	puts("Usage: sfairsim COMMAND [OPTION]...\n"
	     "\n"
	     "Fair GPU scheduling without Slurm: the policies of Astraea by\n"
	     "the very code that runs in slurmctld.\n"
	     "\n"
	     "Commands:");
	for (const struct command *c = commands; c->name; c++)
		printf("  %-10s %s\n", c->name, c->summary);
	puts("\n"
	     "  -h, --help     print this help\n"
	     "  -V, --version  print the version\n"
	     "\n"
	     "See sfairsim COMMAND --help for a command's options.");
	return 0;
}

/* Each round of a simulation takes and frees what thousands of jobs need: to
 * give it back to the kernel and fault it in again is a third of the time. */
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
	const char *name = argc > 1 ? argv[1] : NULL;

	keep_memory();
	if (!name)
		return sfairsim_error("a command is missing; see sfairsim "
				      "--help");
	if (!strcmp(name, "-h") || !strcmp(name, "--help") ||
	    !strcmp(name, "help"))
		return help();
	if (!strcmp(name, "-V") || !strcmp(name, "--version")) {
		puts("sfairsim " ASTRA_RELEASE);
		return 0;
	}
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c->run(argc - 1, argv + 1);
	return sfairsim_error("there is no command %s; see sfairsim --help",
			      name);
}
