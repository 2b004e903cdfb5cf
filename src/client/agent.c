/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent of an app asks and says. Unlike the rest it waits for the
 * answer, which is what it is called for. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "src/client/answer.h"
#include "src/client/courier.h"
#include "src/client/sfair.h"

#define WAIT_SEC 5

/* Returns an errno, or 0 with *reply set. */
static int agent_exchange(const struct sfair_place *place, json_t *message,
			  char **reply, struct astra_error *err)
{
	char *request = json_dumps(message, JSON_COMPACT), *text = NULL;
	enum astra_fault fault;

	if (!request)
		return ENOMEM;
	if (astra_call_within(place->socket,
			      *place->munge ? place->munge : NULL, request,
			      WAIT_SEC, &text, err) < 0) {
		free(request);
		return EIO;
	}
	free(request);
	fault = sfair_answer_check(text, err);
	if (fault) {
		free(text);
		return sfair_courier_errno(fault);
	}
	*reply = text;
	return 0;
}

static int name_app(json_t *message, const char *app,
		    const struct sfair_place *place, struct astra_error *err)
{
	if (!place->reaches) {
		astra_error_set(err, "neither SFAIR_SOCKET nor ASTRAEA_SOCKET "
				     "says where the plugin listens");
		return EIO;
	}
	if (!app && !place->leased) {
		astra_error_set(err, "this process is in no leased job: name "
				     "the app");
		return ENOENT;
	}
	json_object_set_new(message, app ? "app" : "job",
			    app ? json_string(app) : json_integer(place->job));
	return 0;
}

/* Takes the message. */
static int agent_ask(json_t *message, const char *request, const char *app,
		     char **reply)
{
	const struct sfair_place *place = sfair_courier_place();
	struct astra_error err = {""};
	int rc;

	json_object_set_new(message, "astraea", json_integer(ASTRA_PROTOCOL));
	json_object_set_new(message, "request", json_string(request));
	rc = name_app(message, app, place, &err);
	if (!rc)
		rc = agent_exchange(place, message, reply, &err);
	json_decref(message);
	sfair_courier_note_error(&err);
	if (rc)
		errno = rc;
	return rc ? -1 : 0;
}

int sfair_offer(const char *app, char **json)
{
	return agent_ask(json_object(), "offer", app, json);
}

int sfair_bid(const char *app, const char *bid_json, char **offer_json)
{
	json_t *message = json_loads(bid_json, JSON_REJECT_DUPLICATES, NULL);

	if (!json_is_object(message)) {
		struct astra_error err;

		json_decref(message);
		astra_error_set(&err, "a bid is a JSON object");
		sfair_courier_note_error(&err);
		errno = EINVAL;
		return -1;
	}
	return agent_ask(message, "bid", app, offer_json);
}
