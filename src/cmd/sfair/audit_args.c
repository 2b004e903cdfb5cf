/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/cmd/sfair/audit.h"
#include "src/policy/stated.h"

#define SPAN_MAX_SEC 1e9

enum {
	OPT_TRACE = SFAIR_OPT_OWN,
	OPT_WEIGHTS,
	OPT_POLICY,
	OPT_SET,
	OPT_NODES,
	OPT_GPUS,
	OPT_INTERVAL,
	OPT_COLD,
	OPT_CHECKPOINT,
	OPT_LENIENT,
};

static const char short_options[] = ":A:hM:no:pPQt:T:u:";

static const struct option long_options[] = {
	{"accounts", required_argument, NULL, 'A'},
	{"checkpoint", required_argument, NULL, OPT_CHECKPOINT},
	{"cluster", required_argument, NULL, 'M'},
	{"cold-start", required_argument, NULL, OPT_COLD},
	{"format", required_argument, NULL, 'o'},
	{"gpus", required_argument, NULL, OPT_GPUS},
	{"help", no_argument, NULL, 'h'},
	{"helpformat", no_argument, NULL, SFAIR_OPT_HELPFORMAT},
	{"interval", required_argument, NULL, OPT_INTERVAL},
	{"json", no_argument, NULL, SFAIR_OPT_JSON},
	{"lenient", no_argument, NULL, OPT_LENIENT},
	{"nodes", required_argument, NULL, OPT_NODES},
	{"noheader", no_argument, NULL, 'n'},
	{"parsable", no_argument, NULL, 'p'},
	{"parsable2", no_argument, NULL, 'P'},
	{"policy", required_argument, NULL, OPT_POLICY},
	{"quiet", no_argument, NULL, 'Q'},
	{"set", required_argument, NULL, OPT_SET},
	{"time", required_argument, NULL, 't'},
	{"trace", required_argument, NULL, OPT_TRACE},
	{"tres", required_argument, NULL, 'T'},
	{"users", required_argument, NULL, 'u'},
	{"weights", required_argument, NULL, OPT_WEIGHTS},
	{NULL, 0, NULL, 0},
};

static int parse_count(const char *option, const char *text, uint32_t *out,
		       struct astra_error *err)
{
	char *end = NULL;
	unsigned long value = 0;

	if (isdigit((unsigned char)*text))
		value = strtoul(text, &end, 10);
	if (!end || *end || value < 1 || value > 1000000)
		return astra_error_set(
			err, "%s=%.64s: a whole number from 1 to 1000000",
			option, text);
	*out = (uint32_t)value;
	return 0;
}

static int parse_seconds(const char *option, const char *text, double least,
			 double *out, struct astra_error *err)
{
	if (!astra_stated_number(text, SPAN_MAX_SEC, out) || *out < least)
		return astra_error_set(err, "%s=%.64s: seconds, at least %g",
				       option, text, least);
	return 0;
}

static int add_set(const char *pair, struct sfair_audit_args *args,
		   struct astra_error *err)
{
	if (!strchr(pair, '='))
		return astra_error_set(err, "--set=%.64s: is not KEY=VALUE",
				       pair);
	if (args->set_count == SFAIR_SETS_MAX)
		return astra_error_set(err, "--set: at most %d of them",
				       SFAIR_SETS_MAX);
	args->sets[args->set_count++] = pair;
	return 0;
}

static int apply_value(int option, struct sfair_audit_args *args,
		       struct astra_error *err)
{
	switch (option) {
	case 'A':
		return sfair_parse_names("accounts", optarg,
					 &args->show.query.accounts, err);
	case 'u':
		return sfair_parse_names("users", optarg,
					 &args->show.query.users, err);
	case 't':
		return sfair_parse_unit(optarg, &args->show.unit, err);
	case 'T':
		return sfair_check_tres(optarg, err);
	case OPT_SET:
		return add_set(optarg, args, err);
	case OPT_NODES:
		return parse_count("--nodes", optarg, &args->nodes, err);
	case OPT_GPUS:
		return parse_count("--gpus", optarg, &args->gpus, err);
	case OPT_INTERVAL:
		return parse_seconds("--interval", optarg, 1,
				     &args->interval_sec, err);
	case OPT_COLD:
		return parse_seconds("--cold-start", optarg, 0,
				     &args->cold_start_sec, err);
	default:
		return parse_seconds("--checkpoint", optarg, 0,
				     &args->checkpoint_sec, err);
	}
}

/* Whether it was one of them. */
static bool apply_text(int option, struct sfair_audit_args *args)
{
	switch (option) {
	case 'M':
		args->cluster = optarg;
		return true;
	case 'o':
		args->show.format = optarg;
		return true;
	case OPT_TRACE:
		args->trace = optarg;
		return true;
	case OPT_WEIGHTS:
		args->weights = optarg;
		return true;
	case OPT_POLICY:
		args->policies = optarg;
		return true;
	default:
		return false;
	}
}

static bool apply_flag(int option, struct sfair_audit_args *args)
{
	switch (option) {
	case 'Q':
		args->quiet = true;
		return true;
	case OPT_LENIENT:
		args->lenient = true;
		return true;
	default:
		return sfair_show_flag(option, &args->show);
	}
}

static int parse_table(const char *word, struct sfair_audit_args *args,
		       struct astra_error *err)
{
	if (args->table != SFAIR_AUDIT_TABLES)
		return astra_error_set(err, "unexpected \"%.64s\": one table",
				       word);
	for (int i = 0; i < SFAIR_AUDIT_TABLES; i++) {
		if (strcasecmp(word, sfair_audit_table_name(i)) != 0)
			continue;
		args->table = i;
		return 0;
	}
	astra_error_set(err,
			"unknown word \"%.64s\": KEY=VALUE with start, "
			"end, accounts, users, format or topcount, or a "
			"table, one of Tenants, Sizes, Wronged, Jobs, "
			"Policies, PolicyTenants, PolicySizes",
			word);
	return -1;
}

/* The value of word where its key is this one, else NULL. */
static const char *value_of(const char *word, const char *key)
{
	size_t size = strlen(key);

	return !strncasecmp(word, key, size) && word[size] == '='
		       ? word + size + 1
		       : NULL;
}

static int parse_word(const char *word, struct sfair_audit_args *args,
		      struct astra_error *err)
{
	struct astra_query *query = &args->show.query;
	const char *value;

	if ((value = value_of(word, "start")))
		args->start = value;
	else if ((value = value_of(word, "end")))
		args->end = value;
	else if ((value = value_of(word, "format")))
		args->show.format = value;
	else if ((value = value_of(word, "accounts")))
		return sfair_parse_names("accounts", value, &query->accounts,
					 err);
	else if ((value = value_of(word, "users")))
		return sfair_parse_names("users", value, &query->users, err);
	else if ((value = value_of(word, "topcount")))
		return parse_count("topcount", value, &args->top, err);
	else
		return parse_table(word, args, err);
	return 0;
}

/* Which options go together. */
static int check(const struct sfair_audit_args *args, struct astra_error *err)
{
	if (args->show.format && args->table == SFAIR_AUDIT_TABLES)
		return astra_error_set(err, "format= goes with one table: "
					    "sfair audit Tenants, for example");
	if (args->table >= SFAIR_AUDIT_POLICIES &&
	    args->table < SFAIR_AUDIT_TABLES && !args->policies)
		return astra_error_set(err, "%s goes with --policy=NAME,…",
				       sfair_audit_table_name(args->table));
	if (args->trace && args->cluster)
		return astra_error_set(err,
				       "either --trace or --cluster, which "
				       "asks slurmdbd");
	if (args->cluster && strchr(args->cluster, ','))
		return astra_error_set(err, "--cluster=%.64s: one cluster",
				       args->cluster);
	if (args->trace && (!args->nodes || !args->gpus))
		return astra_error_set(err, "how large was the cluster? "
					    "--nodes=N and --gpus=G of each");
	if (!args->nodes != !args->gpus)
		return astra_error_set(err, "--nodes=N and --gpus=G of each go "
					    "together");
	return 0;
}

int sfair_audit_parse(int argc, char **argv, struct sfair_audit_args *args,
		      struct astra_error *err)
{
	int option;

	*args = (struct sfair_audit_args){
		.show = {.unit = SFAIR_MINUTES},
		.table = SFAIR_AUDIT_TABLES,
		.top = 10,
		.interval_sec = 3600,
		.cold_start_sec = 40,
		.checkpoint_sec = 10,
	};
	opterr = 0;
	while ((option = getopt_long(argc, argv, short_options, long_options,
				     NULL)) != -1) {
		if (option == '?' || option == ':')
			return sfair_bad_option(option, argv, err);
		if (!apply_flag(option, args) && !apply_text(option, args) &&
		    apply_value(option, args, err) < 0)
			return -1;
	}
	for (; optind < argc; optind++)
		if (parse_word(argv[optind], args, err) < 0)
			return -1;
	if (args->show.help || args->show.help_format)
		return 0;
	return check(args, err);
}
