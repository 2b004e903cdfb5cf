/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of the plugin's replies: about itself, and about jobs that lose
 * work. */
#include <config.h> /* Slurm's */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "slurm/slurm.h"
#include "src/cmd/sfair/doctor.h"
#include "src/cmd/sfair/sfair.h"
#include "src/common/read_config.h"
#include "src/common/text.h"
#include "src/proto/report.h"
#include "src/sim/child.h"

#define SKEW_SEC 5    /* largest allowed difference between two hosts' clocks */
#define ROUND_SEC 180 /* largest allowed age of the last round */
#define USERS_NAMED 5

static json_t *live_ask(struct doctor *d, enum astra_query_kind kind)
{
	struct astra_query query = {.kind = kind};
	struct astra_error err = {""};
	json_t *reply = sfair_ask(&query, false, &err);

	if (!reply)
		doctor_say(d, DOCTOR_ERROR, "%s", err.text);
	astra_query_destroy(&query);
	return reply;
}

static const char *live_text(const json_t *from, const char *key)
{
	const char *text = json_string_value(json_object_get(from, key));

	return text ? text : "";
}

static double live_number(const json_t *from, const char *key)
{
	return json_number_value(json_object_get(from, key));
}

/* The plugin. */

static void live_faults(struct doctor *d, const json_t *diag)
{
	static const struct {
		const char *key;
		enum doctor_level level;
		const char *what;
	} faults[] = {
		{"aside", DOCTOR_ERROR,
		 "the plugin stands aside, Slurm schedules as without it"},
		{"config_error", DOCTOR_ERROR,
		 "astraea.conf is not in force as it is"},
		{"policy_error", DOCTOR_ERROR, "rounds fail"},
		{"state_error", DOCTOR_ERROR, "the state is not saved"},
	};

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		if (*live_text(diag, faults[i].key))
			doctor_say(d, faults[i].level, "%s: %s", faults[i].what,
				   live_text(diag, faults[i].key));
	if (*live_text(json_object_get(diag, "history"), "error"))
		doctor_say(
			d, DOCTOR_WARNING, "the history is paused: %s",
			live_text(json_object_get(diag, "history"), "error"));
}

/* Reports the plugin's warnings, except those that the file on slurmctld's host
 * already gave. */
static void live_warn(struct doctor *d, const json_t *diag)
{
	const char *at = live_text(diag, "config_warning");

	while (*at) {
		const char *end = strstr(at, "; ");
		char text[640];

		(void)snprintf(text, sizeof(text), "%.*s",
			       end ? (int)(end - at) : (int)strlen(at), at);
		if (!d->said.bytes || !strstr(d->said.bytes, text))
			doctor_say(d, DOCTOR_WARNING, "the plugin warns: %s",
				   text);
		at = end ? end + 2 : at + strlen(at);
	}
}

static void live_pools(struct doctor *d, const json_t *pools)
{
	size_t i;
	const json_t *pool;

	json_array_foreach(pools, i, pool)
	{
		if (json_is_true(json_object_get(pool, "watch")))
			doctor_say(d, DOCTOR_GOOD,
				   "pool %s is watched (Leases=watch): sfair "
				   "watch tells what leases would have changed",
				   live_text(pool, "name"));
	}
}

static void live_diag(struct doctor *d, const json_t *reply)
{
	const json_t *diag = json_object_get(reply, "diag");
	double now = live_number(reply, "clock_sec"), here = (double)time(NULL);
	double round = live_number(diag, "round_sec");

	doctor_say(d, DOCTOR_GOOD,
		   "the plugin in slurmctld %s answers, after %.0f rounds",
		   live_text(reply, "slurm_version"),
		   live_number(diag, "rounds"));
	live_faults(d, diag);
	live_warn(d, diag);
	live_pools(d, json_object_get(reply, "pools"));
	if (now > 0 && fabs(now - here) > SKEW_SEC)
		doctor_say(d, DOCTOR_WARNING,
			   "the clock of slurmctld's host and this one's are "
			   "%.0f s apart: let both follow NTP",
			   fabs(now - here));
	if (!*live_text(diag, "aside") && round > 0 && now - round > ROUND_SEC)
		doctor_say(d, DOCTOR_ERROR,
			   "the last round was %.0f s ago, though there is one "
			   "a minute: slurmctld's log says why",
			   now - round);
}

/* Jobs. */

/* A count of jobs, and their users. */
struct live_of {
	unsigned count;
	json_t *users; /* count of jobs by user name */
};

struct live_jobs {
	struct live_of deaf;
	struct live_of kept;	  /* they declare no checkpoint */
	struct live_of later;	  /* the same for pools that do not have leases
				   * yet */
	unsigned unleased, began; /* began: of these, without leases */
};

static void live_add(struct live_of *of, const char *user)
{
	of->count++;
	if (!of->users)
		of->users = json_object();
	json_object_set_new(of->users, user,
			    json_integer(1 + json_integer_value(json_object_get(
						     of->users, user))));
}

/* Returns the user with the most jobs among those not in `taken`, and adds the
 * user to `taken`. */
static const char *live_next(json_t *users, json_t *taken)
{
	const char *name, *best = NULL;
	json_int_t most = 0;
	json_t *count;

	json_object_foreach(users, name, count)
	{
		json_int_t jobs = json_integer_value(count);

		if (!json_object_get(taken, name) &&
		    (jobs > most ||
		     (jobs == most && best && strcmp(name, best) < 0))) {
			best = name;
			most = jobs;
		}
	}
	if (best)
		json_object_set_new(taken, best, json_true());
	return best;
}

/* Returns a text such as "bob", or "3 users (bob 5, eve 2, mal 1)". users:
 * holds the text; clear it with astra_text_clear(). */
static const char *live_users(const struct live_of *of,
			      struct astra_text *users)
{
	size_t count = json_object_size(of->users), named = 0;
	json_t *taken = json_object();
	const char *name;

	if (count > 1)
		astra_text_printf(users, "%zu users (", count);
	for (; named < USERS_NAMED && (name = live_next(of->users, taken));
	     named++) {
		astra_text_printf(users, "%s%s", named ? ", " : "", name);
		if (count > 1)
			astra_text_printf(users, " %" JSON_INTEGER_FORMAT,
					  json_integer_value(json_object_get(
						  of->users, name)));
	}
	if (count > named)
		astra_text_printf(users, " and %zu more", count - named);
	if (count > 1)
		astra_text_printf(users, ")");
	json_decref(taken);
	return users->failed || !users->bytes ? "" : users->bytes;
}

static void live_count(struct live_jobs *jobs, const json_t *rows)
{
	size_t i;
	const json_t *row;

	json_array_foreach(rows, i, row)
	{
		const char *pinned = live_text(row, "pinned");

		if (!strcmp(live_text(row, "phase"), "running") &&
		    json_is_true(json_object_get(row, "unprepared")))
			live_add(&jobs->later, live_text(row, "user"));
		if (!strcmp(pinned, ASTRA_PINNED_SHARE) ||
		    !strcmp(pinned, ASTRA_PINNED_KEEP)) {
			live_add(&jobs->kept, live_text(row, "user"));
		} else if (!json_is_true(json_object_get(row, "revocable"))) {
			jobs->unleased++;
			jobs->began += !strcmp(pinned, ASTRA_PINNED_BY_BEGIN);
		} else if (!*live_text(row, "signal")) {
			live_add(&jobs->deaf, live_text(row, "user"));
		}
	}
}

static void live_jobs(struct doctor *d, const json_t *reply)
{
	const json_t *rows = json_object_get(reply, "jobs");
	struct live_jobs jobs = {0};
	struct astra_text deaf = {0}, kept = {0}, later = {0};

	live_count(&jobs, rows);
	if (jobs.deaf.count)
		doctor_say(
			d, DOCTOR_WARNING,
			"%u of %zu job records have no checkpoint signal, of "
			"%s: at a lease's end they begin anew; "
			"--signal=USR1 in their scripts, or "
			"CheckpointSignal= of the pool (astraea.conf(5))",
			jobs.deaf.count, json_array_size(rows),
			live_users(&jobs.deaf, &deaf));
	if (jobs.later.count)
		doctor_say(
			d, DOCTOR_GOOD,
			"%u of %zu job records run in pools without leases and "
			"declare no checkpoint, of %s: Unprepared= says what "
			"leases will mean for them (astraea.conf(5))",
			jobs.later.count, json_array_size(rows),
			live_users(&jobs.later, &later));
	if (jobs.kept.count)
		doctor_say(
			d, DOCTOR_GOOD,
			"%u of %zu job records declare no checkpoint, of %s: they "
			"keep their GPUs (Unprepared)",
			jobs.kept.count, json_array_size(rows),
			live_users(&jobs.kept, &kept));
	if (jobs.unleased)
		doctor_say(d, DOCTOR_GOOD,
			   "%u of %zu job records have no lease; sfair job "
			   "-o jobid,user,pinned says why",
			   jobs.unleased, json_array_size(rows));
	if (jobs.began)
		doctor_say(d, DOCTOR_GOOD,
			   "the runs of %u of them began without leases: they "
			   "keep their GPUs until they end; scontrol update "
			   "JobId=N Requeue=1 gives job N leases (astraea(7))",
			   jobs.began);
	astra_text_clear(&deaf);
	astra_text_clear(&kept);
	astra_text_clear(&later);
	json_decref(jobs.deaf.users);
	json_decref(jobs.kept.users);
	json_decref(jobs.later.users);
}

/* Checks that slurmdbd answers sacctmgr. */
static void live_slurmdbd(struct doctor *d)
{
	char *argv[] = {"sacctmgr", "--noheader", "--parsable2", "--readonly",
			"show",	    "cluster",	  "format=name", NULL};
	struct astra_error err = {""};
	char *text = NULL;

	if (!slurm_conf.accounting_storage_type ||
	    !strstr(slurm_conf.accounting_storage_type, "slurmdbd"))
		return;
	if (astra_child_text(argv, &text, &err) < 0)
		doctor_say(
			d, DOCTOR_ERROR,
			"sacctmgr got no answer from slurmdbd on %s (%s). If slurmdbd is down, start it. Jobs go on; accounts, shares and limits do not change meanwhile",
			slurm_conf.accounting_storage_host
				? slurm_conf.accounting_storage_host
				: "its host",
			err.text);
	free(text);
}

void doctor_live(struct doctor *d)
{
	json_t *diag, *jobs;

	live_slurmdbd(d);
	diag = live_ask(d, ASTRA_QUERY_DIAG);
	if (!diag)
		return;
	live_diag(d, diag);
	jobs = live_ask(d, ASTRA_QUERY_JOB);
	if (jobs)
		live_jobs(d, jobs);
	json_decref(jobs);
	json_decref(diag);
}
