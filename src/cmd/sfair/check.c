/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair check: checks an astraea.conf before use. It needs neither the plugin
 * nor slurmctld. */
#include "src/cmd/sfair/check.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/cmd/sfair/sfair.h"

struct check_args {
	const char *slurm_conf, *file; /* NULL: this host's */
	bool quiet;
};

#define IN(member) ASTRA_CLI_IN(struct check_args, member)

static const struct astra_cli_option options[] = {
	{"slurm-conf", 0, "FILE",
	 "against this slurm.conf (default: this host's)", IN(slurm_conf)},
	{"quiet", 'Q', NULL, "say only what is wrong", IN(quiet)},
	ASTRA_CLI_HELP,
	ASTRA_CLI_END,
};

static int set_file(void *args, const char *word, struct astra_error *err)
{
	struct check_args *check = args;

	if (check->file)
		return astra_error_set(err, "check takes one file: %s?", word);
	check->file = word;
	return 0;
}

int sfair_check(int argc, char **argv, struct astra_error *err)
{
	static const struct astra_cli cli = {
		.name = "sfair check",
		.usage = "sfair check [OPTION]... [FILE]",
		.summary =
			"Check an astraea.conf with the plugin's own parser before it is used: the one\n"
			"beside slurm.conf, or FILE. Says what it has wrong, which lines slurm.conf\n"
			"lacks, what would change in what runs, and, where slurmctld runs without the\n"
			"plugins, which of its jobs would have leases. Nothing is changed.",
		.options = options,
		.word = set_file,
	};
	struct check_args args = {0};
	int rc = astra_cli_parse(&cli, argc, argv, &args, err);

	if (rc)
		return rc;
	if (args.slurm_conf)
		setenv("SLURM_CONF", args.slurm_conf, 1);
	if (sfair_load_slurm_conf("name a slurm.conf with --slurm-conf", err) <
	    0)
		return -1;
	return sfair_check_conf(args.file, args.quiet, !args.slurm_conf, err);
}
