/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair/adopt.h"

#define IN(member) ASTRA_CLI_IN(struct sfair_adopt_args, member)

static const struct astra_cli_option options[] = {
	{"from-slurmdbd", 0, NULL, "from its records of the pool's GPU jobs",
	 IN(slurmdbd)},
	{"start", 0, "TIME", "since when, as sacct takes it: now-14days",
	 IN(start), .spelling = ASTRA_CLI_WORD},
	{"immediate", 'i', NULL, "do it", IN(immediate)},
	{"replace", 0, NULL, "with -i: also where accounts have begun",
	 IN(replace)},
	{"pool", 0, "NAME", "of this pool; needed where there are several",
	 ASTRA_CLI_BY(sfair_set_pool, struct sfair_adopt_args,
		      show.query.pools)},
	ASTRA_CLI_HEADING("How shown"),
	{"format", 'o', "FIELD[%[-]N],...", "these columns", IN(show.format)},
	{.rows = sfair_style_options,
	 .offset = offsetof(struct sfair_adopt_args, show)},
	{"quiet", 'Q', NULL, "no notes", IN(quiet)},
	{"time", 't', "UNIT", "GPU time in Seconds, Minutes (default) or Hours",
	 ASTRA_CLI_BY(sfair_set_unit, struct sfair_adopt_args, show.unit)},
	{"verbose", 'v', NULL, "say whom it asks", IN(show.verbose)},
	ASTRA_CLI_HELP,
	ASTRA_CLI_END,
};

static int adopt_args_check(const struct sfair_adopt_args *args,
			    struct astra_error *err)
{
	if (!args->slurmdbd)
		return astra_error_set(err, "from where? --from-slurmdbd");
	if (!args->start || !*args->start)
		return astra_error_set(err, "from when on? start=TIME, as "
					    "sacct takes it: 2026-11-01, "
					    "now-14days");
	if (args->replace && !args->immediate)
		return astra_error_set(err, "--replace goes with -i");
	return 0;
}

int sfair_adopt_parse(int argc, char **argv, struct sfair_adopt_args *args,
		      struct astra_error *err)
{
	static const struct astra_cli cli = {
		.name = "sfair adopt",
		.usage = "sfair adopt --from-slurmdbd start=TIME [OPTION]...",
		.summary =
			"Let the accounts of tenants and users begin with what slurmdbd knows of the\n"
			"time since then, instead of with nothing. Shows what they would be, and\n"
			"changes nothing without -i. For root, SlurmUser and operators.",
		.options = options,
	};
	int rc;

	*args = (struct sfair_adopt_args){
		.show = {.unit = SFAIR_MINUTES,
			 .query = {.kind = ASTRA_QUERY_ADOPT}},
	};
	rc = astra_cli_parse(&cli, argc, argv, args, err);
	if (rc || args->show.help_format)
		return rc;
	return adopt_args_check(args, err);
}
