/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/client/sfair.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "src/client/answer.h"
#include "src/client/courier.h"
#include "src/client/notice.h"
#include "src/client/store.h"

static int sfair_fail(int error)
{
	if (error)
		errno = error;
	return error ? -1 : 0;
}

double sfair_lease_remaining(void)
{
	if (!sfair_courier_place()->leased)
		return (double)INFINITY;
	return sfair_courier_remaining();
}

double sfair_grace_remaining(void)
{
	double age = sfair_notice_age();
	double left = sfair_courier_place()->grace_sec - age;

	if (age < 0)
		return (double)INFINITY;
	return left > 0 ? left : 0;
}

int sfair_on_lease_end(void (*callback)(void *arg), void *arg)
{
	const struct sfair_place *place = sfair_courier_place();

	if (!place->leased || !place->signal)
		return 0;
	return sfair_fail(sfair_notice_catch(place->signal, callback, arg));
}

int sfair_lease_ending(void)
{
	return sfair_notice_age() >= 0;
}

uint32_t sfair_gpus(uint32_t *before)
{
	const struct sfair_place *place = sfair_courier_place();

	if (before)
		*before = place->gpus_before;
	return place->gpus;
}

int sfair_on_resize(void (*callback)(uint32_t from, uint32_t to, void *arg),
		    void *arg)
{
	const struct sfair_place *place = sfair_courier_place();

	if (!callback || !place->gpus)
		return 0;
	if (place->gpus_before && place->gpus_before != place->gpus)
		callback(place->gpus_before, place->gpus, arg);
	if (!place->leased || !place->signal)
		return 0;
	return sfair_fail(
		sfair_notice_resize(place->signal, place->gpus, callback, arg));
}

int sfair_progress(uint64_t done, uint64_t total, double iter_sec, double loss)
{
	const struct sfair_place *place = sfair_courier_place();
	const struct astra_said said = {
		.done = done,
		.total = total,
		.iter_sec = iter_sec,
		.loss = isfinite(loss) ? loss : (double)NAN,
	};

	if (done > ASTRA_COUNT_MAX || total > ASTRA_COUNT_MAX ||
	    (total && done > total) || !(iter_sec >= 0) ||
	    iter_sec > ASTRA_ITER_SEC_MAX)
		return sfair_fail(EINVAL);
	if (place->leased && place->speaks)
		sfair_courier_progress(&said);
	return 0;
}

int sfair_checkpointed(uint64_t step)
{
	const struct sfair_place *place = sfair_courier_place();

	if (step > ASTRA_COUNT_MAX)
		return sfair_fail(EINVAL);
	if (!place->leased || !place->speaks)
		return 0;
	return sfair_fail(sfair_courier_checkpointed(step));
}

size_t sfair_error(char *text, size_t size)
{
	size_t length = sfair_store_error(text, size);

	return length ? length : sfair_courier_error(text, size);
}

/* The requests and bids of an app's agent. These calls wait for the answer,
 * which the other calls do not. */

#define WAIT_SEC 5

/* Send a message and get the reply. Returns an errno, or 0 with *reply set. */
static int agent_exchange(const struct sfair_place *place, json_t *message,
			  char **reply, struct astra_error *err)
{
	char *request = json_dumps(message, JSON_COMPACT), *text = NULL;
	enum astra_fault fault;

	if (!request)
		return ENOMEM;
	if (astra_call_within(place->socket,
			      *place->auth ? place->auth : NULL, request,
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

/* Complete the message, send it and get the reply. Takes over the reference to
 * the message. */
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
