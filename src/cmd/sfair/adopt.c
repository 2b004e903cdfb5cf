/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair adopt: lets accounts begin with the past. The plugin tells how it keeps
 * accounts. The records of the pool's jobs in slurmdbd then go through the same
 * accounting here, and the result is sent to the plugin. */
#include "src/cmd/sfair/adopt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/audit.h"

#define IN(member) ASTRA_CLI_IN(struct sfair_adopt_args, member)

static const struct astra_cli_option adopt_options[] = {
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

/* Parses the command line. Returns as astra_cli_parse() does. Destroy
 * show.query in all cases. */
static int sfair_adopt_parse(int argc, char **argv,
			     struct sfair_adopt_args *args,
			     struct astra_error *err)
{
	static const struct astra_cli cli = {
		.name = "sfair adopt",
		.usage = "sfair adopt --from-slurmdbd start=TIME [OPTION]...",
		.summary =
			"Let the accounts of tenants and users begin with what slurmdbd knows of the\n"
			"time since then, instead of with nothing. Shows what they would be, and\n"
			"changes nothing without -i. For root, SlurmUser and operators.",
		.options = adopt_options,
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

struct adopt {
	const struct sfair_adopt_args *args;
	const char *cluster;
	json_t *accounts; /* the plugin's reply about the pool */
	struct astra_record record;
	struct astra_window window;
	struct astra_trace trace;
	struct astra_sim_result past;
	struct sfair_adopt_rows rows;
	struct sfair_accounts known; /* in slurmdbd */
};

static const char *adopt_text(const struct adopt *a, const char *key)
{
	const char *text = json_string_value(json_object_get(a->accounts, key));

	return text ? text : "";
}

static double adopt_number(const struct adopt *a, const char *key)
{
	return json_number_value(json_object_get(a->accounts, key));
}

/* Asks the plugin for its accounts. */
static int adopt_ask(struct adopt *a, struct astra_query *query,
		     struct astra_error *err)
{
	a->accounts =
		sfair_ask_round(query, "accounts", a->args->show.verbose, err);
	if (!a->accounts)
		return -1;
	if (adopt_number(a, "devices") < 1 || adopt_number(a, "gpus") <= 0)
		return astra_error_set(err,
				       "pool %s has no GPUs at present, of "
				       "which anybody could have a share",
				       adopt_text(a, "pool"));
	a->window.end_sec = adopt_number(a, "time_sec");
	if (sfair_parse_time("start", a->args->start, &a->window.start_sec,
			     err) < 0)
		return -1;
	if (a->window.start_sec < a->window.end_sec)
		return 0;
	return astra_error_set(err, "start=%.64s is not in the past",
			       a->args->start);
}

/* Reads jobs and accounts from slurmdbd. */
static int adopt_read(struct adopt *a, struct astra_error *err)
{
	const char *partitions = adopt_text(a, "partitions");
	char since[32], until[32];

	snprintf(since, sizeof(since), "uts%.0f", a->window.start_sec);
	snprintf(until, sizeof(until), "uts%.0f", ceil(a->window.end_sec));
	if (astra_record_from_slurmdbd(&a->record, since, until, a->cluster,
				       partitions, err) < 0) {
		astra_error_add(err,
				"nothing is adopted: does sacct -X "
				"--partition=%.200s -S %.64s show jobs?",
				partitions, a->args->start);
		return -1;
	}
	if (sfair_accounts_ask(&a->known, a->cluster, HUGE_VAL, err) < 0)
		return -1;
	return sfair_audit_accounts(&a->record, &a->known,
				    (unsigned)adopt_number(a, "tenant_level"),
				    err);
}

/* Sets the weights of the trace's tenants to the plugin's, and adds the pool's
 * other tenants. known: set, for each tenant of the trace, to whether the pool
 * has it. */
static int adopt_weigh(struct adopt *a, bool *known)
{
	const json_t *one;
	size_t of_jobs = a->trace.tenant_count, i;

	for (size_t k = 0; k < of_jobs; k++)
		a->trace.tenants[k].weight = 0;
	json_array_foreach(json_object_get(a->accounts, "tenants"), i, one)
	{
		const char *name =
			json_string_value(json_object_get(one, "name"));
		uint32_t at =
			name ? astra_trace_tenant(&a->trace, name) : ASTRA_NONE;

		if (at == ASTRA_NONE)
			return -1;
		a->trace.tenants[at].weight =
			json_number_value(json_object_get(one, "weight"));
		if (at < of_jobs)
			known[at] = true;
	}
	return 0;
}

/* Drops jobs of users and accounts that are no longer tenants. */
static void adopt_drop(struct adopt *a, const bool *known)
{
	struct astra_trace *t = &a->trace;
	size_t kept = 0, dropped;
	const char *whose = "";

	for (size_t i = 0; i < t->job_count; i++) {
		if (known[t->jobs[i].tenant])
			t->jobs[kept++] = t->jobs[i];
		else
			whose = t->tenants[t->jobs[i].tenant].name;
	}
	dropped = t->job_count - kept;
	t->job_count = kept;
	if (dropped && !a->args->quiet)
		fprintf(stderr,
			"sfair: %zu job%s of %s%s count%s for nobody, as such "
			"tenants are not in pool %s\n",
			dropped, dropped == 1 ? "" : "s", whose,
			dropped == 1 ? "" : " and the like",
			dropped == 1 ? "s" : "", adopt_text(a, "pool"));
}

static int adopt_trace(struct adopt *a, struct astra_error *err)
{
	bool *known;
	int rc = astra_audit_trace(&a->record, &a->window, false, &a->trace);

	known = calloc(a->trace.tenant_count + 1, sizeof(*known));
	if (rc < 0 || !known || adopt_weigh(a, known) < 0)
		rc = astra_error_nomem(err);
	else
		adopt_drop(a, known);
	free(known);
	if (!rc && !a->trace.job_count)
		rc = astra_error_set(err,
				     "no GPU job of a tenant of pool %s was "
				     "there since %.64s: nothing is adopted",
				     adopt_text(a, "pool"), a->args->start);
	return rc;
}

/* Computes the accounts in the same way as the plugin. */
static int adopt_measure(struct adopt *a, struct astra_error *err)
{
	bool by_user = !strcmp(adopt_text(a, "within"), "user");
	double devices = adopt_number(a, "devices");
	const struct astra_audit_options options = {
		.gpus = (uint64_t)devices,
		.quota_entitlement = !strcmp(adopt_text(a, "variant"), "eq16"),
		.half_life_sec = adopt_number(a, "half_life_sec"),
		.lead_max_sec = adopt_number(a, "lead_max_sec"),
		.user_weight = by_user ? sfair_accounts_user_share : NULL,
		.user_weight_arg = &a->known,
		.seed = 1,
	};

	if (astra_audit_measure(&a->record, &a->window, &a->trace, &options,
				&a->past, err) < 0)
		return -1;
	return sfair_adopt_rows_make(a->accounts, &a->past,
				     adopt_number(a, "gpus") / devices,
				     &a->rows) < 0
		       ? astra_error_nomem(err)
		       : 0;
}

/* Sends the accounts to the plugin, which saves them. */
static int adopt_apply(struct adopt *a, struct astra_error *err)
{
	struct astra_query query = {.kind = ASTRA_QUERY_ADOPT};
	const char *pool = adopt_text(a, "pool");
	json_t *after = NULL;

	query.adopt.replace = a->args->replace;
	if (astra_names_add(&query.pools, pool, strlen(pool)) < 0 ||
	    sfair_adopt_rows_say(&a->rows, &query.adopt) < 0)
		astra_error_nomem(err);
	else if (query.adopt.count > ASTRA_ADOPT_MAX)
		astra_error_set(err,
				"%zu tenants and users: at most %d at once",
				query.adopt.count, ASTRA_ADOPT_MAX);
	else
		after = sfair_ask_round(&query, "accounts",
					a->args->show.verbose, err);
	astra_query_destroy(&query);
	json_decref(after);
	return after ? 0 : -1;
}

static void adopt_print_json(const struct adopt *a)
{
	json_t *all =
		json_pack("{s:{s:s, s:s, s:f, s:f, s:f, s:I, s:b}, s:o}",
			  "adopt", "pool", adopt_text(a, "pool"), "partitions",
			  adopt_text(a, "partitions"), "start_sec",
			  a->window.start_sec, "end_sec", a->window.end_sec,
			  "gpus", adopt_number(a, "devices"), "jobs",
			  (json_int_t)a->trace.job_count, "applied",
			  (int)a->args->immediate, "accounts",
			  sfair_adopt_rows_json(&a->rows));

	json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	putchar('\n');
	json_decref(all);
}

static void adopt_head(const struct adopt *a)
{
	char start[64], end[64];

	sfair_time(a->window.start_sec, start, sizeof(start));
	sfair_time(a->window.end_sec, end, sizeof(end));
	printf("Pool %s from %s to %s: %g GPUs, %zu job%s\n",
	       adopt_text(a, "pool"), start, end, adopt_number(a, "devices"),
	       a->trace.job_count, a->trace.job_count == 1 ? "" : "s");
}

static int adopt_print(const struct adopt *a, struct astra_error *err)
{
	const struct sfair_args *show = &a->args->show;
	json_t *rows;
	int rc;

	if (show->style == SFAIR_JSON) {
		adopt_print_json(a);
		return 0;
	}
	if (show->style == SFAIR_TABLE && !show->no_header)
		adopt_head(a);
	rows = sfair_adopt_rows_json(&a->rows);
	rc = sfair_print_rows(&sfair_adopt_table, rows, show, a->window.end_sec,
			      err);
	json_decref(rows);
	fflush(stdout);
	if (rc || a->args->quiet)
		return rc;
	if (a->args->immediate)
		fprintf(stderr, "sfair: the accounts of pool %s begin so\n",
			adopt_text(a, "pool"));
	else
		fprintf(stderr, "sfair: nothing is changed: -i%s does it\n",
			sfair_adopt_has_begun(&a->rows) ? " --replace" : "");
	return 0;
}

static int adopt_propose(struct sfair_adopt_args *args, struct astra_error *err)
{
	struct adopt a = {.args = args};
	int rc = sfair_cluster_name(&a.cluster, "ask on slurmctld's host", err);

	astra_trace_init(&a.trace);
	if (!rc)
		rc = adopt_ask(&a, &args->show.query, err);
	if (!rc)
		rc = adopt_read(&a, err);
	if (!rc)
		rc = adopt_trace(&a, err);
	if (!rc)
		rc = adopt_measure(&a, err);
	if (!rc && args->immediate)
		rc = adopt_apply(&a, err);
	if (!rc)
		rc = adopt_print(&a, err);
	sfair_adopt_rows_clear(&a.rows);
	sfair_accounts_clear(&a.known);
	astra_sim_result_clear(&a.past);
	astra_trace_clear(&a.trace);
	astra_record_clear(&a.record);
	json_decref(a.accounts);
	return rc;
}

static int adopt_check_format(const struct sfair_args *show,
			      struct astra_error *err)
{
	struct sfair_choices choices = {0};
	int rc = 0;

	if (show->format)
		rc = sfair_format_parse(&sfair_adopt_table, show->format,
					&choices, err);
	free(choices.items);
	return rc;
}

int sfair_adopt(int argc, char **argv, struct astra_error *err)
{
	struct sfair_adopt_args args;
	int rc = sfair_adopt_parse(argc, argv, &args, err);

	if (!rc && args.show.help_format)
		sfair_list_fields("adopt", &sfair_adopt_table);
	else if (!rc && (rc = adopt_check_format(&args.show, err)) == 0)
		rc = adopt_propose(&args, err);
	astra_query_destroy(&args.show.query);
	return rc;
}
