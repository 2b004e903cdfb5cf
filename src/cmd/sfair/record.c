/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair record: saves a round of the live cluster, so that sfairsim can decide
 * it again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/sfair.h"
#include "src/sim/outfile.h"

struct record_args {
	struct astra_query query;
	const char *output; /* "-": standard output */
	bool verbose;
};

#define IN(member) ASTRA_CLI_IN(struct record_args, member)

static const struct astra_cli_option options[] = {
	{"output", 'o', "FILE",
	 "write it there; - is standard output (default)", IN(output)},
	{"pool", 0, "NAME", "of this pool; needed where there are several",
	 ASTRA_CLI_BY(sfair_set_pool, struct record_args, query.pools)},
	{"verbose", 'v', NULL, "say whom it asks", IN(verbose)},
	ASTRA_CLI_HELP,
	ASTRA_CLI_END,
};

static const struct astra_cli cli = {
	.name = "sfair record",
	.usage = "sfair record [OPTION]...",
	.summary =
		"Save the next round of a pool as JSON: its options, what the engine knew,\n"
		"what it was shown and what it decided. sfairsim decide < FILE decides it\n"
		"again. For root, SlurmUser and operators, as all jobs are in it.",
	.options = options,
};

static int write_to(FILE *file, const json_t *record)
{
	int rc = json_dumpf(record, file,
			    JSON_INDENT(1) | JSON_REAL_PRECISION(17));

	if (!rc && (putc('\n', file) == EOF || fflush(file)))
		rc = -1;
	return rc;
}

/* Writes the record completely or not at all: an existing file stays until the
 * new one is complete. */
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
	int rc = astra_cli_parse(&cli, argc, argv, &args, err);

	if (!rc) {
		record = sfair_ask_round(&args.query, "record", args.verbose,
					 err);
		rc = record ? write_output(args.output, record, err) : -1;
	}
	json_decref(record);
	astra_query_destroy(&args.query);
	return rc;
}
