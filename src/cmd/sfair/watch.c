/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair watch: shows what leases would have changed in a pool without
 * leases. */
#include "src/cmd/sfair/watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "src/policies/options.h"

#define INTERVAL_SEC 3600

/* Rounds of the replay are a second apart. In a window of several hours they
 * are further apart, at most half a minute, which makes no difference. This
 * bounds the time that the replay takes. */
#define ROUNDS_MOST 20000.0
#define ROUND_MOST_SEC 30.0

/* Reading the pool. */

static int watch_check_pool(const struct astra_round *round,
			    struct astra_error *err)
{
	const struct astra_options *o = &round->options;

	if (!round->head.pool)
		return astra_error_set(err, "the round is of no pool");
	if (o->leases)
		return astra_error_set(
			err,
			"pool %.64s has leases already: sfair tenant and sfair "
			"job tell what they do, sfair try what others would",
			round->head.pool);
	if (!o->watch)
		return astra_error_set(
			err,
			"pool %.64s has Leases=no: set Leases=watch in "
			"astraea.conf, which changes nothing for its jobs, and "
			"scontrol reconfigure; ask again in a day",
			round->head.pool);
	return 0;
}

static int watch_read_round(struct sfair_watch *w, struct astra_error *err)
{
	struct astra_query query = {.kind = ASTRA_QUERY_RECORD};
	const char *pool = w->args->words.pool;

	if (!pool || !sfair_parse_names(pool, &query.pools, err))
		w->json = sfair_ask_round(&query, "record",
					  w->args->show.verbose, err);
	astra_query_destroy(&query);
	if (!w->json)
		return -1;
	w->round = calloc(1, sizeof(*w->round));
	if (!w->round)
		return astra_error_nomem(err);
	if (astra_round_read(w->json, w->round, err) < 0)
		return -1;
	w->window.end_sec = floor(w->round->snapshot.now_sec);
	return watch_check_pool(w->round, err);
}

/* Reads the pool's options, turns leases on, and applies the changes of the
 * command line. */
static int watch_read_options(struct sfair_watch *w, struct astra_error *err)
{
	struct sfair_try_words words = w->args->words;

	w->options = w->round->options;
	w->options.leases = true;
	w->options.watch = false;
	if (sfair_try_words_apply(&words, w->round->head.pool, &w->options,
				  err) < 0)
		return -1;
	return astra_options_check(&w->options, err);
}

/* The two runs: what really happened, and the replay with leases. */

static double watch_user_weight(const void *arg, const char *tenant,
				const char *user)
{
	const struct sfair_watch *w = arg;
	const struct astra_snapshot *s = &w->round->snapshot;

	for (size_t i = 0; i < s->user_count; i++)
		if (!strcmp(s->users[i].name, user) &&
		    !strcmp(s->tenants[s->users[i].tenant].name, tenant))
			return s->users[i].weight;
	return 1;
}

static int watch_measure(struct sfair_watch *w, struct astra_error *err)
{
	const struct astra_audit_options options = {
		.gpus = w->replay.cluster.gpus,
		.quota_entitlement = w->options.quota_entitlement,
		.interval_sec = INTERVAL_SEC,
		.seed = 1,
		.user_weight = watch_user_weight,
		.user_weight_arg = w,
	};

	return astra_audit_measure(&w->record, &w->window, &w->replay.trace,
				   &options, &w->real, err);
}

static void watch_progress(void *arg, double done, double now_sec)
{
	const struct sfair_watch *w = arg;
	double all_sec = w->window.end_sec - w->window.start_sec;

	(void)done;
	fprintf(stderr, "\rsfair: %3.0f %%", 100 * now_sec / all_sec);
}

static double watch_round_sec(const struct sfair_watch *w)
{
	double all_sec = w->window.end_sec - w->window.start_sec;

	return fmin(fmax(floor(all_sec / ROUNDS_MOST), 1), ROUND_MOST_SEC);
}

static int watch_simulate(struct sfair_watch *w, struct astra_error *err)
{
	const struct astra_scheduler *scheduler =
		astra_scheduler_find(w->options.policy, err);
	struct astra_sim_options sim = {
		.round_sec = watch_round_sec(w),
		.checkpoint_sec = w->args->checkpoint_sec,
		.cold_start_sec = w->args->cold_start_sec,
		.warm = true,
		.slowdown = {1, 1, 1, 1},
		.interval_sec = INTERVAL_SEC,
		.until_sec = w->window.end_sec - w->window.start_sec,
		.seed = 1,
		.user_weight = watch_user_weight,
		.user_weight_arg = w,
		.progress_arg = w,
	};
	int rc;

	if (!scheduler)
		return -1;
	if (!w->args->quiet && isatty(STDERR_FILENO))
		sim.progress = watch_progress;
	rc = astra_simulate(&w->replay.trace, &w->replay.cluster, scheduler,
			    &w->options, &sim, &w->leases, err);
	if (sim.progress)
		fputs("\r             \r", stderr);
	return rc;
}

/* The command. */

static int watch_check_format(const struct sfair_watch_args *args,
			      struct astra_error *err)
{
	struct sfair_choices choices = {0};
	int rc = 0;

	if (args->show.format)
		rc = sfair_format_parse(sfair_watch_table_of(args->table),
					args->show.format, &choices, err);
	free(choices.items);
	return rc;
}

static int watch_read(struct sfair_watch *w, struct astra_error *err)
{
	if (watch_check_format(w->args, err) < 0 ||
	    sfair_try_words_check(&w->args->words, err) < 0 ||
	    watch_read_round(w, err) < 0 || watch_read_options(w, err) < 0 ||
	    sfair_watch_rows(w, err) < 0)
		return -1;
	if (astra_replay(&w->round->snapshot, &w->record, &w->window,
			 &w->replay, err) < 0 ||
	    sfair_try_words_weigh(&w->args->words, &w->replay.trace, err) < 0)
		return -1;
	if (w->replay.trace.job_count)
		return 0;
	return astra_error_set(err,
			       "nothing is recorded of pool %.64s yet: no job "
			       "ran or waited since then. Let its users work, "
			       "and ask again in a day",
			       w->round->head.pool);
}

static int watch_show(const struct sfair_watch *w, struct astra_error *err)
{
	json_t *all = sfair_watch_document(w);
	int rc = 0;

	if (!all)
		return astra_error_nomem(err);
	if (w->args->show.style == SFAIR_JSON) {
		json_dumpf(all, stdout,
			   JSON_INDENT(2) | JSON_REAL_PRECISION(15));
		putchar('\n');
	} else {
		rc = sfair_watch_print(w, all, err);
	}
	json_decref(all);
	if (!rc && (fflush(stdout) || ferror(stdout)))
		rc = astra_error_set(err, "writing the output failed");
	return rc;
}

static void watch_clear(struct sfair_watch *w)
{
	astra_sim_result_clear(&w->real);
	astra_sim_result_clear(&w->leases);
	astra_replay_clear(&w->replay);
	astra_record_clear(&w->record);
	if (w->round)
		astra_round_clear(w->round);
	free(w->round);
	json_decref(w->json);
}

static int watch_all(const struct sfair_watch_args *args,
		     struct astra_error *err)
{
	struct sfair_watch w = {.args = args};
	int rc = watch_read(&w, err);

	if (!rc)
		rc = watch_measure(&w, err);
	if (!rc)
		rc = watch_simulate(&w, err);
	if (!rc)
		rc = watch_show(&w, err);
	watch_clear(&w);
	return rc;
}

/* The command line. */

#define SPAN_MAX_SEC 1e9

#define IN(member) ASTRA_CLI_IN(struct sfair_watch_args, member)

static const struct astra_cli_option options[] = {
	ASTRA_CLI_HEADING("What is replayed"),
	{"since", 0, "TIME",
	 "from then on, as sacct takes it [the last 7 days at most]", IN(since),
	 .spelling = ASTRA_CLI_BOTH},
	{"cold-start", 0, "SECONDS",
	 "each start after an interruption costs [40]", IN(cold_start_sec),
	 .most = SPAN_MAX_SEC},
	{"checkpoint", 0, "SECONDS", "... and each interruption [10]",
	 IN(checkpoint_sec), .most = SPAN_MAX_SEC},
	ASTRA_CLI_HEADING("How shown"),
	{"format", 'o', "FIELD[%[-]N],...", "columns of the TABLE",
	 IN(show.format), .spelling = ASTRA_CLI_BOTH},
	{.rows = sfair_style_options,
	 .offset = offsetof(struct sfair_watch_args, show)},
	{"quiet", 'Q', NULL, "say nothing of what is assumed", IN(quiet)},
	ASTRA_CLI_HELP,
	ASTRA_CLI_END,
};

static int watch_set_word(void *at, const char *word, struct astra_error *err)
{
	struct sfair_watch_args *args = at;

	if (strchr(word, '='))
		return sfair_try_word(&args->words, word, err);
	for (int i = 0; i < SFAIR_WATCH_TABLES; i++) {
		if (strcasecmp(word, sfair_watch_table_name(i)) != 0)
			continue;
		if (args->table != SFAIR_WATCH_TABLES)
			return astra_error_set(
				err, "unexpected \"%.64s\": one table", word);
		args->table = i;
		return 0;
	}
	return astra_error_set(err,
			       "unknown word \"%.64s\": since=TIME, pool=NAME, "
			       "KEY=VALUE as in astraea.conf, or a table, one "
			       "of Tenants, Users, Jobs",
			       word);
}

static int watch_parse(int argc, char **argv, struct sfair_watch_args *args,
		       struct astra_error *err)
{
	static const struct astra_cli cli = {
		.name = "sfair watch",
		.usage =
			"sfair watch [TABLE] [since=TIME] [pool=NAME] [KEY=VALUE]... [OPTION]...",
		.summary =
			"Tell what leases would have changed in a pool that has Leases=watch: what its\n"
			"jobs did since then is replayed with leases, under the pool's options and\n"
			"KEY=VALUE, as Unprepared=keep. Nothing is changed. For root, SlurmUser and\n"
			"operators.\n"
			"\n"
			"Tables, all if none is named: Tenants, Users; Jobs only if it is named.",
		.options = options,
		.word = watch_set_word,
	};
	int rc = astra_cli_parse(&cli, argc, argv, args, err);

	if (rc || args->show.help_format)
		return rc;
	if (args->show.format && args->table == SFAIR_WATCH_TABLES)
		return astra_error_set(err, "format= goes with one table: "
					    "sfair watch Tenants, for example");
	return 0;
}

int sfair_watch(int argc, char **argv, struct astra_error *err)
{
	struct sfair_watch_args args = {
		.show = {.unit = SFAIR_HOURS},
		.table = SFAIR_WATCH_TABLES,
		.cold_start_sec = 40,
		.checkpoint_sec = 10,
	};
	int rc = watch_parse(argc, argv, &args, err);

	if (!rc && args.show.help_format)
		sfair_watch_help_format();
	else if (!rc)
		rc = watch_all(&args, err);
	sfair_try_words_clear(&args.words);
	return rc;
}
