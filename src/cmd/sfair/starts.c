/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair when: when a job is expected to start. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/sfair.h"
#include "src/common/text.h"

struct when_args {
	struct astra_query query;
	bool json;
	bool verbose;
};

#define IN(member) ASTRA_CLI_IN(struct when_args, member)

static const struct astra_cli_option options[] = {
	{"json", 0, NULL, "the numbers, for programs", IN(json)},
	{"verbose", 'v', NULL, "say whom it asks", IN(verbose)},
	ASTRA_CLI_HELP,
	ASTRA_CLI_END,
};

static int starts_add_job(void *args, const char *word, struct astra_error *err)
{
	struct when_args *when = args;

	if (when->query.jobs.count)
		return astra_error_set(err, "sfair when JOBID: give one job");
	return sfair_add_job(word, &when->query.jobs, err);
}

static int starts_parse(int argc, char **argv, struct when_args *args,
			struct astra_error *err)
{
	static const struct astra_cli cli = {
		.name = "sfair when",
		.usage = "sfair when JOBID [OPTION]...",
		.summary =
			"When a job is expected to start: a copy of the engine looks ahead from where\n"
			"the cluster is, jobs end as those of their users did before, and nobody submits\n"
			"more. squeue --start shows the same time.",
		.options = options,
		.word = starts_add_job,
	};
	int rc = astra_cli_parse(&cli, argc, argv, args, err);

	if (!rc && !args->query.jobs.count)
		rc = astra_error_set(err, "sfair when JOBID: give one job");
	return rc;
}

static double starts_number(const json_t *job, const char *key)
{
	return json_number_value(json_object_get(job, key));
}

static const char *starts_text(const json_t *job, const char *key)
{
	const char *value = json_string_value(json_object_get(job, key));

	return value ? value : "";
}

/* Appends how certain the expected start is. */
static void tell_bounds(const json_t *job, struct astra_text *out)
{
	double early = starts_number(job, "expected_early_sec");
	double late = starts_number(job, "expected_late_sec");
	char from[64], to[64], made[64];

	sfair_time(early, from, sizeof(from));
	sfair_time(late, to, sizeof(to));
	sfair_time(starts_number(job, "forecast_sec"), made, sizeof(made));
	if (early > 0 && late > 0)
		astra_text_printf(out,
				  " If jobs end early, at %s; if they run as "
				  "long as they may, at %s.",
				  from, to);
	else if (early > 0)
		astra_text_printf(out,
				  " If jobs end early, at %s; how late it may "
				  "become is not known.",
				  from);
	if (starts_number(job, "forecast_sec") > 0)
		astra_text_printf(
			out,
			" Looked ahead at %s; jobs that are submitted "
			"later can change it.",
			made);
}

/* Appends the promised start of a job that has no expected start. */
static void tell_promised(const json_t *job, double now, struct astra_text *out)
{
	double by = starts_number(job, "bound_sec");
	double until = starts_number(job, "forecast_until_sec");
	char at[64], in[64], to[64];

	sfair_time(by, at, sizeof(at));
	sfair_span(by - now, in, sizeof(in));
	sfair_time(until, to, sizeof(to));
	astra_text_printf(out, "is expected to start by %s (in %s)", at, in);
	if (until > 0)
		astra_text_printf(out,
				  ", but not before %s, which is as far as was "
				  "looked",
				  to);
	astra_text_printf(out, ".");
}

/* Returns when the reservation that keeps the job waiting ends; 0 if there is
 * none. */
static double after_reservation(const json_t *reply)
{
	const json_t *binds =
		json_object_get(json_object_get(reply, "why"), "binds");
	const json_t *bind = json_array_get(binds, 0);

	const char *kind = starts_text(bind, "kind");

	return strcmp(kind, "maintenance") && strcmp(kind, "reserved")
		       ? 0
		       : starts_number(bind, "time_sec");
}

/* Appends why the job has no expected start: first an answer of its own, then
 * the words of sfair why. */
static void tell_unknown(const json_t *job, const json_t *reply,
			 struct astra_text *out)
{
	bool blocked =
		!strcmp(starts_text(json_object_get(reply, "why"), "reason"),
			"blocked");
	double now = starts_number(reply, "time_sec");
	double until = starts_number(job, "forecast_until_sec");
	double over = after_reservation(reply);
	char to[64], *words;

	sfair_time(over > 0 ? over : until, to, sizeof(to));
	astra_text_printf(out, "Job %s ", starts_text(job, "id_text"));
	if (over > now)
		astra_text_printf(out, "does not start before %s.", to);
	else if (blocked)
		astra_text_printf(out, "has no expected start.");
	else if (starts_number(job, "bound_sec") > fmax(now, until))
		tell_promised(job, now, out);
	else if (starts_number(job, "forecast_sec") > 0)
		astra_text_printf(out,
				  "is not expected to start before %s, which "
				  "is as far as was looked.",
				  to);
	else
		astra_text_printf(out, "has no expected start yet.");
	words = sfair_why_words(reply, false);
	astra_text_printf(out, " %s", words ? words : "");
	free(words);
}

static void starts_tell(const json_t *reply, struct astra_text *out)
{
	const json_t *job = json_object_get(reply, "job");
	double now = starts_number(reply, "time_sec");
	double start = starts_number(job, "expected_start_sec");
	char at[64], in[64];

	if (!json_is_object(job)) { /* not managed */
		astra_text_printf(out, "%s", starts_text(reply, "text"));
	} else if (strcmp(starts_text(job, "phase"), "waiting") != 0) {
		sfair_time(starts_number(job, "start_sec"), at, sizeof(at));
		astra_text_printf(out, "Job %s has run since %s.",
				  starts_text(job, "id_text"), at);
	} else if (start > 0) {
		sfair_time(start, at, sizeof(at));
		sfair_span(fmax(start - now, 0), in, sizeof(in));
		astra_text_printf(out,
				  "Job %s is expected to start at %s (in %s).",
				  starts_text(job, "id_text"), at, in);
		tell_bounds(job, out);
	} else {
		tell_unknown(job, reply, out);
	}
}

static void starts_print_reply(const json_t *reply)
{
	struct astra_text out = {0};

	starts_tell(reply, &out);
	if (!out.failed && out.bytes)
		sfair_put_wrapped(out.bytes);
	astra_text_clear(&out);
}

/* Prints as JSON the part of the reply that has the times. */
static int starts_print_json(const json_t *reply)
{
	static const char *const keys[] = {
		"id_text",
		"state",
		"phase",
		"start_sec",
		"expected_start_sec",
		"expected_early_sec",
		"expected_late_sec",
		"forecast_sec",
		"forecast_until_sec",
		"bound_sec",
		"reason",
	};
	const json_t *job = json_object_get(reply, "job");
	json_t *out = json_object();

	json_object_set(out, "time_sec", json_object_get(reply, "time_sec"));
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_object_set(out, keys[i], json_object_get(job, keys[i]));
	json_dumpf(out, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	putchar('\n');
	json_decref(out);
	return 0;
}

int sfair_when(int argc, char **argv, struct astra_error *err)
{
	struct when_args args = {.query.kind = ASTRA_QUERY_WHY};
	json_t *reply = NULL;
	int rc = starts_parse(argc, argv, &args, err);

	if (!rc) {
		reply = sfair_ask(&args.query, args.verbose, err);
		if (!reply && sfair_not_found())
			reply = sfair_why_other(&args.query);
		if (!reply)
			rc = -1;
		else if (args.json)
			rc = starts_print_json(reply);
		else
			starts_print_reply(reply);
	}
	if (!rc && (fflush(stdout) || ferror(stdout)))
		rc = astra_error_set(err, "writing the output failed");
	json_decref(reply);
	astra_query_destroy(&args.query);
	return rc;
}
