/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/cmd/sfair/reports.h"

enum {
	OPT_POOL = SFAIR_OPT_OWN,
	OPT_START,
	OPT_END,
	OPT_TOP,
	OPT_TREE,
};

static const char short_options[] = ":aA:hj:M:no:pPQt:T:u:vV";

static const struct option long_options[] = {
	{"accounts", required_argument, NULL, 'A'},
	{"all_clusters", no_argument, NULL, 'a'},
	{"cluster", required_argument, NULL, 'M'},
	{"end", required_argument, NULL, OPT_END},
	{"format", required_argument, NULL, 'o'},
	{"help", no_argument, NULL, 'h'},
	{"helpformat", no_argument, NULL, SFAIR_OPT_HELPFORMAT},
	{"jobs", required_argument, NULL, 'j'},
	{"json", no_argument, NULL, SFAIR_OPT_JSON},
	{"noheader", no_argument, NULL, 'n'},
	{"parsable", no_argument, NULL, 'p'},
	{"parsable2", no_argument, NULL, 'P'},
	{"pool", required_argument, NULL, OPT_POOL},
	{"quiet", no_argument, NULL, 'Q'},
	{"start", required_argument, NULL, OPT_START},
	{"tenants", required_argument, NULL, 'A'},
	{"time", required_argument, NULL, 't'},
	{"topcount", required_argument, NULL, OPT_TOP},
	{"tree", no_argument, NULL, OPT_TREE},
	{"tres", required_argument, NULL, 'T'},
	{"users", required_argument, NULL, 'u'},
	{"verbose", no_argument, NULL, 'v'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

/* key=value words, and the options that they are. */
static const struct {
	const char *key;
	int option;
} words[] = {
	{"start", OPT_START}, {"end", OPT_END}, {"accounts", 'A'},
	{"tenants", 'A'},     {"users", 'u'},	{"jobs", 'j'},
	{"pools", OPT_POOL},  {"format", 'o'},	{"topcount", OPT_TOP},
};

static const struct {
	const char *name;
	enum sfair_unit unit;
	enum sfair_share share;
} units[] = {
	{"seconds", SFAIR_SECONDS, SFAIR_AMOUNT},
	{"minutes", SFAIR_MINUTES, SFAIR_AMOUNT},
	{"hours", SFAIR_HOURS, SFAIR_AMOUNT},
	{"percent", SFAIR_MINUTES, SFAIR_PERCENT},
	{"secper", SFAIR_SECONDS, SFAIR_BOTH},
	{"minper", SFAIR_MINUTES, SFAIR_BOTH},
	{"hourper", SFAIR_HOURS, SFAIR_BOTH},
};

/* Names may be shortened, as in sreport. */
static int parse_unit(const char *text, struct sfair_report_args *args,
		      struct astra_error *err)
{
	for (size_t i = 0; *text && i < sizeof(units) / sizeof(*units); i++) {
		if (strncasecmp(units[i].name, text, strlen(text)) != 0)
			continue;
		args->show.unit = units[i].unit;
		args->share = units[i].share;
		return 0;
	}
	return astra_error_set(err,
			       "--time=%.64s: allowed: Seconds, Minutes, "
			       "Hours, Percent, SecPer, MinPer, HourPer",
			       text);
}

static int parse_top(const char *text, uint32_t *out, struct astra_error *err)
{
	char *end = NULL;
	unsigned long value = 0;

	if (isdigit((unsigned char)*text))
		value = strtoul(text, &end, 10);
	if (!end || *end || value < 1 || value > ASTRA_PAST_TOP_MAX)
		return astra_error_set(
			err, "topcount=%.64s: a whole number from 1 to %d",
			text, ASTRA_PAST_TOP_MAX);
	*out = (uint32_t)value;
	return 0;
}

static int apply_value(int option, const char *value,
		       struct sfair_report_args *args, struct astra_error *err)
{
	struct astra_query *query = &args->show.query;

	switch (option) {
	case 'A':
		return sfair_parse_names("accounts", value, &query->accounts,
					 err);
	case 'u':
		return sfair_parse_names("users", value, &query->users, err);
	case 'j':
		return sfair_parse_jobs(value, &query->jobs, err);
	case OPT_POOL:
		return sfair_parse_names("pool", value, &query->pools, err);
	case 't':
		return parse_unit(value, args, err);
	case 'T':
		return sfair_check_tres(value, err);
	case OPT_TOP:
		return parse_top(value, &query->past.top, err);
	case 'M':
		args->cluster = value;
		return 0;
	case 'o':
		args->show.format = value;
		return 0;
	case OPT_START:
		args->start = value;
		return 0;
	default:
		args->end = value;
		return 0;
	}
}

static bool apply_flag(int option, struct sfair_report_args *args)
{
	switch (option) {
	case 'Q':
		args->quiet = true;
		return true;
	case OPT_TREE:
		args->tree = true;
		return true;
	default:
		return sfair_show_flag(option, &args->show);
	}
}

int sfair_report_find(const char *type, const char *name,
		      enum astra_report_kind *out)
{
	for (int i = 0; *name && i < ASTRA_REPORT_KINDS; i++) {
		const struct astra_report_row *row =
			astra_report_row((enum astra_report_kind)i);

		if (strcmp(row->type, type) != 0 ||
		    strncasecmp(row->report, name, strlen(name)) != 0)
			continue;
		*out = (enum astra_report_kind)i;
		return 0;
	}
	return -1;
}

static int parse_report(const char *word, struct sfair_report_args *args,
			struct astra_error *err)
{
	char names[128];

	if (!args->named && !sfair_report_find(args->type, word,
					       &args->show.query.past.report)) {
		args->named = true;
		return 0;
	}
	astra_report_kind_names(args->type, names, sizeof(names));
	if (args->named)
		return astra_error_set(err,
				       "unexpected \"%.64s\": KEY=VALUE with "
				       "start, end, accounts, users, jobs, "
				       "pool, format or topcount, or tree",
				       word);
	return astra_error_set(err, "unknown report \"%.64s\": sfair %s has %s",
			       word, args->type, names);
}

static int parse_word(const char *word, struct sfair_report_args *args,
		      struct astra_error *err)
{
	const char *equals = strchr(word, '=');
	size_t size = equals ? (size_t)(equals - word) : 0;

	if (!equals && !strcasecmp(word, "tree")) {
		args->tree = true;
		return 0;
	}
	if (!equals)
		return parse_report(word, args, err);
	for (size_t i = 0; size && i < sizeof(words) / sizeof(*words); i++)
		if (!strncasecmp(words[i].key, word, size))
			return apply_value(words[i].option, equals + 1, args,
					   err);
	return astra_error_set(err,
			       "unknown \"%.64s\": allowed are start=, end=, "
			       "accounts=, users=, jobs=, pool=, format=, "
			       "topcount=",
			       word);
}

static int check(const struct sfair_report_args *args, struct astra_error *err)
{
	const struct astra_query *query = &args->show.query;
	const struct astra_report_row *row =
		astra_report_row(query->past.report);
	char names[128];

	astra_report_kind_names(args->type, names, sizeof(names));
	if (!args->named)
		return astra_error_set(err,
				       "which report? sfair %s has %s, for "
				       "example: sfair %s %s start=today",
				       args->type, names, args->type,
				       row->report);
	if (!row->accounts && query->users.count)
		return astra_error_set(err, "users= does not go with %s",
				       row->name);
	if (!row->accounts && query->accounts.count)
		return astra_error_set(err, "accounts= does not go with %s",
				       row->name);
	if (!row->jobs && query->jobs.count)
		return astra_error_set(err, "jobs= goes with sfair job only");
	if (!row->top && query->past.top)
		return astra_error_set(err,
				       "topcount= goes with user Top, user "
				       "Fairness, job Fairness, job Slowdown");
	if (args->tree && query->past.report != ASTRA_TENANT_USAGE)
		return astra_error_set(err, "tree goes with tenant Usage");
	return 0;
}

static int set_window(struct sfair_report_args *args, struct astra_error *err)
{
	struct astra_query_past *past = &args->show.query.past;
	double start, end;

	if (sfair_parse_window(args->start, args->end, &start, &end, err) < 0)
		return -1;
	past->start_sec = (int64_t)start;
	past->end_sec = (int64_t)end;
	return 0;
}

/* Whether the option's value is the next word. */
static bool takes_next(const char *word)
{
	const char *at;

	if (word[1] != '-') {
		at = strchr(short_options + 1, word[strlen(word) - 1]);
		return word[1] && at && at[1] == ':';
	}
	for (const struct option *o = long_options; o->name; o++)
		if (!strcmp(o->name, word + 2))
			return o->has_arg == required_argument;
	return false;
}

bool sfair_report_meant(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (*argv[i] != '-' || !strcmp(argv[i], "--help") ||
		    !strcmp(argv[i], "-h"))
			return true;
		if (takes_next(argv[i]))
			i++;
	}
	return false;
}

/* The first report of a type, for examples. */
static enum astra_report_kind first_of(const char *type)
{
	int kind = 0;

	while (kind < ASTRA_REPORT_KINDS - 1 &&
	       strcmp(astra_report_row((enum astra_report_kind)kind)->type,
		      type) != 0)
		kind++;
	return (enum astra_report_kind)kind;
}

static int apply(int option, char **argv, struct sfair_report_args *args,
		 struct astra_error *err)
{
	if (option == '?' || option == ':')
		return sfair_bad_option(option, argv, err);
	if (option == 'a')
		return astra_error_set(
			err,
			"-a: a history is one cluster's: ask each with its own slurm.conf (SLURM_CONF=), or slurmdbd with sfair audit -M NAME");
	if (apply_flag(option, args))
		return 0;
	return apply_value(option, optarg, args, err);
}

int sfair_report_parse(int argc, char **argv, struct sfair_report_args *args,
		       struct astra_error *err)
{
	int option;

	*args = (struct sfair_report_args){
		.show = {.unit = SFAIR_MINUTES,
			 .no_unit = true,
			 .query = {.kind = ASTRA_QUERY_REPORT}},
		.type = argv[0],
	};
	args->show.query.past.report = first_of(args->type);
	opterr = 0;
	while ((option = getopt_long(argc, argv, short_options, long_options,
				     NULL)) != -1)
		if (apply(option, argv, args, err) < 0)
			return -1;
	for (; optind < argc; optind++)
		if (parse_word(argv[optind], args, err) < 0)
			return -1;
	if (args->show.help || args->show.version || args->show.help_format)
		return 0;
	return check(args, err) < 0 ? -1 : set_window(args, err);
}
