/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair try: what another astraea.conf would change for waiting jobs.
 *
 * The next round is recorded as for `sfair record`. src/audit/forward.h makes a
 * trace of it. The simulator begins with that trace (struct astra_sim_begin),
 * and a copy of the engine is configured as slurmctld would do it. Two threads
 * run it: with the options in force, and with those that are tried. They share
 * nothing that either writes. Keys go through the tables that read the file. An
 * option that only the Slurm side uses, or that is in the snapshot already, as
 * GPUWeight, is refused: both runs would be the same.
 * */
#include "src/cmd/sfair/try.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "src/cmd/sfair/audit.h"
#include "src/policies/options.h"

#define DAY_SEC 86400.0
#define INTERVAL_SEC 3600 /* of the tenants' sharing loss */

/* Reading the round. */

static json_t *try_load(const char *path, struct astra_error *err)
{
	json_error_t wrong;
	json_t *json = json_load_file(path, 0, &wrong);

	if (json && astra_round_is(json))
		return json;
	if (json)
		astra_error_set(err,
				"%.200s: no round: sfair record -o FILE saves "
				"one",
				path);
	else
		astra_error_set(err, "%.200s: line %d: %s", path, wrong.line,
				wrong.text);
	json_decref(json);
	return NULL;
}

static json_t *try_ask(const char *pool, struct astra_error *err)
{
	struct astra_query query = {.kind = ASTRA_QUERY_RECORD};
	json_t *json = NULL;

	if (!pool || !sfair_parse_names(pool, &query.pools, err))
		json = sfair_ask_round(&query, "record", false, err);
	astra_query_destroy(&query);
	return json;
}

/* Adds to err how to do without the live cluster's round, unless --record is
 * used. */
static int try_no_round(const struct sfair_try *t, struct astra_error *err)
{
	const struct astra_error why = *err;

	if (t->args->record)
		return -1;
	return astra_error_set(err,
			       "what runs is not known: %.400s; or name a "
			       "round that sfair record saved with --record",
			       why.text);
}

static int try_read_round(struct sfair_try *t, struct astra_error *err)
{
	const char *pool = t->file.config ? t->file.pool : t->args->words.pool;

	t->json = t->args->record ? try_load(t->args->record, err)
				  : try_ask(pool, err);
	t->round = calloc(1, sizeof(*t->round));
	if (!t->json)
		return try_no_round(t, err);
	if (!t->round)
		return astra_error_nomem(err);
	if (astra_round_read(t->json, t->round, err) < 0)
		return -1;
	if (!t->round->head.pool || !t->round->head.cluster)
		return astra_error_set(err, "the round is of no pool");
	if (pool && strcasecmp(t->round->head.pool, pool) != 0)
		return astra_error_set(err,
				       "the round is of pool %.64s, not of "
				       "%.64s: say pool=NAME",
				       t->round->head.pool, pool);
	if (!t->round->options.leases)
		return astra_error_set(
			err,
			"pool %.64s has no leases: Slurm itself "
			"starts its jobs, which nobody can try "
			"here; Leases=watch and sfair watch tell "
			"what leases would change",
			t->round->head.pool);
	return 0;
}

/* Reads the jobs of the last days. */

static int try_no_past(struct astra_error *err)
{
	const struct astra_error why = *err;

	return astra_error_set(err,
			       "who submitted what in the last days is not "
			       "known: %.400s; or name a trace of them with "
			       "--trace",
			       why.text);
}

static int try_read_slurmdbd(struct sfair_try *t, struct astra_error *err)
{
	const char *cluster = t->round->head.cluster;
	char since[32], until[32];

	t->window.end_sec = floor(t->round->snapshot.now_sec);
	t->window.start_sec = t->window.end_sec - t->args->days * DAY_SEC;
	snprintf(since, sizeof(since), "uts%.0f", t->window.start_sec);
	snprintf(until, sizeof(until), "uts%.0f", t->window.end_sec);
	if (astra_record_from_slurmdbd(&t->record, since, until,
				       t->args->record ? cluster : NULL,
				       t->file.partitions, err) < 0 &&
	    !t->record.defects) /* defects is set: there was no job, which is
				 * not an error */
		return try_no_past(err);
	if (sfair_accounts_ask(&t->accounts, cluster, HUGE_VAL, err) < 0)
		return try_no_past(err);
	return sfair_audit_accounts(&t->record, &t->accounts,
				    t->file.tenant_level, err);
}

/* Reads a trace. The time of its last submission counts as now. */
static int try_read_trace(struct sfair_try *t, struct astra_error *err)
{
	const struct astra_read_options options = {0};
	double last_sec = -HUGE_VAL, first_sec = HUGE_VAL;

	if (astra_record_read(&t->record, t->args->trace, &options,
			      t->args->lenient, err) < 0)
		return -1;
	for (size_t i = 0; i < t->record.job_count; i++) {
		last_sec = fmax(last_sec, t->record.jobs[i].submit_sec);
		first_sec = fmin(first_sec, t->record.jobs[i].submit_sec);
	}
	t->window.end_sec = last_sec + 1;
	t->window.start_sec =
		fmax(first_sec, t->window.end_sec - t->args->days * DAY_SEC);
	for (size_t i = 0; t->file.tenants && i < t->record.job_count; i++) {
		struct astra_record_job *job = &t->record.jobs[i];
		const char *tenant = sfair_try_file_tenant(
			&t->file, job->account, job->user);

		job->tenant = tenant ? tenant : job->user;
	}
	return 0;
}

static bool try_has_tenant(const struct sfair_try *t, const char *name)
{
	const struct astra_snapshot *s = &t->round->snapshot;

	for (size_t i = 0; i < s->tenant_count; i++)
		if (!strcmp(s->tenants[i].name, name))
			return true;
	return false;
}

/* Charges jobs as the plugin does: a job whose account is not a known tenant is
 * charged to its user, who then counts as a tenant. */
static void try_charge(struct sfair_try *t)
{
	const char *last = NULL; /* the tenant of the job before: equal names
				  * are the same pointer */
	bool known = false;

	for (size_t i = 0; i < t->record.job_count; i++) {
		struct astra_record_job *job = &t->record.jobs[i];

		if (job->tenant != last)
			known = try_has_tenant(t, job->tenant);
		last = job->tenant;
		if (known)
			continue;
		job->tenant = job->user;
		t->strangers++;
	}
}

static int try_read_past(struct sfair_try *t, struct astra_error *err)
{
	if ((t->args->trace ? try_read_trace(t, err)
			    : try_read_slurmdbd(t, err)) < 0)
		return -1;
	if (!t->args->quiet && t->record.defects)
		fputs(t->record.defects, stderr);
	try_charge(t);
	if (astra_forward(&t->round->snapshot, t->round->engine, &t->record,
			  &t->window, &t->forward, err) < 0)
		return -1;
	if (t->forward.trace.job_count)
		return 0;
	return astra_error_set(err,
			       "nobody runs or waits in pool %.64s, and nobody "
			       "came in %u day%s: there is nothing to try",
			       t->round->head.pool, t->args->days,
			       t->args->days == 1 ? "" : "s");
}

/* The two runs. */

static double try_user_weight(const void *arg, const char *tenant,
			      const char *user)
{
	const struct sfair_try *t = arg;
	const struct astra_snapshot *s = &t->round->snapshot;

	for (size_t i = 0; i < s->user_count; i++)
		if (!strcmp(s->users[i].name, user) &&
		    !strcmp(s->tenants[s->users[i].tenant].name, tenant))
			return s->users[i].weight;
	return t->args->trace
		       ? 1
		       : sfair_accounts_user_share(&t->accounts, tenant, user);
}

static void try_progress(void *arg, double done, double now_sec)
{
	(void)arg;
	(void)now_sec;
	fprintf(stderr, "\rsfair: %3.0f %%", 100 * done);
}

static int try_prepare_run(struct sfair_try *t, size_t at,
			   const struct astra_options *options,
			   struct astra_error *err)
{
	struct sfair_try_run *run = &t->runs[at];
	size_t count = t->forward.trace.tenant_count;

	run->name = at ? "changed" : "today";
	run->options = *options;
	run->scheduler = astra_scheduler_find(options->policy, err);
	run->cluster = &t->forward.cluster;
	run->trace = t->forward.trace;
	run->trace.tenants = calloc(count + 1, sizeof(*run->trace.tenants));
	if (!run->trace.tenants)
		return astra_error_nomem(err);
	memcpy(run->trace.tenants, t->forward.trace.tenants,
	       count * sizeof(*run->trace.tenants));
	run->sim = (struct astra_sim_options){
		.round_sec = 1,
		.checkpoint_sec = t->args->checkpoint_sec,
		.cold_start_sec = t->args->cold_start_sec,
		.slowdown = {1, 1, 1, 1},
		.interval_sec = INTERVAL_SEC,
		.seed = 1,
		.begin = &t->forward.begin,
	};
	if (!at && !t->args->quiet && isatty(STDERR_FILENO))
		run->sim.progress = try_progress;
	return run->scheduler ? 0 : -1;
}

static void *try_run(void *arg)
{
	struct sfair_try_run *run = arg;

	run->rc = astra_simulate(&run->trace, run->cluster, run->scheduler,
				 &run->options, &run->sim, &run->result,
				 &run->err);
	if (!run->rc && astra_contention(&run->result) < 0)
		run->rc = astra_error_nomem(&run->err);
	return NULL;
}

/* Runs both simulations, in parallel if possible. */
static int try_simulate(struct sfair_try *t, struct astra_error *err)
{
	pthread_t thread;
	int alone = pthread_create(&thread, NULL, try_run, &t->runs[1]);

	try_run(&t->runs[0]);
	if (alone)
		try_run(&t->runs[1]);
	else
		(void)pthread_join(thread, NULL);
	if (t->runs[0].sim.progress)
		fputs("\r             \r", stderr);
	for (size_t i = 0; i < 2; i++)
		if (t->runs[i].rc < 0)
			return astra_error_set(err, "the run of %s: %.500s",
					       i ? "what is tried" : "today",
					       t->runs[i].err.text);
	return 0;
}

/* Returns the shortest term among the jobs of the round. */
static double try_least_term(const struct sfair_try *t,
			     const struct astra_options *options)
{
	const struct astra_snapshot *s = &t->round->snapshot;
	double least_sec = options->lease_sec;

	for (size_t i = 0; i < s->job_count; i++)
		if (s->jobs[i].lease_sec > 0)
			least_sec = fmin(least_sec, s->jobs[i].lease_sec);
	return least_sec;
}

/* Checks the terms. If a term is too short for progress, jobs that take turns
 * never end, so the run would not end either. */
static int try_check_terms(const struct sfair_try *t, struct astra_error *err)
{
	double start_sec = t->args->cold_start_sec;

	for (size_t i = 0; i < 2; i++) {
		double term_sec = try_least_term(t, &t->runs[i].options);

		if (term_sec <= start_sec)
			return astra_error_set(
				err,
				"a term of %g s, which %s has, is over before "
				"a job has started, for that takes %g s: say "
				"with --cold-start what it takes, less than "
				"that",
				term_sec, i ? "what is tried" : "what runs",
				start_sec);
	}
	return 0;
}

static int try_prepare(struct sfair_try *t, struct astra_error *err)
{
	t->forward.begin.user_weight = try_user_weight;
	t->forward.begin.user_weight_arg = t;
	if (try_prepare_run(t, 0, &t->round->options, err) < 0 ||
	    try_prepare_run(t, 1, &t->options, err) < 0 ||
	    sfair_try_words_weigh(&t->args->words, &t->runs[1].trace, err) <
		    0 ||
	    try_check_terms(t, err) < 0)
		return -1;
	t->tried = sfair_try_words_tell(t);
	if (!t->tried)
		return astra_error_nomem(err);
	if (json_array_size(t->tried))
		return 0;
	return astra_error_set(err,
			       t->args->words.count
				       ? "nothing changes: what runs has these "
					 "values"
				       : "nothing changes: say what is to be "
					 "tried, as LeaseTerm=600");
}

/* The command. */

static int try_check_format(const struct sfair_try_args *args,
			    struct astra_error *err)
{
	struct sfair_choices choices = {0};
	int rc = 0;

	if (args->show.format)
		rc = sfair_format_parse(sfair_try_table_of(args->table),
					args->show.format, &choices, err);
	free(choices.items);
	return rc;
}

/* Reads the file, if one is needed, before the plugin is asked. */
static int try_read_file(struct sfair_try *t, struct astra_error *err)
{
	const struct sfair_try_args *a = t->args;

	if (a->slurm_conf)
		setenv("SLURM_CONF", a->slurm_conf, 1);
	if (a->record && a->trace && !a->conf && !a->slurm_conf)
		return 0;
	if (sfair_load_slurm_conf("try a --record and a --trace", err) < 0)
		return -1;
	return sfair_try_file_read(a->conf, a->words.pool, &t->file, err);
}

static int try_read(struct sfair_try *t, struct astra_error *err)
{
	struct sfair_try_words words = t->args->words;

	if (try_check_format(t->args, err) < 0 ||
	    sfair_try_words_check(&words, err) < 0 || try_read_file(t, err) < 0)
		return -1;
	if (t->file.config) {
		t->options = *t->file.options;
		if (sfair_try_words_apply(&words, t->file.pool, &t->options,
					  err) < 0)
			return -1;
	}
	if (try_read_round(t, err) < 0)
		return -1;
	if (!t->file.config) {
		t->options = t->round->options;
		if (sfair_try_words_apply(&words, t->round->head.pool,
					  &t->options, err) < 0)
			return -1;
	}
	/* If both say auto, the present term is in the round. */
	if (t->options.lease_auto && t->round->options.lease_auto)
		t->options.lease_sec = t->round->options.lease_sec;
	if (!t->options.leases)
		return astra_error_set(err, "Leases=no cannot be tried: Slurm "
					    "itself starts the jobs then");
	return 0;
}

static int try_show(const struct sfair_try *t, struct astra_error *err)
{
	json_t *all = sfair_try_document(t);
	int rc = 0;

	if (!all)
		return astra_error_nomem(err);
	if (t->args->show.style == SFAIR_JSON) {
		json_dumpf(all, stdout,
			   JSON_INDENT(2) | JSON_REAL_PRECISION(15));
		putchar('\n');
	} else {
		rc = sfair_try_print(t, all, err);
	}
	json_decref(all);
	if (!rc && (fflush(stdout) || ferror(stdout)))
		rc = astra_error_set(err, "writing the output failed");
	return rc;
}

static void try_clear(struct sfair_try *t)
{
	for (size_t i = 0; i < 2; i++) {
		astra_sim_result_clear(&t->runs[i].result);
		free(t->runs[i].trace.tenants);
	}
	astra_forward_clear(&t->forward);
	astra_record_clear(&t->record);
	sfair_accounts_clear(&t->accounts);
	if (t->round)
		astra_round_clear(t->round);
	free(t->round);
	json_decref(t->tried);
	json_decref(t->json);
	sfair_try_file_clear(&t->file);
}

static int try_all(const struct sfair_try_args *args, struct astra_error *err)
{
	struct sfair_try t = {.args = args};
	int rc = try_read(&t, err);

	if (!rc)
		rc = try_read_past(&t, err);
	if (!rc)
		rc = try_prepare(&t, err);
	if (!rc)
		rc = try_simulate(&t, err);
	if (!rc)
		rc = try_show(&t, err);
	try_clear(&t);
	return rc;
}

/* The command line. */

#define SPAN_MAX_SEC 1e9

#define IN(member) ASTRA_CLI_IN(struct sfair_try_args, member)

static const struct astra_cli_option options[] = {
	ASTRA_CLI_HEADING("What is tried, and on what"),
	{"days", 0, "N", "whose jobs come once more [7]", IN(days), .least = 1,
	 .most = 366, .spelling = ASTRA_CLI_BOTH},
	{"conf", 0, "FILE", "this astraea.conf [the one beside slurm.conf]",
	 IN(conf)},
	{"slurm-conf", 0, "FILE", "of this slurm.conf (default: this host's)",
	 IN(slurm_conf)},
	{"record", 0, "FILE", "a round that sfair record saved [the next one]",
	 IN(record)},
	{"trace", 0, "FILE", "a trace of the last days [slurmdbd's]",
	 IN(trace)},
	{"lenient", 0, NULL, "go on without its bad lines", IN(lenient)},
	{"cold-start", 0, "SECONDS", "each start of a job costs [40]",
	 IN(cold_start_sec), .most = SPAN_MAX_SEC},
	{"checkpoint", 0, "SECONDS", "... and each stop [10]",
	 IN(checkpoint_sec), .most = SPAN_MAX_SEC},
	ASTRA_CLI_HEADING("How shown"),
	{"format", 'o', "FIELD[%[-]N],...", "columns of the TABLE",
	 IN(show.format), .spelling = ASTRA_CLI_BOTH},
	{.rows = sfair_style_options,
	 .offset = offsetof(struct sfair_try_args, show)},
	{"quiet", 'Q', NULL, "say nothing of what is assumed", IN(quiet)},
	ASTRA_CLI_HELP,
	ASTRA_CLI_END,
};

static int try_set_word(void *at, const char *word, struct astra_error *err)
{
	struct sfair_try_args *args = at;

	if (strchr(word, '='))
		return sfair_try_word(&args->words, word, err);
	for (int i = 0; i < SFAIR_TRY_TABLES; i++) {
		if (strcasecmp(word, sfair_try_table_name(i)) != 0)
			continue;
		if (args->table != SFAIR_TRY_TABLES)
			return astra_error_set(err,
					       "unexpected \"%.64s\": one "
					       "table",
					       word);
		args->table = i;
		return 0;
	}
	return astra_error_set(err,
			       "unknown word \"%.64s\": KEY=VALUE as in "
			       "astraea.conf, days=N, pool=NAME, or a table, "
			       "one of Runs, Tenants, Users, Jobs",
			       word);
}

static int try_parse(int argc, char **argv, struct sfair_try_args *args,
		     struct astra_error *err)
{
	static const struct astra_cli cli = {
		.name = "sfair try",
		.usage =
			"sfair try KEY=VALUE... [TABLE] [days=N] [pool=NAME] [OPTION]...",
		.summary =
			"Run what runs and waits, and the last days' jobs once more, forward under\n"
			"today's astraea.conf and under one with KEY=VALUE: who would wait less, and\n"
			"who more. Nothing is changed. Without KEY=VALUE the file as it is now is tried\n"
			"against what runs. For root, SlurmUser and operators. sfairsim options lists the\n"
			"keys; Tenant=NAME Weight=N is one, too.\n"
			"\n"
			"Tables, all if none is named: Runs, Tenants, Users; Jobs only if it is named.",
		.options = options,
		.word = try_set_word,
	};
	int rc = astra_cli_parse(&cli, argc, argv, args, err);

	if (rc || args->show.help_format)
		return rc;
	if (args->show.format && args->table == SFAIR_TRY_TABLES)
		return astra_error_set(err, "format= goes with one table: "
					    "sfair try Tenants, for example");
	return 0;
}

int sfair_try(int argc, char **argv, struct astra_error *err)
{
	struct sfair_try_args args = {
		.table = SFAIR_TRY_TABLES,
		.days = 7,
		.cold_start_sec = 40,
		.checkpoint_sec = 10,
	};
	int rc = try_parse(argc, argv, &args, err);

	if (!rc && args.show.help_format)
		sfair_try_help_format();
	else if (!rc)
		rc = try_all(&args, err);
	sfair_try_words_clear(&args.words);
	return rc;
}
