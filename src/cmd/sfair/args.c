/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <getopt.h>
#include <string.h>
#include <strings.h>

#include "src/cmd/sfair/sfair.h"

enum { OPT_POOL = SFAIR_OPT_OWN, OPT_RESET, OPT_WHERE };

static const char short_options[] = ":A:hj:no:pPt:u:vV";

static const struct option long_options[] = {
	{"accounts", required_argument, NULL, 'A'},
	{"format", required_argument, NULL, 'o'},
	{"help", no_argument, NULL, 'h'},
	{"helpformat", no_argument, NULL, SFAIR_OPT_HELPFORMAT},
	{"jobs", required_argument, NULL, 'j'},
	{"json", no_argument, NULL, SFAIR_OPT_JSON},
	{"noheader", no_argument, NULL, 'n'},
	{"parsable", no_argument, NULL, 'p'},
	{"parsable2", no_argument, NULL, 'P'},
	{"pool", required_argument, NULL, OPT_POOL},
	{"reset", no_argument, NULL, OPT_RESET},
	{"tenants", required_argument, NULL, 'A'},
	{"time", required_argument, NULL, 't'},
	{"users", required_argument, NULL, 'u'},
	{"verbose", no_argument, NULL, 'v'},
	{"version", no_argument, NULL, 'V'},
	{"where", no_argument, NULL, OPT_WHERE},
	{NULL, 0, NULL, 0},
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

int sfair_parse_jobs(const char *text, struct astra_job_refs *out,
		     struct astra_error *err)
{
	struct astra_names names = {0};
	struct astra_query holder = {0};
	int rc = sfair_parse_names("--jobs", text, &names, err);

	for (size_t i = 0; !rc && i < names.count; i++)
		rc = sfair_add_job(names.names[i], out, err);
	holder.users = names;
	astra_query_destroy(&holder);
	return rc;
}

/* Names of units may be shortened, as in sreport. */
int sfair_parse_unit(const char *text, enum sfair_unit *out,
		     struct astra_error *err)
{
	static const char *const names[] = {"seconds", "minutes", "hours"};

	for (size_t i = 0; *text && i < 3; i++) {
		if (strncasecmp(names[i], text, strlen(text)) != 0)
			continue;
		*out = (enum sfair_unit)i;
		return 0;
	}
	return astra_error_set(
		err, "--time=%.64s: allowed: Seconds, Minutes, Hours", text);
}

int sfair_bad_option(int option, char **argv, struct astra_error *err)
{
	const char *word = argv[optind - 1];

	if (option == ':')
		return astra_error_set(
			err, "%.64s needs a value: see sfair --help", word);
	if (!optopt)
		return astra_error_set(
			err, "unknown option %.64s: see sfair --help", word);
	if (!strncmp(word, "--", 2))
		return astra_error_set(err, "%.64s: the option takes no value",
				       word);
	return astra_error_set(err, "unknown option -%c: see sfair --help",
			       optopt);
}

bool sfair_show_flag(int option, struct sfair_args *show)
{
	switch (option) {
	case 'h':
		show->help = true;
		return true;
	case 'n':
		show->no_header = true;
		return true;
	case 'p':
		show->style = SFAIR_PARSABLE;
		return true;
	case 'P':
		show->style = SFAIR_PARSABLE2;
		return true;
	case 'v':
		show->verbose++;
		return true;
	case 'V':
		show->version = true;
		return true;
	case SFAIR_OPT_JSON:
		show->style = SFAIR_JSON;
		return true;
	case SFAIR_OPT_HELPFORMAT:
		show->help_format = true;
		return true;
	default:
		return false;
	}
}

int sfair_check_tres(const char *text, struct astra_error *err)
{
	if (!strcasecmp(text, "gres/gpu"))
		return 0;
	return astra_error_set(err, "--tres=%.64s: allowed: gres/gpu", text);
}

static int apply_option(int option, char **argv, struct sfair_args *args,
			struct astra_error *err)
{
	switch (option) {
	case 'A':
		return sfair_parse_names("--accounts", optarg,
					 &args->query.accounts, err);
	case 'u':
		return sfair_parse_names("--users", optarg, &args->query.users,
					 err);
	case OPT_POOL:
		return sfair_parse_names("--pool", optarg, &args->query.pools,
					 err);
	case 'j':
		return sfair_parse_jobs(optarg, &args->query.jobs, err);
	case 't':
		return sfair_parse_unit(optarg, &args->unit, err);
	case 'o':
		args->format = optarg;
		return 0;
	case OPT_WHERE:
		args->where = true;
		return 0;
	case OPT_RESET:
		args->query.reset = true;
		return 0;
	default:
		return sfair_show_flag(option, args)
			       ? 0
			       : sfair_bad_option(option, argv, err);
	}
}

/* The others are for programs. */
static bool is_command(const char *name, enum astra_query_kind *out)
{
	return !astra_query_kind_find(name, out) &&
	       (sfair_table_of(*out) || *out == ASTRA_QUERY_WHY ||
		*out == ASTRA_QUERY_DIAG);
}

/* "tenant", "tenants" or, of "class", "classes". */
static int parse_command(const char *word, struct sfair_args *args,
			 struct astra_error *err)
{
	static const char *const ends[] = {"", "s", "es"};
	size_t size = strlen(word);
	char name[16], more[128];

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t end = strlen(ends[i]);

		if (size <= end || size >= sizeof(name) ||
		    strcmp(word + size - end, ends[i]) != 0)
			continue;
		(void)snprintf(name, sizeof(name), "%.*s", (int)(size - end),
			       word);
		if (is_command(name, &args->query.kind))
			return 0;
	}
	sfair_command_names(more, sizeof(more));
	return astra_error_set(
		err,
		"unknown command \"%.64s\": one of tenant, job, lease, auction, price, class, why, diag%s",
		word, more);
}

static int parse_words(int argc, char **argv, struct sfair_args *args,
		       struct astra_error *err)
{
	if (optind == argc)
		return astra_error_set(err, "which command? See sfair --help");
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
	return 0;
}

static int refuse_option(const char *option, const struct sfair_args *args,
			 struct astra_error *err)
{
	return astra_error_set(err, "%s does not go with \"sfair %s\"", option,
			       astra_query_kind_name(args->query.kind));
}

/* Which options go together, as the protocol has it. */
static int check(const struct sfair_args *args, struct astra_error *err)
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
	if (q->kind == ASTRA_QUERY_WHY && q->jobs.count != 1)
		return astra_error_set(err, "sfair why JOBID: give one job");
	return 0;
}

int sfair_args_parse(int argc, char **argv, struct sfair_args *args,
		     struct astra_error *err)
{
	int option;

	args->unit = SFAIR_MINUTES;
	opterr = 0;
	while ((option = getopt_long(argc, argv, short_options, long_options,
				     NULL)) != -1)
		if (apply_option(option, argv, args, err) < 0)
			return -1;
	if (args->help || args->version || args->where ||
	    (args->help_format && optind == argc))
		return 0;
	if (parse_words(argc, argv, args, err) < 0)
		return -1;
	return args->help_format ? 0 : check(args, err);
}
