/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <getopt.h>
#include <string.h>
#include <strings.h>

#include "src/cmd/sfair/sfair.h"

#define IN(member) ASTRA_CLI_IN(struct sfair_args, member)
#define STYLE(wanted)                                               \
	ASTRA_CLI_BY(astra_cli_constant, struct sfair_args, style), \
		.constant = SFAIR_##wanted

const struct astra_cli_option sfair_style_options[] = {
	{"helpformat", 0, NULL, "the fields that --format knows",
	 IN(help_format)},
	{"json", 0, NULL, "all of it, for programs", STYLE(JSON)},
	{"noheader", 'n', NULL, "no header", IN(no_header)},
	{"parsable", 'p', NULL, "separated and ended by |", STYLE(PARSABLE)},
	{"parsable2", 'P', NULL, "separated by |", STYLE(PARSABLE2)},
	ASTRA_CLI_END,
};

int sfair_add_job(const char *text, struct astra_job_refs *out,
		  struct astra_error *err)
{
	struct astra_job_ref ref;

	if (astra_job_ref_parse(text, &ref) < 0)
		return astra_error_set(
			err,
			"\"%.64s\" is no job: give a number as squeue shows it, like 12 or 12_3",
			text);
	if (out->count == ASTRA_QUERY_NAMES_MAX)
		return astra_error_set(err, "at most %d jobs",
				       ASTRA_QUERY_NAMES_MAX);
	return astra_job_refs_add(out, ref) < 0 ? astra_error_nomem(err) : 0;
}

int sfair_set_jobs(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err)
{
	struct astra_names names = {0};
	struct astra_query holder = {0};
	int rc = sfair_parse_names(value, &names, err);

	(void)row;
	for (size_t i = 0; !rc && i < names.count; i++)
		rc = sfair_add_job(names.names[i], at, err);
	holder.users = names;
	astra_query_destroy(&holder);
	return rc;
}

/* Units may be abbreviated, as in sreport. */
int sfair_set_unit(const struct astra_cli_option *row, void *at,
		   const char *value, struct astra_error *err)
{
	static const char *const names[] = {"seconds", "minutes", "hours"};
	enum sfair_unit *out = at;

	(void)row;
	for (size_t i = 0; *value && i < 3; i++) {
		if (strncasecmp(names[i], value, strlen(value)) != 0)
			continue;
		*out = (enum sfair_unit)i;
		return 0;
	}
	return astra_error_set(err, "allowed: Seconds, Minutes, Hours");
}

int sfair_check_tres(const struct astra_cli_option *row, void *at,
		     const char *value, struct astra_error *err)
{
	(void)row;
	(void)at;
	return strcasecmp(value, "gres/gpu")
		       ? astra_error_set(err, "allowed: gres/gpu")
		       : 0;
}

static const struct astra_cli_option options[] = {
	ASTRA_CLI_HEADING("Which ones"),
	{.rows = sfair_which_options,
	 .offset = offsetof(struct sfair_args, query)},
	{"jobs", 'j', "ID,...", "jobs as squeue shows them: 12 or 12_3",
	 ASTRA_CLI_BY(sfair_set_jobs, struct sfair_args, query.jobs)},
	ASTRA_CLI_HEADING("How shown"),
	{"format", 'o', "FIELD[%[-]N],...",
	 "these columns, N wide (- : to the left)", IN(format)},
	{.rows = sfair_style_options},
	{"time", 't', "UNIT", "GPU time in Seconds, Minutes (default) or Hours",
	 ASTRA_CLI_BY(sfair_set_unit, struct sfair_args, unit)},
	ASTRA_CLI_HEADING("Others"),
	ASTRA_CLI_HELP,
	{"reset", 0, NULL, "with diag: start the numbers anew (operators)",
	 IN(query.reset)},
	{"verbose", 'v', NULL,
	 "show the request; with why, also GPU time and rho", IN(verbose)},
	ASTRA_CLI_VERSION,
	{"where", 0, NULL, "the sockets that it asks, as variables", IN(where)},
	ASTRA_CLI_END,
};

/* Reads the command, which may be plural: "tenant", "tenants" or, for "class",
 * "classes". */
static int parse_command(const char *word, struct sfair_args *args,
			 struct astra_error *err)
{
	static const char *const ends[] = {"", "s", "es"};
	size_t size = strlen(word);
	char name[16], all[192];

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t end = strlen(ends[i]);

		if (size <= end || size >= sizeof(name) ||
		    strcmp(word + size - end, ends[i]) != 0)
			continue;
		(void)snprintf(name, sizeof(name), "%.*s", (int)(size - end),
			       word);
		if (sfair_command_asks(name) &&
		    !astra_query_kind_find(name, &args->query.kind))
			return 0;
	}
	sfair_command_names(all, sizeof(all));
	return astra_error_set(err, "unknown command \"%.64s\": one of %s",
			       word, all);
}

static int parse_words(int argc, char **argv, struct sfair_args *args,
		       struct astra_error *err)
{
	if (optind == argc) {
		args->query.kind = ASTRA_QUERY_WHY;
		args->query.mine = true;
		return 0;
	}
	if (sfair_command_find(argc - optind, argv + optind))
		return astra_error_set(
			err,
			"options of \"%.64s\" come after it: see sfair %.64s --help",
			argv[optind], argv[optind]);
	if (parse_command(argv[optind++], args, err) < 0)
		return -1;
	args->command = true;
	for (; optind < argc; optind++) {
		if (args->query.kind != ASTRA_QUERY_WHY)
			return astra_error_set(
				err, "unexpected \"%.64s\": see sfair --help",
				argv[optind]);
		if (sfair_add_job(argv[optind], &args->query.jobs, err) < 0)
			return -1;
	}
	args->query.mine =
		args->query.kind == ASTRA_QUERY_WHY && !args->query.jobs.count;
	return 0;
}

static int refuse_option(const char *option, const struct sfair_args *args,
			 struct astra_error *err)
{
	return astra_error_set(err, "%s does not go with \"sfair %s\"", option,
			       astra_query_kind_name(args->query.kind));
}

/* Checks which options may be combined; the protocol has the same rules. */
static int args_check(const struct sfair_args *args, struct astra_error *err)
{
	const struct astra_query *q = &args->query;
	bool list = sfair_table_of(q->kind) != NULL;

	bool owned = list && q->kind != ASTRA_QUERY_PRICE;

	if (q->users.count && !owned)
		return refuse_option("--users", args, err);
	if (q->accounts.count && !owned)
		return refuse_option("--accounts", args, err);
	if (args->format && !list)
		return refuse_option("--format", args, err);
	if (q->pools.count && q->kind == ASTRA_QUERY_WHY)
		return refuse_option("--pool", args, err);
	if (q->jobs.count &&
	    (q->kind == ASTRA_QUERY_TENANT || q->kind == ASTRA_QUERY_DIAG ||
	     q->kind == ASTRA_QUERY_AUCTION || q->kind == ASTRA_QUERY_PRICE ||
	     q->kind == ASTRA_QUERY_CLASS))
		return refuse_option("--jobs", args, err);
	if (q->reset && q->kind != ASTRA_QUERY_DIAG)
		return refuse_option("--reset", args, err);
	if (q->kind == ASTRA_QUERY_WHY && q->jobs.count > 1)
		return astra_error_set(err, "sfair why JOBID: give one job");
	if (q->mine && q->jobs.count)
		return refuse_option("--jobs", args, err);
	return 0;
}

int sfair_args_parse(int argc, char **argv, struct sfair_args *args,
		     struct astra_error *err)
{
	static const struct astra_cli cli = {
		.name = "sfair",
		.usage = "sfair COMMAND [OPTION]...",
		.summary = "Show how fairly the GPUs are shared, and under "
			   "which leases.",
		.lists = sfair_list_commands,
		.options = options,
		.end = SFAIR_EXIT_STATUS,
		.left = true,
	};
	int rc;

	args->unit = SFAIR_MINUTES;
	rc = astra_cli_parse(&cli, argc, argv, args, err);
	if (rc || args->where || (args->help_format && optind == argc))
		return rc;
	if (parse_words(argc, argv, args, err) < 0)
		return -1;
	return args->help_format ? 0 : args_check(args, err);
}
