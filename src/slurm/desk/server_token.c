/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/desk/server_token.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/sha256.h"
#include "src/proto/token.h"
#include "src/slurm/desk/server.h"

/* Requests that were seen. One user can send 200 a second, so 12,000 in
 * ASTRA_TOKEN_SEC. A request can be in any of the SEEN_WAYS places of its
 * hash's set. */
#define SEEN_WAYS 16
#define SEEN_SETS 8192
#define SEEN_BYTES 16 /* of a hash */

struct seen {
	char hash[SEEN_BYTES];
	int64_t until_sec; /* 0: the entry is free */
};

struct server_token {
	const struct astra_slurm_auth *auth;
	int64_t begin_sec;
	struct seen *last; /* entry of the last request; NULL: none yet */
	struct seen seen[SEEN_SETS][SEEN_WAYS];
};

struct server_token *server_token_create(const struct astra_slurm_auth *auth,
					 int64_t now_sec,
					 struct astra_error *err)
{
	struct server_token *t = calloc(1, sizeof(*t));

	if (!t) {
		astra_error_nomem(err);
		return NULL;
	}
	t->auth = auth;
	t->begin_sec = now_sec;
	return t;
}

void server_token_destroy(struct server_token *token)
{
	free(token);
}

/* Hash the signed part of a token, since the signature itself can be written in
 * several ways. Returns the index of the set. */
static size_t seen_hash(const char *credential, char hash[SEEN_BYTES])
{
	char hex[ASTRA_SHA256_HEX + 1];
	size_t set = 0;

	astra_sha256(credential, astra_token_signed(credential), hex);
	for (int i = 0; i < 2 * SEEN_BYTES; i += 2) {
		char byte[3] = {hex[i], hex[i + 1], '\0'};

		hash[i / 2] = (char)strtoul(byte, NULL, 16);
	}
	memcpy(&set, hash, sizeof(set));
	return set % SEEN_SETS;
}

/* Note a request until it would be refused as too old. */
static enum astra_fault seen_add(struct server_token *t, const char *credential,
				 int64_t now_sec, int64_t until_sec,
				 struct astra_error *err)
{
	char hash[SEEN_BYTES];
	struct seen *set = t->seen[seen_hash(credential, hash)], *place = NULL;

	for (int i = 0; i < SEEN_WAYS; i++) {
		if (set[i].until_sec < now_sec) {
			place = &set[i];
			continue;
		}
		if (memcmp(set[i].hash, hash, SEEN_BYTES) != 0)
			continue;
		astra_error_set(
			err,
			"auth/slurm: this request was sent before: something between the two hosts sends requests again, tell the administrator");
		return ASTRA_FAULT_AUTH;
	}
	if (!place) {
		astra_error_set(
			err,
			"auth/slurm: too many requests within a minute: ask again later");
		return ASTRA_FAULT_BUSY;
	}
	memcpy(place->hash, hash, SEEN_BYTES);
	place->until_sec = until_sec;
	t->last = place;
	return ASTRA_FAULT_NONE;
}

void server_token_forget(struct server_token *t)
{
	if (t->last)
		t->last->until_sec = 0;
}

static enum astra_fault token_refuse(struct astra_error *err, const char *why)
{
	astra_error_set(err, "auth/slurm: %s", why);
	return ASTRA_FAULT_AUTH;
}

/* Check the content of a token before Slurm checks the signature, as Slurm logs
 * each refusal. */
static enum astra_fault token_look(const struct astra_token *says,
				   int64_t now_sec, struct astra_error *err)
{
	if (says->made_sec < now_sec - ASTRA_TOKEN_SEC ||
	    says->made_sec > now_sec + ASTRA_TOKEN_SEC ||
	    says->end_sec < now_sec)
		return token_refuse(
			err,
			"the request's signature is older than a minute, or from the future: the clocks of the two hosts differ");
	if (!astra_token_request_of(says->payload, says->size))
		return token_refuse(err,
				    "what is signed is no request of sfair's");
	return ASTRA_FAULT_NONE;
}

/* Check that a valid token was not seen before. If the clock was set back to
 * before the start, tokens for the previous slurmctld are from the future. */
static enum astra_fault token_is_first(struct server_token *t,
				       const char *credential,
				       const struct astra_token *says,
				       int64_t now_sec, struct astra_error *err)
{
	if (now_sec < t->begin_sec - ASTRA_TOKEN_SEC)
		t->begin_sec = now_sec - 1;
	if (says->made_sec > t->begin_sec)
		return seen_add(t, credential, now_sec,
				says->made_sec + ASTRA_TOKEN_SEC, err);
	astra_error_set(
		err,
		"auth/slurm: the request was signed before slurmctld began to answer: ask again");
	return ASTRA_FAULT_BUSY;
}

/* Take the message out of a token. Returns 0, or -1 when memory is out. */
static int token_take(const struct astra_token *says, char **message,
		      size_t *size)
{
	const char *request = astra_token_request_of(says->payload, says->size);

	*size = says->size - (size_t)(request - says->payload);
	*message = malloc(*size + 1);
	if (!*message)
		return -1;
	memcpy(*message, request, *size);
	(*message)[*size] = '\0';
	return 0;
}

static enum astra_fault token_open(struct server_token *t,
				   const char *credential,
				   const struct astra_token *says,
				   int64_t now_sec, uint32_t *uid,
				   struct astra_error *err)
{
	enum astra_fault fault = token_look(says, now_sec, err);

	if (fault)
		return fault;
	if (t->auth->check(credential, uid) < 0)
		return token_refuse(
			err,
			"slurmctld refuses the request's signature: the two hosts have another slurm.key each");
	return token_is_first(t, credential, says, now_sec, err);
}

enum astra_fault server_token_verify(struct server_token *t,
				     const char *credential, int64_t now_sec,
				     char **message, size_t *size,
				     uint32_t *uid, struct astra_error *err)
{
	struct astra_token says;
	enum astra_fault fault;

	if (!strncmp(credential, "MUNGE:", 6))
		return token_refuse(
			err,
			"the request is signed with MUNGE, and slurmctld has AuthType=auth/slurm: set SFAIR_AUTH=auth/slurm");
	if (astra_token_read(credential, &says, err) < 0)
		return ASTRA_FAULT_AUTH;
	fault = token_open(t, credential, &says, now_sec, uid, err);
	if (!fault && token_take(&says, message, size) < 0) {
		astra_error_nomem(err);
		fault = ASTRA_FAULT_INTERNAL;
	}
	astra_token_clear(&says);
	return fault;
}

char *server_token_sign_for(struct server_token *t, uint32_t uid,
			    const char *message, size_t size,
			    struct astra_error *err)
{
	struct astra_text payload = {0};
	char *token = NULL;

	if (!astra_token_reply(message, size, &payload, err)) {
		token = t->auth->create(payload.bytes, payload.size, uid);
		if (!token)
			astra_error_set(
				err,
				"auth/slurm: slurmctld cannot sign the reply: see its log");
	}
	astra_text_clear(&payload);
	return token;
}
