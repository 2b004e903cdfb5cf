/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/sign.h"

#include <munge.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "src/common/sha256.h"
#include "src/proto/sack.h"
#include "src/proto/token.h"

#define BIND_KEY "{\"to\":\""
#define BIND_SIZE (sizeof(BIND_KEY) - 1 + ASTRA_SHA256_HEX + 2)

/* Writes the text that replaces the reply's first brace. */
static void bind_begin(const char *credential, size_t size,
		       char begin[BIND_SIZE + 1])
{
	char hex[ASTRA_SHA256_HEX + 1];

	astra_sha256(credential, size, hex);
	(void)snprintf(begin, BIND_SIZE + 1, BIND_KEY "%s\",", hex);
}

void astra_bind(const char *reply, size_t size, const char *credential,
		size_t credential_size, struct astra_text *out)
{
	char begin[BIND_SIZE + 1];

	bind_begin(credential, credential_size, begin);
	astra_text_add(out, begin, BIND_SIZE);
	astra_text_add(out, reply + 1, size - 1);
}

int astra_bind_check(char *reply, size_t size, const char *credential,
		     const char *from, struct astra_error *err)
{
	char begin[BIND_SIZE + 1];

	bind_begin(credential, strlen(credential), begin);
	if (strncmp(reply, BIND_KEY, strlen(BIND_KEY)) != 0)
		return astra_error_set(
			err,
			"%s: the reply does not say which request it answers: slurmctld there has an older Astraea than this host: update it, as slurmctld is updated before other hosts",
			from);
	if (size < BIND_SIZE || strncmp(reply, begin, BIND_SIZE) != 0)
		return astra_error_set(
			err,
			"%s: the reply answers another request: something between this host and slurmctld gives old replies back, tell the administrator",
			from);
	memmove(reply + 1, reply + BIND_SIZE, size - BIND_SIZE + 1);
	return 0;
}

bool astra_is_signed(const char *reply)
{
	return !strncmp(reply, "MUNGE:", 6) || astra_token_is(reply);
}

static munge_ctx_t context(const char *socket)
{
	munge_ctx_t ctx = munge_ctx_create();

	if (!socket)
		socket = secure_getenv("MUNGE_SOCKET");
	if (ctx && socket &&
	    munge_ctx_set(ctx, MUNGE_OPT_SOCKET, socket) != EMUNGE_SUCCESS) {
		munge_ctx_destroy(ctx);
		return NULL;
	}
	return ctx;
}

/* Returns a hint for the administrator, or "". */
static const char *fail_hint(munge_err_t rc)
{
	if (rc == EMUNGE_CRED_INVALID)
		return ": the two hosts have another munge.key each";
	if (rc == EMUNGE_CRED_EXPIRED || rc == EMUNGE_CRED_REWOUND)
		return ": the clocks of the two hosts differ";
	return "";
}

static int sign_fail(munge_ctx_t ctx, munge_err_t rc, struct astra_error *err)
{
	const char *why = munge_ctx_strerror(ctx);

	if (!why)
		why = munge_strerror(rc);
	if (rc == EMUNGE_SOCKET)
		return astra_error_set(
			err, "munged does not answer: %s%s", why,
			astra_sack_is_here()
				? ": where slurm.conf has AuthType=auth/slurm, set SFAIR_AUTH=auth/slurm"
				: "");
	return astra_error_set(err, "MUNGE: %s%s", why, fail_hint(rc));
}

/* Signs a message, and frees the context. Returns the credential, or NULL with
 * err set. */
static char *sign_encode(munge_ctx_t ctx, const char *message, size_t size,
			 struct astra_error *err)
{
	char *credential = NULL;
	munge_err_t rc;

	if (!ctx || size > INT32_MAX) {
		munge_ctx_destroy(ctx);
		astra_error_nomem(err);
		return NULL;
	}
	rc = munge_encode(&credential, ctx, message, (int)size);
	if (rc != EMUNGE_SUCCESS) {
		sign_fail(ctx, rc, err);
		free(credential);
		credential = NULL;
	}
	munge_ctx_destroy(ctx);
	return credential;
}

char *astra_sign(const char *auth, const char *message, size_t size,
		 struct astra_error *err)
{
	if (astra_sack_is(auth))
		return astra_sack_sign(auth, message, size, err);
	return sign_encode(context(auth), message, size, err);
}

char *astra_sign_for(const char *munge_socket, uint32_t uid,
		     const char *message, size_t size, struct astra_error *err)
{
	munge_ctx_t ctx = context(munge_socket);

	if (ctx && munge_ctx_set(ctx, MUNGE_OPT_UID_RESTRICTION, (uid_t)uid) !=
			   EMUNGE_SUCCESS) {
		munge_ctx_destroy(ctx);
		ctx = NULL;
	}
	return sign_encode(ctx, message, size, err);
}

static int sign_decode(const char *munge_socket, const char *credential,
		       char **message, size_t *size, uint32_t *uid,
		       struct astra_error *err)
{
	munge_ctx_t ctx = context(munge_socket);
	void *payload = NULL;
	munge_err_t rc;
	uid_t sender;
	gid_t group;
	int length = 0;

	if (!ctx)
		return astra_error_nomem(err);
	rc = munge_decode(credential, ctx, &payload, &length, &sender, &group);
	if (rc != EMUNGE_SUCCESS) {
		sign_fail(ctx, rc, err);
		free(payload);
		munge_ctx_destroy(ctx);
		return -1;
	}
	munge_ctx_destroy(ctx);
	if (!payload) /* an empty message has no payload */
		payload = calloc(1, 1);
	if (!payload)
		return astra_error_nomem(err);
	*message = payload;
	*size = (size_t)length;
	*uid = sender;
	return 0;
}

/* Sets err to say that the message is signed in another way than this process
 * signs. */
static int sign_other(bool slurm, struct astra_error *err)
{
	return astra_error_set(
		err,
		slurm ? "it is signed with MUNGE, and this host has AuthType=auth/slurm: have one AuthType in the slurm.conf of all hosts, and unset SFAIR_AUTH"
		      : "it is signed with auth/slurm, and this host with MUNGE: have one AuthType in the slurm.conf of all hosts, or set SFAIR_AUTH=auth/slurm");
}

int astra_verify(const char *auth, const char *credential, char **message,
		 size_t *size, uint32_t *uid, struct astra_error *err)
{
	bool slurm = astra_sack_is(auth);

	if (slurm ? !strncmp(credential, "MUNGE:", 6)
		  : astra_token_is(credential))
		return sign_other(slurm, err);
	if (slurm)
		return astra_sack_verify(auth, credential, message, size, uid,
					 err);
	return sign_decode(auth, credential, message, size, uid, err);
}
