/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports over past time: parses the command line, and asks for the report. */
#include "astra_config.h"

#include "src/cmd/sfair/reports.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define IN(member) ASTRA_CLI_IN(struct sfair_report_args, member)
#define BOTH .spelling = ASTRA_CLI_BOTH

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

/* Names may be abbreviated, as in sreport. */
static int set_unit(const struct astra_cli_option *row, void *at,
		    const char *text, struct astra_error *err)
{
	struct sfair_report_args *args = at;

	(void)row;
	for (size_t i = 0; *text && i < sizeof(units) / sizeof(*units); i++) {
		if (strncasecmp(units[i].name, text, strlen(text)) != 0)
			continue;
		args->show.unit = units[i].unit;
		args->share = units[i].share;
		return 0;
	}
	return astra_error_set(err,
			       "allowed: Seconds, Minutes, Hours, Percent, "
			       "SecPer, MinPer, HourPer");
}

static int refuse_all(const struct astra_cli_option *row, void *at,
		      const char *text, struct astra_error *err)
{
	(void)row;
	(void)at;
	(void)text;
	return astra_error_set(
		err,
		"a history is one cluster's: ask each with its own slurm.conf (SLURM_CONF=), or slurmdbd with sfair audit -M NAME");
}

static const struct astra_cli_option options[] = {
	ASTRA_CLI_HEADING("Which"),
	{"start", 0, "TIME", "as sacct takes it [yesterday]", IN(start), BOTH},
	{"end", 0, "TIME", "the same [last midnight]", IN(end), BOTH},
	{.rows = sfair_which_options,
	 .offset = offsetof(struct sfair_report_args, show.query),
	 BOTH},
	{"jobs", 'j', "ID,...", "with job reports",
	 ASTRA_CLI_BY(sfair_set_jobs, struct sfair_report_args,
		      show.query.jobs),
	 BOTH},
	{"topcount", 0, "N", "the first ones only [10 of user Top]",
	 IN(show.query.past.top), .least = 1, .most = ASTRA_PAST_TOP_MAX, BOTH},
	{"cluster", 'M', "NAME", "this cluster; no other is asked",
	 IN(cluster)},
	{"all_clusters", 'a', NULL, NULL, .set = refuse_all},
	ASTRA_CLI_HEADING("How shown"),
	{"format", 'o', "FIELD[%[-]N],...", "these columns", IN(show.format),
	 BOTH},
	{.rows = sfair_style_options,
	 .offset = offsetof(struct sfair_report_args, show)},
	{"quiet", 'Q', NULL, "no warnings", IN(quiet)},
	{"time", 't', "UNIT",
	 "GPU time in Seconds, Minutes, Hours, Percent, SecPer, MinPer or HourPer [Minutes]",
	 .set = set_unit},
	{"tres", 'T', "gres/gpu", "what is counted; nothing else is",
	 .set = sfair_check_tres},
	{"tree", 0, NULL, "tenant Usage with sums", IN(tree), BOTH},
	ASTRA_CLI_HEADING("Others"),
	ASTRA_CLI_HELP,
	{"verbose", 'v', NULL, "say whom it asks", IN(show.verbose)},
	ASTRA_CLI_VERSION,
	ASTRA_CLI_END,
};

/* Finds the report by its type and its name, which may be abbreviated. Returns
 * 0, or -1 if there is none. */
static int sfair_report_find(const char *type, const char *name,
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

static int set_report(void *at, const char *word, struct astra_error *err)
{
	struct sfair_report_args *args = at;
	char names[128];

	if (!args->named && !sfair_report_find(args->type, word,
					       &args->show.query.past.report)) {
		args->named = true;
		return 0;
	}
	astra_report_kind_names(args->type, names, sizeof(names));
	if (strchr(word, '='))
		return astra_error_set(
			err,
			"unknown \"%.64s\": allowed are start=, end=, "
			"accounts=, users=, jobs=, pool=, format=, "
			"topcount=",
			word);
	if (args->named)
		return astra_error_set(err,
				       "unexpected \"%.64s\": KEY=VALUE with "
				       "start, end, accounts, users, jobs, "
				       "pool, format or topcount, or tree",
				       word);
	return astra_error_set(err, "unknown report \"%.64s\": sfair %s has %s",
			       word, args->type, names);
}

static void reports_args_put_name(const struct astra_report_row *row,
				  char *text, size_t size)
{
	snprintf(text, size, "%c%s", toupper((unsigned char)*row->report),
		 row->report + 1);
}

static int reports_args_check(const struct sfair_report_args *args,
			      struct astra_error *err)
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

static int reports_args_set_window(struct sfair_report_args *args,
				   struct astra_error *err)
{
	struct astra_query_past *past = &args->show.query.past;
	double start, end;

	if (sfair_parse_window(args->start, args->end, &start, &end, err) < 0)
		return -1;
	past->start_sec = (int64_t)start;
	past->end_sec = (int64_t)end;
	return 0;
}

/* Lists the reports of a command, such as "sfair tenant", for --help. */
static void put_reports(const struct astra_cli *cli)
{
	const char *type = cli->name + strlen("sfair ");

	if (!strcmp(type, "tenant") || !strcmp(type, "job"))
		printf("Without a REPORT: how it is now, see sfair --help.\n");
	printf("\nReports:\n");
	for (int i = 0; i < ASTRA_REPORT_KINDS; i++) {
		const struct astra_report_row *row =
			astra_report_row((enum astra_report_kind)i);
		char name[32];

		if (strcmp(row->type, type) != 0)
			continue;
		reports_args_put_name(row, name, sizeof(name));
		printf("  %-21s %s\n", name, row->help ? row->help : "");
	}
}

/* Returns the first report of a type, as an example in the help. */
static enum astra_report_kind first_of(const char *type)
{
	int kind = 0;

	while (kind < ASTRA_REPORT_KINDS - 1 &&
	       strcmp(astra_report_row((enum astra_report_kind)kind)->type,
		      type) != 0)
		kind++;
	return (enum astra_report_kind)kind;
}

bool sfair_report_meant(int argc, char **argv)
{
	static const struct astra_cli cli = {.options = options};

	for (int i = 1; i < argc; i++) {
		if (*argv[i] != '-' || !strcmp(argv[i], "--help") ||
		    !strcmp(argv[i], "-h"))
			return true;
		if (astra_cli_takes_next(&cli, argv[i]))
			i++;
	}
	return false;
}

/* Parses the command line. Returns as astra_cli_parse() does. Destroy the query
 * in show in both cases. */
static int sfair_report_parse(int argc, char **argv,
			      struct sfair_report_args *args,
			      struct astra_error *err)
{
	char name[32], usage[96];
	const struct astra_cli cli = {
		.name = name,
		.usage = usage,
		.summary = "Report on past time, from the plugin's history.",
		.lists = put_reports,
		.options = options,
		.word = set_report,
	};
	int rc;

	snprintf(name, sizeof(name), "sfair %s", argv[0]);
	snprintf(usage, sizeof(usage), "%s REPORT [KEY=VALUE]... [OPTION]...",
		 name);
	*args = (struct sfair_report_args){
		.show = {.unit = SFAIR_MINUTES,
			 .no_unit = true,
			 .query = {.kind = ASTRA_QUERY_REPORT}},
		.type = argv[0],
	};
	args->show.query.past.report = first_of(args->type);
	rc = astra_cli_parse(&cli, argc, argv, args, err);
	if (rc || args->show.help_format)
		return rc;
	return reports_args_check(args, err) < 0
		       ? -1
		       : reports_args_set_window(args, err);
}

static void sfair_report_help_format(const struct sfair_report_args *args)
{
	for (int i = 0; i < ASTRA_REPORT_KINDS; i++) {
		enum astra_report_kind kind = (enum astra_report_kind)i;
		const struct astra_report_row *row = astra_report_row(kind);
		char name[32], title[64];

		if (strcmp(row->type, args->type) != 0 ||
		    (args->named && kind != args->show.query.past.report))
			continue;
		reports_args_put_name(row, name, sizeof(name));
		snprintf(title, sizeof(title), "%s %s", row->type, name);
		sfair_list_fields(title, sfair_report_table(kind));
	}
}

/* Checks that the cluster given is the plugin's own. */
static int check_cluster(const struct sfair_report_args *args,
			 struct astra_error *err)
{
	const char *own = NULL;

	if (!args->cluster)
		return 0;
	if (sfair_cluster_name(&own, "ask on slurmctld's host", err) < 0)
		return -1;
	if (!strcmp(own, args->cluster))
		return 0;
	return astra_error_set(
		err,
		"-M %.64s: a history is kept by each cluster's plugin, and this is cluster %.64s: ask with that cluster's slurm.conf (SLURM_CONF=), or slurmdbd with sfair audit -M %.64s",
		args->cluster, own, args->cluster);
}

static int reports_check_format(const struct sfair_report_args *args,
				struct astra_error *err)
{
	struct sfair_choices choices = {0};
	int rc = 0;

	if (args->show.format)
		rc = sfair_format_parse(
			sfair_report_table(args->show.query.past.report),
			args->show.format, &choices, err);
	free(choices.items);
	return rc;
}

static int check_share(const struct sfair_report_args *args,
		       struct astra_error *err)
{
	if (args->share == SFAIR_AMOUNT || strcmp(args->type, "job") != 0)
		return 0;
	return astra_error_set(err, "--time: a job's GPU time is no part of "
				    "the window's: Seconds, Minutes or Hours");
}

static int reports_report(const struct sfair_report_args *args,
			  struct astra_error *err)
{
	json_t *reply;
	int rc;

	if (reports_check_format(args, err) < 0 || check_share(args, err) < 0 ||
	    check_cluster(args, err) < 0)
		return -1;
	reply = sfair_ask(&args->show.query, args->show.verbose, err);
	if (!reply)
		return -1;
	rc = sfair_report_print(reply, args, err);
	json_decref(reply);
	if (!rc && (fflush(stdout) || ferror(stdout)))
		rc = astra_error_set(err, "writing the output failed");
	return rc;
}

int sfair_report(int argc, char **argv, struct astra_error *err)
{
	struct sfair_report_args args;
	int rc = sfair_report_parse(argc, argv, &args, err);

	if (!rc && args.show.help_format)
		sfair_report_help_format(&args);
	else if (!rc)
		rc = reports_report(&args, err);
	astra_query_destroy(&args.show.query);
	return rc;
}
