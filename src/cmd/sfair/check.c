/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair check: an astraea.conf before it is used. Asks nobody, so that it works
 * before the plugin is there. */
#include "src/cmd/sfair/check.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/cmd/sfair/sfair.h"

enum { OPT_SLURM_CONF = SFAIR_OPT_OWN };

static void help(void)
{
	fputs("Usage: sfair check [OPTION]... [FILE]\n"
	      "\n"
	      "Check an astraea.conf with the plugin's own parser before it is used: the one\n"
	      "beside slurm.conf, or FILE. Says what it has wrong, which lines slurm.conf\n"
	      "lacks, and what would change in what runs. Nothing is changed, nobody asked.\n"
	      "\n"
	      "      --slurm-conf=FILE  against this slurm.conf (default: this host's)\n"
	      "  -Q, --quiet            say only what is wrong\n"
	      "  -h, --help             this text\n",
	      stdout);
}

int sfair_check(int argc, char **argv, struct astra_error *err)
{
	static const struct option options[] = {
		{"help", no_argument, NULL, 'h'},
		{"quiet", no_argument, NULL, 'Q'},
		{"slurm-conf", required_argument, NULL, OPT_SLURM_CONF},
		{NULL, 0, NULL, 0},
	};
	bool quiet = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":hQ", options, NULL)) != -1) {
		if (option == 'h') {
			help();
			return 0;
		}
		if (option == 'Q')
			quiet = true;
		else if (option == OPT_SLURM_CONF)
			setenv("SLURM_CONF", optarg, 1);
		else
			return sfair_bad_option(option, argv, err);
	}
	if (optind + 1 < argc)
		return astra_error_set(err, "check takes one file: %s?",
				       argv[optind + 1]);
	if (sfair_load_slurm_conf("name a slurm.conf with --slurm-conf", err) <
	    0)
		return -1;
	return sfair_check_conf(optind < argc ? argv[optind] : NULL, quiet,
				err);
}
