/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfairsim options: prints the table of the options of a pool, for people or
 * for the manual page. */
#include "src/policies/options.h"

#include <stdio.h>
#include <string.h>

#include "src/cmd/sfairsim/sfairsim.h"
#include "src/common/cli.h"

static void print_plain(void)
{
	for (const struct astra_option *row = astra_option_table; row->key;
	     row++) {
		printf("%s=%s (default %s)\n", row->key, row->values,
		       row->initial);
		astra_cli_wrap(0, "        ", row->help);
	}
}

/* Prints each sentence on a line of its own, as usual in mdoc. */
static void print_sentences(const char *text)
{
	for (const char *at = text; *at;) {
		const char *stop = strstr(at, ". ");

		if (!stop) {
			printf("%s\n", at);
			return;
		}
		printf("%.*s\n", (int)(stop + 1 - at), at);
		at = stop + 2;
	}
}

static void print_mdoc(void)
{
	puts(".Bl -tag -width Ds");
	for (const struct astra_option *row = astra_option_table; row->key;
	     row++) {
		printf(".It Cm %s Ns = Ns Ar %s\n", row->key, row->values);
		print_sentences(row->help);
		printf("The default is\n.Cm %s .\n", row->initial);
	}
	puts(".El");
}

struct options_args {
	bool mdoc;
};

static const struct astra_cli_option options[] = {
	{"mdoc", 0, NULL, "as in the manual page astraea.conf(5)",
	 ASTRA_CLI_IN(struct options_args, mdoc)},
	ASTRA_CLI_HELP,
	ASTRA_CLI_END,
};

int sfairsim_options(int argc, char **argv)
{
	static const struct astra_cli cli = {
		.name = "sfairsim options",
		.usage = "sfairsim options [--mdoc]",
		.summary = "Print every option of a pool: its values, its "
			   "default, what it does.",
		.options = options,
	};
	struct options_args args = {0};
	struct astra_error err = {""};
	int rc = astra_cli_parse(&cli, argc, argv, &args, &err);

	if (rc)
		return rc < 0 ? sfairsim_error("%s", err.text) : 0;
	if (args.mdoc)
		print_mdoc();
	else
		print_plain();
	return 0;
}
