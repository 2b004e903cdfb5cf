/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair record: a round of production, to be decided again by sfairsim. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/sfair.h"
#include "src/sim/outfile.h"

enum { OPT_POOL = 256 };

struct record_args {
	struct astra_query query;
	const char *output; /* "-": standard output */
	bool help, verbose;
};

static void help(void)
{
	fputs("Usage: sfair record [OPTION]...\n"
	      "\n"
	      "Save the next round of a pool as JSON: its options, what the engine knew,\n"
	      "what it was shown and what it decided. sfairsim decide < FILE decides it\n"
	      "again. For root, SlurmUser and operators, as all jobs are in it.\n"
	      "\n"
	      "  -o, --output=FILE  write it there; - is standard output (default)\n"
	      "      --pool=NAME    of this pool; needed where there are several\n"
	      "  -v, --verbose      say whom it asks\n"
	      "  -h, --help         this text\n",
	      stdout);
}

static int parse(int argc, char **argv, struct record_args *args,
		 struct astra_error *err)
{
	static const struct option options[] = {
		{"help", no_argument, NULL, 'h'},
		{"output", required_argument, NULL, 'o'},
		{"pool", required_argument, NULL, OPT_POOL},
		{"verbose", no_argument, NULL, 'v'},
		{NULL, 0, NULL, 0},
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":ho:v", options, NULL)) !=
	       -1) {
		if (option == 'h')
			args->help = true;
		else if (option == 'v')
			args->verbose = true;
		else if (option == 'o')
			args->output = optarg;
		else if (option != OPT_POOL)
			return sfair_bad_option(option, argv, err);
		else if (sfair_parse_names("--pool", optarg, &args->query.pools,
					   err) < 0)
			return -1;
	}
	if (optind < argc)
		return astra_error_set(err,
				       "unexpected \"%.64s\": see sfair record "
				       "--help",
				       argv[optind]);
	if (args->query.pools.count > 1)
		return astra_error_set(err, "--pool: one pool at a time");
	return 0;
}

static int write_to(FILE *file, const json_t *record)
{
	int rc = json_dumpf(record, file,
			    JSON_INDENT(1) | JSON_REAL_PRECISION(17));

	if (!rc && (putc('\n', file) == EOF || fflush(file)))
		rc = -1;
	return rc;
}

/* The whole record, or none: what is there stays until this is complete. */
static int write_output(const char *path, const json_t *record,
			struct astra_error *err)
{
	struct astra_outfiles files = {0};
	FILE *file = astra_outfiles_open(&files, path, err);
	int rc = file ? 0 : -1;

	if (!rc && write_to(file, record) < 0)
		rc = astra_error_set(err, "%.200s: %s", path, strerror(errno));
	if (!rc)
		rc = astra_outfiles_commit(&files, err);
	astra_outfiles_clear(&files);
	return rc;
}

int sfair_record(int argc, char **argv, struct astra_error *err)
{
	struct record_args args = {
		.query = {.kind = ASTRA_QUERY_RECORD},
		.output = "-",
	};
	json_t *record = NULL;
	int rc = parse(argc, argv, &args, err);

	if (!rc && args.help) {
		help();
	} else if (!rc) {
		record = sfair_ask_round(&args.query, "record", args.verbose,
					 err);
		rc = record ? write_output(args.output, record, err) : -1;
	}
	json_decref(record);
	astra_query_destroy(&args.query);
	return rc;
}
