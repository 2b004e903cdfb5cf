/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/slurm.h"
#include "src/common/clock.h"
#include "src/proto/dial.h"

#define STARTING_SEC 5.0 /* while the plugin is starting */
#define PATIENCE_SEC 2.0 /* for a plugin that slurmctld says is there */
#define AGAIN_USEC 100000
#define ROUND_SEC 60 /* how long to wait for the next round */

static bool not_found; /* the last refusal said so */

bool sfair_not_found(void)
{
	return not_found;
}

/* Whether the reply is an error with this code. */
static bool says(const json_t *reply, const char *fault)
{
	const char *code = json_string_value(
		json_object_get(json_object_get(reply, "error"), "code"));

	return code && !strcmp(code, fault);
}

/* Checks a reply, which may come from any program: first the version, then the
 * error, then the kind. */
static int check_reply(const json_t *reply, const struct astra_query *query,
		       struct astra_error *err)
{
	const json_t *version = json_object_get(reply, "astraea");
	const char *why = json_string_value(
		json_object_get(json_object_get(reply, "error"), "text"));
	const char *kind = json_string_value(json_object_get(reply, "request"));

	if (!json_is_integer(version))
		return astra_error_set(
			err,
			"the reply is no message of the astraea plugin: does the socket belong to it?");
	not_found = says(reply, "not_found");
	if (why)
		return astra_error_set(err, "%s", why);
	if (json_integer_value(version) != ASTRA_PROTOCOL)
		return astra_error_set(
			err,
			"the plugin speaks protocol version %lld, this sfair %d: use the sfair of the plugin's release",
			(long long)json_integer_value(version), ASTRA_PROTOCOL);
	if (!kind || strcmp(kind, astra_query_kind_name(query->kind)) != 0)
		return astra_error_set(err,
				       "the reply answers another request");
	return 0;
}

/* Sleeps for a moment. Returns false, at once, if there is not enough time
 * left. */
static bool ask_pause(double begin_sec, double patience_sec)
{
	if (astra_now_sec(CLOCK_MONOTONIC) - begin_sec >= patience_sec)
		return false;
	usleep(AGAIN_USEC);
	return true;
}

/* Whether the plugin may answer in a moment. From Slurm 23.11 on, a reconfigure
 * replaces the slurmctld process, and nobody answers meanwhile. */
static bool ask_may_come(const struct sfair_where *where,
			 const struct sfair_slurm *slurm)
{
	if (slurm->state != SFAIR_SLURM_PLUGIN)
		return false;
	return *where->path != '/' ||
	       sfair_is_here(sfair_slurm_host(slurm->index));
}

/* Sends the request once. */
static int ask_once(const struct sfair_where *where, const char *request,
		    int wait_sec, char **text, struct astra_error *err)
{
	struct astra_text path = {0};
	int rc;

	if (*where->path == '/' && where->slurm_user != ASTRA_UID_UNKNOWN)
		astra_text_printf(&path, "%u@", where->slurm_user);
	astra_text_printf(&path, "%s", where->path);
	if (path.failed)
		rc = astra_error_nomem(err);
	else
		rc = astra_call_within(path.bytes, where->auth, request,
				       wait_sec, text, err);
	astra_text_clear(&path);
	return rc;
}

/* Sends the request, and repeats it while the plugin is absent but may come.
 * The time that slurmctld takes to answer does not count as waiting. */
static int ask_call(struct sfair_where *where, const char *request,
		    int wait_sec, char **text, struct astra_error *err)
{
	double begin_sec = astra_now_sec(CLOCK_MONOTONIC), asked_sec;
	struct sfair_slurm slurm;
	struct astra_error why;
	int rc;

	for (;;) {
		rc = ask_once(where, request, wait_sec, text, err);
		if (rc != ASTRA_ABSENT)
			return rc;
		asked_sec = astra_now_sec(CLOCK_MONOTONIC);
		sfair_slurm_ask(&slurm);
		begin_sec += astra_now_sec(CLOCK_MONOTONIC) - asked_sec;
		if (sfair_find_again(where, &slurm, &why) < 0 ||
		    !ask_may_come(where, &slurm) ||
		    !ask_pause(begin_sec, slurm.status.answers ? PATIENCE_SEC
							       : STARTING_SEC))
			break;
	}
	sfair_explain_absent(where, &slurm, err);
	return rc;
}

/* Whether the plugin has not finished its first round yet. */
static bool ask_is_starting(const json_t *reply,
			    const struct astra_query *query)
{
	return query->kind != ASTRA_QUERY_REPORT && says(reply, "no_data");
}

/* Parses a reply and frees its text. If rows is set, splits off the rows of
 * key. */
static json_t *ask_parse(char *text, const char *key, struct sfair_rows *rows)
{
	json_t *reply;

	if (rows)
		return sfair_rows_split(text, key, rows);
	reply = json_loads(text, 0, NULL);
	free(text);
	return reply;
}

/* Sends a query and returns the reply. rows: gets the rows of key; may be
 * NULL. */
static json_t *ask_split(struct sfair_where *where,
			 const struct astra_query *query, int wait_sec,
			 bool verbose, const char *key, struct sfair_rows *rows,
			 struct astra_error *err)
{
	double begin_sec = astra_now_sec(CLOCK_MONOTONIC);
	char *request = astra_query_encode(query), *text;
	json_t *reply = NULL;
	int rc;

	if (!request) {
		astra_error_nomem(err);
		return NULL;
	}
	if (verbose)
		fprintf(stderr, "sfair: asking %s: %s\n", where->path, request);
	do {
		json_decref(reply);
		reply = NULL;
		text = NULL;
		if (rows)
			sfair_rows_clear(rows);
		rc = ask_call(where, request, wait_sec, &text, err);
		if (!rc) {
			reply = ask_parse(text, key, rows);
			rc = check_reply(reply, query, err);
		} else {
			free(text);
		}
	} while (ask_is_starting(reply, query) &&
		 ask_pause(begin_sec, STARTING_SEC));
	free(request);
	if (!rc)
		return reply;
	json_decref(reply);
	return NULL;
}

json_t *sfair_ask_at(struct sfair_where *where, const struct astra_query *query,
		     int wait_sec, bool verbose, struct astra_error *err)
{
	return ask_split(where, query, wait_sec, verbose, NULL, NULL, err);
}

json_t *sfair_ask_rows(const struct astra_query *query, bool verbose,
		       const char *key, struct sfair_rows *rows,
		       struct astra_error *err)
{
	struct sfair_where where;
	json_t *reply = NULL;

	if (!sfair_find(&where, err))
		reply = ask_split(&where, query, ASTRA_REPLY_SEC, verbose, key,
				  rows, err);
	sfair_where_clear(&where);
	return reply;
}

json_t *sfair_ask(const struct astra_query *query, bool verbose,
		  struct astra_error *err)
{
	return sfair_ask_rows(query, verbose, NULL, NULL, err);
}

json_t *sfair_ask_round(struct astra_query *query, const char *key,
			bool verbose, struct astra_error *err)
{
	double begin_sec = astra_now_sec(CLOCK_MONOTONIC);

	do {
		json_t *reply = sfair_ask(query, verbose, err);
		json_t *made = json_incref(json_object_get(reply, key));

		if (!reply)
			return NULL;
		astra_adopt_clear(&query->adopt); /* only sent once */
		query->ticket = (uint64_t)json_integer_value(
			json_object_get(reply, "ticket"));
		json_decref(reply);
		if (json_is_object(made))
			return made;
		json_decref(made);
	} while (ask_pause(begin_sec, ROUND_SEC));
	astra_error_set(err,
			"the plugin held no round for %d s: see sfair diag",
			ROUND_SEC);
	return NULL;
}
