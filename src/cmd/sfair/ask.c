/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cmd/sfair/sfair.h"

static bool not_found; /* so the last refusal said */

bool sfair_not_found(void)
{
	return not_found;
}

static bool says_not_found(const json_t *reply)
{
	const char *code = json_string_value(
		json_object_get(json_object_get(reply, "error"), "code"));

	return code && !strcmp(code, "not_found");
}

/* Check a reply as it comes from outside: version, then error, then kind. */
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
	not_found = says_not_found(reply);
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

json_t *sfair_ask_at(const char *path, const char *munge_socket,
		     const struct astra_query *query, int wait_sec,
		     bool verbose, struct astra_error *err)
{
	char *request = astra_query_encode(query), *text = NULL;
	json_t *reply = NULL;
	int rc = request ? 0 : astra_error_nomem(err);

	if (!rc && verbose)
		fprintf(stderr, "sfair: asking %s: %s\n", path, request);
	if (!rc)
		rc = astra_call_within(path, munge_socket, request, wait_sec,
				       &text, err);
	if (rc < 0 && request && *path == '/' && access(path, F_OK) < 0 &&
	    errno == ENOENT)
		sfair_explain_absent(path, err);
	if (!rc) {
		reply = json_loads(text, 0, NULL);
		rc = check_reply(reply, query, err);
	}
	free(text);
	free(request);
	if (!rc)
		return reply;
	json_decref(reply);
	return NULL;
}

json_t *sfair_ask(const struct astra_query *query, bool verbose,
		  struct astra_error *err)
{
	char *path = NULL, *munge_socket = NULL;
	json_t *reply = NULL;

	if (!sfair_conf(&path, &munge_socket, err))
		reply = sfair_ask_at(path, munge_socket, query, ASTRA_REPLY_SEC,
				     verbose, err);
	free(path);
	free(munge_socket);
	return reply;
}
