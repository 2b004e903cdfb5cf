/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "src/cmd/sfair/adopt.h"

enum { OPT_POOL = SFAIR_OPT_OWN, OPT_REPLACE, OPT_SLURMDBD };

static const char short_options[] = ":hino:pPQt:vV";

static const struct option long_options[] = {
	{"format", required_argument, NULL, 'o'},
	{"from-slurmdbd", no_argument, NULL, OPT_SLURMDBD},
	{"help", no_argument, NULL, 'h'},
	{"helpformat", no_argument, NULL, SFAIR_OPT_HELPFORMAT},
	{"immediate", no_argument, NULL, 'i'},
	{"json", no_argument, NULL, SFAIR_OPT_JSON},
	{"noheader", no_argument, NULL, 'n'},
	{"parsable", no_argument, NULL, 'p'},
	{"parsable2", no_argument, NULL, 'P'},
	{"pool", required_argument, NULL, OPT_POOL},
	{"quiet", no_argument, NULL, 'Q'},
	{"replace", no_argument, NULL, OPT_REPLACE},
	{"time", required_argument, NULL, 't'},
	{"verbose", no_argument, NULL, 'v'},
	{NULL, 0, NULL, 0},
};

void sfair_adopt_help(void)
{
	fputs("Usage: sfair adopt --from-slurmdbd start=TIME [OPTION]...\n"
	      "\n"
	      "Let the accounts of tenants and users begin with what slurmdbd knows of the\n"
	      "time since then, instead of with nothing. Shows what they would be, and\n"
	      "changes nothing without -i. For root, SlurmUser and operators.\n"
	      "\n"
	      "      --from-slurmdbd   from its records of the pool's GPU jobs\n"
	      "      start=TIME        since when, as sacct takes it: now-14days\n"
	      "  -i, --immediate       do it\n"
	      "      --replace         with -i: also where accounts have begun\n"
	      "      --pool=NAME       of this pool; needed where there are several\n"
	      "\n"
	      "How shown:\n"
	      "  -n, --noheader        no header\n"
	      "  -o, --format=FIELD[%[-]N],...  these columns\n"
	      "      --helpformat      the fields that --format knows\n"
	      "      --json            all of it, for programs\n"
	      "  -p, --parsable        separated and ended by |\n"
	      "  -P, --parsable2       separated by |\n"
	      "  -Q, --quiet           no notes\n"
	      "  -t, --time=UNIT       GPU time in Seconds, Minutes (default) or Hours\n"
	      "  -v, --verbose         say whom it asks\n"
	      "  -h, --help            this text\n",
	      stdout);
}

static int apply(int option, char **argv, struct sfair_adopt_args *args,
		 struct astra_error *err)
{
	switch (option) {
	case 'i':
		args->immediate = true;
		return 0;
	case 'o':
		args->show.format = optarg;
		return 0;
	case 'Q':
		args->quiet = true;
		return 0;
	case 't':
		return sfair_parse_unit(optarg, &args->show.unit, err);
	case OPT_POOL:
		return sfair_parse_names("--pool", optarg,
					 &args->show.query.pools, err);
	case OPT_REPLACE:
		args->replace = true;
		return 0;
	case OPT_SLURMDBD:
		args->slurmdbd = true;
		return 0;
	default:
		return sfair_show_flag(option, &args->show)
			       ? 0
			       : sfair_bad_option(option, argv, err);
	}
}

static int check(const struct sfair_adopt_args *args, struct astra_error *err)
{
	if (!args->slurmdbd)
		return astra_error_set(err, "from where? --from-slurmdbd");
	if (!args->start || !*args->start)
		return astra_error_set(err, "from when on? start=TIME, as "
					    "sacct takes it: 2026-11-01, "
					    "now-14days");
	if (args->replace && !args->immediate)
		return astra_error_set(err, "--replace goes with -i");
	if (args->show.query.pools.count > 1)
		return astra_error_set(err, "--pool: one pool at a time");
	return 0;
}

int sfair_adopt_parse(int argc, char **argv, struct sfair_adopt_args *args,
		      struct astra_error *err)
{
	int option;

	*args = (struct sfair_adopt_args){
		.show = {.unit = SFAIR_MINUTES,
			 .query = {.kind = ASTRA_QUERY_ADOPT}},
	};
	opterr = 0;
	while ((option = getopt_long(argc, argv, short_options, long_options,
				     NULL)) != -1)
		if (apply(option, argv, args, err) < 0)
			return -1;
	for (; optind < argc; optind++) {
		if (strncasecmp(argv[optind], "start=", 6) != 0)
			return astra_error_set(err,
					       "unexpected \"%.64s\": see "
					       "sfair adopt --help",
					       argv[optind]);
		args->start = argv[optind] + 6;
	}
	if (args->show.help || args->show.help_format)
		return 0;
	return check(args, err);
}
